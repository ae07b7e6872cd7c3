"""Short results of the cases of a suite, and the position of each part of a result."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from rubric_core.analysis import Analysis
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
    from rubric_core.evaluation.reporting.inline_marks import Mark
    from rubric_core.evaluation.results.known_case import KnownCase, ResultSummary

__all__ = [
    "PastRun", "Results", "ShownCase", "all_marks", "brief", "id_span", "line_end", "marks", "marks_of_both", "stale_words", "tally_of", "tally_words", "whole_span",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class PastRun:
    """The outcome of an earlier run."""

    verdict: str
    #: 0..1, None without a score.
    score: float | None = None
    #: ISO 8601.
    at: str = ""


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case as it is shown: its last result, and the progress of a run."""

    last: "KnownCase | None" = None
    #: Whether the case, or a dependency of its result, has changed since.
    stale: bool = False
    #: The progress: "2/3 judging tone". Empty if it is not running.
    running: str = ""
    #: Newer results of evaluators by their number in the result, from 1 (turns come first): of a run in progress, or of
    #: an evaluator that ran by itself.
    newer: "Mapping[int, EvaluatorResult]" = field(default_factory=dict)
    #: In a case file: the case as the suite has it that ran it last.
    taken_over: "Runnable | None" = None

    @property
    def is_foreign(self) -> bool:
        """Whether somebody else stored the last result, or changed it: it is stale, too."""
        return self.last is not None and not self.last.is_own

    @property
    def summary(self) -> "ResultSummary | None":
        """The last result without its evaluators, which is enough for a case off the screen."""
        return self.last.summary if self.last is not None else None

    @property
    def result(self) -> "CaseResult | None":
        """The last result, read from the store on first access."""
        return self.last.result if self.last is not None else None

    @property
    def history(self) -> tuple[PastRun, ...]:
        """The remembered runs, oldest first; the last one gave the result."""
        return tuple(map(_past, self.last.history)) if self.last is not None else ()


def _past(row: Mapping[str, object]) -> PastRun:
    score = row.get("score")
    return PastRun(
        str(row.get("verdict", "unscored")),
        float(score) if isinstance(score, int | float) else None,
        str(row.get("at", "")),
    )


#: By case id.
Results = Mapping[str, ShownCase]


def brief(shown: ShownCase) -> str:
    """A case in one short line, empty if there is nothing to show."""
    from rubric_core.evaluation.reporting.inline_marks import (  # noqa: PLC0415  # loaded when something was run
        RUNNING,
        STALE,
        age_words,
        case_words,
        shortened,
    )

    if shown.running:
        return shortened(f"{RUNNING} {shown.running}")
    if shown.summary is None or shown.result is None:
        return ""
    if shown.is_foreign:
        return shortened(f"{STALE} not run by you · was {stale_words(shown.summary)}")
    if shown.stale:
        return shortened(f"{STALE} stale · was {stale_words(shown.summary)}")
    return case_words(shown.result, age_words(shown.result.at, datetime.now(tz=timezone.utc)))


def stale_words(result: "ResultSummary") -> str:
    """A stale result in words."""
    from rubric_core.evaluation.reporting.inline_marks import SIGNS  # noqa: PLC0415

    score = "unscored" if result.score is None else f"{result.score:.2f}"
    return f"{SIGNS[result.verdict]} {score}"


def id_span(analysis: Analysis, entry: CaseEntry) -> Span:
    """The span of a case's id; its first line if it has none."""
    return analysis.span_of(entry, entry.case.at("id"))


def whole_span(case: "Runnable") -> Span:
    """The span of a whole case in its file."""
    node = case.case.node
    return case.case_span(node.whole if node is not None else case.case.span)


def line_end(analysis: Analysis, offset: int) -> int:
    """The end of the line at `offset`."""
    document = analysis.document
    number = document.block_at(offset)
    start, index = document.start(number), document.blocks[number].index
    return start + index.line_span(index.line_of(offset - start)).end


def tally_of(results: Results, files: Collection[str]) -> str:
    """The results of included cases in short: ✔ 2 ✘ 1; empty if none was run.

    `files` are relative to the directory of the suite.
    """
    return tally_words(s for s in results.values() if s.summary is not None and s.summary.file in files)


def tally_words(several: Iterable[ShownCase]) -> str:
    """How many of several cases have which verdict: ✔ 2  ✘ 1  ◌ 1 stale; empty without any result."""
    from rubric_core.evaluation.reporting.inline_marks import SIGNS, STALE  # noqa: PLC0415

    there = [(shown.summary, shown.stale) for shown in several if shown.summary is not None]
    verdicts = [summary.verdict for summary, stale in there if not stale]
    words = [f"{sign} {verdicts.count(verdict)}" for verdict, sign in SIGNS.items() if verdict in verdicts]
    stale = len(there) - len(verdicts)
    return "  ".join([*words, f"{STALE} {stale} stale"] if stale else words)


def marks(analysis: Analysis, entry: CaseEntry, shown: ShownCase, *, outdated: bool = False) -> "list[Mark]":
    """The marks inside a case: of its result, if that is up to date and nothing runs, and of newer results.

    With `outdated`, also of a stale result. The lines of the suite's evaluators belong to no case.
    """
    from rubric_core.evaluation.cases.open_document_cases import placed_cases  # noqa: PLC0415

    if analysis.settings is None and shown.taken_over is None:
        return []
    if not _has_marks(shown, outdated=outdated):
        return []
    runnable = shown.taken_over or next(iter(placed_cases(Path(), analysis, [entry], marks_only=True)), None)
    if runnable is None:
        return []
    found = all_marks(runnable, shown, outdated=outdated)
    return [m for m in found if analysis.case_at(m.span.start) == entry]


def _has_marks(shown: ShownCase, *, outdated: bool) -> bool:
    return bool(shown.newer) or (shown.last is not None and (outdated or not shown.stale) and not shown.running)


def all_marks(case: "Runnable", shown: ShownCase, *, outdated: bool = True) -> "list[Mark]":
    """The marks of the parts of a case in its own file."""
    from rubric_core.evaluation.reporting.inline_marks import marks_of_some  # noqa: PLC0415

    whole = shown.result if (outdated or not shown.stale) and not shown.running else None
    found = marks_of_some(case, shown.newer) if whole is None else marks_of_both(case, whole, shown.newer)
    return [mark for mark in found if mark.what != "case" and not mark.in_suite]


def marks_of_both(case: "Runnable", result: "CaseResult", newer: "Mapping[int, EvaluatorResult]") -> "list[Mark]":
    """The marks of a result, and of the parts that are newer than it."""
    from rubric_core.evaluation.cases.turns import merge_newer_results  # noqa: PLC0415
    from rubric_core.evaluation.reporting.inline_marks import marks_of  # noqa: PLC0415

    return marks_of(
        case, replace(result, evaluators=merge_newer_results(result.evaluators, newer)) if newer else result
    )
