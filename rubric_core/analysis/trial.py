"""Trial edits: the findings of the touched blocks before and after them.

Users wait for fixes to be offered, so as little as possible is analyzed. Edits inside of cases change the findings of
these cases; only edits of what cases share, or of what other cases depend on, change more, and then the whole text is
analyzed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy

from rubric_core.analysis.block_state import BlockState, Frame, signs_in
from rubric_core.analysis.family_cross_case import cross_case_of
from rubric_core.analysis.finding_list import same_findings
from rubric_core.analysis.findings import Findings
from rubric_core.analysis.incremental import Check
from rubric_core.analysis.result import Analysis
from rubric_core.language.detect_dialect import Sign
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.text import Edit
from rubric_core.validation.rule import Diagnostic

__all__ = ["Trial", "try_edits", "try_edits_briefly"]

_Numbered = tuple[int, Block]


@dataclass(frozen=True, slots=True)
class Trial:
    """The findings before and after edits in everything that the edits can affect, reported or not."""

    edits: tuple[Edit, ...]
    before: tuple[Diagnostic, ...]
    #: At offsets of the text after the edits.
    after: tuple[Diagnostic, ...]
    #: The number of syntax errors before and after.
    stumbles: tuple[int, int]
    #: The analyzed part of the text after the edits.
    analysis: Analysis
    #: The syntax errors in cases that the edits changed, at offsets of the text after them.
    stumbled: tuple[int, ...] = ()


def try_edits(analysis: Analysis, edits: Iterable[Edit]) -> Trial:
    """The whole text before and after. Raises ValueError for overlapping edits."""
    made = tuple(edits)
    after = analysis.revised(made)
    return Trial(
        made, analysis.every, after.every, _all_stumbles(analysis, after), after, _new_problem_offsets(analysis, after)
    )


def _all_stumbles(before: Analysis, after: Analysis) -> tuple[int, int]:
    return _problem_count(before.states.values()), _problem_count(after.states.values())


def try_edits_briefly(
    analysis: Analysis, edits: Iterable[Edit], enough: Callable[[Trial], bool] = lambda _: True
) -> tuple[Trial, bool]:
    """The same without findings that are equal before and after; and whether all blocks were analyzed.

    In most trials they are not. `enough` tells whether a trial of the touched cases suffices. Raises ValueError for
    overlapping edits.
    """
    made = tuple(edits)
    document = analysis.document.revised(made)
    near = _nearby(analysis, made, document)
    if isinstance(near, Trial):
        if enough(near):
            return near, False
        near = near.analysis.states
    known = copy(analysis)
    known.states = {**analysis.states, **near}  # what was examined to determine that it is not enough
    after = analysis.read(document, previous=known)
    found = analysis.every_found.apart(analysis.document, after.every_found, after.document)
    return Trial(made, *found, _all_stumbles(analysis, after), after, _new_problem_offsets(analysis, after)), True


def _nearby(analysis: Analysis, made: tuple[Edit, ...], document: Document) -> Trial | Mapping[Block, BlockState]:
    """The trial of the touched cases, or what is known of them when more has to be analyzed."""
    # The first item of a bare list determines the kind of file, and an ignore comment may cover new findings.
    listed = analysis.frame.item_key == ROOT_LIST and analysis.kind is not FileKind.DATASET
    ignores = any(state.ignores for state in analysis.states.values())
    if analysis.further or ignores or listed or not analysis.choice.certain:
        return {}
    old, new = _apart(analysis.document, document)
    if len(old) != len(new) or not all(block.key for _, block in (*old, *new)):
        return {}
    if any(analysis.states[block].tree.anchors for _, block in old):
        return {}
    after = _analyzed(analysis, document, new)
    ignored = any(after.states[block].ignores for _, block in new)
    read_alike = cross_case_of(analysis.kind).groups_to_repeat(analysis, old, after, new) == frozenset()
    if ignored or not read_alike or _signs(analysis) != _signs(after):
        return {block: after.states[block] for _, block in new}
    stumbles = tuple(
        _problem_count(a.states[block] for _, block in blocks) for a, blocks in ((analysis, old), (after, new))
    )
    stumbled = _new_problem_offsets(analysis, after)
    return Trial(
        made, _diagnostics_in(analysis, old), _diagnostics_in(after, new), (stumbles[0], stumbles[1]), after, stumbled
    )


def _apart(old: Document, new: Document) -> tuple[list[_Numbered], list[_Numbered]]:
    """The blocks that only one of two versions has, with their numbers: a few in the middle."""
    start, end = same_findings(old.blocks, new.blocks)
    before = [(n, old.blocks[n]) for n in range(start, len(old.blocks) - end)]
    after = [(n, new.blocks[n]) for n in range(start, len(new.blocks) - end)]
    kept = {block for _, block in before} & {block for _, block in after}
    return [(n, b) for n, b in before if b not in kept], [(n, b) for n, b in after if b not in kept]


def _analyzed(known: Analysis, document: Document, new: Sequence[_Numbered]) -> Analysis:
    """Another version of which only some blocks are analyzed."""
    keys = known.language.item_keys
    fresh = {block: BlockState(block.text, document.parse(block.text), keys, frame=False) for _, block in new}
    frame = Frame(document)
    frame.block = known.frame.block
    made = Analysis(
        document, known.language, {**known.states, **fresh}, frame, known.choice, known.kind, known.selection
    )
    made.settings, made.suite, made.siblings = known.settings, known.suite, known.siblings
    made.around, made.references = known.around, known.references
    Check(made, known.around).nearby(new)
    return made


def _signs(analysis: Analysis) -> Sign:
    """The signs of the dialect in the text."""
    return signs_in(analysis.states[block] for block in analysis.document.blocks if block.key)


def _diagnostics_in(analysis: Analysis, blocks: Iterable[_Numbered]) -> tuple[Diagnostic, ...]:
    found = Findings(analysis)
    return tuple(each for number, _ in blocks for each in found.without_fixes(number))


def _problem_count(states: Iterable[BlockState]) -> int:
    return sum(len(state.problems) for state in states)


def _new_problem_offsets(before: Analysis, after: Analysis) -> tuple[int, ...]:
    """The syntax errors in the cases that only the second of two versions has."""
    _, new = _apart(before.document, after.document)
    start, states = after.document.start, after.states
    return tuple(start(n) + p.span.start for n, block in new if block.key for p in states[block].problems)
