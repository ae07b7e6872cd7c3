"""Test states: sent during runs, when results are read, and when the text changes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rubric_core.control_characters import mask
from rubric_lsp import convert
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features import explorer_items
from rubric_lsp.features.explorer_items import id_of
from rubric_lsp.features.results import Results
from rubric_lsp.host import Host
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.explorer_tree import TestTree, has_cases
from rubric_lsp.running.known_results import KnownResults
from rubric_lsp.running.report_builder import expected_of

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult
    from rubric_lsp.protocol.wire_types.explorer import Message, RunBegan, RunEnded, State, TestOutput, TestState
    from rubric_lsp.running.job import Job
    from rubric_lsp.running.selection import SelectedCases

__all__ = ["TestStates", "ids_of"]

#: Verdicts from the best to the worst, as trees of tests rank them.
_RANKED: "tuple[State, ...]" = ("passed", "borderline", "failed", "unscored")


class TestStates:
    """Reports the states of tests to clients with a test tree; others are sent nothing."""

    def __init__(self, host: Host, known: KnownResults, tree: TestTree) -> None:
        self._host, self._known, self._tree = host, known, tree
        #: Cases that the client shows as outdated.
        self._outdated: dict[str, frozenset[str]] = {}
        #: The results of evaluators in the current run, by run and test.
        self._told: dict[str, dict[str, tuple[str, float | None]]] = {}

    def _tell(self, method: str, params: "RunBegan | RunEnded | TestOutput | TestState") -> None:
        if self._host.client.tests:
            self._host.protocol.tell(f"rubric/{method}", params)

    # -- what runs tell -----------------------------------------------------------------------------------------------

    def began(self, job: "Job") -> None:
        """A run begins."""
        self._tell("runBegan", {"runId": job.name, "tests": list(ids_of(job)), "label": job.title})
        for part in job.parts:
            for case in part.cases:
                self._state(job.name, id_of(part.uri, case.id, part.evaluator), "enqueued")

    def started(self, job: "Job", part: "SelectedCases", name: str) -> None:
        """A case begins."""
        self._state(job.name, id_of(part.uri, name, part.evaluator), "started")
        case = part.case(name)
        if case is not None and not part.evaluator:
            for evaluator in explorer_items.evaluator_names(case):
                self._state(job.name, id_of(part.uri, name, evaluator), "started")

    def evaluated(self, job: "Job", part: "SelectedCases", name: str, number: int, result: "EvaluatorResult") -> None:
        """An evaluator is done."""
        case = part.case(name)
        # How bad anything else is depends on its case: clients keep the worst that a run has said of a test.
        if case is not None and not part.evaluator and _state_of(result) == "passed":
            self._evaluator(job.name, part.uri, case, number, result)

    def _evaluator(
        self,
        run: str,
        uri: str,
        case: "Runnable",
        number: int,
        result: "EvaluatorResult",
        verdict: "State | None" = None,
    ) -> None:
        """The state of an evaluator, which is never worse than `verdict`, that of its case: a tree shows the worst of both there."""
        names = explorer_items.evaluator_names(case)
        if number > len(names) or not self._host.client.tests:
            return
        test = id_of(uri, case.id, names[number - 1])
        own = _state_of(result)
        state = min(own, verdict, key=_RANKED.index) if verdict in _RANKED else own
        if run:
            told, already = (state, result.score), self._told.setdefault(run, {})
            if already.get(test) == told:
                return
            already[test] = told
        why = () if state == "passed" else explorer_items.evaluator_messages(case, number, result)
        words = explorer_items.evaluator_mark(result) if state != own else ""
        self._state(run, test, state, result, self._messages(uri, case, why), words)

    def done(self, job: "Job", part: "SelectedCases", result: "CaseResult") -> None:
        """A case is done."""
        from rubric_core.evaluation.cases.turns import turn_results  # noqa: PLC0415  # loaded when something was run

        case = part.case(result.id)
        if case is None or not self._host.client.tests:
            return
        if part.number:
            graded = turn_results(result.evaluators)
            if graded:
                known = self._known.record.last(part.uri).get(result.id)
                verdict = _case_state(known.result) if known is not None else None
                self._evaluator(job.name, part.uri, case, part.number, graded[-1], verdict)
            else:
                self._state(
                    job.name, id_of(part.uri, result.id, part.evaluator), "unscored", result, [_plain(result.reason)]
                )
            return
        self._outdated[part.uri] = self._outdated.get(part.uri, frozenset()) - {result.id}
        self._result(job.name, part.uri, case, result)
        self._tell("testOutput", {"runId": job.name, "testId": id_of(part.uri, result.id), "text": _output(result)})

    def _result(self, run: str, uri: str, case: "Runnable", result: "CaseResult") -> None:
        """The state of a case and of its evaluators."""
        from rubric_core.evaluation.cases.turns import turn_results  # noqa: PLC0415  # loaded when something was run

        names, graded = explorer_items.evaluator_names(case), turn_results(result.evaluators)
        state = _case_state(result)
        if len(graded) == len(names):
            for number, each in enumerate(graded, 1):
                self._evaluator(run, uri, case, number, each, state)
        else:
            for name in names:
                self._state(run, id_of(uri, case.id, name), "skipped")
        messages = self._messages(uri, case, explorer_items.messages(case, result, expected_of(case)))
        self._state(run, id_of(uri, case.id), state, result, messages)

    def noted(self, job: "Job", message: str) -> None:
        """Show a message about a run."""
        self._tell("testOutput", {"runId": job.name, "text": f"{mask(message)}\r\n"})

    def case_cancelled(self, job: "Job", uri: str, name: str) -> None:
        """A case was cancelled: its state is that before the run."""
        for part in job.parts:
            if part.uri == uri and (case := part.case(name)) is not None:
                for evaluator in [part.evaluator] if part.evaluator else explorer_items.evaluator_names(case):
                    self._state(job.name, id_of(uri, name, evaluator), "cancelled")
                if not part.evaluator:
                    self._state(job.name, id_of(uri, name), "cancelled")

    def ended(self, job: "Job", duration_ms: float) -> None:
        """A run is over."""
        self._told.pop(job.name, None)
        verdicts = [result.verdict.value for result in job.results]
        over: RunEnded = {
            "runId": job.name,
            "passed": verdicts.count("passed"),
            "borderline": verdicts.count("borderline"),
            "failed": verdicts.count("failed"),
            "unscored": verdicts.count("unscored"),
            "cancelled": job.cancelled,
            "durationMs": duration_ms,
        }
        costs = [result.cost_usd for result in job.results if result.cost_usd is not None]
        if costs:
            over["costUsd"] = sum(costs)
        errors = sum(len(result.grader_errors) for result in job.results)
        if errors:
            over["graderErrors"] = errors
        self._tell("runEnded", over)

    # -- what is known ------------------------------------------------------------------------------------------------

    def loaded(self, uri: str) -> None:
        """The results of a suite were read from disk."""
        last = self._known.record.last(uri)
        if not last or not self._host.client.tests:
            return
        snapshot = self._known.at(uri)
        if not has_cases(snapshot):
            return  # the tests of a case file are those of the suite that includes it
        for case in self._tree.cases(snapshot):
            if case.id in last:
                self._result("", uri, case, last[case.id].result)
        self._outdated.pop(uri, None)
        self._tell_stale(uri, self._known.results(snapshot))

    def refreshed(self, snapshot: Snapshot, results: Results) -> None:
        """The results of a suite were compared again: some may be outdated, or valid again."""
        if self._host.client.tests:
            self._tell_stale(snapshot.uri, results)

    def _tell_stale(self, uri: str, results: Results) -> None:
        before = self._outdated.get(uri, frozenset())
        now = frozenset(name for name, shown in results.items() if shown.stale)
        self._outdated[uri] = now
        for name in sorted(now - before):
            self._state("", id_of(uri, name), "outdated")
        for name in sorted(before - now):
            if name in results and results[name].last is not None:
                self._state("", id_of(uri, name), "fresh")

    def cleared(self, uri: str) -> None:
        """The results of a suite were cleared: its tests look as if they had not been run."""
        self._outdated.pop(uri, None)
        self._tree.forget_states(uri)

    # -- pieces -------------------------------------------------------------------------------------------------------

    def _state(
        self,
        run: str,
        test: str,
        state: "State",
        result: "CaseResult | EvaluatorResult | None" = None,
        messages: Sequence["Message"] = (),
        description: str = "",
    ) -> None:
        told: TestState = {"runId": run, "testId": test, "state": state}
        if result is not None and result.score is not None:
            told["score"] = result.score
        if result is not None and result.duration_ms is not None:
            told["durationMs"] = result.duration_ms
        errors = _grader_errors(result)
        if errors:
            told["graderErrors"] = errors
        if description:
            told["description"] = mask(description)
        if messages:
            told["messages"] = list(messages)
        self._tell("testState", told)

    def _messages(self, uri: str, case: "Runnable", found: Iterable[explorer_items.TestMessage]) -> list["Message"]:
        return [self._message(uri, case, each) for each in found]

    def _message(self, uri: str, case: "Runnable", message: explorer_items.TestMessage) -> "Message":
        made: Message = {"message": mask(message.text), "severity": message.severity}
        away = case.file is not None
        path = case.file if away else path_of(uri)
        # The file may be gone: files are renamed and deleted while their cases run.
        where = self._host.documents.get(uri) if not away else None
        where = where or (self._host.index.at(path) if path is not None else None)
        if message.span is not None and where is not None:
            made["location"] = convert.location(where, message.span)
        if message.subject:
            made["subject"] = mask(message.subject)
        if message.expected:
            made |= {"expected": message.expected, "actual": message.actual}
        return made


def ids_of(job: "Job") -> Iterator[str]:
    """The ids of the tests of a run."""
    return (id_of(part.uri, case.id, part.evaluator) for part in job.parts for case in part.cases)


def _state_of(result: "EvaluatorResult") -> "State":
    return "unscored" if next(result.ungraded(), None) is not None else result.verdict.value


def _case_state(result: "CaseResult") -> "State":
    """The state of a case. A failed grader makes it errored whatever its score, which says nothing about the answer."""
    if explorer_items.skipped_tests(result):
        return "skipped"
    return "unscored" if result.grader_errors else result.verdict.value


def _grader_errors(result: "CaseResult | EvaluatorResult | None") -> int:
    """The number of graders of a case, or in an evaluator, that could not run or crashed."""
    from rubric_core.evaluation.model.result import CaseResult  # noqa: PLC0415  # loaded when something was run

    if isinstance(result, CaseResult):
        return len(result.grader_errors)
    return sum(each.failed for each in result.ungraded()) if result is not None else 0


def _output(result: "CaseResult") -> str:
    """A case in the output of a run."""
    from rubric_core.evaluation.reporting.explain import explanation  # noqa: PLC0415

    return "\r\n".join(map(mask, explanation(result))) + "\r\n"


def _plain(reason: str) -> "Message":
    return {"message": mask(reason), "severity": "warning"}
