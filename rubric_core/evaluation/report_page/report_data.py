"""Builds the data of the page from a stored run and its cases."""

import shlex
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from statistics import fmean
from typing import cast

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.report_page.case_data import Cutter, case_data, known, whole
from rubric_core.evaluation.report_page.data import CaseData, CaseRow, ReportData, RunData
from rubric_core.evaluation.reporting.failure_lines import failure_lines
from rubric_core.evaluation.results.records import RunCase, RunRecord
from rubric_core.evaluation.results.signatures import FOREIGN

__all__ = [
    "DETAILS_PER_PIECE",
    "CaseKey",
    "Catalogue",
    "case_key",
    "latest_of_each",
    "report_data",
    "run_data",
    "stored_case",
]

#: Cases whose details are packed together in a page.
DETAILS_PER_PIECE = 20
#: Characters of an input and a reason that lists show.
_BRIEF = 240
_VERDICTS = (Verdict.PASSED, Verdict.BORDERLINE, Verdict.FAILED, Verdict.UNSCORED)
#: The identity of a case in a run: suite, id and target.
CaseKey = tuple[str, str, str]
#: Gives the address that opens a case in an editor, of its suite and its result; "" for none.
Opens = Callable[[str, CaseResult], str]


def case_key(case: RunCase) -> CaseKey:
    """The identity of a case in its run."""
    return case.suite, case.id, case.target


def latest_of_each(cases: Iterable[RunCase]) -> list[RunCase]:
    """The cases of a run in the order of completion; of a repeated case, the last one."""
    return list({case_key(case): case for case in cases}.values())


def run_data(run: RunRecord, cases: Sequence[RunCase] | None = None) -> RunData:
    """The data of a run as a whole; with its cases, the mean of their scores."""
    scores = [case.summary.score for case in cases or () if case.summary.score is not None]
    row = {
        "id": run.id, "startedAt": run.started_at, "endedAt": run.ended_at, "state": run.state.value, "commit": run.commit or None,
        "dirty": run.dirty or None, "command": shlex.join(run.command), "suites": list(run.suites), "targets": list(run.targets),
        "judges": list(run.judges), "counts": {verdict.value: run.counts.get(verdict, 0) for verdict in _VERDICTS},
        "graderErrors": run.grader_errors, "meanScore": fmean(scores) if scores else None, "tokens": run.tokens.total if run.tokens else None,
        "costUsd": run.cost_usd, "durationMs": run.duration_ms, "rubricVersion": run.rubric_version,
    }  # fmt: skip
    return cast("RunData", known(row))


class Catalogue:
    """Makes rows of cases, and numbers the names that occur in many of them.

    Args:
        opens: Gives the addresses that open cases in an editor.
    """

    def __init__(self, opens: Opens | None = None) -> None:
        self._opens = opens
        self._suites: dict[str, int] = {}
        self._targets: dict[str, int] = {}
        self._tags: dict[str, int] = {}
        self._evaluators: dict[str, tuple[int, str]] = {}

    def row(self, case: RunCase) -> CaseRow:
        """The row of a case."""
        summary, result = case.summary, case.result
        row = {
            "suite": _number(self._suites, case.suite), "target": _number(self._targets, case.target),
            "tags": [_number(self._tags, tag) for tag in dict.fromkeys(case.tags)], "id": case.id, "verdict": summary.verdict.value,
            "score": summary.score, "durationMs": summary.duration_ms, "costUsd": case.cost_usd,
            "tokens": case.tokens.total if case.tokens else None, "graderErrors": summary.grader_errors or None,
            "input": _brief(_question(result) or case.input) or None, "reason": _reason(result) or None,
            "scores": [
                (self._evaluator(each.path, each.type), each.verdict.value, _rounded(each.score))
                for each in case.scores
                if each.kind == "evaluator"
            ],
            "repeats": [(each.verdict.value, _rounded(each.score)) for each in case.repeats] or None,
            "open": (self._opens(case.suite, result) or None) if self._opens else None,
        }  # fmt: skip
        return cast("CaseRow", known(row))

    def add_to(self, data: ReportData) -> None:
        """Write the names that the rows so far refer to."""
        data["suites"], data["targets"], data["tags"] = list(self._suites), list(self._targets), list(self._tags)
        data["evaluators"] = [{"name": name, "type": kind} for name, (_, kind) in self._evaluators.items()]

    def _evaluator(self, name: str, kind: str) -> int:
        return self._evaluators.setdefault(name, (len(self._evaluators), kind))[0]


