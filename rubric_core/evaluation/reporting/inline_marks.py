"""Results where their cases are written: one short mark for each line, the same in a terminal and in every editor."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.turns import TURN, turn_evaluators, turn_results, turns_of
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.scoring.score import ungraded_words
from rubric_core.language.evaluators import AssertSet, Composite, Criterion, Evaluator, ScoreRanges
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.grading import gather_evaluators
from rubric_core.text import Span
from rubric_core.validation.rubrics import criteria_of
from rubric_core.validation.wording import count

__all__ = [
    "ERROR", "LONGEST", "RUNNING", "SIGNS", "STALE", "Mark", "age_words", "case_words", "criterion_words",
    "evaluator_words", "grader_words", "marks_of", "marks_of_some", "of_row", "seconds_words", "shortened",
]  # fmt: skip

#: Characters of a mark before editors cut it.
LONGEST = 43
#: The signs of stale and of pending results.
STALE, RUNNING = "◌", "⟳"
SIGNS = {Verdict.PASSED: "✔", Verdict.BORDERLINE: "◐", Verdict.FAILED: "✘", Verdict.UNSCORED: "○"}
#: The sign of an evaluator that could not run or crashed.
ERROR = "⚠"
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark at the end of the line on which `span` begins."""

    #: In the whole text.
    span: Span
    verdict: Verdict
    #: At most `LONGEST` characters.
    text: str
    #: The judge's reason, or the problem, in full.
    note: str = ""
    #: What is marked: "case", "evaluator", "criterion" or "band".
    what: str = "case"
    #: Whether `span` is in the suite, although the case is in its own file.
    in_suite: bool = False
    #: Of a criterion: the band that its score is in, with its bounds and text.
    band: tuple[Span, str] | None = None
    #: For an evaluator: whether it could not run or crashed; `note` says why.
    error: bool = False
    #: The marked evaluator or criterion with its result; None for a case.
    of: Shape | None = field(default=None, repr=False, compare=False)
    result: EvaluatorResult | CriterionResult | None = field(default=None, repr=False, compare=False)
    #: Whether it is written in the suite, for every case.
    inherited: bool = False


def shortened(text: str, longest: int = LONGEST) -> str:
    """`text` on one line, cut with an ellipsis."""
    line = "  ".join(" ".join(part.split()) for part in text.split("  ") if part.strip())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def seconds_words(duration_ms: float | None) -> str:
    """40ms, 1.4s, 12s, 3min; empty when unknown or too short to matter."""
    if duration_ms is None or duration_ms < 1:
        return ""
    seconds = duration_ms / 1000
    if seconds < 0.1:
        return f"{duration_ms:.0f}ms"
    return f"{seconds:.1f}s" if seconds < 10 else f"{seconds:.0f}s" if seconds < 120 else f"{seconds / 60:.0f}min"


def age_words(at: str, now: datetime) -> str:
    """The age: 3h ago, 2d ago; empty for less than an hour, or if unknown."""
    try:
        hours = (now - datetime.fromisoformat(at)).total_seconds() / 3600
    except (ValueError, TypeError):
        return ""
    return "" if hours < 1 else f"{hours:.0f}h ago" if hours < 48 else f"{hours / 24:.0f}d ago"


def grader_words(result: CaseResult, *, why: bool = False) -> str:
    """The evaluators of a case that could not run or crashed: `⚠ 2 graders failed: style, check.py`. Empty without any.

    With `why` the first of them with its reason, and how many more there are.
    """
    errors = result.grader_errors
    if not errors:
        return ""
    more = f" and {len(errors) - _MOST_NAMES} more" if len(errors) > _MOST_NAMES else ""
    names = f"{', '.join(each.name for each in errors[:_MOST_NAMES])}{more}"
    return f"{ERROR} {count(len(errors), 'grader')} failed: {ungraded_words(errors) if why else names}"


