"""Mappings that a prompt of promptfoo inserts by the name of their variable: they render as `[object Object]`."""

from collections.abc import Collection, Iterator

from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.mapping_members import (
    members_of_texts,
    missing_members_at,
    placed_in,
    shows_member,
)
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, texts_of
from rubric_core.families.promptfoo.checks.templates import UsedName, names_in
from rubric_core.families.promptfoo.checks.variable_names import has_hooks, variables_of_cases
from rubric_core.families.promptfoo.checks.variables import EMPTY_TEXT, NEEDS_TEXT
from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["mappings_of_cases", "shown_alone", "shown_in"]

#: A text that is one placeholder.
_ALONE = pattern(r"\s{0,99}\{\{[^{}]{0,500}\}\}\s{0,99}")
_FILTER = pattern(r"\s{0,9}\|\s{0,9}([A-Za-z_]\w{0,60})")
#: The filters of Nunjucks that throw for anything but a text.
_OF_TEXTS = frozenset(
    {"upper", "lower", "trim", "title", "capitalize", "truncate", "indent", "wordcount", "striptags", "nl2br"}
)
_OBJECT = "promptfoo fills in `[object Object]`"


def mappings_of_cases(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that are a mapping in every case that has them, as far as the text shows."""
    return frozenset(suite.digest.maps - suite.digest.others)


@checks("promptfoo/undefined-member", "undefined-variable", "warning", awaits="entry", about_name=True)
def unknown_members(suite: PromptfooSuite) -> Iterator[Finding]:
    """A member of a variable that a prompt or an assertion uses, and that no case has."""
    shows = [node for node, _ in texts_of(suite.configuration) if shows_member(node.text)]
    if not (suite.digest.maps or suite.digest.file_texts or shows) or variables_of_cases(suite) is None:
        return
    slips_only = has_hooks(suite)
    elsewhere = [suite.digest.stored, *(each.names or () for each in suite.outside or ())]
    for node in shows if not slips_only else ():
        plain = suite.digest.texts.difference(*elsewhere)
        found = members_of_texts(node.text, plain, in_files=False)
        yield from placed_in(found, node, suite.frame.text, suite.frame.outer)
    texts = suite.digest.file_texts.difference(suite.digest.no_file_texts, *elsewhere)
    for node, _ in texts_of(suite.configuration) if texts and not slips_only else ():
        yield from placed_in(members_of_texts(node.text, texts), node, suite.frame.text, suite.frame.outer)
    maps = mappings_of_cases(suite).difference(*elsewhere)
    if not maps:
        return
    members = suite.digest.members
    for node, _ in texts_of(suite.configuration):
        yield from missing_members_at(node, suite.frame.text, suite.frame.outer, maps, members, slips_only=slips_only)
    for placed, summary in suite.digest.rendering:
        for node, used, check in summary.rendered if not maps.isdisjoint(summary.used) else ():
            if any(each.name in maps for each in used):
                found = missing_members_at(node, placed.text, placed.outer, maps, members, slips_only=slips_only)
                is_refused = _ALONE.fullmatch(node.text) is not None and isinstance(check, NEEDS_TEXT)
                yield from (
                    replace(each, severity="error", consequence=EMPTY_TEXT) if is_refused else each for each in found
                )


@checks("promptfoo/shown-mapping", "variable-value", "warning")
def shown_objects(suite: PromptfooSuite) -> Iterator[Finding]:
    """Mappings that a prompt inserts by name alone, which render as `[object Object]`, or as a text to a filter."""
    maps = mappings_of_cases(suite)
    for node, _ in texts_of(suite.configuration) if maps and not suite.digest.transforms else ():
        for found in shown_in(node.text, maps, _own_filters(suite)):
            yield from placed_in([found], node, suite.frame.text, suite.frame.outer)


def shown_in(template: str, maps: Collection[str], filters: Collection[str]) -> Iterator[Finding]:
    """The same in one template; `filters` are those of the configuration."""
    for used in names_in(template):
        if used.name not in maps:
            continue
        if used.alone:
            fixes = (Fix("write `| dump`", (Edit(used.span, f"{used.name} | dump"),)),)
            words = f"`{used.name}` is a mapping: write `{used.name} | dump`, or one of its members"
            yield Finding(used.span, words, fixes=fixes, consequence=_OBJECT)
        elif not used.optional and (name := _filter_of(used, template)) in _OF_TEXTS and name not in filters:
            words = f"`{used.name}` is a mapping, and `{name}` takes a text"
            yield Finding(used.span, words, severity="error", consequence=ROW_ERRORS)


def _own_filters(suite: PromptfooSuite) -> frozenset[str]:
    own = suite.configuration.nunjucks_filters if suite.configuration.has("nunjucks_filters") else None
    return frozenset(map(str, own)) if isinstance(own, dict) else frozenset()


def _filter_of(used: UsedName, template: str) -> str:
    """The first filter that gets the value of a variable; empty for none."""
    found = _FILTER.match(template, used.span.end)
    return found[1] if found is not None else ""


class _Uses:
    """How prompts show each variable: by name alone, which is the filter ``, or with the filters that get it."""

    def __init__(self, suite: PromptfooSuite) -> None:
        self.own = _own_filters(suite)
        texts = [node.text for node, _ in texts_of(suite.configuration)]
        texts += [text for each in suite.outside or () if each.what == "prompt" for text in each.texts or ()]
        self.filters: dict[str, set[str]] = {}
        for text in texts:
            for used in names_in(text):
                self.filters.setdefault(used.name, set()).add("" if used.alone else _filter_of(used, text) or ".")

    @property
    def alone(self) -> frozenset[str]:
        """The variables that prompts show by name alone."""
        return frozenset(name for name, found in self.filters.items() if found == {""})

    def finding(self, name: str) -> Finding | None:
        """What is wrong with a mapping in the place of the texts that a variable has in other cases."""
        filters = self.filters.get(name, set[str]())
        if filters == {""}:
            words = f"`{name}` is a mapping here, and prompts show it as a text, as it is in other cases"
            return Finding(Span(0, 0), words, consequence=_OBJECT)
        others = filters - {""}
        if not filters or not others <= self.own | _OF_TEXTS:
            return None
        first, is_own = min(others), not self.own.isdisjoint(others)
        words = f"`{name}` is a mapping here, and a text in other cases, which the filter `{first}` gets"
        # Rows with other prompts are none the worse for it.
        return Finding(
            Span(0, 0), words, severity="hint" if is_own else "warning", consequence="" if is_own else ROW_ERRORS
        )


def shown_alone(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that all prompts which use them show by name alone; none without cases in files, or where code may change what they are."""
    files = [each for each in suite.outside or () if each.what == "cases"]
    elsewhere = any("transformVars" in each.words for each in suite.outside or ())
    if not files or elsewhere or suite.digest.transforms or has_hooks(suite):
        return frozenset()
    return _Uses(suite).alone


@checks("promptfoo/mapping-among-texts", "variable-value", "warning")
def mappings_among_texts(suite: PromptfooSuite) -> Iterator[Finding]:
    """A variable that is a mapping in one case and text in others, and that prompts show by its name alone."""
    mixed = suite.digest.maps - mappings_of_cases(suite)
    if not mixed or suite.outside is None or suite.bearers[0].summary.transforms:
        return
    uses = _Uses(suite)
    wrong = {name: found for name in mixed if (found := uses.finding(name)) is not None}
    for placed in suite.bearers if wrong else ():
        if placed.case.has("prompts"):  # they may be those without the filter
            continue
        replaced = _in_every_case(suite) if placed is suite.bearers[0] else frozenset[str]()
        for name in (placed.summary.maps & wrong.keys()) - replaced if not placed.summary.transforms else ():
            place = placed.case.places["vars"]
            entry = place.node.entry(name) if isinstance(place.node, Mapping) and not place.borrowed else None
            if entry is not None:
                yield replace(wrong[name], span=placed.outer(entry.key.span))


def _in_every_case(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that every case has itself, so that the defaults are of no use."""
    names = [summary.names for _, summary in suite.digest.listed]
    return names[0].intersection(*names[1:]) if names and not suite.scenarios else frozenset()


@checks("promptfoo/mapping-among-texts", "variable-value", "warning")
def mappings_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """The variables of a case in another file that are a mapping, and that all prompts show by name alone."""
    shown = context.defaults.names.shown if context.defaults.names is not None else frozenset[str]()
    place = case.places.get("vars")
    if not shown or place is None or place.borrowed or case.borrowed or case.has("prompts"):
        return
    if isinstance(case, PartialCase):  # cases may replace it
        return
    summary = PlacedCase(case, -1, lambda _, span: span, context.text).summary
    for name in sorted(summary.maps & shown) if not summary.transforms else ():
        entry = place.node.entry(name) if isinstance(place.node, Mapping) else None
        if entry is not None:
            words = f"`{name}` is a mapping, and prompts show it as a text"
            yield Finding(entry.key.span, words, consequence=_OBJECT)
