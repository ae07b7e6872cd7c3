"""Variables of promptfoo that nothing reads, and those that are slips of one that a prompt reads."""

from collections.abc import Collection, Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.case_summary import NEEDED_BY_GRADERS, PROGRAM, CaseSummary, PlacedCase
from rubric_core.families.promptfoo.checks.chats import CONVERSATION
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, placed_fix, texts_of
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.checks.values import are_options
from rubric_core.families.promptfoo.language.provider_ids import known_provider
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.block_references import OutsideText
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar
from rubric_core.text import Edit
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.move_fixes import beside_fix
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["asked_and_needed", "slips_of_case", "unused_elsewhere", "unused_in_case"]

#: Variables that graders read by name.
_OF_GRADERS = frozenset(
    {"query", "context", "question", "purpose", "entities", "goal", "systemPrompt", "conversationId"}
)
_WORD = pattern(r"[A-Za-z_]\w*")
_EMPTY = "promptfoo fills in nothing"


@checks("promptfoo/unused-variable", "unused-variable", "hint")
def unused_variables(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:
    """A variable that no prompt, assertion or provider uses.

    Nothing that a program can read is reported.
    """
    if suite.configuration.has("red_team") or suite.prompts is None or suite.outside is None:
        return
    slips = [*_slips(suite), *_keys_of_cases(suite, context), *_conversations(suite)]
    yield from slips
    words = _words_used(suite, suite.outside)
    if words is None:
        return
    shared = [] if suite.defaults is None else [(suite.bearers[0], suite.bearers[0].summary)]
    for placed, summary in (*shared, *suite.digest.listed):
        if not summary.names <= words:
            unused = unused_in_case(placed, summary.names - words, context)
            yield from (found for found in unused if all(found.span != slip.span for slip in slips))


def unused_in_case(placed: PlacedCase, unused: frozenset[str], context: Context) -> Iterator[Finding]:
    """The variables of a case among those that are `unused` outside of it, and that it does not use itself."""
    summary = placed.summary
    for name in summary.own if not summary.has_program else ():
        if name in unused and name not in summary.used and not _is_reported(name, summary):
            yield _unused(placed, name, context)


def unused_elsewhere(suite: PromptfooSuite) -> frozenset[str]:
    """The variables of cases in other files that nothing outside of these uses; none if programs may read them."""
    cases = [each for each in suite.outside or () if each.what == "cases"]
    names = frozenset[str]().union(*(each.names or () for each in cases))
    if not names or suite.configuration.has("red_team") or suite.prompts is None:
        return frozenset()
    words = _words_used(suite, [each for each in suite.outside or () if each.what != "cases"])
    return frozenset() if words is None else names - words


def _words_used(suite: PromptfooSuite, outside: Collection[OutsideText]) -> frozenset[str] | None:
    """The words of the configuration and of what it takes from `outside`; None if programs may use further ones."""
    if PROGRAM.search(suite.frame.text) or any(e.what == "prompt" and e.texts is None for e in outside):
        return None
    if not suite.prompts or not any(each.text.strip() for each in suite.prompts):
        return None  # reported, and whatever the prompts are to be reads them
    words = _OF_GRADERS.union(_WORD.findall(suite.frame.text))
    words = words.union(*(_WORD.findall(text) for e in outside for text in e.texts or ()))
    return words.union(*(e.words for e in outside), _meant_in_prompts(suite, words))


def _is_reported(name: str, summary: CaseSummary) -> bool:
    """Whether a variable is reported as a key of the case, or as a slip of what a grader needs."""
    if summary.bound and any(is_typo(name, each) for each in NEEDED_BY_GRADERS):
        return True
    return name == "assert" or (name == "options" and are_options(summary.variables[name]))


def _keys_of_cases(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:
    """Variables that are named as a key of a case and have a value as it has, in a case that lacks the key."""
    listed = suite.digest.listed
    found = [(placed, s, name) for placed, s in listed for name in s.own if name in _MISPLACED and name not in s.used]
    if not found or any(each.what == "prompt" and each.texts is None for each in suite.outside or ()):
        return
    asked, _ = asked_and_needed(suite)
    for placed, _, name in found:
        node = placed.case.places["vars"].node
        entry = node.entry(name) if isinstance(node, Mapping) else None
        everywhere = len(listed) > 1 and all(name in other.names for _, other in listed)
        if entry is None or name in asked or everywhere or placed.case.has(name) or not _MISPLACED[name](entry.value):
            continue
        yield _misplaced(placed, name, entry, context)


def _misplaced(placed: PlacedCase, name: str, entry: Entry, context: Context) -> Finding:
    fixes = beside_fix(placed.case.node, "vars", entry, replace(context, text=placed.text))
    return Finding(
        placed.outer(entry.key.span), f"`{name}` is a variable here; the `{name}` of a case stands beside `vars`", severity="warning",
        fixes=tuple(placed_fix(fix, placed.outer) for fix in fixes), consequence="no prompt uses the variable",
    )  # fmt: skip


def _conversations(suite: PromptfooSuite) -> Iterator[Finding]:
    """Slips of `_conversation`, with which a case may begin in the middle of a conversation."""
    slips = {name for name in suite.digest.names if name != CONVERSATION and is_typo(name, CONVERSATION)}
    for placed, summary in suite.digest.listed if slips else ():
        node = placed.case.places["vars"].node if summary.names & slips else None
        for entry in node.entries if isinstance(node, Mapping) else ():
            if entry.name in slips and entry.name not in summary.used:
                at = placed.outer(entry.key.span)
                fixes = (Fix(f"change it to `{CONVERSATION}`", (Edit(at, CONVERSATION),)),)
                words = f"no prompt uses `{entry.name}`; did you mean `{CONVERSATION}`?"
                yield Finding(at, words, severity="warning", fixes=fixes, consequence="the conversation begins empty")


def _is_share(node: Node) -> bool:
    """Whether a value may be the threshold of a case."""
    value = node.value if isinstance(node, Scalar) else None
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _is_model(node: Node) -> bool:
    return isinstance(node, Scalar) and known_provider(node.text) is not None


def _is_words(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str) and " " in node.text.strip()


#: Keys of cases that are no likely variables, each with what its value has to be.
_MISPLACED = MappingProxyType({
    "threshold": _is_share, "provider": _is_model, "metadata": lambda node: isinstance(node, Mapping), "description": _is_words,
})  # fmt: skip


def _slips(suite: PromptfooSuite) -> Iterator[Finding]:
    """Variables that resemble one that a prompt uses and the case lacks."""
    asked, others = asked_and_needed(suite)
    for placed, summary in suite.digest.listed if others else ():
        yield from slips_of_case(placed, summary, asked, others, "this case lacks", read=suite.read_by_programs)
    parts = [(placed, placed.summary) for placed in (suite.bearers[0], *suite.every_case[len(suite.listed) :])]
    # The values of others: a part of a scenario should have it as well, or the intended name has no value anywhere.
    known = asked & suite.digest.names.union(*(summary.names for _, summary in parts))
    for placed, summary in parts:
        yield from slips_of_case(placed, summary, asked, known, "is missing here", read=suite.read_by_programs)


def asked_and_needed(suite: PromptfooSuite) -> tuple[frozenset[str], frozenset[str]]:
    """The variables that prompts and programs use, and of these the ones that some case of the list defines, and not all of them."""
    texts = [node.text for node, _ in texts_of(suite.configuration)]
    texts += [text for each in suite.outside or () if each.what == "prompt" for text in each.texts or ()]
    asked = frozenset(used.name for text in texts for used in names_in(text) if not used.optional)
    asked |= suite.read_by_programs
    elsewhere = (each.names or () for each in suite.outside or () if each.what in ("cases", "vars"))
    defaults = (each.names or () for each in suite.outside or () if each.what == "defaults")
    shared = suite.digest.stored.union(suite.bearers[0].summary.names, *defaults)
    return asked, frozenset(suite.digest.names.union(*elsewhere) & (asked - shared))


def slips_of_case(
    placed: PlacedCase,
    summary: CaseSummary,
    asked: frozenset[str],
    others: frozenset[str],
    lacks: str,
    *,
    read: frozenset[str] = frozenset(),
) -> Iterator[Finding]:
    """The variables of a case that nothing uses, and that resemble one of `others` which the case `lacks`; programs `read` some of these."""
    lacking = others - summary.names
    yield from _with_signs(placed, summary, lacking, lacks) if lacking and summary.is_plain else ()
    for name in summary.own if lacking and summary.is_plain else ():
        meant = closest(name, sorted(lacking)) if name not in asked and name not in summary.used else None
        node = placed.case.places["vars"].node
        entry = node.entry(name) if isinstance(node, Mapping) else None
        if meant is not None and entry is not None:
            at = placed.outer(entry.key.span)
            of_program = meant in read
            user = "no prompt and no program" if of_program else "no prompt"
            yield Finding(
                at, f"{user} uses `{name}`; did you mean `{meant}`, which {lacks}?", severity="warning",
                fixes=(Fix(f"change it to `{meant}`", (Edit(at, meant),), safe=not of_program),),
                consequence="the program finds no value" if of_program else _EMPTY,
            )  # fmt: skip


def _with_signs(placed: PlacedCase, summary: CaseSummary, lacking: frozenset[str], lacks: str) -> Iterator[Finding]:
    """`$name` and `{{name}}` as the names of variables."""
    node = placed.case.places["vars"].node if "vars" in placed.case.places else None
    for entry in node.entries if isinstance(node, Mapping) and summary.names - frozenset(summary.own) else ():
        meant = (entry.name or "").strip("${} ")
        if meant != entry.name and meant in lacking:
            at = placed.outer(entry.key.span)
            words = f"`{entry.name}` is the name of no placeholder; did you mean `{meant}`, which {lacks}?"
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),)
            yield Finding(at, words, severity="warning", fixes=fixes, consequence=_EMPTY)


