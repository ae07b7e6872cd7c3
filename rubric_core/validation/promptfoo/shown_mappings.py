"""Mappings that a prompt of promptfoo inserts by the name of their variable: they render as `[object Object]` (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.known_variables import has_hooks, variables_of_cases
from rubric_core.validation.promptfoo.mapping_members import members_of_texts, missing_members_at, placed_in
from rubric_core.validation.promptfoo.suite import PromptfooSuite, texts_of
from rubric_core.validation.promptfoo.templates import names_in
from rubric_core.validation.promptfoo.variables import (
    EMPTY_TEXT,
    NEEDS_TEXT,
    place_of,
)
from rubric_core.validation.rule import Finding, Fix

__all__ = ["mappings_among_texts", "mappings_of_cases", "shown_object", "shown_objects", "unknown_members"]

#: A text that is one placeholder.
_ALONE = pattern(r"\s{0,99}\{\{[^{}]{0,500}\}\}\s{0,99}")


def mappings_of_cases(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that are a mapping in every case that has them, as far as the text shows."""
    return frozenset(suite.digest.maps - suite.digest.others)


def unknown_members(suite: PromptfooSuite) -> Iterator[Finding]:
    """Members of mappings that prompts and assertions show, and no case has."""
    if not (suite.digest.maps or suite.digest.file_texts) or variables_of_cases(suite) is None:
        return
    slips_only = has_hooks(suite)
    elsewhere = [suite.digest.stored, *(each.names or () for each in suite.outside or ())]
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


def shown_objects(suite: PromptfooSuite) -> Iterator[Finding]:
    """Mappings that a prompt inserts by name alone, which render as `[object Object]`."""
    maps = mappings_of_cases(suite)
    for node, _ in texts_of(suite.configuration) if maps else ():
        for used in names_in(node.text):
            if used.alone and used.name in maps:
                at = place_of(used, node, suite.frame.text)
                yield shown_object(used.name, suite.frame.outer(at), may_fix=at != node.span)


def shown_object(name: str, at: Span, *, may_fix: bool) -> Finding:
    """A mapping that a prompt inserts by its name, at `at`."""
    fixes = (Fix("write `| dump`", (Edit(Span(at.end, at.end), " | dump"),)),) if may_fix else ()
    words = f"`{name}` is a mapping: write `{name} | dump`, or one of its members"
    return Finding(at, words, fixes=fixes, consequence="promptfoo fills in `[object Object]`")


def mappings_among_texts(suite: PromptfooSuite) -> Iterator[Finding]:
    """The variables of a case that are a mapping, where prompts show their values and the values of other cases are none."""
    mixed = suite.digest.maps - mappings_of_cases(suite)
    if not mixed or suite.outside is None:
        return
    texts = [node.text for node, _ in texts_of(suite.configuration)]
    texts += [text for each in suite.outside if each.what == "prompt" for text in each.texts or ()]
    used = [used for text in texts for used in names_in(text)]
    shown = {each.name for each in used if each.alone} - {each.name for each in used if not each.alone}
    for placed in suite.bearers:
        for name in placed.summary.maps & mixed & shown:
            place = placed.case.places["vars"]
            entry = place.node.entry(name) if isinstance(place.node, Mapping) and not place.borrowed else None
            if entry is not None:
                words = f"`{name}` is a mapping here, and prompts show it as a text, as it is in other cases"
                yield Finding(placed.outer(entry.key.span), words, consequence="promptfoo fills in `[object Object]`")
