"""The test protocol: suites, cases and evaluators as a tree, runs with their states. Described in docs/test-protocol.md."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rubric_core.language.around import FileKind
from rubric_lsp import convert
from rubric_lsp.features import tests
from rubric_lsp.features.results import Results
from rubric_lsp.features.tests import SEPARATOR, Item
from rubric_lsp.orders import Order, Wanted
from rubric_lsp.protocol import INVALID_PARAMS, RefusedError
from rubric_lsp.reporting import expected_of
from rubric_lsp.workspace import Snapshot

if TYPE_CHECKING:
    from rubric_core.evaluation.result import CaseResult, EvaluatorResult
    from rubric_core.evaluation.runnable import Runnable
    from rubric_lsp.choosing import Part
    from rubric_lsp.jobs import Job
    from rubric_lsp.server import RubricServer

__all__ = ["Tests"]

Json = dict[str, Any]
#: Seconds without a further edit after which the tree of a suite is looked at again.
_IDLE = 0.2


class Tests:
    """One client's tree of tests. A client that does not ask for it is told nothing."""

    def __init__(self, server: "RubricServer") -> None:
        self._server = server
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        #: What the client has of each suite.
        self._sent: dict[str, list[Json]] = {}
        #: Cases that the client shows as outdated.
        self._outdated: dict[str, frozenset[str]] = {}
        #: What became of the evaluators of a run that goes on, by run and test.
        self._told: dict[str, dict[str, tuple[str, float | None]]] = {}

    def _tell(self, method: str, params: Json) -> None:
        if self._server.client.tests:
            self._server.protocol.tell(f"rubric/{method}", params)

    # -- discovery ----------------------------------------------------------------------------------------------------

    async def discover(self, params: Mapping[str, Any] | None) -> Json:
        """`rubric/discoverTests`. Raises RefusedError for a suite that cannot be read."""
        asked = params or {}
        document = asked.get("textDocument")
        uri = document.get("uri") if isinstance(document, Mapping) else None
        if uri is None and isinstance(asked.get("testId"), str):
            uri = self._find(asked["testId"])[0]
        if isinstance(uri, str):
            made = self._tree(self._server.runs.at(uri))
            self._sent[uri] = made
            self._server.keep(self._known(uri))
            return {"tests": made, "scope": [uri]}
        found = [_suite(s) async for s in self._server.around.suites() if _has_cases(s)]
        found.sort(key=lambda item: str(item["sortText"]))
        return {"tests": found, "scope": [item["id"] for item in found]}

    def _tree(self, snapshot: Snapshot) -> list[Json]:
        """A suite, its cases and their evaluators."""
        if not _has_cases(snapshot):
            return []
        made = [_suite(snapshot)]
        for number, item in enumerate(tests.items(self._cases(snapshot))):
            where = snapshot if item.file is None else self._server.around.at(item.file)
            made.append(_item(snapshot, where, item, number))
        return made

    def _cases(self, snapshot: Snapshot) -> "list[Runnable]":
        from rubric_lsp.choosing import distinct, suite_of  # noqa: PLC0415  # what runs need, for clients with a tree

        return distinct(suite_of(snapshot, self._server.documents).cases)

    async def _known(self, uri: str) -> None:
        """Tell what is known of a suite whose items the client has just been given."""
        snapshot = self._server.runs.at(uri)
        if snapshot.path is not None and not self._server.runs.record.is_known(uri):
            await self._server.runs.stored.load(uri, snapshot.path)
        else:
            self.loaded(uri)

    def edited(self, uri: str) -> None:
        """A suite was opened or edited: look whether its tree has changed, when nothing more comes."""
        if not self._server.client.tests:
            return
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(_IDLE, self._look, uri)

    def _look(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        snapshot = self._server.documents.get(uri)
        if snapshot is None or not snapshot.is_ours or snapshot.path is None:
            return
        made = self._tree(snapshot)
        if made != self._sent.get(uri, []):
            self._sent[uri] = made
            self._tell("discoveredTests", {"tests": made, "scope": [uri]})
        self._server.runs.results(snapshot)

    def _find(self, test: str) -> tuple[str, str, str]:
        """Suite, case and evaluator of a test; empty where it is none. Raises RefusedError for one that is not there."""
        for uri, rest in _cuts(test):
            try:
                snapshot = self._server.runs.at(uri)
                cases = self._cases(snapshot) if rest else []
            except RefusedError:
                continue
            if not rest:
                return uri, "", ""
            names = {case.id: case for case in cases}
            if rest in names:
                return uri, rest, ""
            for name, evaluator in _cuts(rest):
                if name in names and evaluator in tests.evaluator_names(names[name]):
                    return uri, name, evaluator
        raise RefusedError(INVALID_PARAMS, f"there is no test {test}")

    # -- requests -----------------------------------------------------------------------------------------------------

    async def run(self, params: Mapping[str, Any] | None) -> Json:
        """`rubric/runTests`. Raises RefusedError for tests that are not there."""
        asked = params or {}
        repeat = asked.get("repeat")
        if repeat is not None and (not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 1):
            raise RefusedError(INVALID_PARAMS, f"repeat is a whole number of at least 1, found {repeat!r}")
        wanted = tuple(await self._wanted(asked))
        if not wanted:
            raise RefusedError(INVALID_PARAMS, "there is nothing to run")
        order = Order(wanted, failed=asked.get("failed") is True, repeat=repeat, record=asked.get("record") is True)
        job = await self._server.runs.start(order)
        return {"runId": "", "tests": []} if job is None else {"runId": job.name, "tests": list(_ids(job))}

    async def _wanted(self, asked: Mapping[str, Any]) -> list[Wanted]:
        included, excluded = _names(asked, "include"), _names(asked, "exclude")
        left_out = [self._find(test) for test in excluded]
        if not included:
            included = [s.uri async for s in self._server.around.suites() if _has_cases(s)]
        suites: dict[str, None] = {}
        cases: dict[str, dict[str, list[str]]] = {}
        for uri, name, evaluator in map(self._find, included):
            if not name:
                suites[uri] = None
            else:
                chosen = cases.setdefault(uri, {}).setdefault(name, [])
                chosen.append(evaluator)
        out = {u: frozenset(n for v, n, e in left_out if v == u and n and not e) for u in (*suites, *cases)}
        gone = {uri for uri, name, _ in left_out if not name}
        made = [Wanted(uri, None, "", out[uri]) for uri in suites if uri not in gone]
        for uri, chosen_cases in cases.items():
            if uri in suites or uri in gone:
                continue
            whole = tuple(name for name, evaluators in chosen_cases.items() if "" in evaluators)
            made += [Wanted(uri, whole, "", out[uri])] if whole else []
            alone = ((n, e) for n, evaluators in chosen_cases.items() if "" not in evaluators for e in evaluators)
            made += [Wanted(uri, (name,), evaluator, out[uri]) for name, evaluator in alone]
        return made

    def report(self, params: Mapping[str, Any] | None) -> Json | None:
        """`rubric/report`. Raises RefusedError for a test that is not there."""
        test = (params or {}).get("testId")
        if not isinstance(test, str):
            raise RefusedError(INVALID_PARAMS, f"testId is the id of a test, found {test!r:.100}")
        uri, name, _ = self._find(test)
        snapshot = self._server.runs.at(uri)
        case = next((case for case in self._cases(snapshot) if case.id == name), None)
        return self._server.reports.row(snapshot, case) if case is not None else None

    def cancel(self, params: Mapping[str, Any] | None) -> None:
        """`rubric/cancelTests`."""
        name = (params or {}).get("runId")
        if isinstance(name, str) and name:
            self._server.runs.cancel_run(name)
        else:
            self._server.runs.cancel()

    # -- what runs tell -----------------------------------------------------------------------------------------------

    def began(self, job: "Job") -> None:
        """A run begins."""
        self._tell("runBegan", {"runId": job.name, "tests": list(_ids(job)), "label": job.title})
        for part in job.parts:
            for case in part.cases:
                self._state(job.name, _id(part.uri, case.id, part.evaluator), "enqueued")

    def started(self, job: "Job", part: "Part", name: str) -> None:
        """A case begins."""
        self._state(job.name, _id(part.uri, name, part.evaluator), "started")
        case = _case(part, name)
        if case is not None and not part.evaluator:
            for evaluator in tests.evaluator_names(case):
                self._state(job.name, _id(part.uri, name, evaluator), "started")

    def evaluated(self, job: "Job", part: "Part", name: str, number: int, result: "EvaluatorResult") -> None:
        """An evaluator is done."""
        case = _case(part, name)
        if case is not None and not part.evaluator:
            self._evaluator(job.name, part.uri, case, number, result)

    def _evaluator(self, run: str, uri: str, case: "Runnable", number: int, result: "EvaluatorResult") -> None:
        names = tests.evaluator_names(case)
        if number > len(names) or not self._server.client.tests:
            return
        test = _id(uri, case.id, names[number - 1])
        if run:
            told, already = (result.verdict.value, result.score), self._told.setdefault(run, {})
            if already.get(test) == told:
                return
            already[test] = told
        messages = self._messages(uri, case, tests.evaluator_messages(case, number, result))
        self._state(run, test, result.verdict.value, result, messages)

    def done(self, job: "Job", part: "Part", result: "CaseResult") -> None:
        """A case is done."""
        case = _case(part, result.id)
        if case is None or not self._server.client.tests:
            return
        if part.number:
            if result.evaluators:
                self._evaluator(job.name, part.uri, case, part.number, result.evaluators[-1])
            else:
                self._state(
                    job.name, _id(part.uri, result.id, part.evaluator), "unscored", result, [_plain(result.reason)]
                )
            return
        self._outdated[part.uri] = self._outdated.get(part.uri, frozenset()) - {result.id}
        self._result(job.name, part.uri, case, result)
        self._tell("testOutput", {"runId": job.name, "testId": _id(part.uri, result.id), "text": _output(result)})

    def _result(self, run: str, uri: str, case: "Runnable", result: "CaseResult") -> None:
        """The state of a case and of its evaluators."""
        names = tests.evaluator_names(case)
        if len(result.evaluators) == len(names):
            for number, each in enumerate(result.evaluators, 1):
                self._evaluator(run, uri, case, number, each)
        else:
            for name in names:
                self._state(run, _id(uri, case.id, name), "skipped")
        state = "skipped" if tests.skipped(result) else result.verdict.value
        messages = self._messages(uri, case, tests.messages(case, result, expected_of(case)))
        self._state(run, _id(uri, case.id), state, result, messages)

    def noted(self, job: "Job", message: str) -> None:
        """Something that a person should know."""
        self._tell("testOutput", {"runId": job.name, "text": f"{message}\r\n"})

    def given_up(self, job: "Job", uri: str, name: str) -> None:
        """A case was cancelled."""
        for part in job.parts:
            if part.uri == uri and (case := _case(part, name)) is not None:
                for evaluator in [part.evaluator] if part.evaluator else tests.evaluator_names(case):
                    self._state(job.name, _id(uri, name, evaluator), "skipped")
                if not part.evaluator:
                    self._state(job.name, _id(uri, name), "skipped")

    def ended(self, job: "Job", duration_ms: float) -> None:
        """A run is over."""
        self._told.pop(job.name, None)
        verdicts = [result.verdict.value for result in job.results]
        counts = {v: verdicts.count(v) for v in ("passed", "borderline", "failed", "unscored")}
        costs = [result.cost_usd for result in job.results if result.cost_usd is not None]
        cost = {"costUsd": sum(costs)} if costs else {}
        over = {"runId": job.name, **counts, "cancelled": job.cancelled, "durationMs": duration_ms, **cost}
        self._tell("runEnded", over)

    # -- what is known ------------------------------------------------------------------------------------------------

    def loaded(self, uri: str) -> None:
        """Results of a suite were read from disk."""
        last = self._server.runs.record.last(uri)
        if not last or not self._server.client.tests:
            return
        snapshot = self._server.runs.at(uri)
        for case in self._cases(snapshot):
            if case.id in last:
                self._result("", uri, case, last[case.id])
        self._outdated.pop(uri, None)
        self._tell_stale(uri, self._server.runs.results(snapshot))

    def refreshed(self, snapshot: Snapshot, results: Results) -> None:
        """The results of a suite were worked out anew: some may be outdated, or hold again."""
        if self._server.client.tests:
            self._tell_stale(snapshot.uri, results)

    def _tell_stale(self, uri: str, results: Results) -> None:
        before = self._outdated.get(uri, frozenset())
        now = frozenset(name for name, shown in results.items() if shown.stale)
        self._outdated[uri] = now
        for name in sorted(now - before):
            self._state("", _id(uri, name), "outdated")
        for name in sorted(before - now):
            if name in results and results[name].result is not None:
                self._state("", _id(uri, name), "fresh")

    def cleared(self, uri: str) -> None:
        """The results of a suite were forgotten: its tests are as if they had not been run."""
        self._outdated.pop(uri, None)
        self._tell("discoveredTests", {"tests": [], "scope": [uri]})
        self._tell("discoveredTests", {"tests": self._sent.get(uri, []), "scope": [uri]})

    # -- pieces -------------------------------------------------------------------------------------------------------

    def _state(
        self,
        run: str,
        test: str,
        state: str,
        result: "CaseResult | EvaluatorResult | None" = None,
        messages: Sequence[Json] = (),
    ) -> None:
        told: Json = {"runId": run, "testId": test, "state": state}
        if result is not None and result.score is not None:
            told["score"] = result.score
        if result is not None and result.duration_ms is not None:
            told["durationMs"] = result.duration_ms
        if messages:
            told["messages"] = list(messages)
        self._tell("testState", told)

    def _messages(self, uri: str, case: "Runnable", found: Iterable[tests.Message]) -> list[Json]:
        return [self._message(uri, case, each) for each in found]

    def _message(self, uri: str, case: "Runnable", message: tests.Message) -> Json:
        made: Json = {"message": message.text, "severity": message.severity}
        away = case.file is not None and not message.in_suite
        where = self._server.around.at(case.file) if away and case.file is not None else self._server.runs.at(uri)
        if message.span is not None and where is not None:
            made["location"] = convert.location(where, message.span)
        if message.expected:
            made |= {"expected": message.expected, "actual": message.actual}
        return made


def _has_cases(snapshot: Snapshot) -> bool:
    if snapshot.path is None or not snapshot.is_ours:
        return False
    analysis = snapshot.analysis
    return analysis.kind is FileKind.SUITE and bool(analysis.cases or analysis.external)


def _suite(snapshot: Snapshot) -> Json:
    """The item of a suite itself."""
    suite, path = snapshot.analysis.suite, snapshot.path
    file = path.name if path is not None else snapshot.uri
    name = suite.name if suite is not None and isinstance(suite.name, str) and suite.name else ""
    return {
        "id": snapshot.uri, "label": file, **({"description": name} if name else {}), "kind": "suite", "canResolveChildren": True,
        "textDocument": {"uri": snapshot.uri}, "sortText": str(path),
    }  # fmt: skip


def _item(snapshot: Snapshot, where: Snapshot | None, item: Item, number: int) -> Json:
    parent = _id(snapshot.uri, item.case_id) if item.evaluator else snapshot.uri
    made: Json = {
        "id": _id(snapshot.uri, item.case_id, item.evaluator), "label": item.label, "kind": "evaluator" if item.evaluator else "case", "parent": parent,
        "canResolveChildren": False, "textDocument": {"uri": snapshot.uri if where is None else where.uri}, "sortText": f"{number:06}",
    }  # fmt: skip
    if item.description:
        made["description"] = item.description
    if where is not None:
        made["range"] = convert.lines(where, item.span)
    return made


def _id(uri: str, name: str, evaluator: str = "") -> str:
    return SEPARATOR.join(part for part in (uri, name, evaluator) if part)


def _ids(job: "Job") -> Iterator[str]:
    return (_id(part.uri, case.id, part.evaluator) for part in job.parts for case in part.cases)


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """Every way to cut an id in two at a separator; the whole first, with nothing behind it."""
    yield text, ""
    at = text.find(SEPARATOR)
    while at >= 0:
        yield text[:at], text[at + len(SEPARATOR) :]
        at = text.find(SEPARATOR, at + 1)


def _case(part: "Part", name: str) -> "Runnable | None":
    return next((case for case in part.cases if case.id == name), None)


def _names(asked: Mapping[str, Any], key: str) -> list[str]:
    given = asked.get(key) or []
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise RefusedError(INVALID_PARAMS, f"{key} is a list of ids, found {given!r:.100}")
    return given


def _output(result: "CaseResult") -> str:
    """A case in the output of a run."""
    from rubric_core.evaluation.explain import explanation  # noqa: PLC0415

    return "\r\n".join(explanation(result)) + "\r\n"


def _plain(reason: str) -> Json:
    return {"message": reason, "severity": "warning"}
