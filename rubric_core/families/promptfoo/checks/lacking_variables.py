"""Variables that an assertion requires, or that most cases have and a prompt uses, and a case lacks."""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from rubric_core.families.promptfoo.checks.case_parts import options_of
from rubric_core.families.promptfoo.checks.case_summary import NEEDED_BY_GRADERS, CaseSummary, PlacedCase
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, texts_of
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.families.promptfoo.language.graded_assertions import JavaScriptCode
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["MOST_COMPARED", "lacking_in_one", "lacking_words", "needed_by_graders", "needed_by_prompts"]

#: Of more cases each is not compared with all others at every letter.
MOST_COMPARED = 200
_EMPTY = "promptfoo fills in nothing"
#: A variable that code compares with, and does not test for.
_COMPARED = pattern(r"(?:[!=]==?|\bincludes\()\s{0,3}context\.vars\.([A-Za-z_]\w{0,60})\)?\s{0,3};?\s{0,3}\Z")


def lacking_in_one(suite: PromptfooSuite, given: Collection[str]) -> Iterator[Finding]:
    """The one case of the list, or the one round of a scenario, that lacks what the others have. All have what is `given`."""
    if any(each.shape is not None and each.shape.has("prompts") for each in suite.providers):
        return
    given = _shared(suite).union(given)
    needed = sorted(needed_by_prompts(suite).difference(given))
    others = any(each.what == "cases" for each in suite.outside or ())
    listed = list(suite.listed) if not suite.scenarios and not others else []
    few = listed if needed and len(listed) <= MOST_COMPARED else []
    bare = [pair for pair in pairwise(few) if "vars" not in pair[1].case.places]
    halves = [pair for pair in bare if _are_halves(*pair, needed)]
    yield from (_split(below) for _, below in halves)
    second = {id(below) for _, below in halves}
    yield from _in([each for each in listed if id(each) not in second] if second else listed, needed)
    yield from _of_defaults(suite, listed, given.union(needed))
    for scenario in suite.scenarios:
        tests = [suite.frame._replace(case=each) for each in _parts(scenario.tests)]
        of_tests = frozenset[str]().union(*(placed.summary.names for placed in tests))
        plain = isinstance(scenario.tests, list) and all(placed.summary.is_plain for placed in tests)
        rounds = [suite.frame._replace(case=each) for each in _parts(scenario.config)] if plain else []
        yield from _in(rounds, [name for name in needed if name not in of_tests])
        used = {
            use.name for test in tests for _, names, _ in test.summary.rendered for use in names if not use.optional
        }
        yield from _in_assertions(rounds, sorted(used.difference(given, of_tests, needed)))


def lacking_words(name: str, user: str, others: str = "") -> str:
    """What is said of a case without a value for a variable that something uses."""
    return f"this case has no value for `{name}`, which {user} uses; {others or 'all others have one'}"


def _are_halves(above: PlacedCase, below: PlacedCase, needed: Collection[str]) -> bool:
    """Whether one case has variables that prompts need and no assertions, and the next one assertions and none of these."""
    both = above.case, below.case
    if any(case.borrowed or case.has("prompts") or case.has("provider_output") for case in both):
        return False
    parted = above.case.has("vars") and not above.case.has("assertions") and below.case.has("assertions")
    if not parted or below.case.places.get("vars") is not None or _has_elsewhere(below.case):
        return False
    return not above.summary.names.isdisjoint(needed)


def _has_elsewhere(case: PromptfooCase) -> bool:
    """Whether the variables of a case stand in a wrong place."""
    names = (entry.name for node in walk(case.node) if isinstance(node, Mapping) for entry in node.entries)
    return "vars" in names


def _split(below: PlacedCase) -> Finding:
    at, fixes = _first_key(below), tuple[Fix, ...]()
    if below.text[max(0, at.start - 2) : at.start] == "- ":
        dash = below.outer(Span(at.start - 2, at.start - 1))
        fixes = (Fix("make it one case with the one above", (Edit(dash, " "),), safe=False),)
    words = "this case has no variables, and the one above no assertions: one case is split in two"
    return Finding(below.outer(at), words, fixes=fixes, consequence=_EMPTY)


def _first_key(placed: PlacedCase) -> Span:
    node = placed.case.node
    return node.entries[0].key.span if isinstance(node, Mapping) and node.entries else placed.case.span


def _shared(suite: PromptfooSuite) -> frozenset[str]:
    """The variables of `defaultTest`, wherever that is written."""
    place = suite.configuration.places.get("default_test")
    files = (each for each in suite.outside or () if place is not None and each.node is place.node)
    return suite.bearers[0].summary.names.union(*(each.names or () for each in files))


def _parts(listed: object) -> list[PromptfooCase]:
    return [each for each in listed if isinstance(each, PromptfooCase)] if isinstance(listed, list) else []


def needed_by_prompts(suite: PromptfooSuite) -> frozenset[str]:
    """What some prompt fills in without a test or a default."""
    texts = [node.text for node, _ in texts_of(suite.configuration)]
    texts += [text for each in suite.outside or () if each.what == "prompt" for text in each.texts or ()]
    return frozenset(used.name for text in texts for used in names_in(text) if not used.optional)


