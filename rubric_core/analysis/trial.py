"""What edits would make of a text: what is said of the parts that they touch, before and after them.

A person waits for an offer of fixes, so that as little as possible is looked at. Edits inside of cases change what is
said of these cases; only edits of what cases share, or of what other cases depend on, change more, and then the whole
text is looked at.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import or_

from rubric_core.analysis.checking import Check
from rubric_core.analysis.cross_case import cross_case_facts
from rubric_core.analysis.finding_list import alike
from rubric_core.analysis.findings import Findings
from rubric_core.analysis.result import Analysis
from rubric_core.analysis.states import BlockState, Frame
from rubric_core.language.around import FileKind
from rubric_core.lazy import dataclass
from rubric_core.syntax.blocks import Block, Document
from rubric_core.syntax.items import ROOT_LIST
from rubric_core.text import Edit
from rubric_core.validation.rule import Diagnostic

__all__ = ["Trial", "tried", "tried_nearby"]

_Numbered = tuple[int, Block]


@dataclass(frozen=True, slots=True)
class Trial:
    """What is said before and after edits, of everything that they can make a difference for, be it wanted or not."""

    edits: tuple[Edit, ...]
    before: tuple[Diagnostic, ...]
    #: At offsets of the text after the edits.
    after: tuple[Diagnostic, ...]
    #: How often the parser stumbled, before and after.
    stumbles: tuple[int, int]
    #: The text after the edits, as far as it was looked at.
    analysis: Analysis


def tried(analysis: Analysis, edits: Iterable[Edit]) -> Trial:
    """The whole text before and after. Raises ValueError for edits that overlap."""
    made = tuple(edits)
    after = analysis.revised(made)
    stumbles = _stumbles(analysis.states.values()), _stumbles(after.states.values())
    return Trial(made, analysis.every, after.every, stumbles, after)


def tried_nearby(analysis: Analysis, edits: Iterable[Edit]) -> Trial | None:
    """The same in the time that the touched cases take; None where more than these has to be looked at.

    Raises ValueError for edits that overlap.
    """
    made = tuple(edits)
    # A first item of a bare list tells what the file is, and a comment that ignores findings may cover new ones.
    listed = analysis.frame.item_key == ROOT_LIST and analysis.kind is not FileKind.DATASET
    ignores = any(state.ignores for state in analysis.states.values())
    if analysis.further or ignores or listed or not analysis.choice.certain:
        return None
    document = analysis.document.revised(made)
    old, new = _apart(analysis.document, document)
    if len(old) != len(new) or not all(block.key for _, block in (*old, *new)):
        return None
    if any(analysis.states[block].tree.anchors for _, block in old):
        return None
    after = _analyzed(analysis, document, new)
    ignored = any(after.states[block].ignores for _, block in new)
    if ignored or cross_case_facts(analysis, old) != cross_case_facts(after, new) or _signs(analysis) != _signs(after):
        return None
    stumbles = tuple(_stumbles(a.states[block] for _, block in blocks) for a, blocks in ((analysis, old), (after, new)))
    return Trial(made, _said(analysis, old), _said(after, new), (stumbles[0], stumbles[1]), after)


def _apart(old: Document, new: Document) -> tuple[list[_Numbered], list[_Numbered]]:
    """The blocks that only one of two versions has, with their numbers: a few in the middle."""
    start, end = alike(old.blocks, new.blocks)
    before = [(n, old.blocks[n]) for n in range(start, len(old.blocks) - end)]
    after = [(n, new.blocks[n]) for n in range(start, len(new.blocks) - end)]
    kept = {block for _, block in before} & {block for _, block in after}
    return [(n, b) for n, b in before if b not in kept], [(n, b) for n, b in after if b not in kept]


def _analyzed(known: Analysis, document: Document, new: Sequence[_Numbered]) -> Analysis:
    """Another version of which only some blocks are looked at."""
    keys = known.language.item_keys
    fresh = {block: BlockState(block.text, document.parse(block.text), keys, frame=False) for _, block in new}
    frame = Frame(document)
    frame.block = known.frame.block
    made = Analysis(
        document, known.language, {**known.states, **fresh}, frame, known.choice, known.kind, known.selection
    )
    made.suite, made.siblings = known.suite, known.siblings
    made.around, made.references = known.around, known.references
    Check(made, known.around).nearby(new)
    return made


def _signs(analysis: Analysis) -> int:
    """What tells the dialect of the text."""
    return reduce(or_, (analysis.states[block].signs for block in analysis.document.blocks if block.key), 0)


def _said(analysis: Analysis, blocks: Iterable[_Numbered]) -> tuple[Diagnostic, ...]:
    found = Findings(analysis)
    return tuple(each for number, _ in blocks for each in found.of_block(number))


def _stumbles(states: Iterable[BlockState]) -> int:
    return sum(len(state.tree.problems) for state in states)
