"""Finds the fixes to blame when a group of fixes fails verification, by the positions of new findings."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from rubric_core.fixing.comparison import FindingComparison, finding_names
from rubric_core.fixing.fix_choice import Offered
from rubric_core.syntax.blocks import Document
from rubric_core.text import Edit

__all__ = ["blameless_fixes"]


def blameless_fixes(document: Document, compared: FindingComparison, offered: Sequence[Offered]) -> list[Offered]:
    """The fixes beside which nothing is wrong once all of them are made; none of them where the places do not tell.

    To blame are the fix whose finding is still there, the one that wrote what is now wrong, and all of a case where
    something else is wrong. That is a guess: those that are left have to be tried again.

    Args:
        document: The text before the fixes.
        compared: The findings before and after.
        offered: The fixes, none of which touch one another.
    """
    left = compared.left
    guilty = {number for number, (found, _) in enumerate(offered) if finding_names(found) in left}
    brought = compared.origins_of_brought()
    if brought:
        guilty |= _writers([fix.edits for _, fix in offered], document, (origin.offset for origin in brought))
    return [each for number, each in enumerate(offered) if number not in guilty] if guilty else []


def _writers(made: Sequence[Sequence[Edit]], document: Document, wrong: Iterable[int]) -> set[int]:
    """The numbers of the fixes that wrote at these offsets, or, where none did, in the case around them."""
    written = sorted((edit.span, number) for number, edits in enumerate(made) for edit in edits)
    by_block: dict[int, set[int]] = defaultdict(set)
    for span, number in written:
        by_block[document.block_at(span.start)].add(number)
    spans = [span for span, _ in written]
    guilty: set[int] = set()
    for offset in wrong:
        at = bisect_right(spans, offset, key=lambda span: span.start) - 1
        if at >= 0 and spans[at].end >= offset:
            guilty.add(written[at][1])
        else:
            guilty |= by_block.pop(document.block_at(offset), set())
    return guilty