def _in(cases: Sequence[PlacedCase], needed: Sequence[str]) -> Iterator[Finding]:
    if not 1 < len(cases) <= MOST_COMPARED or not all(placed.summary.is_plain for placed in cases):
        return
    for name in needed:
        lacking = [placed for placed in cases if name not in placed.summary.names]
        having = len(cases) - len(lacking)
        if len(lacking) > 1 and having <= len(lacking):
            continue
        words = lacking_words(name, "a prompt", f"{having} of {len(cases)} cases have one" if len(lacking) > 1 else "")
        for each in lacking if all(_is_sure(each, name) for each in lacking) else ():
            place = each.case.places.get("vars")
            yield Finding(each.outer(place.key if place is not None else _first_key(each)), words, consequence=_EMPTY)


def _of_defaults(suite: PromptfooSuite, cases: Sequence[PlacedCase], known: Collection[str]) -> Iterator[Finding]:
    """Variables that the assertions of `defaultTest` use, and that all cases have but one."""
    checks = suite.bearers[0].summary
    if (
        suite.defaults is None
        or not 1 < len(cases) <= MOST_COMPARED
        or not all(each.summary.is_plain for each in cases)
    ):
        return
    used = {use.name for _, names, _ in checks.rendered for use in names if not use.optional}
    codes = (str(check.value) for check in checks.checks if isinstance(check, JavaScriptCode))
    used.update(f[1] for code in codes for f in _COMPARED.finditer(code) if code.count(f".{f[1]}") == 1)
    for name in sorted(used.difference(known)):
        lacking = [placed for placed in cases if name not in placed.summary.names]
        if len(lacking) == 1 and _is_checked(lacking[0], name):
            at = lacking[0].outer(lacking[0].case.places["vars"].key)
            words = lacking_words(name, "an assertion of `defaultTest`")
            yield Finding(at, words, consequence=_EMPTY)


def _is_checked(placed: PlacedCase, name: str) -> bool:
    """Whether the assertions of `defaultTest` check a case, and no variable of it is a slip of a name, which is reported itself."""
    case, options = placed.case, options_of(placed.case)
    if case.borrowed or not case.has("vars") or case.places["vars"].borrowed:
        return False
    if options is not None and options.has("disable_default_asserts"):
        return False
    return not any(is_typo(each, name) for each in placed.summary.names)


def _in_assertions(rounds: Sequence[PlacedCase], needed: Sequence[str]) -> Iterator[Finding]:
    """Variables that the assertions of a scenario use, and that all of its rounds have but one."""
    if not 1 < len(rounds) <= MOST_COMPARED or not all(placed.summary.is_plain for placed in rounds):
        return
    for name in needed:
        lacking = [placed for placed in rounds if name not in placed.summary.names]
        if len(lacking) != 1 or lacking[0].case.borrowed or not lacking[0].case.has("vars"):
            continue
        placed, place = lacking[0], lacking[0].case.places["vars"]
        slip = next((each for each in placed.summary.own if is_typo(each, name)), None)
        entry = place.node.entry(slip or "") if isinstance(place.node, Mapping) else None
        at = placed.outer(place.key if entry is None else entry.key.span)
        fixes = (Fix(f"change it to `{name}`", (Edit(at, name),), safe=False),) if entry is not None else ()
        words = f"this round has no value for `{name}`, which an assertion uses; all others have one"
        yield Finding(at, words, fixes=fixes, consequence=_EMPTY)


def _is_sure(placed: PlacedCase, name: str) -> bool:
    """Whether a case runs with every prompt, and has no misspelt variable, which is reported itself."""
    case = placed.case
    if case.borrowed or any(case.has(field) for field in ("prompts", "provider_output")):
        return False
    place = case.places.get("vars")
    if place is None:
        return not _has_elsewhere(case)
    if place.borrowed or not case.has("vars"):
        return False
    return not any(is_typo(each, name) for each in placed.summary.names)


def needed_by_graders(placed: PlacedCase, summary: CaseSummary, names: frozenset[str]) -> Iterator[Finding]:
    """Variables without which promptfoo refuses an assertion."""
    for check in summary.bound:
        has_context = check.has("context_transform")
        for name in NEEDED_BY_GRADERS[:1] if has_context else NEEDED_BY_GRADERS:
            place = check.places.get("type")
            slip = next((own for own in summary.own if is_typo(own, name)), None) if name not in names else None
            node = placed.case.places["vars"].node if slip is not None else None
            entry = node.entry(slip or "") if isinstance(node, Mapping) else None
            if entry is not None:
                at = placed.outer(entry.key.span)
                # A prompt may use it by this name.
                fixes = (Fix(f"change it to `{name}`", (Edit(at, name),), safe=False),)
                words = f"`{check.type_name}` needs the variable `{name}`, which `{slip}` is a slip of"
                yield Finding(at, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)
                break
            if name not in names and place is not None:
                words = f"`{check.type_name}` needs the variable `{name}`"
                words += "" if name == NEEDED_BY_GRADERS[0] else ", or `contextTransform`"
                yield Finding(placed.outer(place.value), words, severity="error", consequence=ROW_ERRORS)
                break
