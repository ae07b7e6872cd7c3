"""Links in the template of a workspace give its programs nothing that the plan of the run does not list."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.result import CaseResult

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the target here is a shell command")
SUITE = """\
workspace: {template: ./template, isolation: per_test}
tests:
  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: canary}]}
"""
TARGETS = "targets: [{name: default, provider: cli, command: 'cat note.txt sub/note.txt sub/deep/note.txt; true'}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite whose target prints what is in its workspace, and files around it."""
    root = tmp_path / "open"
    for name in ("template/sub", "shared/deep", ".agentv", "../out/deep"):
        (root / name).mkdir(parents=True)
    (root / "suite.eval.yaml").write_text(SUITE)
    (root / ".agentv/targets.yaml").write_text(TARGETS)
    for place in ("shared/note.txt", "shared/deep/note.txt", "../out/note.txt", "../out/deep/note.txt", ".env"):
        (root / place).write_text(f"canary-{place}")
    return root


async def planned(folder: Path) -> Plan:
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        return await plan_run(load_suite(folder / "suite.eval.yaml").cases, ports, [folder])


async def run(folder: Path, plan: Plan | None) -> CaseResult:
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        cases = load_suite(folder / "suite.eval.yaml").cases
        (found,) = await run_cases(cases, ports if plan is None else guarded(ports, plan))
    return found


#: The links, each with where it leads from the folder of the suite, and the file outside that a program could read then.
OUTSIDE = {
    "a file": ({"template/note.txt": "../out/note.txt"}, "note.txt"),
    "a file deeper": ({"template/sub/note.txt": "../out/note.txt"}, "note.txt"),
    "a folder": ({"template/sub/deep": "../out/deep"}, "deep"),
    "a link to a link": ({"template/note.txt": "shared/other.txt", "shared/other.txt": "../out/note.txt"}, "note.txt"),
    "a link in a folder behind a link": ({"template/sub/deep": "shared", "shared/note.txt": "../out/note.txt"}, "note.txt"),
    "a folder in a folder behind a link": (
        {"template/sub/deep": "shared/more", "shared/more/inner": "../out/deep"}, "deep",
    ),
    "two folders behind links": (
        {"template/sub/deep": "shared/more", "shared/more/inner": "shared/most", "shared/most/x": "../out/deep"}, "deep",
    ),
}  # fmt: skip


def link(folder: Path, links: dict[str, str], *, relative: bool) -> None:
    for name, target in links.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        place = folder.resolve() / target
        (folder / name).symlink_to(os.path.relpath(place, (folder / name).parent) if relative else place)


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("kind", OUTSIDE)
async def test_what_is_behind_links_is_in_the_plan_or_refused(folder: Path, kind: str, relative: bool) -> None:
    links, name = OUTSIDE[kind]
    before = await planned(folder)
    assert (await run(folder, before)).verdict.value == "failed"
    link(folder, links, relative=relative)
    refused = await run(folder, before)
    outside = (folder / "../out" / name).resolve()
    assert f"{outside} was not in the question" in refused.reason
    assert "canary" not in refused.answer
    after = await planned(folder)
    assert [each.path for each in after.reads] == [str(outside)]
    assert (await run(folder, after)).verdict.value != "unscored"


ENVIRONMENT = {
    "a link": {"template/note.txt": ".env"},
    "a link outside": {"template/note.txt": "../out/.env.local"},
    "a folder behind a link": {"template/sub/deep": "shared/secret", "shared/secret/.env": ".env"},
}


@pytest.mark.parametrize("kind", ENVIRONMENT)
async def test_no_link_leads_to_variables(folder: Path, kind: str) -> None:
    (folder / "../out/.env.local").write_text("canary")
    link(folder, ENVIRONMENT[kind], relative=True)
    found = await run(folder, await planned(folder))
    assert "it holds environment variables" in found.reason
    assert found.verdict.value == "unscored"


async def test_a_folder_with_variables_behind_a_link_is_refused(folder: Path) -> None:
    link(folder, {"template/sub/deep": "shared"}, relative=True)
    (folder / "shared/.env").write_text("canary")
    assert "it holds environment variables" in (await run(folder, await planned(folder))).reason


async def test_without_a_plan_no_link_leads_to_variables_either(folder: Path) -> None:
    link(folder, {"template/note.txt": ".env"}, relative=False)
    assert "it holds environment variables" in (await run(folder, None)).reason


async def test_links_that_stay_in_the_folder_lead_where_they_did(folder: Path) -> None:
    """As agentv makes them: a relative link out of the template is absolute in its copy; one inside leads to the copy."""
    (folder / "template/own.txt").write_text("of the template ")
    (folder / "template/note.txt").symlink_to("own.txt")
    link(folder, {"template/sub/note.txt": "shared/note.txt", "template/sub/deep": "shared/deep"}, relative=True)
    plan = await planned(folder)
    assert plan.reads == ()
    found = await run(folder, plan)
    assert found.verdict.value == "passed", found.reason
    assert found.answer == "of the template canary-shared/note.txtcanary-shared/deep/note.txt"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")
def test_agentv_copies_a_link_like_this(folder: Path) -> None:
    """`cp` of node, with which agentv copies what is no directory, makes relative links absolute."""
    (folder / "template/note.txt").symlink_to("../shared/note.txt")
    code = "require('fs').cpSync(process.argv[1], process.argv[2], {preserveTimestamps: true})"
    source, target = folder / "template/note.txt", folder / "copied.txt"
    subprocess.run(["node", "-e", code, str(source), str(target)], check=True)
    assert target.readlink() == folder / "shared/note.txt"
