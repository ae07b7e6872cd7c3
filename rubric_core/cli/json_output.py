"""The results of a run as JSON: one document that is written case by case, or one row per case at once."""

from typing import Any, Protocol

from rubric_core.cli.case_progress import InFileOrder
from rubric_core.cli.suite_run import Ending, SuiteOutcome
from rubric_core.evaluation.cases.load import LoadedSuite
from rubric_core.evaluation.exporting.json_documents import JsonExport, json_row
from rubric_core.evaluation.model.result import CaseResult

__all__ = ["JsonReport", "JsonRows", "TextOutput"]


class TextOutput(Protocol):
    """A destination for text: standard output, or a file."""

    def put(self, text: str, upto: int | None = None, /) -> None:
        """Write text; `upto` is the number of cases written once it is out."""


class JsonRows:
    """One JSON row per case, as soon as it is done."""

    def __init__(self, page: TextOutput, *, prompts: bool = False) -> None:
        """`prompts`: whether rows include the requests."""
        self._page = page
        self._prompts = prompts
        self._head: dict[str, Any] = {}

    def begin(self, suite: LoadedSuite, _: int = 0) -> None:
        """The next suite."""
        self._head = _head(suite)

    def take(self, _: int, result: CaseResult) -> None:
        """A case is done."""
        self._page.put(json_row(self._head, result, prompts=self._prompts))

    def kept(self, result: CaseResult) -> CaseResult:
        """The part of a result that is still needed after it was written."""
        return _verdict_of(result)

    def end(self, done: SuiteOutcome) -> None:
        """A suite has ended."""

    def finish(self, ending: Ending) -> None:
        """End the output of all suites."""


class JsonReport:
    """One JSON object, or with several suites one that lists theirs: cases in file order, each as soon as possible.

    Only the cases that are done before one that stands above them are kept in memory.
    """

    def __init__(self, page: TextOutput, *, several: bool, prompts: bool = False) -> None:
        """`prompts`: whether cases include the requests."""
        self._order: InFileOrder[CaseResult] = InFileOrder()
        self._document = JsonExport(page.put, several=several, prompts=prompts)

    def begin(self, suite: LoadedSuite, _: int = 0) -> None:
        """The next suite."""
        self._order = InFileOrder()
        self._document.begin(_head(suite))

    def take(self, place: int, result: CaseResult) -> None:
        """A case is done."""
        self._document.count(result)
        for each in self._order.take(place, result):
            self._document.put(each, place + 1)

    def kept(self, result: CaseResult) -> CaseResult:
        """The part of a result that is still needed after it was written."""
        return _verdict_of(result)

    def end(self, done: SuiteOutcome) -> None:
        """Write the rest of a suite that has ended or was interrupted."""
        for result in self._order.rest():
            self._document.put(result)
        derived = {name: value for name, value, _ in done.derived.values()} if done.derived else None
        self._document.end(derived, stopped=done.interrupted, not_run=done.not_run)

    def finish(self, ending: Ending) -> None:
        """End the document, which is valid JSON after an interruption, too."""
        self._document.finish(stopped=ending.interrupted, not_run=ending.not_run)


def _verdict_of(result: CaseResult) -> CaseResult:
    return CaseResult(id=result.id, verdict=result.verdict)


def _head(suite: LoadedSuite) -> dict[str, Any]:
    return {"suite": str(suite.path), "dialect": suite.analysis.dialect.name}
