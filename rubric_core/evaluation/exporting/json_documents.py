"""Results as JSON: one document that is written case by case, or a row for each case. `--format json` and exports share them."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.exchanges import Usage, add_usage
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.rows import case_row, request_row, run_row, usage_row
from rubric_core.evaluation.reporting.target_matrix import TargetMatrix
from rubric_core.evaluation.reporting.transcript import requests_of
from rubric_core.evaluation.results.journal import json_text

__all__ = ["JsonExport", "JsonHead", "json_document", "json_row", "json_rows"]

#: The identity of a suite in a document: its path and its dialect.
JsonHead = Mapping[str, Any]


def json_row(head: JsonHead, result: CaseResult, *, prompts: bool) -> str:
    """A case as one line of JSON, with the identity of its suite."""
    return f"{json_text({**head, **_case(result, prompts=prompts)})}\n"


class JsonExport:
    """One JSON object for a suite, or one that lists those of several. Cases are written as they are added.

    Args:
        put: Takes the text, piece by piece, and the number of cases that it contains.
        several: Whether it lists suites.
        prompts: Whether cases include the requests.
        run: The facts about the run as a whole, if it has ended.
    """

    def __init__(
        self,
        put: Callable[[str, int | None], None],
        *,
        several: bool,
        prompts: bool,
        run: Mapping[str, Any] | None = None,
    ) -> None:
        self._put, self._several, self._prompts, self._run = put, several, prompts, run
        self._indent = "    " if several else ""
        self._suites = 0
        self._forget()
        if several:
            about = f'\n  "run": {_indented(run, "  ")},' if run is not None else ""
            self._put(f'{{{about}\n  "suites": [', None)

    def _forget(self) -> None:
        self._written = self._errors = 0
        self._counts: Counter[Verdict] = Counter()
        self._usage: tuple[Usage, ...] = ()
        self._matrix = TargetMatrix()

    def begin(self, head: JsonHead) -> None:
        """The next suite."""
        self._forget()
        between = ",\n" if self._suites else "\n" if self._several else ""
        self._suites += 1
        about = {"run": self._run} if self._run is not None and not self._several else {}
        self._put(f'{between}{self._indent}{{\n{self._members({**about, **head})},\n{self._indent}  "cases": [', None)

    def count(self, result: CaseResult) -> None:
        """A case is done, whether it is its turn or not."""
        self._counts[result.verdict] += 1
        self._errors += len(result.grader_errors)
        self._usage = add_usage((*self._usage, *result.usage))

    def put(self, result: CaseResult, upto: int | None = None) -> None:
        """Write a case."""
        self._matrix.take(result)
        between = "," if self._written else ""
        self._written += 1
        row = _indented(_case(result, prompts=self._prompts), f"{self._indent}    ")
        self._put(f"{between}\n{self._indent}    {row}", upto)

    def end(
        self, derived: Mapping[str, Any] | None = None, *, stopped: bool = False, not_run: Sequence[str] = ()
    ) -> None:
        """End a suite; `stopped` marks an interrupted one, and `not_run` are the ids of the cases that were not run."""
        counts = {verdict.value: self._counts[verdict] for verdict in Verdict}
        usage = [usage_row(each) for each in self._usage]
        summary: dict[str, Any] = {"summary": counts, "grader_errors": self._errors, "usage": usage}
        if derived:
            summary["derived_metrics"] = derived
        if self._matrix:
            summary["matrix"] = self._matrix.as_data()
        if stopped or not_run:
            summary["stopped"] = True
        if not_run:
            summary["not_run"] = list(not_run)
        close = f"\n{self._indent}  ]" if self._written else "]"
        self._put(f"{close},\n{self._members(summary)}\n{self._indent}}}{'' if self._several else chr(10)}", None)

    def finish(self, *, stopped: bool = False, not_run: Sequence[str] = ()) -> None:
        """End the document, which is valid JSON after an interruption, too."""
        if self._several:
            words = ',\n  "stopped": true' if stopped or not_run else ""
            words += f',\n  "not_run": {json_text(list(not_run))}' if not_run else ""
            self._put(f"{f'{chr(10)}  ' if self._suites else ''}]{words}\n}}\n", None)

    def _members(self, values: Mapping[str, Any]) -> str:
        inner = f"{self._indent}  "
        return ",\n".join(f"{inner}{json.dumps(name)}: {_indented(value, inner)}" for name, value in values.items())


def json_document(run: ExportedRun) -> Iterator[str]:
    """A stored run as `--format json` prints it, with the facts about the whole run under `run`."""
    pieces: list[str] = []
    suites = list(run.by_suite())
    about = {**run_row(run.record), **({"own": False} if run.foreign else {})}
    written = JsonExport(lambda text, _: pieces.append(text), several=len(suites) != 1, prompts=run.prompts, run=about)
    stopped = run.record.ended_at is None or run.record.state.value == "stopped"
    for suite, cases in suites:
        for number, case in enumerate(cases):
            result = case.result
            if number == 0:
                written.begin({"suite": suite, "dialect": result.dialect})
            written.count(result)
            written.put(result)
            yield "".join(pieces)
            pieces.clear()
        written.end(stopped=stopped)
    written.finish(stopped=stopped)
    yield "".join(pieces)


def json_rows(run: ExportedRun) -> Iterator[str]:
    """A stored run as `--format jsonl` prints it."""
    own: JsonHead = {"own": False} if run.foreign else {}
    for case, result in run:
        yield json_row({"suite": case.suite, "dialect": result.dialect, **own}, result, prompts=run.prompts)


def _case(result: CaseResult, *, prompts: bool) -> dict[str, Any]:
    requests = {"requests": [request_row(each) for each in requests_of(result)]} if prompts else {}
    return {**case_row(result), **requests}


def _indented(value: Any, indent: str) -> str:
    return json_text(value, indent=2).replace("\n", f"\n{indent}")
