"""A case with a result: what lists say of it is there at once, the result itself is read when somebody looks at it.

A suite may have twenty thousand stored results. What marks them needs a verdict and a score; evaluators, criteria and what was sent
are most of a result, and are shown for one case at a time.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.model.result import CaseResult, Verdict

__all__ = ["MOST_HISTORY", "KnownCase", "ResultSource", "ResultSummary"]

#: How many results of a case are listed.
MOST_HISTORY = 50
_UNREADABLE = "The stored result is damaged: run the case again."


class ResultSummary(NamedTuple):
    """The summary of a result, without its evaluators. Times are ISO 8601 and milliseconds, the score is 0..1."""

    verdict: Verdict
    score: float | None = None
    at: str = ""
    duration_ms: float | None = None
    fingerprint: str = ""
    #: As in `CaseResult`.
    file: str = ""
    suite: str = ""
    grader_errors: int = 0
    #: As in `CaseResult`.
    test_fingerprint: str = ""

    @classmethod
    def of(cls, result: CaseResult) -> "ResultSummary":
        """That of a result."""
        return cls(
            result.verdict, result.score, result.at, result.duration_ms, result.fingerprint, result.file, result.suite,
            len(result.grader_errors), result.test_fingerprint,
        )  # fmt: skip

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

    __slots__ = ("_history", "_number", "_result", "_source", "id", "summary", "target")

    def __init__(
        self, case_id: str, target: str, summary: ResultSummary, *, source: ResultSource | None = None, number: int = 0,
        result: CaseResult | None = None, history: tuple[Mapping[str, Any], ...] = (),
    ) -> None:  # fmt: skip
        self.id = case_id
        self.target = target
        self.summary = summary
        #: Where the result is read, or the last one that was stored, and its number there.
        self._source, self._number = source, number
        self._result = result
        #: The results after that one.
        self._history = history

    @classmethod
    def of(cls, result: CaseResult, history: tuple[Mapping[str, Any], ...] | None = None) -> "KnownCase":
        """One whose result is there; the first one of its case where no history is given."""
        history = (_row(result),) if history is None else history
        return cls(result.id, result.target, ResultSummary.of(result), result=result, history=history)

    def followed_by(self, result: CaseResult) -> "KnownCase":
        """The case after its next result."""
        return KnownCase(
            result.id, result.target, ResultSummary.of(result), source=self._source, number=self._number, result=result,
            history=(*self._history, _row(result))[-MOST_HISTORY:],
        )  # fmt: skip

    @property
    def is_read(self) -> bool:
        """Whether looking at the result costs nothing any more."""
        return self._result is not None

    @property
    def result(self) -> CaseResult:
        """The last result; of a damaged one, what the summary says."""
        if self._result is None:
            self._result = self._read()
        return self._result

    @property
    def history(self) -> tuple[Mapping[str, Any], ...]:
        """Oldest first; each has at, verdict, score, duration_ms and fingerprint as far as they are known. The last one is `result`."""
        stored: tuple[Mapping[str, Any], ...] = ()
        if self._source is not None:
            with suppress(OSError):
                stored = self._source.history(self._number)
        return (*stored, *self._history)[-MOST_HISTORY:]

    def _read(self) -> CaseResult:
        if self._source is not None:
            with suppress(OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
                found = self._source.result(self._number)
                return replace_fields(found, file=self.summary.file, suite=self.summary.suite)
        return self.summary.as_result(self.id)


def _row(result: CaseResult) -> dict[str, Any]:
    return {"verdict": result.verdict.value, "score": result.score, "at": result.at}
