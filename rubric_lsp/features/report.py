"""The report of a case's last run, as Markdown for a hover."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.reporting.inline_marks import ERROR, SIGNS, grader_words, of_row, seconds_words, shortened
from rubric_core.evaluation.reporting.transcript import usage_words
from rubric_core.evaluation.scoring.counterfactual import to_flip
from rubric_core.language.markdown import code, plain
from rubric_core.validation.wording import number
from rubric_lsp.features.markdown import fenced
from rubric_lsp.features.results import ShownCase, brief

if TYPE_CHECKING:
    from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult

__all__ = ["report"]

_BAR = 10
#: How many variations of a case are listed.
_MOST_VARIATIONS = 12
_LEVELS = {"passed": "▇", "borderline": "▅", "failed": "▂", "unscored": "·"}


def report(shown: ShownCase, command: str = "") -> str:
    """The report of a case; `command` runs it in a terminal."""
    if shown.result is None:
        return plain(brief(shown))
    return "\n\n".join(part for part in _report(shown, shown.result, command) if part)


def _report(shown: ShownCase, result: "CaseResult", command: str) -> Iterator[str]:
    yield f"_{plain(shown.running)}…_" if shown.running else ""
    yield _head(shown, result)
    yield "" if shown.stale else plain(grader_words(result))
    yield "" if shown.stale or _repeats_an_evaluator(result) else plain(result.reason)
    yield _table(result)
    yield _variations(result)
    yield "  \n".join(plain(usage_words(each)) for each in result.usage if each.has_usage)
    yield plain(to_flip(result))
    yield "\n".join(_criteria(result))
    of = f" ({plain(result.shown)})" if result.shown else ""
    yield f"**Answer**{of} {plain(shortened(result.answer, 300))}" if result.answer else ""
    yield _history(shown)
    yield fenced(command, "sh") if command else ""


def _repeats_an_evaluator(result: "CaseResult") -> bool:
    """Whether the table has the reason of the case already, as that of an evaluator."""
    return any(result.reason.startswith(f"{each.name}: {each.reason}") for each in result.grader_errors)


def _head(shown: ShownCase, result: "CaseResult") -> str:
    score = f" {result.score:.2f}{f'  ({result.needs})' if result.needs else ''}" if result.score is not None else ""
    verdict = f"**{plain(result.id)}** — {SIGNS[result.verdict]} {result.verdict.value}{score}"
    judges = sorted({e.judge for e in result.evaluators if e.judge})
    facts = [
        result.dialect,
        f"target {result.target}" if result.target else "",
        f"judged by {', '.join(judges)}" if judges else "",
    ]
    runs = (result.details or {}).get("trials")
    facts += [f"{runs['passed']}/{runs['count']} runs passed"] if isinstance(runs, dict) else []
    facts += [seconds_words(result.duration_ms), f"${result.cost_usd:.4g}" if result.cost_usd else "", _when(result.at)]
    stale = "◌ stale: the case has changed since · " if shown.stale else ""
    stale = "◌ not run by you: it came with the folder, or was changed later · " if shown.is_foreign else stale
    return f"{stale}{verdict}  \n{' · '.join(plain(f) for f in facts if f)}"


def _when(at: str) -> str:
    return at[:16].replace("T", " ")


def _table(result: "CaseResult") -> str:
    if not result.evaluators:
        return ""
    total = sum(e.weight for e in result.evaluators)
    rows = "\n".join(
        f"| {_cell(e.name)} | {_score(e)} | {_bar(e.score)} | {_share(e, total)} | {_cell(_gate(e))} |"
        for e in result.evaluators
    )
    return f"| evaluator | score × weight | | gives | |\n|---|---|---|---|---|\n{rows}"


def _variations(result: "CaseResult") -> str:
    """The result of each variation of a case, those that did not pass first."""
    rows = (result.details or {}).get("variations")
    known = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list | tuple) else []
    if len(known) < 2:
        return ""
    known.sort(key=lambda row: row.get("verdict") == "passed")
    lines = [_variation(row) for row in known[:_MOST_VARIATIONS]]
    left = len(known) - len(lines)
    more = [f"\n… and {left} more"] if left else []
    return "\n".join(["| variation | target | | why |\n|---|---|---|---|", *lines, *more])


def _variation(row: Mapping[str, Any]) -> str:
    sign = next((sign for verdict, sign in SIGNS.items() if verdict.value == row.get("verdict")), "")
    score = row.get("score")
    result = f"{sign} {score:.2f}" if isinstance(score, int | float) else sign
    name = str(row.get("id") or "").partition("[")[2].removesuffix("]")
    return (
        f"| {_cell(name)} | {_cell(str(row.get('target') or ''))} | {result} | {_cell(str(row.get('reason') or ''))} |"
    )


def _share(found: "EvaluatorResult", total: float) -> str:
    """An evaluator's contribution to the score of the case, and its maximum."""
    if not total or found.score is None:
        return ""
    return f"{found.score * found.weight / total:.2f} of {found.weight / total:.2f}"


def _cell(text: str) -> str:
    return plain(shortened(text, 160))


def _score(found: "EvaluatorResult") -> str:
    sign = ERROR if found.failure else SIGNS[found.verdict]
    score = sign if found.score is None else f"{sign} {found.score:.2f}"
    passes = f"  {found.tally.words}" if found.tally is not None and found.tally.words else ""
    return f"{score} × {number(found.weight)}{passes}"


def _bar(score: float | None) -> str:
    full = round((score or 0.0) * _BAR)
    return "" if score is None else "`" + "█" * full + "░" * (_BAR - full) + "`"


def _gate(found: "EvaluatorResult") -> str:
    if found.gate:
        return f"gate: {found.gate_label} ← fails the case" if found.required else f"gate: {found.gate_label}"
    return found.reason or of_row(
        found, "; ".join(found.shown_misses) or ("" if found.verdict == "passed" else found.reasoning)
    )


def _criteria(result: "CaseResult") -> Iterator[str]:
    """One line for each criterion that did not pass."""
    for found in (c for e in result.evaluators for c in e.criteria):
        if found.verdict != "passed":
            yield f"- {_criterion(found)}"


def _criterion(found: "CriterionResult") -> str:
    score = (
        f"{found.raw}/10 → {found.score:.2f}"
        if found.raw is not None
        else ""
        if found.score is None
        else f"{found.score:.2f}"
    )
    minimum = f", needs {found.minimum:.2f}" if found.minimum is not None else ""
    said = of_row(found, found.reasoning) or found.reason
    passes = f" {found.tally.words}" if found.tally is not None and found.tally.words else ""
    return f"{SIGNS[found.verdict]} {code(found.label)} {score}{passes}{minimum}" + (
        f": {plain(shortened(said, 200))}" if said else ""
    )


def _history(shown: ShownCase) -> str:
    if len(shown.history) < 2:
        return ""
    last = shown.history[-10:]
    passed = sum(each.verdict == "passed" for each in last)
    return f"Last runs {''.join(_LEVELS.get(each.verdict, '·') for each in last)}  {passed} of {len(last)} passed"
