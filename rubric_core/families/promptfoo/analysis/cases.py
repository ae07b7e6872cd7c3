"""The cases of a promptfoo configuration, as those of a suite, under the names of their results."""

from collections.abc import Callable, Iterator, Mapping

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.loading.names import case_name, numbered_name
from rubric_core.language.model import Case
from rubric_core.language.shape import FieldPlace
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, Sequence
from rubric_core.validation.entry_lists import CaseEntry, distinct_names

__all__ = ["configuration_of", "promptfoo_cases"]

#: How many names of one case have a cached object.
_MOST_KEPT = 8
#: Gives the anchors that are visible in a block, by its number.
_Anchors = Callable[[int], Mapping[str, Node]]


def configuration_of(text: AnalyzedText) -> Configuration | None:
    """The text around the cases; None without a mapping."""
    return text.settings if isinstance(text.settings, Configuration) else None


def promptfoo_cases(text: AnalyzedText) -> tuple[CaseEntry, ...]:
    """The cases of the list in text order. An unchanged case is the same object."""
    document = text.document
    placed = list(_placed(text))
    named = (_name(case, block, number, text.anchors) for number, (case, block) in placed)
    found = zip(placed, distinct_names(named), strict=True)
    return tuple(
        CaseEntry(_as_case(case, name), name, block, document.start(block) if block >= 0 else 0)
        for (_, (case, block)), name in found
    )


def _placed(text: AnalyzedText) -> Iterator[tuple[int, tuple[PromptfooCase, int]]]:
    """Each case with its number in the list, from 1, and that of its block."""
    configuration = configuration_of(text)
    listed = configuration.tests if configuration is not None else None
    place = configuration.places.get("tests") if configuration is not None else None
    items = place.node.items if place is not None and isinstance(place.node, Sequence) else ()
    # `listed` has only the cases; they are numbered by their places among all items.
    numbers = {id(item): number for number, item in enumerate(items, start=1)}
    cases = listed if isinstance(listed, list) else []
    for at, each in enumerate(cases, start=1):
        if isinstance(each, PromptfooCase):
            yield numbers.get(id(each.node), at), (each, -1)
    number = max(len(items), len(cases))
    for at, block in enumerate(text.document.blocks):
        if not block.key:
            continue
        number += 1
        for shape in text.states[block].shapes:
            if isinstance(shape, PromptfooCase):
                yield number, (shape, at)


def _name(case: PromptfooCase, block: int, number: int, anchors: _Anchors) -> str:
    if case.own_name is None:
        case.own_name = _own_name(case, lambda: anchors(block))
    return case.own_name or numbered_name(number)


def _own_name(case: PromptfooCase, anchors: Callable[[], Mapping[str, Node]]) -> str:
    if not isinstance(case.node, MappingNode):
        return ""
    written = plain(case.node, anchors())
    return case_name(written.get("description"), written.get("vars")) if isinstance(written, dict) else ""


def _as_case(case: PromptfooCase, name: str) -> Case:
    known = case.as_cases
    if name in known:
        found: Case = known[name]
        return found
    made = Case(case.span, case.node)
    vars(made)["id"] = name
    place = case.places.get("description")
    if place is not None and not place.borrowed:
        made.places["id"] = FieldPlace(place.key, place.value, place.node, "description")
    # Equal cases share one object; a moved case may have old ones.
    case.as_cases = {**known, name: made} if len(known) < _MOST_KEPT else {name: made}
    return made
