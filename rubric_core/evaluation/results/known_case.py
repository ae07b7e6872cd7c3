"""A case with a result: what lists say of it is there at once, the result itself is read when somebody looks at it.

A suite may have twenty thousand stored results. What marks them needs a verdict and a score; evaluators, criteria and what was sent
are most of a result, and are shown for one case at a time.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.result_reader import history_of, number, text
from rubric_core.evaluation.results.stored_rows import GRADER_ERRORS, result_in

__all__ = ["KnownCase", "ResultSource", "ResultSummary", "known_case_of"]

#: Where the summary begins in the line of a case, behind its name.
_BEFORE = ': {"summary": '
_DECODER = json.JSONDecoder()
_UNREADABLE = "The stored result is damaged: run the case again."


class ResultSummary(NamedTuple):
    """What is said of a result without its evaluators. Times are ISO 8601 and milliseconds, the score is 0..1."""

    verdict: Verdict
    score: float | None = None
    at: str = ""
    duration_ms: float | None = None
    fingerprint: str = ""
    #: As in `CaseResult`.
    file: str = ""
    suite: str = ""
    grader_errors: int = 0

    @classmethod
    def of(cls, result: CaseResult) -> "ResultSummary":
        """That of a result."""
        return cls(
            result.verdict, result.score, result.at, result.duration_ms, result.fingerprint, result.file, result.suite,
            len(result.grader_errors),
        )  # fmt: skip

    @classmethod
    def read(cls, row: Any) -> "ResultSummary":
        """That in a row of JSON, which somebody else may have written. Raises LookupError, TypeError or ValueError."""
        score, duration, errors = row.get("score"), row.get("duration_ms"), row.get(GRADER_ERRORS, 0)
        return cls(
            Verdict(row["verdict"]),
            None if score is None else number(score),
            text(row.get("at", "")),
            None if duration is None else number(duration),
            text(row.get("fingerprint", "")),
            text(row.get("file", "")),
            text(row.get("suite", "")),
            int(number(errors)),
        )

    def as_result(self, name: str) -> CaseResult:
        """What it says of a case with this id, where all else of the result is damaged."""
        return CaseResult(
            id=name, verdict=self.verdict, score=self.score, reason=_UNREADABLE, at=self.at, file=self.file, suite=self.suite,
            duration_ms=self.duration_ms, fingerprint=self.fingerprint,
        )  # fmt: skip

    @property
    def is_sound_pass(self) -> bool:
        """As of `CaseResult`."""
        return self.verdict is Verdict.PASSED and not self.grader_errors

    @property
    def lacks_a_verdict(self) -> bool:
        """As of `CaseResult`."""
        return self.verdict is Verdict.UNSCORED or self.grader_errors > 0


class ResultSource(Protocol):
    """Where results are read one by one, by their numbers."""

    def result(self, number: int) -> CaseResult:
        """A whole result. Raises OSError or ValueError where it cannot be read."""

    def history(self, number: int) -> tuple[Mapping[str, Any], ...]:
        """The results of the same case up to this one, oldest first. Raises OSError where they cannot be read."""


class KnownCase:
    """The last result of a case, and those before it."""

    __slots__ = ("_history", "_name", "_number", "_result", "_row", "_source", "summary")

    def __init__(self, name: str, summary: ResultSummary, row: str) -> None:
        self.summary = summary
        self._name = name
        #: The row of the store as JSON, until it is read.
        self._row = row
        self._result: CaseResult | None = None
        self._history: tuple[Mapping[str, Any], ...] = ()
        self._source: ResultSource | None = None
        self._number = 0

    @classmethod
    def stored(cls, name: str, summary: ResultSummary, source: ResultSource, number: int) -> "KnownCase":
        """One that is read when somebody looks at it."""
        known = cls(name, summary, "")
        known._source, known._number = source, number
        return known

    @classmethod
    def of(cls, result: CaseResult, history: tuple[Mapping[str, Any], ...] = ()) -> "KnownCase":
        """One whose result is there."""
        known = cls(result.id, ResultSummary.of(result), "")
        known._result, known._history = result, history
        return known

    @property
    def is_read(self) -> bool:
        """Whether looking at the result costs nothing any more."""
        return self._result is not None

    @property
    def result(self) -> CaseResult:
        """The last result; of a damaged one, what the summary says."""
        if self._result is None:
            self._result = self._read()
            self._row = ""
        return self._result

    @property
    def history(self) -> tuple[Mapping[str, Any], ...]:
        """As of `StoredCase`."""
        if self._source is not None:
            try:
                self._history = self._source.history(self._number)
            except OSError:
                return ()
        else:
            _ = self.result  # reads both
        return self._history

    def _read(self) -> CaseResult:
        try:
            if self._source is not None:
                return self._source.result(self._number)
            row = json.loads(self._row)
            self._history = history_of(row.get("history"))
            return result_in(row["latest"])
        except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return self.summary.as_result(self._name)


def known_case_of(line: str) -> tuple[str, KnownCase] | None:
    """The name and the case in a line of the store that begins with a summary; None for any other line."""
    try:
        name, end = _DECODER.raw_decode(line)
        if type(name) is not str or not line.startswith(_BEFORE, end):
            return None
        row, _ = _DECODER.raw_decode(line, end + len(_BEFORE))
        return name, KnownCase(name, ResultSummary.read(row), line[end + 2 :].rstrip(",\n"))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        return None