def case_words(result: CaseResult, age: str = "") -> str:
    """The mark of a case: sign, score, graders that failed, how many runs passed, time, cost, age, and the criterion whose gate failed."""
    sign, errors = SIGNS[result.verdict], grader_words(result)
    if result.score is None and errors:
        return shortened(f"{sign} {errors}")
    if result.score is None:
        return shortened(
            f"{sign} {result.verdict.value}: {result.reason}" if result.reason else f"{sign} {result.verdict.value}"
        )
    cost = f"${result.cost_usd:.4f}".rstrip("0") if result.cost_usd else ""
    gate = next((e.gate_label for e in result.evaluators if e.gate), "") if result.verdict is Verdict.FAILED else ""
    runs = (result.details or {}).get("trials")
    times = f"{runs['passed']}/{runs['count']}" if isinstance(runs, dict) else ""
    varied = _variation_words(result)
    parts = (
        f"{sign} {result.score:.2f}",
        errors,
        times,
        varied,
        seconds_words(result.duration_ms),
        cost,
        "cached" if (result.details or {}).get("cached_answer") else "",
        age,
        f"gate: {gate}" if gate else "",
    )
    return shortened("  ".join(part for part in parts if part))


def _variation_words(result: CaseResult) -> str:
    """The number of passed variations, if not all passed: `1/4 variations`."""
    rows = (result.details or {}).get("variations")
    rows = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []
    passed = sum(row.get("verdict") == Verdict.PASSED.value for row in rows)
    return f"{passed}/{len(rows)} variations" if passed < len(rows) else ""


def evaluator_words(result: EvaluatorResult) -> str:
    """The mark of an evaluator: only the sign for a binary check."""
    sign, error = SIGNS[result.verdict], result.failure
    if error:
        return shortened(f"{ERROR} failed: {error}")
    if result.score is None:
        return shortened(f"{sign} unscored: {result.reason}")
    if result.score in (0.0, 1.0) and not result.criteria:
        return f"{sign}{_passes(result)}"
    minimum = f"  min {result.minimum:g}" if result.required and result.minimum is not None else ""
    return f"{sign} {result.score:.2f}{_passes(result)}{minimum}"


def criterion_words(result: CriterionResult) -> str:
    """The mark of a criterion: `✘ 4/10 → 0.40  min 0.6`."""
    sign = SIGNS[result.verdict]
    if result.score is None:
        return shortened(f"{sign} unscored: {result.reason}")
    passes = _passes(result)
    if result.raw is None:
        score = f" {result.score:.2f}" if passes and result.score not in (0.0, 1.0) else ""
        return f"{sign}{score}{passes}{' required' if result.gate_failed else ''}"
    minimum = f"  min {result.minimum:g}" if result.minimum is not None else ""
    return f"{sign} {result.raw}/10 → {result.score:.2f}{passes}{minimum}"


def _passes(result: EvaluatorResult | CriterionResult) -> str:
    """In how many rows or runs it passed; empty if in all, or for a single one."""
    words = result.tally.words if result.tally is not None else ""
    return f"  {words}" if words else ""


def of_row(result: EvaluatorResult | CriterionResult, reason: str) -> str:
    """A reason with the row or run that it is of: `tone=curt: …`; unchanged for a single one."""
    tally = result.tally
    return f"{tally.shown}: {reason}" if reason and tally is not None and tally.words else reason


def marks_of(case: Runnable, result: CaseResult) -> list[Mark]:
    """The marks of a result, in the order of the text.

    Evaluators are matched by their number: where evaluators were added or taken away since, only the case has a mark.
    """
    marks = [Mark(case.case_span(case.case.at("id")), result.verdict, case_words(result), result.reason)]
    turns = [r for r in result.evaluators if r.type == TURN]
    marks += _turn_marks(case, turns)
    marks += _evaluator_list_marks(case, case.evaluators, turn_results(result.evaluators))
    return sorted(marks, key=lambda mark: mark.span)


def marks_of_some(case: Runnable, results: Mapping[int, EvaluatorResult]) -> list[Mark]:
    """The marks of single evaluators and turns, by their number among the results of the case, from 1.

    One without a duration is still running: its results so far count.
    """
    turns = turns_of(case.case)
    begun = [(turn, results[n]) for n, turn in enumerate(turns, 1) if n in results]
    marks = [
        mark
        for turn, so_far in begun
        for config, result in zip(turn_evaluators(turn), so_far.members, strict=False)
        for mark in _evaluator_marks(case, config, result)
    ]
    pairs = [(config, results[n]) for n, config in enumerate(case.evaluators, len(turns) + 1) if n in results]
    marks += [mark for config, result in pairs for mark in _evaluator_marks(case, config, result)]
    return sorted(marks, key=lambda mark: mark.span)


