"""Every case that can be started in the editor is run, and has a result under the name that was started, where it is written."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import files
from parity.bundles import SUITES, lay_out, read_suites
from parity.promptfoo.comparison import suites as configurations
from parity.server import ScriptedServer
from running import written
from thorough import sample

from rubric_core.adapters import SystemClock, system_ports
from rubric_core.evaluation.cases.load import NoSuiteError, load_suite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import CaseDone, Event
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import absolute
from rubric_core.ports import Finished, HttpReply, NetworkError, Ports, Program
from rubric_lsp import answers
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.results import whole_span
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.routes import make_server
from rubric_lsp.running.job import Job
from rubric_lsp.running.run_request import CaseSelection, RunRequest
from rubric_lsp.running.selection import SelectedCases, distinct, select_cases, suite_of
from rubric_lsp.server import RubricServer

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted((REPOSITORY / "tests" / "core" / "legal").glob("*.txt"))
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)


class _Nothing:
    """No programs and no network: whatever needs one is unscored, which is a result, too."""

    async def run(self, _: Program) -> Finished:
        raise OSError("there are no programs")

    async def request(self, *_: Any, **__: Any) -> HttpReply:
        raise NetworkError("there is no network")

    post = get = request


class _Hasty(SystemClock):
    """A clock on which nobody waits."""

    async def sleep(self, seconds: float) -> None:
        pass


def started(server: RubricServer, uri: str) -> set[str]:
    """The ids of the cases that lenses and the tree of tests offer to run."""
    snapshot = server.known.at(uri)
    commands = [each["command"] for each in answers.lenses(server, snapshot).items]
    offered = {each["arguments"][1] for each in commands if each["command"] in ("rubric.runCase", "rubric.repeat")}
    try:
        tests = server.tree.items(snapshot)
    except RequestFailedError:
        tests = []
    return offered | {server.tree.find(each["id"])[1] for each in tests if each["kind"] == "case"}


def shown(server: RubricServer, files: Iterable[Path]) -> tuple[dict[str, tuple[Path, int]], set[tuple[Path, int]]]:
    """The file and line of the lens that runs each case, and the files and lines with results."""
    lensed: dict[str, tuple[Path, int]] = {}
    results: set[tuple[Path, int]] = set()
    for file in files:
        snapshot = server.documents.get(file.as_uri())
        assert snapshot is not None
        for lens in answers.lenses(server, snapshot).items if snapshot.is_ours else ():
            if lens["command"]["command"] == "rubric.runCase":
                lensed[lens["command"]["arguments"][1]] = (file, lens["range"]["start"]["line"])
        end = {"line": snapshot.document.line_count, "character": 0}
        whole = {"range": {"start": {"line": 0, "character": 0}, "end": end}}
        results |= {(file, hint["position"]["line"]) for hint in answers.hints_within(server, snapshot, whole)}
    return lensed, results


def places(server: RubricServer, snapshot: Snapshot) -> dict[str, tuple[Path, range]]:
    """The file and lines of each case that is written somewhere: from the start of its entry to its id, or to the end of its first line."""
    found: dict[str, tuple[Path, range]] = {}
    assert snapshot.path is not None
    try:
        cases = distinct(suite_of(snapshot, server.documents).cases)
    except RequestFailedError:
        cases = []
    for case in cases:
        if case.case.node is not None:
            first = case.line_at(whole_span(case).start) - 1
            found[case.id] = (absolute(case.file or snapshot.path), range(first, max(first, case.line - 1) + 1))
    return found


def rows_of_editor(server: RubricServer, uri: str) -> set[tuple[str, str]]:
    """The rows that run with every case of a file, by id and target."""
    try:
        parts = select_cases(RunRequest((CaseSelection(uri),)), server.documents, server.known.at, server.known.results)
    except RequestFailedError:
        return set()
    return rows_of(case for part in parts for case in part.cases)


def rows_of_command_line(suite: Path) -> set[tuple[str, str]]:
    try:
        return rows_of(load_suite(suite).in_range)
    except NoSuiteError:
        return set()


def rows_of(cases: Iterable[Runnable]) -> set[tuple[str, str]]:
    return {(row.id, row.options.target or "") for case in cases for row in variations(case)}


async def check(suite: Path, ports: Ports) -> int:
    """Start every case of a suite; the number of cases."""
    server, uri = make_server(), suite.as_uri()
    snapshot = server.documents.open(uri, "eval-yaml", 1, suite.read_text(encoding="utf-8"))
    if not snapshot.is_ours:
        return 0
    written = places(server, snapshot)
    # A path without cases has no lens, but a result that says why.
    without = {each.text.removeprefix(URL) for each in snapshot.analysis.included}
    for file in {file for file, _ in written.values()} - {absolute(suite)}:
        server.documents.open(file.as_uri(), file.suffix[1:], 1, file.read_text(encoding="utf-8"))
    names = started(server, uri)
    assert rows_of_editor(server, uri) == rows_of_command_line(suite)
    order = RunRequest((CaseSelection(uri, tuple(sorted(names))),))
    parts = select_cases(order, server.documents, server.known.at, server.known.results) if names else []
    done: set[str] = set()

    def hear(_: SelectedCases, event: Event) -> None:
        if isinstance(event, CaseDone):
            done.add(event.case_id)
            server.known.record.done(uri, event.result)

    if parts:
        await Job("run", parts, order, server).run(ports, hear)
    assert not names - done, f"{suite}: no result of {sorted(names - done)}"
    lensed, results = shown(server, {absolute(suite), *(file for file, _ in written.values())} if names else ())
    for name, (file, lines) in written.items():
        assert any((file, line) in results for line in lines), f"{suite}: no result of {name} at {file}:{lines}"
        if name in without:
            continue
        where, line = lensed.get(name, (None, -1))
        assert (where, line in lines) == (file, True), (
            f"{suite}: the lens of {name} is at {where}:{line}, not at {file}:{lines}"
        )
    return len(names)


@pytest.fixture
async def ports() -> Any:
    async with system_ports({}) as real:
        nothing: Any = _Nothing()
        yield replace(real, processes=nothing, http=nothing, clock=_Hasty())


def laid_out(text: str, folder: Path) -> Iterator[Path]:
    """The files of a page of tests, below a folder."""
    for name, content in files(text).items():
        path = folder / (name or "a.eval.yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        yield path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
async def test_of_every_dialect(page: Path, ports: Ports, tmp_path: Path) -> None:
    _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
    cases = 0
    for number, text in enumerate(parts[1::2]):
        for suite in list(laid_out(text, tmp_path / str(number))):
            if suite.suffix in (".yaml", ".yml"):
                cases += await check(suite, ports)
    assert cases


async def test_of_the_suites_compared_with_agentv(ports: Ports, tmp_path: Path) -> None:
    server = ScriptedServer(1)
    cases = 0
    for source in read_suites(SUITES).values():
        cases += await check(lay_out(source, tmp_path / source.name, "rubric", server), ports)
    assert cases


async def test_of_the_configurations_compared_with_promptfoo(ports: Ports, tmp_path: Path) -> None:
    folder = tmp_path / "suites"
    shutil.copytree(configurations()[0].parent, folder)
    assert sum([await check(folder / each.name, ports) for each in sample(configurations(), 6)])


async def test_of_the_examples(ports: Ports, tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    assert sum([await check(each, ports) for each in sorted((tmp_path / "examples").glob("*.yaml"))])


#: Suites that include a file of cases, by the name of the suite.
INCLUDING = {
    "a.eval.yaml": "# rubric: dialect=agentv-5\nproviders: [echo]\nprompts: ['Hi {{name}}']\ntests:\n  - vars: {name: Zoe}\n  - file://FILE\n",
    "promptfooconfig.yaml": "providers: [echo]\nprompts: ['Hi {{name}}']\ntests:\n  - vars: {name: Zoe}\n  - file://FILE\n",
}
_NAMED = {"id": "first", "vars": {"name": "Ann"}, "assert": [{"type": "contains", "value": "Eve"}]}
_NAMELESS = {"vars": {"name": "Bob"}, "assert": [{"type": "contains", "value": "Bob"}]}
_YAML = "- id: first\n  vars: {name: Ann}\n  assert:\n    - {type: contains, value: Eve}\n- vars: {name: Bob}\n  assert: [{type: contains, value: Bob}]\n"
CASE_FILES = {
    "rows.csv": 'id,name,__expected\nfirst,Ann,contains:Eve\n,"Bob\nthe ""builder""",contains:Bob\n,Kim,Kim\n',
    "lines.jsonl": f"{json.dumps(_NAMED)}\n\n{json.dumps(_NAMELESS)}\n",
    "one_line.json": json.dumps([_NAMED, _NAMELESS]),
    "some.json": json.dumps([_NAMED, _NAMELESS], indent=2),
    "flow.yaml": json.dumps([_NAMED, _NAMELESS], indent=2),
    "some.yaml": _YAML,
    "below_a_key.yaml": f"tests:\n{_YAML}",
    "lone/first/case.yaml": "vars: {name: Ann}\nassert: [{type: contains, value: Ann}]\n",
}


@pytest.mark.parametrize("suite", INCLUDING)
@pytest.mark.parametrize("file", CASE_FILES)
async def test_of_case_files(ports: Ports, tmp_path: Path, suite: str, file: str) -> None:
    including = INCLUDING[suite].replace("FILE", "lone" if file.startswith("lone") else file)
    folder = written(tmp_path / "suites", {suite: including, file: CASE_FILES[file]})
    assert await check(folder / suite, ports) >= 2
