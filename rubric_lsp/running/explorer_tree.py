"""The tree of tests: items, positions and changes."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.analysis import Analysis
from rubric_core.control_characters import mask
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass
from rubric_core.validation.entry_lists import CaseEntry
from rubric_lsp import convert
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features import explorer_items
from rubric_lsp.features.explorer_items import TestItem, cuts, id_of
from rubric_lsp.host import Host
from rubric_lsp.protocol.errors import INVALID_PARAMS, RequestFailedError
from rubric_lsp.running.known_results import KnownResults

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_lsp.protocol.wire_types.documents import Position, Range
    from rubric_lsp.protocol.wire_types.explorer import Changed, Discovered, Test

__all__ = ["TestTree", "has_cases", "tree_change"]

#: Seconds without an edit after which the tree of a suite is updated.
_IDLE = 0.2


@dataclass(frozen=True, slots=True)
class _Kept:
    """The items of a case, and their inputs."""

    case: Case
    settings: Shape | None
    #: The first line of its block, and its index among the cases.
    line: int
    number: int
    items: list["Test"]

    def moved(self, line: int, number: int) -> list["Test"]:
        """The same items for a case at another line or index."""
        by = line - self.line
        if not by and number == self.number:
            return self.items
        return [
            {**item, "sortText": _order(number, index), "range": _below(item["range"], by)}
            for index, item in enumerate(self.items)
        ]


def _below(at: "Range", by: int) -> "Range":
    return {"start": _lower(at["start"], by), "end": _lower(at["end"], by)}


def _lower(at: "Position", by: int) -> "Position":
    return {"line": at["line"] + by, "character": at["character"]}


def _holds(kept: _Kept | None, entry: CaseEntry, analysis: Analysis) -> bool:
    """Whether the items of a case are unchanged, except for their lines."""
    return entry.block >= 0 and kept is not None and kept.case is entry.case and kept.settings is analysis.settings


class TestTree:
    """Suites, cases and evaluators, as the client has them.

    Args:
        host: The server.
        known: The known results.
        publish_results: Sends the results of a suite, by its URI, to the client; with a path, reads them from disk
            before.
    """

    def __init__(
        self, host: Host, known: KnownResults, publish_results: Callable[[str, Path | None], Awaitable[None]]
    ) -> None:
        self._host, self._known, self._publish_results = host, known, publish_results
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        #: The items of each suite that the client has.
        self._sent: dict[str, list[Test]] = {}
        #: The items of each case by its id, with their inputs.
        self._kept: dict[str, dict[str, _Kept]] = {}

    async def discover(self, params: Mapping[str, Any] | None) -> "Discovered":
        """`rubric/discoverTests`. Raises RequestFailedError for a suite that cannot be read."""
        asked = params or {}
        document = asked.get("textDocument")
        uri = document.get("uri") if isinstance(document, Mapping) else None
        if uri is None and isinstance(asked.get("testId"), str):
            uri = self.find(asked["testId"])[0]
        if isinstance(uri, str):
            made = self.items(self._known.at(uri))
            self._sent[uri] = made
            self._host.keep(self._tell_known(uri))
            return {"tests": made, "scope": [uri]}
        found = [_suite(s) async for s in self._host.index.suites() if has_cases(s)]
        found.sort(key=lambda item: str(item["sortText"]))
        # A client drops suites that are not listed; when one is listed again, it is sent as a whole.
        listed = {item["id"] for item in found}
        self._sent = {uri: made for uri, made in self._sent.items() if uri in listed}
        return {"tests": found, "scope": [item["id"] for item in found]}

    def items(self, snapshot: Snapshot) -> list["Test"]:
        """A suite, its cases and their evaluators."""
        if not has_cases(snapshot):
            return []
        made = [_suite(snapshot)]
        if not (snapshot.analysis.included or snapshot.analysis.lists_more):
            return made + self._own(snapshot)
        from rubric_core.evaluation.cases.open_document_cases import placed_cases  # noqa: PLC0415

        # The same cases, but with their places in the editor's text: the line of the name, and aliases where they stand.
        path, analysis = snapshot.path or Path(), snapshot.analysis
        here = {case.id: case for case in reversed(placed_cases(path, analysis, analysis.cases, marks_only=True))}
        for number, case in enumerate(self.cases(snapshot)):
            if case.file is None:
                made += _items(snapshot, snapshot, here.get(case.id, case), number)
            else:
                made += _items(snapshot, self._host.index.at(case.file), case, number)
        return made

    def _own(self, snapshot: Snapshot) -> list["Test"]:
        """The items of a suite whose cases are all entries of its text; those of unchanged cases are reused."""
        from rubric_core.evaluation.cases.open_document_cases import placed_cases  # noqa: PLC0415
        from rubric_lsp.running.selection import distinct  # noqa: PLC0415

        analysis, known = snapshot.analysis, self._kept.get(snapshot.uri, {})
        first = {entry: analysis.document.first_line(entry.block) for entry in analysis.cases if entry.block >= 0}
        entries = {e.name: e for e in reversed(analysis.cases)}
        new = [e for e in analysis.cases if entries[e.name] is e and not _holds(known.get(e.name), e, analysis)]
        path = snapshot.path or Path()
        fresh = {case.case: case for case in distinct(placed_cases(path, analysis, new, marks_only=True))}
        kept: dict[str, _Kept] = {}
        for number, entry in enumerate(e for e in analysis.cases if entries[e.name] is e):
            line = first.get(entry, 0)
            case = fresh.get(entry.case)
            if case is not None:
                found = _items(snapshot, snapshot, case, number)
            elif entry.name in known:
                found = known[entry.name].moved(line, number)
            else:
                continue
            kept[entry.name] = _Kept(entry.case, analysis.settings, line, number, found)
        self._kept[snapshot.uri] = kept
        return [item for each in kept.values() for item in each.items]

    def cases(self, snapshot: Snapshot) -> "list[Runnable]":
        """The cases of a suite. Raises RequestFailedError for a file that is not a suite."""
        from rubric_lsp.running.selection import distinct, suite_of  # noqa: PLC0415  # what runs need, for clients with a tree

        return distinct(suite_of(snapshot, self._host.documents).cases)

    async def _tell_known(self, uri: str) -> None:
        """Send the known results of a suite whose items the client has just received."""
        path = self._known.at(uri).path
        await self._publish_results(uri, None if self._known.record.is_known(uri) else path)

    def edited(self, uri: str) -> None:
        """A suite was opened or edited: update its tree after a pause."""
        if not self._host.client.tests:
            return
        waiting = self._waiting.pop(uri, None)
        if waiting is not None:
            waiting.cancel()
        self._waiting[uri] = asyncio.get_running_loop().call_later(_IDLE, self._look, uri)

    def _look(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        snapshot = self._host.documents.get(uri)
        if snapshot is None or not snapshot.is_ours or snapshot.path is None:
            return
        made, before = self.items(snapshot), self._sent.get(uri, [])
        if made != before:
            self._sent[uri] = made
            change = tree_change(uri, before, made) if self._host.client.test_changes else None
            if change is None:
                self._tell(made, uri)
            else:
                self._host.protocol.tell("rubric/changedTests", change)
        self._known.results(snapshot)

    def find(self, test: str) -> tuple[str, str, str]:
        """The suite, case and evaluator of a test; empty for an id of another kind."""
        for uri, rest in cuts(test):
            try:
                snapshot = self._known.at(uri)
                cases = self.cases(snapshot) if rest else []
            except RequestFailedError:
                continue
            if not rest:
                return uri, "", ""
            names = {case.id: case for case in cases}
            if rest in names:
                return uri, rest, ""
            for name, evaluator in cuts(rest):
                if name in names and evaluator in explorer_items.evaluator_names(names[name]):
                    return uri, name, evaluator
        raise RequestFailedError(INVALID_PARAMS, f"there is no test {test}")

    def forget_states(self, uri: str) -> None:
        """Reset the states of a suite's tests in the client, by sending them again."""
        self._tell([], uri)
        self._tell(self._sent.get(uri, []), uri)

    def _tell(self, made: list["Test"], uri: str) -> None:
        if self._host.client.tests:
            discovered: Discovered = {"tests": made, "scope": [uri]}
            self._host.protocol.tell("rubric/discoveredTests", discovered)


