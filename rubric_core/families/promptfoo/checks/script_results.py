"""Results of scripts and programs that promptfoo refuses."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.function_reading import FunctionReading, ReturnedValue, ValueKind
from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, FreeName
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.program_uses import ProgramRole, ProgramUse
from rubric_core.loading.reference_issues import ProgramText

__all__ = [
    "RESULT_REFUSED",
    "RefusedResult",
    "ResultSlip",
    "incomplete_results",
    "refused_results",
    "results_without_reason",
    "slips_of_results",
    "wrong_kinds",
]

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
#: Functions of Python that promptfoo calls if they have so many parameters, in a file of which nothing more is known.
_BY_NAME: Mapping[str, tuple[ProgramRole, int]] = MappingProxyType(
    {"call_api": ("provider", 3), "get_assert": ("assertion", 2), "get_var": ("variable", 3)}
)
_METHOD = "callApi"
#: What a result needs, one of these or all, and the kinds of the values.
_ONE_OF: Mapping[ProgramRole, tuple[str, ...]] = MappingProxyType(
    {"provider": ("output", "error"), "variable": ("output", "error")}
)
_GRADED: Mapping[str, ValueKind] = MappingProxyType({"pass": "boolean", "score": "number", "reason": "text"})
_KINDS_NAMED: Mapping[ValueKind, str] = MappingProxyType(
    {"boolean": "`true` or `false`", "number": "a number", "text": "a text"}
)
_NO_OUTPUT = "promptfoo finds no output: each row fails"
_SCORE_REFUSED = "promptfoo requires `pass`, `score` and `reason` in a result: the case fails"
#: A text of a Python assertion that promptfoo reads as what it stands for.
_READ_TEXT = pattern(r"(?i)[rbu]?f|[rbu]?['\"]{1,3}\s{0,99}(?:true|false|[-+.\d{\[]|['\"])")
#: What makes a function the module itself.
_MODULE = pattern(
    r"(?:\bmodule\.exports(?:\.default)?|\bexports\.default)[ \t]{0,9}=[ \t]{0,9}(?:async[ \t]{1,9})?\Z|^export[ \t]{1,9}default[ \t]{1,9}(?:async[ \t]{1,9})?\Z"
)
#: The name of a function that is the module itself.
_MODULE_NAME = pattern(
    r"^(?:module\.exports[ \t]{0,9}=|export[ \t]{1,9}default)[ \t]{1,9}([A-Za-z_$][\w$]{0,60})[ \t]{0,9};?[ \t]{0,9}$",
    re.MULTILINE,
)
_NEAR_EXPORT = 100
_NO_VARIABLES = frozenset({"text", "number", "boolean", "function"})
_GIVES = pattern(r"\b(?:return|throw)\b")


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


class RefusedResult(NamedTuple):
    """A result, or a member of one, that promptfoo refuses."""

    start: int
    end: int
    words: str
    consequence: str


def refused_results(program: ProgramText, read: CodeReading) -> Iterator[RefusedResult]:
    """Results that are written out and of another shape than promptfoo needs."""
    is_python = program.name.endswith(".py")
    told = set[int]()
    for function, role in _called(program, read, is_python=is_python):
        if function.start not in told:
            told.add(function.start)
            if not is_python and (_GIVES.search(program.text) or not _is_module(function, program.text)):
                yield from _without_result(function, role)
            for each in function.results:
                yield from _refused(each, role, program.text, is_python=is_python)


def _without_result(function: FunctionReading, role: ProgramRole) -> Iterator[RefusedResult]:
    """A function of JavaScript that gives nothing."""
    given = [each for each in function.results if each.kind != "nothing"]
    if role != "value" and not given and not function.throws:
        consequence = {"assertion": RESULT_REFUSED, "scoring": _SCORE_REFUSED, "variables": STOPS}.get(role, ROW_ERRORS)
        yield RefusedResult(function.start, function.head_end, "this function returns nothing", consequence)


def _called(
    program: ProgramText, read: CodeReading, *, is_python: bool
) -> Iterator[tuple[FunctionReading, ProgramRole]]:
    """The functions that promptfoo certainly calls, and what for."""
    for use in dict.fromkeys(each._replace(settings=()) for each in program.called):
        found = _function(use, program.text, read)
        if found is not None:
            yield found, use.role
    if program.called:
        return
    for name, (role, count) in _BY_NAME.items() if is_python else ():
        found = _only(name, read.functions)
        if found is not None and len(found.parameters) == count:
            yield found, role
    if "id" in read.methods and (found := _method(read)) is not None:
        yield found, "provider"


def _function(use: ProgramUse, code: str, read: CodeReading) -> FunctionReading | None:
    if use.function:
        return _only(use.function, read.functions)
    if use.role == "provider":
        return _method(read)
    modules = [each for each in read.functions if _is_module(each, code)]
    named = _MODULE_NAME.search(code)
    if not modules and named is not None:
        return _only(named[1], read.functions)
    return modules[0] if len(modules) == 1 else None


def _is_module(function: FunctionReading, code: str) -> bool:
    """Whether a function of JavaScript is what the file exports as a whole."""
    return _MODULE.search(code[max(0, function.start - _NEAR_EXPORT) : function.start]) is not None


def _method(read: CodeReading) -> FunctionReading | None:
    return _only(_METHOD, read.functions) if _METHOD in read.methods else None


def _only(name: str, functions: Sequence[FunctionReading]) -> FunctionReading | None:
    found = [each for each in functions if each.name == name]
    return found[0] if len(found) == 1 else None


def _refused(value: ReturnedValue, role: ProgramRole, code: str, *, is_python: bool) -> Iterator[RefusedResult]:
    needed = _ONE_OF.get(role)
    if needed is not None:
        fails = role == "provider" and not is_python
        yield from _without_output(value, needed, _NO_OUTPUT if fails else ROW_ERRORS)
    elif role in ("assertion", "scoring"):
        yield from _ungraded(value, code, is_python=is_python, scores=role == "scoring")
    elif role == "variables" and value.kind in _NO_VARIABLES:
        yield RefusedResult(value.start, value.end, "this is no mapping; return the variables", STOPS)
    elif role == "value" and value.kind == "boolean":
        words = "only assertions that are code take `true` or `false`; return the value that is looked for"
        yield RefusedResult(value.start, value.end, words, ROW_ERRORS)


def _without_output(value: ReturnedValue, needed: Sequence[str], consequence: str) -> Iterator[RefusedResult]:
    if value.kind == "mapping" and value.is_whole and not any(name in needed for name, _ in value.members):
        yield RefusedResult(value.start, value.end, "this result has no `output`", consequence)
    elif value.kind in ("text", "number", "list"):
        words = "this result is no mapping; return one with `output`"
        yield RefusedResult(value.start, value.end, words, consequence)


def wrong_kinds(members: Mapping[str, ReturnedValue], consequence: str) -> Iterator[RefusedResult]:
    """The members of a result of an assertion that are of another kind than promptfoo accepts."""
    for name, kind in _GRADED.items():
        member = members.get(name)
        if member is not None and member.kind not in ("unknown", kind):
            yield RefusedResult(member.start, member.end, f"`{name}` of a result is {_KINDS_NAMED[kind]}", consequence)


def _ungraded(value: ReturnedValue, code: str, *, is_python: bool, scores: bool) -> Iterator[RefusedResult]:
    consequence = _SCORE_REFUSED if scores else RESULT_REFUSED
    if value.kind == "mapping":
        # `pass` is a keyword in Python, so promptfoo also accepts `pass_`.
        members = {
            "pass" if is_python and not scores and name == "pass_" else name: each for name, each in value.members
        }
        lacking = [f"`{name}`" for name in _GRADED if name not in members]
        if lacking and value.is_whole:
            words = f"this result has no {' and no '.join(lacking)}"
            yield RefusedResult(value.start, value.end, words, consequence)
            return
        yield from wrong_kinds(members, consequence)
    elif value.kind == "list" or (value.kind == "text" and not (is_python and _READ_TEXT.match(code, value.start))):
        what = (
            "a mapping" if scores else f"{'a boolean, a' if is_python else '`true` or `false`, a'} number or a mapping"
        )
        words = f"a {value.kind} is no result; return {what} with `pass`, `score` and `reason`"
        yield RefusedResult(value.start, value.end, words, consequence)
    elif scores and value.kind in ("number", "boolean"):
        words = f"a {value.kind} is no result; return a mapping with `pass`, `score` and `reason`"
        yield RefusedResult(value.start, value.end, words, consequence)
