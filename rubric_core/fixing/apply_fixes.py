"""Applies fixes: safe, verified and non-overlapping ones, until none is left."""

from collections.abc import Iterable, Sequence

from rubric_core.analysis import Analysis
from rubric_core.analysis.trial import try_edits
from rubric_core.fixing.blame import blameless_fixes
from rubric_core.fixing.comparison import FindingComparison, finding_names
from rubric_core.fixing.fix_choice import Offered, keeps_comments, non_overlapping, safe_fixes
from rubric_core.fixing.gate import Gate
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.events import stumble
from rubric_core.syntax.parse import parse
from rubric_core.validation.rule import Diagnostic

__all__ = ["FixedText", "apply_safe_fixes"]

#: Fixes bring others to light; nothing sensible is hidden deeper than this.
_MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class FixedText:
    """What fixes made of a text."""

    analysis: Analysis
    #: How many of the findings that the text had they took away. What came to light on the way is not counted.
    count: int = 0


def apply_safe_fixes(analysis: Analysis, code: str | None = None) -> FixedText:
    """The text after every safe fix that holds up, of findings with that `code` or of all. Fixing it again changes nothing."""
    now, left = analysis, {finding_names(each) for each in analysis.diagnostics}
    count = 0
    for _ in range(_MOST_ROUNDS):
        step = _round(now, [d for d in now.diagnostics if code in (None, d.code)])
        if step is None:
            break
        now = step.analysis
        count += sum(finding_names(each) in left for each in step.gone)
        left = {finding_names(new) for old, new in step.kept if finding_names(old) in left}
    return FixedText(analysis) if now is not analysis and _reads_worse(analysis, now) else FixedText(now, count)


def _reads_worse(before: Analysis, after: Analysis) -> bool:
    """Whether the parser has more to say of the whole text. Fixes are looked at case by case, and a file is more than that."""
    old, new = before.document.text, after.document.text
    return stumble(new) is not None and (stumble(old) is None or len(parse(new).problems) > len(parse(old).problems))


def _round(analysis: Analysis, found: Iterable[Diagnostic]) -> FindingComparison | None:
    """Every fix that can be made at once; None where there is none."""
    text, gate = analysis.document.text, Gate(analysis)
    chosen = non_overlapping(each for each in safe_fixes(found) if keeps_comments(text, each[1].edits))
    while chosen:
        made, kept = _made(analysis, chosen)
        if made is not None:
            return made
        if not kept:
            kept = gate.holding(chosen)
        # What holds up alone and not together is made bit by bit.
        chosen = kept if len(kept) < len(chosen) else chosen[: len(chosen) // 2]
    return None


def _made(analysis: Analysis, chosen: Sequence[Offered]) -> tuple[FindingComparison | None, list[Offered]]:
    """The findings after some fixes; None where one of them does not hold up, and the fixes that are not to blame."""
    try:
        trial = try_edits(analysis, (edit for _, fix in chosen for edit in fix.edits))
    except ValueError:  # one of them makes two edits of one place
        return None, []
    compared = FindingComparison(trial, {finding_names(found) for found, _ in chosen})
    if compared.holds:
        return compared, []
    return None, blameless_fixes(analysis.document, compared, chosen)