def tree_change(uri: str, before: list["Test"], now: list["Test"]) -> "Changed | None":
    """The change from the items of a suite to others; moved lines are expressed by one number.

    None if more than half of the items change, or if none is left, which also changes the folders in the client's tree.
    """
    known = {item["id"]: item for item in before}
    line, by = _shift(uri, known, now)
    tests = [item for item in now if not _is_known(uri, item, known.get(item["id"]), line, by)]
    if not now or len(tests) > len(now) // 2:
        return None
    kept = {item["id"] for item in now}
    removed = [name for name in known if name not in kept]
    change: Changed = {"textDocument": {"uri": uri}, "tests": tests, "removed": removed}
    if by:
        change["moved"] = {"line": line, "by": by}
    return change


def _shift(uri: str, known: Mapping[str, "Test"], now: list["Test"]) -> tuple[int, int]:
    """From which old line on, and by how many lines, the items have moved, judged by the last ones."""
    line = by = 0
    for item in reversed(now):
        old = known.get(item["id"])
        if old is None or "range" not in old or "range" not in item or item["textDocument"]["uri"] != uri:
            continue
        start = old["range"]["start"]["line"]
        lower = item["range"]["start"]["line"] - start
        if by and lower != by:
            break
        line, by = start, lower
        if not by:
            break
    return line, by