def _meant_in_prompts(suite: PromptfooSuite, words: frozenset[str]) -> frozenset[str]:
    """The variables that names in prompts are probably slips of; these are reported there."""
    elsewhere = [each.names or () for each in suite.outside or () if each.what != "prompt"]
    known = suite.digest.names.union(suite.digest.common, *elsewhere)
    texts = [node.text for node, _ in texts_of(suite.configuration)]
    texts += [text for each in suite.outside or () if each.what == "prompt" for text in each.texts or ()]
    used = {used.name for text in texts for used in names_in(text)} - known
    return frozenset(meant for name in used if (meant := closest(name, sorted(known - words))))


def _unused(placed: PlacedCase, name: str, context: Context) -> Finding:
    node = placed.case.places["vars"].node
    entry = node.entry(name) if isinstance(node, Mapping) else None
    if entry is not None and name in _MISPLACED and not placed.case.has(name) and _MISPLACED[name](entry.value):
        return _misplaced(placed, name, entry, context)
    fixes = remove_key_fix(node, name, replace(context, text=placed.text))
    return Finding(
        placed.outer(entry.key.span if entry is not None else node.span), f"no prompt and no assertion uses `{name}`",
        fixes=tuple(placed_fix(fix, placed.outer) for fix in fixes), tags=("unnecessary",),
    )  # fmt: skip
