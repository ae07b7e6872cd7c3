"""A run as Markdown: for a comment on a pull request, or the summary of a job (`$GITHUB_STEP_SUMMARY`)."""

from collections.abc import Iterator

from rubric_core.control_characters import mask
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.failure_lines import failure_lines
from rubric_core.evaluation.reporting.inline_marks import SIGNS, seconds_words, shortened
from rubric_core.evaluation.results.records import RunCase
from rubric_core.language.markdown import plain, table
from rubric_core.validation.wording import count

__all__ = ["markdown_summary"]

#: Characters; a comment on GitHub has 65,536 at most.
_LONGEST = 60_000
_LONGEST_LINE = 300
_MOST_SUITES = 50
_ORDER = (Verdict.FAILED, Verdict.UNSCORED, Verdict.BORDERLINE, Verdict.PASSED)


def markdown_summary(run: ExportedRun) -> Iterator[str]:
    """The number of passed cases, a table of suites, and the reasons of the others; as much as fits into a comment."""
    written = 0
    for piece in (_head(run), _suites(run)):
        written += len(piece)
        yield piece
    left = [case for case in run.cases if case.summary.verdict is not Verdict.PASSED]
    if left:
        yield "\n### What did not pass\n\n"
    for number, case in enumerate(sorted(left, key=lambda case: _ORDER.index(case.summary.verdict))):
        piece = _case(run, case, case.result)
        if written + len(piece) > _LONGEST:
            yield f"\n… and {count(len(left) - number, 'more case')}.\n"
            return
        written += len(piece)
        yield piece


def _head(run: ExportedRun) -> str:
    record = run.record
    counts = {verdict: sum(case.summary.verdict is verdict for case in run.cases) for verdict in _ORDER}
    passed, total = counts[Verdict.PASSED], len(run.cases)
    sign = SIGNS[next((verdict for verdict in _ORDER if counts[verdict]), Verdict.UNSCORED)]
    others = [f"{counts[v]} {v.value}" for v in _ORDER if v is not Verdict.PASSED and counts[v]]
    took = [seconds_words(record.duration_ms)] if record.duration_ms is not None else []
    cost = [f"${record.cost_usd:.4f}"] if record.cost_usd is not None else []
    commit = [f"commit {record.commit[:10]}{' with changes' if record.dirty else ''}"] if record.commit else []
    facts = " · ".join([*others, *took, *cost, *commit])
    foreign = f"**Not yours: {run.foreign}.**\n\n" if run.foreign else ""
    return (
        f"## {sign} rubric: {passed} of {count(total, 'case')} passed\n\n{foreign}{facts}{chr(10) * 2 if facts else ''}"
    )


def _suites(run: ExportedRun) -> str:
    suites = list(run.by_suite())
    rows = []
    for suite, cases in suites[:_MOST_SUITES]:
        scores = [case.summary.score for case in cases if case.summary.score is not None]
        passed = sum(case.summary.verdict is Verdict.PASSED for case in cases)
        mean = f"{sum(scores) / len(scores):.2f}" if scores else "–"
        rows.append([_plain(suite), f"{passed} / {len(cases)}", mean])
    more = f"\n\n… and {count(len(suites) - _MOST_SUITES, 'more suite')}." if len(suites) > _MOST_SUITES else ""
    return f"{table(['Suite', 'Passed', 'Mean score'], rows)}{more}\n"


def _case(run: ExportedRun, case: RunCase, result: CaseResult) -> str:
    score = "" if result.score is None else f" {result.score:.2f}{f' ({result.needs})' if result.needs else ''}"
    place = f"{case.suite}:{result.line}" if result.line and not result.file else case.suite
    head = f"- {SIGNS[result.verdict]} **{_plain(shortened(run.name(case), 100))}** {result.verdict.value}{score} — {_plain(place)}\n"
    return head + "".join(f"  - {_plain(line.strip())}\n" for line in failure_lines(result))


def _plain(text: str) -> str:
    return plain(shortened(mask(text), _LONGEST_LINE))
