"""Chooses fixes that may be applied unattended, and those that can be applied together."""

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Sequence

from rubric_core.lazy_compilation import pattern
from rubric_core.text import Edit
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = ["Offered", "keeps_comments", "non_overlapping", "safe_fix", "safe_fixes"]

_COMMENT = pattern(r"(?:^|(?<=[ \t\r\n]))#[^\r\n]*")
#: The prefixes of comments that refer to findings.
_DIRECTIVE = "# rubric:"
#: A finding and one of its fixes.
Offered = tuple[Diagnostic, Fix]


def safe_fix(diagnostic: Diagnostic) -> Fix | None:
    """The fix that may be applied unattended: the first one, if it is safe."""
    return diagnostic.fixes[0] if diagnostic.fixes and diagnostic.fixes[0].safe else None


def safe_fixes(found: Iterable[Diagnostic]) -> Iterator[Offered]:
    """The findings with a safe fix, each with that fix."""
    return ((each, fix) for each in found if (fix := safe_fix(each)) is not None)


def non_overlapping(offered: Iterable[Offered]) -> list[Offered]:
    """The fixes that can be applied together; of two that touch, the earlier one."""
    chosen: list[Offered] = []
    edits: list[Edit] = []
    for found, fix in offered:
        if not any(_touches(edit, edits) for edit in fix.edits):
            chosen.append((found, fix))
            for edit in fix.edits:
                insort(edits, edit)
    return chosen


def _touches(edit: Edit, chosen: list[Edit]) -> bool:
    """Whether `edit` overlaps or meets one of `chosen`, which are sorted and do not overlap."""
    at = bisect_right(chosen, edit)
    before = at > 0 and chosen[at - 1].span.end >= edit.span.start
    return before or (at < len(chosen) and chosen[at].span.start <= edit.span.end)


def keeps_comments(text: str, edits: Sequence[Edit]) -> bool:
    """Whether every comment removed by the edits is inserted elsewhere, except comments that ignore findings."""
    taken = [comment.strip() for edit in edits for comment in _COMMENT.findall(text[slice(*edit.span)])]
    written = "\n".join(edit.new_text for edit in edits)
    return all(comment in written or comment.startswith(_DIRECTIVE) for comment in taken)
