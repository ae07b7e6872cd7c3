"""What rules across cases read of a suite, or of the other files that AgentV reads."""

from collections.abc import Iterable, Iterator
from functools import partial

from rubric_core.analysis.result import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case, CaseInclude
from rubric_core.language.shape import children
from rubric_core.language.targets import Entry
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry, CaseList, TargetList, TargetListEntry

__all__ = ["CASE_FACTS", "cross_case_facts", "visited_in_suite"]

#: Keys of a case whose values other cases, or prompts of the suite, depend on.
CASE_FACTS = ("id", "depends_on", "vars", "prompts", "turns")
#: Files whose cases belong to a suite elsewhere.
_TAKEN_OVER = (FileKind.CASES, FileKind.CASE, FileKind.DATASET)


def visited_in_suite(analysis: Analysis) -> list[object]:
    """The list of all cases, and that of all targets in a file of targets."""
    shapes = (s for state in analysis.states.values() for s in state.shapes)
    taken_over = analysis.kind in _TAKEN_OVER or any(isinstance(s, CaseInclude) for s in shapes)
    siblings = analysis.siblings if taken_over else ()
    text_of = partial(_text_of, analysis)
    cases = CaseList(analysis.suite, analysis.cases, analysis.span_of, analysis.external, siblings, text_of)
    is_of_targets = analysis.kind is FileKind.TARGETS
    return [cases, TargetList(tuple(_targets(analysis)))] if is_of_targets else [cases]


def _text_of(analysis: Analysis, entry: CaseEntry | None) -> str:
    """The text of a case's block."""
    if entry is None or entry.block < 0:
        return analysis.frame.block.text
    return analysis.document.blocks[entry.block].text


def _targets(analysis: Analysis) -> Iterator[TargetListEntry]:
    """The entries of a targets file, wherever its list is."""
    states = analysis.states
    for shape in (c for s in states[analysis.frame.block].shapes for c in children(s)):
        if isinstance(shape, Entry):
            yield TargetListEntry(shape, partial(analysis.span_of, None))
    for number, block in enumerate(analysis.document.blocks):
        if block.key == ROOT_LIST:
            outer = partial(Span.moved, by=analysis.document.start(number))
            yield from (TargetListEntry(s, outer) for s in states[block].shapes if isinstance(s, Entry))


def cross_case_facts(analysis: Analysis, blocks: Iterable[tuple[int, Block]]) -> list[object]:
    """The facts of some blocks that other cases can depend on; equal lists mean that none has changed."""
    return [_facts_of_block(analysis, number, block) for number, block in blocks]


def _facts_of_block(analysis: Analysis, number: int, block: Block) -> object:
    state, cases = analysis.states[block], _cases(analysis, number)
    # A case without an id may be the second half of the one above, which their keys show.
    halves = not all(case.has("id") for case in (*cases, *_cases(analysis, number + 1)))
    names = [[e.name for e in c.node.entries] for c in cases if halves and isinstance(c.node, Mapping)]
    return (
        [type(shape) for shape in state.shapes],
        state.own_targets,
        set(state.tree.anchors),
        names,
        [_facts_of_case(c, analysis, block) for c in cases],
    )


def _cases(analysis: Analysis, number: int) -> list[Case]:
    """The cases of a block; none if it is the text below them all."""
    block = analysis.document.blocks[number] if number < len(analysis.document.blocks) else None
    shapes = analysis.states[block].shapes if block is not None and block.key else ()
    return [shape for shape in shapes if isinstance(shape, Case)]


def _facts_of_case(case: Case, analysis: Analysis, block: Block) -> object:
    column = column_of(block.text, case.node.whole.start) if case.node is not None else 0
    places = {field: place for field in CASE_FACTS if (place := case.places.get(field)) is not None}
    # In dialects with prompts, it counts whether an input, which is an error, or a misspelt `vars` is written.
    asks = analysis.dialect.spelled(Case, "input") is None and "input" in case.unread
    return (
        column,
        asks,
        "vars" in case.unread,
        {field: block.text[slice(*place.node.whole)] for field, place in places.items()},
    )
