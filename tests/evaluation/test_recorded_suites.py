"""The suites of the comparison with AgentV, run by rubric alone: everything that becomes of each case, as recorded.

`make parity` compares verdicts and scores of the same suites with AgentV. Here the whole result counts, and so does every view of it.
UPDATE=1 writes the records anew; people read the difference.
"""

import json
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from parity.bundles import PROGRAMS, SUITES, SuiteSource, lay_out, read_suites
from parity.programs.answer import answer
from parity.promptfoo.comparison import environment_of
from parity.promptfoo.comparison import suites as configurations
from parity.promptfoo.server import reply_to as promptfoo_reply
from parity.server import ScriptedServer, reply_to
from record import UPDATING, WHOLE, checksum, compare
from recorded_results import RECORDS, case_lines, timeless
from recorded_views import views
from recorded_world import Call, NodeReplies, World, described_program

from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import CaseDone, Event, Noted
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.ports import Finished, HttpReply, Program

#: Those with replies through a real socket cannot be recorded; some need Perl, Ruby or packages.
_LEFT_OUT = ("commands", "packages", "ruby", "sockets", "typescript")
#: Those with hundreds of cases, or that run programs: not before a commit.
_LONG = ("called", "compared", "conversations", "functions", "judged", "markup", "matrix", "relevance", "replies", "reported", "scripts", "settings", "vendors")  # fmt: skip
CONFIGURATIONS = sorted(
    name
    for each in configurations()
    if (name := each.stem.partition(".")[2]) not in (_LEFT_OUT if WHOLE else (*_LEFT_OUT, *_LONG))
)
_TIMED = re.compile(r"duration_ms=[\d.e-]+")
BUNDLES = sorted(each.stem for each in SUITES.glob("*.yaml") if WHOLE or each.stem not in ("judge", "programs"))


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary folders below that of the test, which is left out of records."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("bundle", BUNDLES)
async def test_agentv(bundle: str, agentv_node: NodeReplies, tmp_path: Path) -> None:
    lines: list[str] = []
    for source in read_suites(SUITES).values():
        if source.bundle == bundle:
            lines += await recorded(source, agentv_node, tmp_path / source.name)
    compare(RECORDS / "agentv" / f"{bundle}.txt", lines, is_sample=not WHOLE)


@pytest.fixture(scope="module")
def agentv_node() -> Iterator[NodeReplies]:
    yield from _replies("agentv")


@pytest.fixture(scope="module")
def node() -> Iterator[NodeReplies]:
    yield from _replies("promptfoo")


def _replies(folder: str) -> Iterator[NodeReplies]:
    replies = NodeReplies(RECORDS / folder / "node.json", anew=UPDATING)
    yield replies
    replies.save()


@pytest.mark.parametrize("name", CONFIGURATIONS)
async def test_promptfoo(name: str, node: NodeReplies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "suites"
    shutil.copytree(configurations()[0].parent, folder)
    (folder / ".git").mkdir()

    def respond(call: Call) -> HttpReply:
        status, said = promptfoo_reply(call.method, f"/{call.place}", call.headers, call.body.decode())
        kind, text = ("text/plain", said) if isinstance(said, str) else ("application/json", json.dumps(said))
        return HttpReply(status, {"content-type": kind}, text.encode())

    path = folder / f"promptfooconfig.{name}.yaml"
    variables = {**environment_of(path), "PARITY_PORT": "80", "PARITY_SOCKET": "81"}
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    world = World(folder, respond, variables, node)
    events: list[Event] = []
    async with world.ports() as ports:
        suite = load_suite(path)
        if suite.programs:
            suite = load_suite(path, generated=await generate_cases(suite, ports))
        cases = [each for case in suite.in_range for each in variations(case)]
        results = [timeless(each, world.normal) for each in await run_cases(cases, ports, events.append, workers=1)]
    compare(RECORDS / "promptfoo" / f"{name}.txt", lines_of(world, cases, results, events), is_sample=not WHOLE)


async def recorded(source: SuiteSource, node: NodeReplies, folder: Path) -> list[str]:
    """What becomes of a suite."""
    server = ScriptedServer(80)
    path = lay_out(source, folder, "rubric", server, ".")
    (folder / ".git").mkdir()
    for script in PROGRAMS.glob("*.py"):  # where hooks of targets work
        shutil.copy(script, folder / ".agentv")

    def respond(call: Call) -> HttpReply:
        status, text, kind = reply_to(server, f"/{call.place}", json.loads(call.body or b"{}"))
        return HttpReply(status, {"content-type": kind}, text.encode())

    world = World(
        folder,
        respond,
        {"PARITY_KEY": "sk-parity", "PARITY_MODEL": "scripted"},
        node,
        answered,
    )
    suite = load_suite(path)
    cases = [each for case in suite.cases for each in variations(case)]
    events: list[Event] = []
    async with world.ports() as ports:
        results = [timeless(each, world.normal) for each in await run_cases(cases, ports, events.append, workers=1)]
    return [f"# {source.name}", *lines_of(world, cases, results, events), ""]


def lines_of(
    world: World, cases: Sequence[Runnable], results: Sequence[CaseResult], events: Sequence[Event]
) -> Iterator[str]:
    """Cases, what was said during the run, and what was sent; all views of them are made where records are compared whole."""
    for each in results:
        yield from case_lines(each, world.normal)
    yield from (f"! {world.normal(each.message)}" for each in events if isinstance(each, Noted))
    told = {
        "events": [_TIMED.sub("", str(each)) for each in events if not isinstance(each, CaseDone)],
        "requests": [each.described() for each in world.requests],
        "programs": [described_program(each) for each in world.programs],
        "waited": [str(each) for each in world.clock.waited],
    }
    counted = (
        f"{what} {len(found)} {checksum(world.normal(chr(10).join(found)))}" for what, found in told.items() if found
    )
    yield f"> {' '.join(counted)}"
    if WHOLE:
        yield from views(world, cases, results)


def answered(program: Program) -> Finished | None:
    """What `answer.py` does, without a process."""
    words = shlex.split(program.argv[-1]) if len(program.argv) == 3 and program.argv[1] == "-c" else list(program.argv)
    if len(words) != 4 or Path(words[1]).name != "answer.py":
        return None
    beside = program.cwd / Path(words[1]).with_name("answers.json")
    if not beside.is_file():
        return None
    replies = json.loads(beside.read_text(encoding="utf-8"))
    said = answer(words[2], program.cwd / words[3], replies)
    return (
        Finished(int(bool(said)), b"", f"{said}\n".encode(), 0.5)
        if isinstance(said, str)
        else Finished(said, b"", b"", 0.5)
    )
