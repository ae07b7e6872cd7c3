"""Which dialect a text is in: a modeline, else the workspace's word, else the keys and types it uses."""

import re
from collections.abc import Collection, Iterable
from enum import IntFlag, auto
from functools import lru_cache
from typing import NamedTuple

from rubric_core.language.releases import Releases
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, mappings_in

__all__ = ["DialectChoice", "Sign", "choose", "is_newest_type", "modeline", "signs_of"]


class Sign(IntFlag):
    """A sign of certain dialects in a text."""

    TESTCASES = auto()
    EVALCASES = auto()
    TESTS = auto()
    VERSION = auto()
    SCHEMA = auto()
    RUBRICS = auto()
    EXPECTED_OUTCOME = auto()
    CODE = auto()
    OTHER_TYPE = auto()
    PROMPTS = auto()
    SCENARIOS = auto()
    PROVIDERS = auto()
    ENV = auto()
    ENVIRONMENT = auto()
    TARGET = auto()
    ASSERTIONS = auto()
    GRADER = auto()
    SKILL = auto()
    LATER = auto()
    ASSERT = auto()
    JUDGE = auto()
    #: Top-level keys, and types, that only the newest dialect has.
    NEWEST_TOP = auto()
    NEWEST_TYPE = auto()
    METRIC = auto()
    EXECUTION = auto()
    #: Keys of cases.
    CRITERIA = auto()
    VARS = auto()
    INPUT = auto()


def _numbers(signs: dict[str, Sign]) -> dict[str, int]:
    return {name: sign.value for name, sign in signs.items()}


#: The signs of keys, as numbers.
_KEYS = _numbers({
    "rubrics": Sign.RUBRICS, "expected_outcome": Sign.EXPECTED_OUTCOME, "assertions": Sign.ASSERTIONS, "min_score": Sign.LATER,
    "turns": Sign.LATER, "depends_on": Sign.LATER, "assert": Sign.ASSERT, "metric": Sign.METRIC,
})  # fmt: skip
_NEWEST_TOP = ("providers", "default_test", "evaluate_options", "derived_metrics", "nunjucks_filters", "extensions")
_TOP = _numbers({
    **dict.fromkeys(_NEWEST_TOP, Sign.NEWEST_TOP),
    "testcases": Sign.TESTCASES, "evalcases": Sign.EVALCASES, "tests": Sign.TESTS, "eval_cases": Sign.TESTS, "version": Sign.VERSION,
    "$schema": Sign.SCHEMA, "prompts": Sign.PROMPTS, "scenarios": Sign.SCENARIOS, "providers": Sign.PROVIDERS | Sign.NEWEST_TOP,
    "environment": Sign.ENVIRONMENT, "target": Sign.TARGET, "execution": Sign.EXECUTION,
})  # fmt: skip
#: Those of the keys of cases.
_CASE = _numbers({
    "vars": Sign.VARS, "input": Sign.INPUT, "input_messages": Sign.INPUT, "criteria": Sign.INPUT | Sign.CRITERIA, "execution": Sign.EXECUTION,
})  # fmt: skip
_ENV = pattern(r"\{\{\s*env\.")
_NEWEST_TYPE = pattern(
    r"(?:not-)?(?:llm-rubric|agent-rubric|assert-set|skill-used|trajectory:[\w-]+|similar|javascript|webhook)\Z"
)
#: Types of the pieces of a message: every dialect has them.
_PIECES = frozenset({"text", "file", "image"})
_JUDGE = pattern(r"[-_]judge\Z")
_GRADER = pattern(r"[-_]grader\Z")
_MODELINE = pattern(r"^[ \t]*#[ \t]*rubric:[^\r\n]*?\bdialect[ \t]*=[ \t]*([\w.-]+)", re.MULTILINE)
#: A modeline is among the first lines, before long values.
_MODELINE_WITHIN = 2_000


class DialectChoice(NamedTuple):
    """A dialect and why it was taken, in words for its reader."""

    name: str
    reason: str
    #: Whether the text itself shows it; a default without evidence is not certain.
    certain: bool
    #: Whether it is declared, in the text or in a configuration.
    stated: bool = False
    #: The releases of the engine for which the file is meant; None where nothing tells.
    releases: Releases | None = None


def signs_of(root: Node | None, text: str, *, frame: bool, mappings: Collection[Mapping] | None = None) -> int:
    """The `Sign`s in one block, as a number; only the frame has top-level keys. `mappings` are all of it, if known."""
    # A union of flags takes twenty times as long, and every block of every text comes by here.
    signs = Sign.ENV.value if "{{" in text and _ENV.search(text) else 0
    names, types = _words(list(mappings_in(root)) if mappings is None else mappings)
    for name in names & _KEYS.keys():
        signs |= _KEYS[name]
    for name in types:
        signs |= _type_sign(name)
    if frame and isinstance(root, Mapping):
        for entry in root.entries:
            name = entry.name or ""
            signs |= _TOP.get(name, 0)
            if name in ("tests", "eval_cases", "evalcases"):
                signs |= _case_signs(entry.value)
    return signs if frame else signs | _case_signs(root)


