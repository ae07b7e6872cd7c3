"""Applies fixes: safe, verified and non-overlapping ones, until none is left."""

from collections.abc import Iterable, Sequence

from rubric_core.analysis import Analysis
from rubric_core.analysis.trial import try_edits
from rubric_core.fixing.blame import blameless_fixes
from rubric_core.fixing.comparison import FindingComparison, finding_names
from rubric_core.fixing.fix_choice import Offered, keeps_comments, non_overlapping, safe_fixes
from rubric_core.fixing.gate import Gate
from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.parse import parse
from rubric_core.validation.rule import Diagnostic

__all__ = ["FixedText", "apply_safe_fixes"]

#: The most rounds of fixes: a fix may reveal further findings, but no real suite needs more rounds.
_MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text after fixes."""

    analysis: Analysis
    #: How many of the original findings were resolved; findings revealed on the way are not counted.
    count: int = 0


def apply_safe_fixes(analysis: Analysis, code: str | None = None) -> FixedText:
    """The text after every safe fix that holds up, of findings with that `code` or of all. Fixing it again changes nothing."""
    now, left = analysis, {finding_names(each) for each in analysis.diagnostics}
    count = 0
    for _ in range(_MOST_ROUNDS):
        step = _round(now, [d for d in now.diagnostics if code in (None, d.code, d.group)])
        if step is None:
            break
        now = step.analysis
        count += sum(finding_names(each) in left for each in step.gone)
        left = {finding_names(new) for old, new in step.kept if finding_names(old) in left}
    return FixedText(analysis) if now is not analysis and _reads_worse(analysis, now) else FixedText(now, count)


def _reads_worse(before: Analysis, after: Analysis) -> bool:
    """Whether the whole text has more syntax errors than before, which checking fixes case by case cannot show."""
    from rubric_core.syntax.events import stumble  # noqa: PLC0415  # loads PyYAML; most checks fix nothing

    old, new = before.document.text, after.document.text
    return stumble(new) is not None and (stumble(old) is None or len(parse(new).problems) > len(parse(old).problems))


def _round(analysis: Analysis, found: Iterable[Diagnostic]) -> FindingComparison | None:
    """The text after all fixes that can be applied together; None if there are none."""
    text, gate = analysis.document.text, Gate(analysis)
    chosen = non_overlapping(each for each in safe_fixes(found) if keeps_comments(text, each[1].edits))
    while chosen:
        made, kept = _try_fixes(analysis, chosen)
        if made is not None:
            return made
        if not kept:
            kept = gate.verified(chosen)
        # Fixes that pass alone but not together are applied in parts.
        chosen = kept if len(kept) < len(chosen) else chosen[: len(chosen) // 2]
    return None


def _try_fixes(analysis: Analysis, chosen: Sequence[Offered]) -> tuple[FindingComparison | None, list[Offered]]:
    """The findings after some fixes (None if any fails verification), and the fixes that did not cause the failure."""
    try:
        trial = try_edits(analysis, (edit for _, fix in chosen for edit in fix.edits))
    except ValueError:  # one of them makes two edits of one place
        return None, []
    compared = FindingComparison(trial, {finding_names(found) for found, _ in chosen})
    if compared.holds:
        return compared, []
    return None, blameless_fixes(analysis.document, compared, chosen)