def _is_known(uri: str, item: "Test", old: "Test | None", line: int, by: int) -> bool:
    """Whether a client has an item already after it has moved its lines, given the item before."""
    if old is None:
        return False
    if by and "range" in old and old["textDocument"]["uri"] == uri and old["range"]["start"]["line"] >= line:
        return {**old, "range": _below(old["range"], by)} == item
    return old is item or old == item


def has_cases(snapshot: Snapshot) -> bool:
    """Whether this is a suite with cases, its own or included ones."""
    if snapshot.path is None or not snapshot.is_ours:
        return False
    return snapshot.file_kind.is_root and snapshot.has_cases


def _suite(snapshot: Snapshot) -> "Test":
    """The item of a suite itself."""
    name, path = snapshot.title, snapshot.path
    file = path.name if path is not None else snapshot.uri
    made: Test = {
        "id": snapshot.uri, "label": mask(file), "kind": "suite", "canResolveChildren": True,
        "textDocument": {"uri": snapshot.uri}, "sortText": str(path),
    }  # fmt: skip
    if name:
        made["description"] = mask(name)
    return made


def _items(snapshot: Snapshot, where: Snapshot | None, case: "Runnable", number: int) -> list["Test"]:
    return [
        _item(snapshot, where, item, _order(number, index)) for index, item in enumerate(explorer_items.items([case]))
    ]


def _order(number: int, index: int) -> str:
    """The sort text of an item: by the index of the case, then by the index in it."""
    return f"{number:06}.{index:03}"


def _item(snapshot: Snapshot, where: Snapshot | None, item: TestItem, order: str) -> "Test":
    parent = id_of(snapshot.uri, item.case_id) if item.evaluator else snapshot.uri
    made: Test = {
        "id": id_of(snapshot.uri, item.case_id, item.evaluator), "label": mask(item.label), "kind": "evaluator" if item.evaluator else "case", "parent": parent,
        "canResolveChildren": False, "textDocument": {"uri": snapshot.uri if where is None else where.uri}, "sortText": order,
    }  # fmt: skip
    if item.description:
        made["description"] = item.description
    if item.debuggable:
        made["debuggable"] = True
    if where is not None:
        made["range"] = convert.lines(where, item.span)
    return made
