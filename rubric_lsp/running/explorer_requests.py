"""Requests of the test protocol (docs/test-protocol.md)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rubric_lsp.host import Host
from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.running.explorer_states import ids_of
from rubric_lsp.running.explorer_tree import TestTree, has_cases
from rubric_lsp.running.known_results import KnownResults
from rubric_lsp.running.report_builder import ReportBuilder
from rubric_lsp.running.run_request import CaseSelection, RunRequest
from rubric_lsp.running.runs import RunManager

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.explorer import StartedRun

__all__ = ["TestExplorer"]


class TestExplorer:
    """The test tree of one client: items, states, and requests."""

    def __init__(
        self, host: Host, known: KnownResults, tree: TestTree, runs: RunManager, reports: ReportBuilder
    ) -> None:
        self._host, self._known, self._runs, self._reports = host, known, runs, reports
        self.tree = tree

    async def run(self, params: Mapping[str, Any] | None) -> "StartedRun":
        """`rubric/runTests`. Raises RequestFailedError for tests that do not exist."""
        asked = params or {}
        repeat = asked.get("repeat")
        if repeat is not None and (not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 1):
            raise RequestFailedError(INVALID_PARAMS, f"repeat must be a whole number of at least 1, found {repeat!r}")
        wanted = tuple(await self._selected_cases(asked))
        if not wanted:
            raise RequestFailedError(INVALID_PARAMS, "there is nothing to run")
        said = {name: asked.get(name) is True for name in ("failed", "lacking", "outdated", "record")}
        order = RunRequest(wanted, repeat=repeat, unscored=said["failed"], **said)
        job = await self._runs.start(order, wait=asked.get("wait") is True)
        return {"runId": "", "tests": []} if job is None else {"runId": job.name, "tests": list(ids_of(job))}

    async def _selected_cases(self, asked: Mapping[str, Any]) -> list[CaseSelection]:
        included, excluded = _names(asked, "include"), _names(asked, "exclude")
        left_out = [self.tree.find(test) for test in excluded]
        if not included:
            included = [s.uri async for s in self._host.index.suites() if has_cases(s)]
        suites: dict[str, None] = {}
        cases: dict[str, dict[str, list[str]]] = {}
        for uri, name, evaluator in map(self.tree.find, included):
            if not name:
                suites[uri] = None
            else:
                chosen = cases.setdefault(uri, {}).setdefault(name, [])
                chosen.append(evaluator)
        out = {u: frozenset(n for v, n, e in left_out if v == u and n and not e) for u in (*suites, *cases)}
        gone = {uri for uri, name, _ in left_out if not name}
        made = [CaseSelection(uri, None, "", out[uri]) for uri in suites if uri not in gone]
        for uri, chosen_cases in cases.items():
            if uri in suites or uri in gone:
                continue
            whole = tuple(name for name, evaluators in chosen_cases.items() if "" in evaluators)
            made += [CaseSelection(uri, whole, "", out[uri])] if whole else []
            alone = ((n, e) for n, evaluators in chosen_cases.items() if "" not in evaluators for e in evaluators)
            made += [CaseSelection(uri, (name,), evaluator, out[uri]) for name, evaluator in alone]
        return made

    def report(self, params: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """`rubric/report`. Raises RequestFailedError for a test that does not exist."""
        test = (params or {}).get("testId")
        if not isinstance(test, str):
            raise RequestFailedError(INVALID_PARAMS, f"testId must be the id of a test, found {test!r:.100}")
        uri, name, _ = self.tree.find(test)
        snapshot = self._known.at(uri)
        case = next((case for case in self.tree.cases(snapshot) if case.id == name), None)
        return self._reports.row(snapshot, case) if case is not None else None

    def cancel(self, params: Mapping[str, Any] | None) -> None:
        """`rubric/cancelTests`."""
        name = (params or {}).get("runId")
        if isinstance(name, str) and name:
            self._runs.cancel_run(name)
        else:
            self._runs.cancel()


def _names(asked: Mapping[str, Any], key: str) -> list[str]:
    given = asked.get(key) or []
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise RequestFailedError(INVALID_PARAMS, f"{key} must be a list of ids, found {given!r:.100}")
    return given
