"""Results of scripts with a misspelt key, so that promptfoo refuses them."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, FreeName
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern

__all__ = ["RESULT_REFUSED", "ResultSlip", "incomplete_results", "results_without_reason", "slips_of_results"]

#: A name whose value a mapping is; code that reads parts of it may give one of them as its result.
_NAMED = pattern(r"\b([A-Za-z_$][\w$]{0,60})[ \t]{0,9}=\s{0,9}\{\s{0,99}['\"]?\Z")
#: What is before the first key of a mapping that is the result itself.
_RETURNED = pattern(r"(?:\breturn|\A)[\s(]{0,99}\{\s{0,99}['\"]?\Z")
#: So many characters before its first key suffice to find the name of a mapping.
_NEAR = 200
#: The keys that every result has, and those that some have.
_REQUIRED = ("pass", "score", "reason")
_KNOWN = frozenset({
    *_REQUIRED, "namedScores", "namedScoreWeights", "tokensUsed", "componentResults", "assertion", "comment", "metadata",
})  # fmt: skip
#: Other words for them.
_CALLED = MappingProxyType({
    "passed": "pass", "pass_": "pass", "success": "pass", "reasons": "reason", "reasoning": "reason", "message": "reason",
})  # fmt: skip
RESULT_REFUSED = "promptfoo requires `pass`, `score` and `reason` in a result: the assertion fails"


#: The functions that make a program a provider, and what one of them returns.
_PROVIDERS = frozenset({"call_api", "callApi"})
_OF_PROVIDERS = frozenset({"output", "error", "embedding", "classification", "outputs"})


class ResultSlip(NamedTuple):
    """A misspelt key of a result."""

    key: FreeName
    meant: str


def _of_provider(keys: tuple[FreeName, ...]) -> Iterator[ResultSlip]:
    """The misspelt `output` of what a provider returns."""
    names = {key.text for key in keys}
    if not names & _OF_PROVIDERS:
        slips = [key for key in keys if is_typo(key.text, "output")]
        yield from (ResultSlip(key, "output") for key in slips[:1])


def slips_of_results(read: CodeReading, *, is_python: bool) -> Iterator[ResultSlip]:
    """Keys that stand for a required one, in objects with the two others."""
    is_provider = bool((read.bound | read.methods) & _PROVIDERS)
    for keys in read.objects:
        if is_provider:  # what else it makes is an answer
            yield from _of_provider(keys)
            continue
        # `pass` is a keyword in Python, so promptfoo also accepts `pass_`.
        names = {"pass" if is_python and key.text == "pass_" else key.text for key in keys}
        lacking = [each for each in _REQUIRED if each not in names]
        if len(lacking) != 1:
            continue
        meant = lacking[0]
        for key in keys:
            if key.text not in _KNOWN and (is_typo(key.text, meant) or _CALLED.get(key.text) == meant):
                yield ResultSlip(key, meant)
                break


def incomplete_results(read: CodeReading, code: str) -> Iterator[tuple[FreeName, str]]:
    """In code of an assertion, the `pass` of each result that is written out and lacks others, or a slip of it, with words.

    Beside a whole result, one with less is a part of it; what is spread into one is not known.
    """
    if (
        "..." in code
        or "**" in code
        or any({each.text for each in keys}.issuperset(_REQUIRED) for keys in read.objects)
    ):
        return
    for keys in read.objects:
        if not keys or not _RETURNED.search(code[max(0, keys[0].offset - _NEAR) : keys[0].offset]):
            continue
        names = {"pass" if key.text == "pass_" else key.text: key for key in keys}
        unknown = [key for key in keys if key.text not in _KNOWN and key.text != "pass_"]
        if "pass" not in names and len(unknown) == 1 and _CALLED.get(unknown[0].text) == "pass":
            yield unknown[0], f"a result has no `{unknown[0].text}`; did you mean `pass`?"
        elif "pass" in names and not unknown:
            lacking = [f"`{each}`" for each in _REQUIRED if each not in names]
            if lacking:
                yield names["pass"], f"this result has no {' and no '.join(lacking)}"


def results_without_reason(read: CodeReading, code: str) -> Iterator[FreeName]:
    """The `pass` of each result that has a score as well, in code that never speaks of a reason."""
    if "reason" in code or "..." in code or "Object.assign" in code:
        return
    for keys in read.objects:
        names = {key.text for key in keys}
        named = _NAMED.search(code[: keys[0].offset][-_NEAR:]) if keys else None
        is_part = named is not None and (named[1] + "." in code or named[1] + "[" in code)
        if {"pass", "score"} <= names <= _KNOWN and not is_part:
            yield next(key for key in keys if key.text == "pass")
