"""A case with a result: a summary for lists in memory, the full result read on demand.

A suite may have twenty thousand stored results. Marks need only a verdict and a score; evaluators, criteria and
requests are most of a result, and are shown for one case at a time.
"""

from collections.abc import Callable, Mapping
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
        """The summary of a result."""
        return cls(
            result.verdict, result.score, result.at, result.duration_ms, result.fingerprint, result.file, result.suite,
            len(result.grader_errors), result.test_fingerprint,
        )  # fmt: skip

    def as_result(self, name: str) -> CaseResult:
        """A result with this id and the data of the summary, if the full result is damaged."""
        return CaseResult(
            id=name, verdict=self.verdict, score=self.score, reason=_UNREADABLE, at=self.at, file=self.file, suite=self.suite,
            duration_ms=self.duration_ms, fingerprint=self.fingerprint,
        )  # fmt: skip

    @property
    def is_sound_pass(self) -> bool:
        """See `CaseResult`."""
        return self.verdict is Verdict.PASSED and not self.grader_errors

    @property
    def lacks_a_verdict(self) -> bool:
        """See `CaseResult`."""
        return self.verdict is Verdict.UNSCORED or self.grader_errors > 0


class ResultSource(Protocol):
    """Reads single results by their numbers."""

    def result(self, number: int, digest: str) -> CaseResult:
        """A full result; `digest` is empty or that of its stored content. Raises OSError or ValueError if it cannot be read, or was changed."""

    def history(self, number: int) -> tuple[Mapping[str, Any], ...]:
        """The results of the same case up to this one, oldest first. Raises OSError if they cannot be read."""


class KnownCase:
    """The last result of a case, and its history."""

    __slots__ = ("_digest", "_history", "_number", "_own", "_proof", "_result", "_source", "id", "summary", "target")

    def __init__(
        self, case_id: str, target: str, summary: ResultSummary, *, source: ResultSource | None = None, number: int = 0,
        result: CaseResult | None = None, history: tuple[Mapping[str, Any], ...] = (), digest: str = "",
        proof: Callable[[], bool] | None = None,
    ) -> None:  # fmt: skip
        self.id = case_id
        self.target = target
        self.summary = summary
        #: The source of the stored result, and its number there.
        self._source, self._number, self._digest = source, number, digest
        self._proof = proof
        self._own: bool | None = None
        self._result = result
        #: The results after the stored one.
        self._history = history

    @classmethod
    def of(
        cls, result: CaseResult, history: tuple[Mapping[str, Any], ...] | None = None, *, is_own: bool = True
    ) -> "KnownCase":
        """A case whose result is in memory; without a history, it is the first one. See `is_own`."""
        history = (_row(result),) if history is None else history
        proof = None if is_own else bool
        return cls(result.id, result.target, ResultSummary.of(result), result=result, history=history, proof=proof)

    def followed_by(self, result: CaseResult) -> "KnownCase":
        """The case after its next result."""
        return KnownCase(
            result.id, result.target, ResultSummary.of(result), source=self._source, number=self._number, result=result,
            history=(*self._history, _row(result))[-MOST_HISTORY:],
        )  # fmt: skip

    @property
    def is_own(self) -> bool:
        """Whether this user's rubric stored the result and nobody changed it: any other is shown and decides nothing."""
        if self._own is None:
            self._own = self._proof is None or self._proof()
        return self._own

    @property
    def is_read(self) -> bool:
        """Whether the result is in memory already."""
        return self._result is not None

    @property
    def result(self) -> CaseResult:
        """The last result; if it is damaged, the data of the summary."""
        if self._result is None:
            self._result = self._read()
        return self._result

    @property
    def history(self) -> tuple[Mapping[str, Any], ...]:
        """Oldest first; each has at, verdict, score, duration_ms and fingerprint, if known. The last one is `result`."""
        stored: tuple[Mapping[str, Any], ...] = ()
        if self._source is not None:
            with suppress(OSError):
                stored = self._source.history(self._number)
        return (*stored, *self._history)[-MOST_HISTORY:]

    def _read(self) -> CaseResult:
        if self._source is not None:
            with suppress(OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
                found = self._source.result(self._number, self._digest)
                return replace_fields(found, file=self.summary.file, suite=self.summary.suite)
        return self.summary.as_result(self.id)


def _row(result: CaseResult) -> dict[str, Any]:
    return {"verdict": result.verdict.value, "score": result.score, "at": result.at}
