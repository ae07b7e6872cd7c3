"""The results of a run for other programs: one JSON document that is written case by case, or a row for each case at once."""

import json
from collections import Counter
from typing import Any, Protocol

from rubric_core.cli.case_table import InFileOrder
from rubric_core.cli.suite_run import Ending, SuiteOutcome
from rubric_core.evaluation.cases.load import LoadedSuite
from rubric_core.evaluation.model.exchanges import Usage, add_usage
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.rows import case_row, request_row, usage_row
from rubric_core.evaluation.reporting.transcript import requests_of
from rubric_core.evaluation.results.journal import json_text

__all__ = ["JsonReport", "JsonRows", "TextOutput"]


class TextOutput(Protocol):
    """Where text goes: standard output, or a file."""

    def put(self, text: str, upto: int | None = None, /) -> None:
        """Add to it; `upto` is the number of cases that are told with it."""


class JsonRows:
    """A row of JSON for each case, as soon as it is done."""

    def __init__(self, page: TextOutput, *, prompts: bool = False) -> None:
        """`prompts` says whether rows have the requests that were sent."""
        self._page = page
        self._prompts = prompts
        self._head: dict[str, Any] = {}

    def begin(self, suite: LoadedSuite, _: int = 0) -> None:
        """The next suite."""
        self._head = _head(suite)

    def take(self, _: int, result: CaseResult) -> None:
        """A case is done."""
        self._page.put(f"{json_text({**self._head, **_row(result, prompts=self._prompts)})}\n")

    def kept(self, result: CaseResult) -> CaseResult:
        """What is needed of a result that was written."""
        return _verdict_of(result)

    def end(self, done: SuiteOutcome) -> None:
        """A suite is over: nothing is left to be written."""

    def finish(self, ending: Ending) -> None:
        """The same of all."""


class JsonReport:
    """One JSON object, or with several suites one that lists theirs: cases in the order of the file, each as soon as that is possible.

    Only the cases that are done before one that stands above them are kept in memory.
    """

    def __init__(self, page: TextOutput, *, several: bool, prompts: bool = False) -> None:
        """`prompts` says whether cases have the requests that were sent."""
        self._page = page
        self._prompts = prompts
        self._several = several
        self._indent = "    " if several else ""
        self._suites = 0
        self._written = 0
        self._order: InFileOrder[CaseResult] = InFileOrder()
        self._counts: Counter[Verdict] = Counter()
        self._errors = 0
        self._usage: tuple[Usage, ...] = ()
        if several:
            page.put('{\n  "suites": [')

    def begin(self, suite: LoadedSuite, _: int = 0) -> None:
        """The next suite."""
        self._order, self._counts, self._written, self._errors, self._usage = InFileOrder(), Counter(), 0, 0, ()
        between = ",\n" if self._suites else "\n" if self._several else ""
        self._suites += 1
        self._page.put(f'{between}{self._indent}{{\n{self._members(_head(suite))},\n{self._indent}  "cases": [')

    def take(self, place: int, result: CaseResult) -> None:
        """A case is done."""
        self._counts[result.verdict] += 1
        self._errors += len(result.grader_errors)
        self._usage = add_usage((*self._usage, *result.usage))
        for each in self._order.take(place, result):
            self._put(each, place + 1)

    def _put(self, result: CaseResult, upto: int | None = None) -> None:
        between = "," if self._written else ""
        self._written += 1
        row = _indented(_row(result, prompts=self._prompts), f"{self._indent}    ")
        self._page.put(f"{between}\n{self._indent}    {row}", upto)

    def kept(self, result: CaseResult) -> CaseResult:
        """What is needed of a result that was written."""
        return _verdict_of(result)

    def end(self, done: SuiteOutcome) -> None:
        """A suite is over, or broken off, which is said: what waited for its turn is written."""
        for result in self._order.rest():
            self._put(result)
        counts = {verdict.value: self._counts[verdict] for verdict in Verdict}
        usage = [usage_row(each) for each in self._usage]
        summary: dict[str, Any] = {"summary": counts, "grader_errors": self._errors, "usage": usage}
        if done.derived:
            summary["derived_metrics"] = {name: value for name, value, _ in done.derived.values()}
        if done.broken_off or done.not_run:
            summary["stopped"] = True
        if done.not_run:
            summary["not_run"] = done.not_run
        close = f"\n{self._indent}  ]" if self._written else "]"
        self._page.put(f"{close},\n{self._members(summary)}\n{self._indent}}}{'' if self._several else chr(10)}")

    def finish(self, ending: Ending) -> None:
        """Every suite is over. A document that is broken off is JSON all the same."""
        if self._several:
            stopped = ',\n  "stopped": true' if ending.broken_off or ending.not_run else ""
            if ending.not_run:
                stopped += f',\n  "not_run": {json.dumps(ending.not_run, ensure_ascii=False)}'
            self._page.put(f"{f'{chr(10)}  ' if self._suites else ''}]{stopped}\n}}\n")

    def _members(self, values: dict[str, Any]) -> str:
        inner = f"{self._indent}  "
        return ",\n".join(f"{inner}{json.dumps(name)}: {_indented(value, inner)}" for name, value in values.items())


def _row(result: CaseResult, *, prompts: bool) -> dict[str, Any]:
    requests = {"requests": [request_row(each) for each in requests_of(result)]} if prompts else {}
    return {**case_row(result), **requests}


def _verdict_of(result: CaseResult) -> CaseResult:
    return CaseResult(id=result.id, verdict=result.verdict)


def _head(suite: LoadedSuite) -> dict[str, Any]:
    return {"suite": str(suite.path), "dialect": suite.analysis.dialect.name}


def _indented(value: Any, indent: str) -> str:
    return json_text(value, indent=2).replace("\n", f"\n{indent}")
