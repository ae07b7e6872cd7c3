"""What a run in the editor does for a case does not know how many cases there are. Counted, without a clock: the functions called."""

import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from running import written

from rubric_core.adapters import system_ports
from rubric_core.evaluation.engine.events import CaseDone, Event
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.routes import make_server
from rubric_lsp.running import selection
from rubric_lsp.running.job import Job
from rubric_lsp.running.run_request import CaseSelection, RunRequest
from rubric_lsp.running.selection import SelectedCases, select_cases, unsaved
from rubric_lsp.server import RubricServer

_HEAD = "providers: [echo]\nprompts: ['Say {{word}}']\n"
_CASE = "{vars: {word: w@}, assert: [{type: contains, value: w@}]}"
_AGENTV = "{id: c@, criteria: c, input: hi w@, assertions: [{type: contains, value: hi}]}"
_TARGETS = "targets: [{name: default, provider: mock, response: hi}]\n"
#: Suites with @ for the number of a case, and the text of a file beside it.
SUITES = {
    "promptfooconfig.yaml": (_HEAD + "tests:\n", f"  - {_CASE}\n", ""),
    "table/promptfooconfig.yaml": (_HEAD + "tests: file://rows.csv\n", "", "w@,contains:w@\n"),
    "a.eval.yaml": ("# rubric: dialect=agentv-3\ntests:\n", f"  - {_AGENTV}\n", ""),
}


def made(name: str, cases: int, folder: Path) -> tuple[RubricServer, Snapshot]:
    """A server in which a suite with so many cases is open."""
    head, case, row = SUITES[name]
    text = head + "".join(case.replace("@", str(n)) for n in range(cases))
    rows = "word,__expected\n" + "".join(row.replace("@", str(n)) for n in range(cases))
    path = written(folder, {name: text, f"{Path(name).parent}/rows.csv": rows, ".agentv/targets.yaml": _TARGETS}) / name
    server = make_server()
    return server, server.documents.open(path.as_uri(), "eval-yaml", 1, text)


async def run(server: RubricServer, snapshot: Snapshot, *, showing: bool) -> int:
    """Run the suite as a command does, showing the results after each case or at the end; the number of cases."""
    parts = select_cases(
        RunRequest((CaseSelection(snapshot.uri),)), server.documents, server.known.at, server.known.results
    )
    assert not unsaved(parts, server.documents)
    job = Job("run", parts, RunRequest((CaseSelection(snapshot.uri),)), server)

    def hear(part: SelectedCases, event: Event) -> None:
        assert event.case_id in job.waiting(part.uri)
        assert part.case(event.case_id) is not None
        if isinstance(event, CaseDone):
            job.done(part.uri, event.result)
            server.known.record.done(part.uri, event.result)
            if showing:
                server.known.results(snapshot)

    async with system_ports({}) as ports:
        await job.run(ports, hear)
    shown = server.known.results(snapshot)
    assert all(each.last is not None and not each.stale for each in shown.values())
    assert not job.waiting(snapshot.uri)
    return len(shown)


@pytest.mark.parametrize("name", SUITES)
async def test_the_calls_for_a_case(name: str, tmp_path: Path) -> None:
    calls: list[float] = []
    for cases in (5, 40, 160):  # the first imports what runs need
        server, snapshot = made(name, cases, tmp_path / str(cases))
        count = 0

        def profile(_: FrameType, event: str, __: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        threading.setprofile(profile)
        sys.setprofile(profile)
        try:
            assert await run(server, snapshot, showing=False) == cases
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        calls.append(count / cases)
    assert calls[2] < calls[1] * 1.2, f"calls for each of 40 and 160 cases: {calls[1:]}"


async def test_a_suite_is_loaded_once_for_all_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server, snapshot = made("table/promptfooconfig.yaml", 30, tmp_path)
    real, loads = selection.suite_of, []

    def suite_of(*arguments: Any) -> Any:
        loads.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(selection, "suite_of", suite_of)
    assert await run(server, snapshot, showing=True) == 30
    assert len(loads) <= 2  # for the run, and for what it shows
