"""Every case that can be started in the editor is run, and has a result under the name that was started."""

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
from thorough import sample

from rubric_core.adapters import SystemClock, system_ports
from rubric_core.evaluation.cases.load import NoSuiteError, load_suite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import CaseDone, Event
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Finished, HttpReply, NetworkError, Ports, Program
from rubric_lsp import answers
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.routes import make_server
from rubric_lsp.running.job import Job
from rubric_lsp.running.run_request import CaseSelection, RunRequest
from rubric_lsp.running.selection import SelectedCases, select_cases
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
    names = started(server, uri)
    assert rows_of_editor(server, uri) == rows_of_command_line(suite)
    order = RunRequest((CaseSelection(uri, tuple(sorted(names))),))
    parts = select_cases(order, server.documents, server.known.at, server.known.results) if names else []
    done: set[str] = set()

    def hear(_: SelectedCases, event: Event) -> None:
        if isinstance(event, CaseDone):
            done.add(event.case_id)

    if parts:
        await Job("run", parts, order, server).run(ports, hear)
    assert not names - done, f"{suite}: no result of {sorted(names - done)}"
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