def _turn_marks(case: Runnable, results: Sequence[EvaluatorResult]) -> Iterator[Mark]:
    turns = turns_of(case.case)
    if len(turns) != len(results):
        return
    for turn, result in zip(turns, results, strict=True):
        yield Mark(case.span_of(turn), result.verdict, evaluator_words(result), result.reason, "evaluator")
        yield from _evaluator_list_marks(case, turn_evaluators(turn), result.members)


def _evaluator_list_marks(
    case: Runnable, configs: Sequence[Evaluator], results: Sequence[EvaluatorResult]
) -> Iterator[Mark]:
    if len(configs) == len(results):
        for config, result in zip(configs, results, strict=True):
            yield from _evaluator_marks(case, config, result)


def _evaluator_marks(case: Runnable, config: Evaluator, result: EvaluatorResult) -> Iterator[Mark]:
    criteria = criteria_of(config)
    at_work = result.duration_ms is None and result.score is None and not result.reason
    whole = at_work or len(criteria) == len(result.criteria)
    paired = list(zip(criteria, result.criteria, strict=False)) if whole else []
    # A rubric from plain strings, or with one criterion, has no line of its own to mark.
    gathered = config.node is None
    if (gathered and not config.span.end) or case.elsewhere(config):
        return  # the judge of a case that names no evaluator is written nowhere; templates are other files
    if not at_work and not (gathered and paired) and not (len(paired) == 1 and result.score is not None):
        # Plain strings may be in the case and in the suite.
        written = criteria[0] if gathered and criteria else config
        inherited = case.inherits(written)
        yield Mark(
            case.span_of(written), result.verdict, evaluator_words(result), _note(result), "evaluator", case.file is not None and inherited,
            error=bool(result.failure), of=written, result=result, inherited=inherited,
        )  # fmt: skip
    for criterion, judged in paired:
        yield from _criterion_marks(case, criterion, judged)
    if isinstance(config, Composite | AssertSet):
        yield from _member_marks(case, config, result)


def _criterion_marks(case: Runnable, criterion: Criterion, judged: CriterionResult) -> Iterator[Mark]:
    inherited = case.inherits(criterion)
    away = case.file is not None and inherited
    at = case.span_of(criterion, criterion.at("id") if criterion.has("id") else criterion.span)
    yield Mark(
        at, judged.verdict, criterion_words(judged), judged.reason or of_row(judged, judged.reasoning), "criterion", away, _hit(case, criterion, judged),
        of=criterion, result=judged, inherited=inherited,
    )  # fmt: skip
    if judged.raw is not None and criterion.score_ranges is not None and judged.band:
        at = case.span_of(criterion, criterion.key_at("score_ranges"))
        words = shortened(_band(criterion, judged.raw, judged.band))
        yield Mark(at, judged.verdict, words, judged.band, "band", away, inherited=inherited)


def _hit(case: Runnable, criterion: Criterion, judged: CriterionResult) -> tuple[Span, str] | None:
    bands = criterion.score_ranges.bands if isinstance(criterion.score_ranges, ScoreRanges) else []
    for band in bands:
        if (
            judged.raw is not None
            and band.low is not None
            and band.high is not None
            and band.low <= judged.raw <= band.high
        ):
            return case.span_of(band), _band(criterion, judged.raw, band.text)
    return None


def _member_marks(case: Runnable, config: Composite | AssertSet, result: EvaluatorResult) -> Iterator[Mark]:
    """The marks of the members of a set that have lines of their own."""
    line = case.line_at(case.span_of(config).start)
    members = gather_evaluators(
        case.borrowed.expanded(gather_evaluators(config.assertions or (), case.dialect)), case.dialect
    )
    for mark in _evaluator_list_marks(case, members, result.members):
        if case.line_at(mark.span.start) != line:
            yield mark


def _note(result: EvaluatorResult) -> str:
    if result.score is None or result.failure:
        return result.failure or result.reason
    if result.gate:
        return f"gate: {result.gate_label}"
    if result.criteria or not result.misses or result.verdict is Verdict.PASSED:
        return ""
    return of_row(result, result.shown_misses[0])


def _band(criterion: Criterion, raw: int, text: str) -> str:
    bands = criterion.score_ranges.bands if criterion.score_ranges is not None else []
    for band in bands:
        if band.low is not None and band.high is not None and band.low <= raw <= band.high:
            return f"{band.low}–{band.high} {text}" if band.low != band.high else f"{raw} {text}"
    return text