def _number(names: dict[str, int], name: str) -> int:
    return names.setdefault(name, len(names))


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 6)


def _brief(text: str) -> str:
    line = " ".join(text[: 4 * _BRIEF].split())
    return line if len(line) <= _BRIEF else f"{line[: _BRIEF - 1]}…"


def _question(result: CaseResult) -> str:
    """The last message to the target: of several messages, the one in which cases differ."""
    sent = next((each for each in result.exchanges if each.role == "target"), None)
    said = [message.content for message in sent.messages if message.role == "user"] if sent is not None else []
    return str(said[-1]) if said else ""


def _reason(result: CaseResult) -> str:
    """Why a case did not pass, on one line."""
    if result.is_sound_pass:
        return ""
    return _brief(result.reason or "; ".join(line.strip() for line in failure_lines(result)[:3]))


def report_data(
    run: RunRecord,
    cases: Sequence[RunCase],
    *,
    now: datetime,
    trend: Sequence[RunRecord] = (),
    opens: Opens | None = None,
    catalogue: Catalogue | None = None,
    rows: Sequence[CaseRow] | None = None,
    is_foreign: bool = False,
) -> ReportData:
    """The data of a run.

    Args:
        run: The run.
        cases: Its cases, each once.
        now: The time of the report.
        trend: Runs of the trend, oldest first, including this one.
        opens: Gives the addresses that open cases in an editor.
        catalogue: The catalogue of `rows`.
        rows: The rows of the cases, if already computed.
        is_foreign: Whether the run decides nothing; see `are_own`.
    """
    names = catalogue or Catalogue(opens)
    data: ReportData = {
        "version": 1,
        "generatedAt": now.isoformat(timespec="seconds"),
        "run": run_data(run, cases),
        "trend": [run_data(each, cases if each.id == run.id else None) for each in trend],
        "cases": list(rows) if rows is not None else [names.row(case) for case in cases],
        "detailsPerPiece": DETAILS_PER_PIECE,
    }
    # A case that ran again within the run counts once here.
    verdicts = [case.summary.verdict for case in cases]
    if is_foreign:
        data["run"]["foreign"] = f"{FOREIGN}: it decides nothing"
    data["run"]["counts"] = {verdict.value: verdicts.count(verdict) for verdict in _VERDICTS}
    names.add_to(data)
    return data


def stored_case(
    case: RunCase, run: RunRecord, *, before: RunCase | None = None, longest: int | None = None
) -> CaseData:
    """Everything that is shown of a case of a run; texts of more than `longest` characters are cut.

    Args:
        case: The case.
        run: Its run.
        before: The same case in the run that is compared with.
        longest: Characters of a text.
    """
    cutter = Cutter(longest) if longest is not None else None
    made = _details(case, run, cutter)
    if before is not None:
        earlier = _details(before, run, cutter)
        earlier.pop("requests", None)  # the requests are those of the newer run
        made["before"] = earlier
    if cutter is not None and cutter.left_out:
        made["cut"] = cutter.left_out
    return made


def _details(case: RunCase, run: RunRecord, cutter: Cutter | None) -> CaseData:
    cut = cutter or whole
    return case_data(case.result, suite=case.suite, command=_command(case, run), prompt=case.input, cut=cut)


def _command(case: RunCase, run: RunRecord) -> str:
    """The line that runs a case again, from the folder of the results."""
    file = f"./{case.suite}" if case.suite.startswith("-") else case.suite  # else it would be an option
    target = ["--target", case.target] if len(run.targets) > 1 and case.target else []
    return shlex.join(["rubric", "run", f"{file}::{case.id}", *target])