def _words(mappings: Collection[Mapping]) -> tuple[set[str], set[str]]:
    """Every key, and every `type`. Collected first: there are few different ones, and a union of flags takes long."""
    names = {entry.key.text for node in mappings for entry in node.entries if type(entry.key) is Scalar}
    if "type" not in names:
        return names, set()
    written = (entry for node in mappings for entry in node.entries if type(entry.value) is Scalar)
    return names, {
        e.value.text for e in written if type(e.key) is Scalar and e.key.text == "type" and type(e.value) is Scalar
    }


def _case_signs(node: Node | None) -> int:
    """The signs in the keys of the cases themselves, not in their values."""
    signs = 0
    for case in node.items if isinstance(node, Sequence) else [node]:
        for entry in case.entries if isinstance(case, Mapping) else ():
            signs |= _CASE.get(entry.key.text, 0) if type(entry.key) is Scalar else 0
    return signs


def is_newest_type(name: str) -> bool:
    """Whether only the newest dialect has an evaluator type of that name."""
    return _NEWEST_TYPE.match(name) is not None


@lru_cache(maxsize=256)
def _type_sign(name: str) -> int:
    if name in _PIECES:
        return 0
    if is_newest_type(name):
        return (Sign.NEWEST_TYPE | Sign.OTHER_TYPE).value
    if name == "code":
        return Sign.CODE.value
    if name == "llm_judge":
        return Sign.JUDGE.value
    if _GRADER.search(name):
        return (Sign.GRADER | Sign.OTHER_TYPE).value
    if _JUDGE.search(name):
        return (Sign.JUDGE | Sign.OTHER_TYPE).value
    return (Sign.OTHER_TYPE | Sign.SKILL if name.replace("_", "-") == "skill-trigger" else Sign.OTHER_TYPE).value


def modeline(text: str) -> str | None:
    """The dialect that a `# rubric: dialect=…` near the top asks for."""
    found = _MODELINE.search(text, 0, _MODELINE_WITHIN)
    return found[1] if found else None


def choose(
    signs: Sign, asked: str | None, configured: str | None, known: Iterable[str], detected: DialectChoice | None = None
) -> DialectChoice:
    """The dialect of a text with these signs, or the `detected` one. An unknown declared name is ignored.

    An unknown name that somebody asks for is passed over.
    """
    names = set(known)
    if asked in names and asked is not None:
        return DialectChoice(asked, "its modeline says so", certain=True, stated=True)
    if configured in names and configured is not None:
        return DialectChoice(configured, "the workspace's settings say so", certain=True, stated=True)
    choice = detected or _detect(signs)
    # A text of a dialect that is not known here is read as the newest one.
    return choice if choice.name in names else DialectChoice(max(names), choice.reason, certain=False)


def _detect(signs: Sign) -> DialectChoice:
    if Sign.TESTCASES in signs:
        return DialectChoice("agentv-0.1", "of `testcases`", certain=True)
    if Sign.EVALCASES in signs and not _only_the_old_key(signs):
        return _detect_evalcases(signs)
    if signs & (Sign.PROMPTS | Sign.SCENARIOS):
        return DialectChoice("agentv-5", "of `prompts`" if Sign.PROMPTS in signs else "of `scenarios`", certain=True)
    if not signs & (Sign.ASSERTIONS | Sign.EXECUTION | Sign.INPUT):
        for sign, words in (
            (Sign.NEWEST_TOP, "of a top-level key that came with it (providers, default_test, …)"),
            (Sign.NEWEST_TYPE, "of a type that came with it (llm-rubric, assert-set, …)"),
            (Sign.VARS, "of `vars` without `input`"),
            (Sign.METRIC, "of `metric`"),
        ):
            if sign in signs:
                return DialectChoice("agentv-5", words, certain=True)
    for sign, words in (
        (Sign.ASSERTIONS, "of `assertions`"), (Sign.GRADER, "of a type that ends in -grader"), (Sign.SKILL, "of the type skill-trigger"),
        (Sign.LATER, "of a key that came with it (min_score, turns, depends_on)"),
    ):  # fmt: skip
        if sign in signs:
            return DialectChoice("agentv-3", words, certain=True)
    if Sign.ASSERT in signs:
        return DialectChoice("agentv-2.7", "of `assert`", certain=True)
    if Sign.JUDGE in signs:
        return DialectChoice("agentv-2.7", "of a type that ends in -judge", certain=True)
    return DialectChoice("agentv-3", "nothing in it tells the dialects apart", certain=False)


def _only_the_old_key(signs: Sign) -> bool:
    """Whether `evalcases` is all that is old: releases up to 5.3 read it in place of `tests`."""
    newer = Sign.CRITERIA in signs and bool(signs & (Sign.ASSERT | Sign.ASSERTIONS))
    return newer and not signs & (Sign.EXPECTED_OUTCOME | Sign.SCHEMA | Sign.VERSION)


def _detect_evalcases(signs: Sign) -> DialectChoice:
    newer = signs & (Sign.RUBRICS | Sign.EXPECTED_OUTCOME)
    if Sign.VERSION in signs and Sign.SCHEMA not in signs and not newer:
        return DialectChoice("agentv-0.5", "of `evalcases` beside `version`", certain=True)
    if not newer and (Sign.CODE in signs or (Sign.SCHEMA in signs and Sign.OTHER_TYPE not in signs)):
        why = "an evaluator of type code" if Sign.CODE in signs else "`$schema` without newer evaluators"
        return DialectChoice("agentv-0.5", f"of `evalcases` with {why}", certain=True)
    return DialectChoice("agentv-1", "of `evalcases`", certain=True)
