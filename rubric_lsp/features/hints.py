"""Inlay hints: the result at the end of each line that it belongs to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.text import Span
from rubric_core.validation.rule import CaseEntry
from rubric_lsp.features.results import MARKS, Results, Shown, brief, clipped, id_span, line_end, parts, score_words

if TYPE_CHECKING:
    from rubric_core.evaluation.result import CriterionResult, EvaluatorResult

__all__ = ["Hint", "hints"]


@dataclass(frozen=True, slots=True)
class Hint:
    """A few words at the end of a line."""

    offset: int
    label: str
    tooltip: str = ""


def hints(analysis: Analysis, results: Results, within: Span) -> list[Hint]:
    """The hints of the lines that touch `within`."""
    if not results:
        return []
    seen: set[str] = set()
    found: dict[int, Hint] = {}
    for entry in analysis.cases:
        name = entry.case.id
        if not isinstance(name, str) or name in seen or name not in results:
            continue
        seen.add(name)
        for hint in _case(analysis, entry, results[name]):
            # One hint a line: of an evaluator and its only criterion on one line, the criterion says more.
            if within.start <= hint.offset <= within.end:
                found.setdefault(hint.offset, hint)
    return list(found.values())


def _case(analysis: Analysis, entry: CaseEntry, shown: Shown) -> Iterator[Hint]:
    label = brief(shown)
    if label:
        why = shown.result.reason if shown.result is not None else ""
        yield Hint(line_end(analysis, id_span(analysis, entry).end), label, why)
    if shown.result is None or shown.stale or shown.running:
        return
    for part in parts(analysis, entry, shown.result):
        yield Hint(line_end(analysis, part.span.end), _part(part.result), part.result.reasoning or part.result.reason)


def _part(found: "CriterionResult | EvaluatorResult") -> str:
    mark = MARKS[found.verdict]
    if found.verdict == "unscored":
        return clipped(f"{mark} {found.reason}")
    raw = getattr(found, "raw", None)
    score = f"{raw}/10 → {score_words(found.score)}" if raw is not None else ""
    if not score and found.score not in (0.0, 1.0, None):
        score = score_words(found.score)
    minimum = f"min {score_words(found.minimum)}" if found.minimum is not None and found.verdict != "passed" else ""
    said = ""
    if found.verdict != "passed" and not getattr(found, "criteria", ()):
        said = found.reasoning or "; ".join(getattr(found, "misses", ())) or found.reason
    head = "  ".join(w for w in (f"{mark} {score}".rstrip(), minimum) if w)
    return clipped(f"{head}  {said}" if said else head)
