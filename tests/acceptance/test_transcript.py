"""From an empty folder to CI and a coding agent, as one transcript, offline.

Each command has a minute. That the documentation site is built and looked at in Chromium is `tests/report/test_site_in_browser.py`.
"""

import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from composite_action import step
from junitparser import JUnitXml
from strangers import REPOSITORY, git, run
from thorough import only_thorough

mcp = pytest.importorskip("mcp")

FILES = [".agentv/targets.yaml", "evals/bot.py", "evals/first.eval.yaml", "evals/first.recordings.yaml"]
MINUTE = 60
LOCAL_HOOKS = re.compile(
    r"^```yaml\n# \.pre-commit-config\.yaml\n(repos:\n  - repo: local\n.*?)^```", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Terminal:
    """A shell of somebody who has installed rubric, with a home of their own."""

    folder: Path
    programs: Path

    @property
    def environment(self) -> dict[str, str]:
        home = self.folder.parent / "home"
        names = {"HOME": "", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "PRE_COMMIT_HOME": "pre-commit"}
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, **{name: str(home / below) for name, below in names.items()}}

    def types(self, *command: str, ends: int = 0) -> str:
        """What a command prints, which ends with that exit code."""
        done = run([str(self.programs / command[0]), *command[1:]], self.folder, MINUTE, **self.environment)
        said = done.stdout + done.stderr
        assert done.returncode == ends, f"{' '.join(command)}: {done.returncode}\n{said}"
        return said


@pytest.fixture
def terminal(tmp_path: Path, programs: Path) -> Terminal:
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "-q")
    return Terminal(folder, programs)


@only_thorough
async def test_from_an_empty_folder_to_an_agent(terminal: Terminal) -> None:
    folder = terminal.folder
    terminal.types("rubric", "init", "--yes")
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert [name for name in written if not name.startswith((".git/", ".rubric/"))] == FILES
    assert "no findings in 2 files" in terminal.types("rubric", "check", "--strict")
    assert "3 passed" in terminal.types("rubric", "run", "--replay")
    commits(terminal)
    collects(terminal)
    acts(terminal)
    await answers_agent(terminal)


def commits(terminal: Terminal) -> None:
    """The hook of the documentation for an installed rubric lets a commit through, and stops one with a mistake."""
    if importlib.util.find_spec("pre_commit") is None:
        pytest.skip("pre-commit is not installed")
    found = LOCAL_HOOKS.search((REPOSITORY / "docs/ci.md").read_text(encoding="utf-8"))
    assert found
    (terminal.folder / ".pre-commit-config.yaml").write_text(found[1], encoding="utf-8")
    suite = terminal.folder / "evals/first.eval.yaml"
    good = suite.read_text(encoding="utf-8")
    for text, code in ((good, 0), (good.replace("type: is-json", "type: [is-json"), 1)):
        suite.write_text(text, encoding="utf-8")
        git(terminal.folder, "add", "-A")
        command = [sys.executable, "-m", "pre_commit", "run"]
        done = run(command, terminal.folder, MINUTE, **terminal.environment)
        assert done.returncode == code, done.stdout + done.stderr
        assert "rubric check" in done.stdout
    assert "syntax-error" in done.stdout
    suite.write_text(good, encoding="utf-8")
    git(terminal.folder, "add", "-A")
    git(terminal.folder, "commit", "-qm", "First")


def collects(terminal: Terminal) -> None:
    """pytest has one test per case, and JUnit XML of them; a replay needs trust, which is taken away again."""
    terminal.types("rubric", "trust", ".")
    said = terminal.types(
        "python",
        "-m",
        "pytest",
        "--rubric",
        "--rubric-replay",
        "-v",
        "--junitxml",
        "pytest.xml",
        "-p",
        "no:cacheprovider",
    )
    assert "3 passed" in said
    assert "evals/first.eval.yaml::return-a-coat PASSED" in said
    assert JUnitXml.fromfile(str(terminal.folder / "pytest.xml"))
    terminal.types("rubric", "trust", "--remove", ".")


def acts(terminal: Terminal) -> None:
    """The steps of the action check and run, and say so on the page of the job."""
    checked = step("check", terminal.folder, terminal.programs, strict="true", sarif="rubric.sarif")
    assert (checked.code, checked.outputs) == (0, {"exit-code": "0"}), checked.said
    ran = step("run", terminal.folder, terminal.programs, paths="evals")
    assert (ran.code, ran.outputs) == (0, {"exit-code": "0"}), ran.said
    assert ran.summary
    assert JUnitXml.fromfile(str(terminal.folder / "rubric-junit.xml")).tests == 3


async def answers_agent(terminal: Terminal) -> None:
    """A coding agent finds no mistake, may not run an untrusted folder, and runs a case of a trusted one."""
    command = str(terminal.programs / "rubric")
    environment = {**os.environ, **terminal.environment}
    server = mcp.StdioServerParameters(command=command, args=["mcp", str(terminal.folder)], env=environment)
    case = {"suite": "evals/first.eval.yaml", "case": "greeting"}
    async with mcp.Client(server, read_timeout_seconds=MINUTE) as client:
        checked = await client.call_tool("check", {"path": "evals/first.eval.yaml"})
        assert not checked.is_error
        assert "trust" in str((await client.call_tool("run_case", case)).content)
        terminal.types("rubric", "trust", ".")
        ran = await client.call_tool("run_case", case)
        assert not ran.is_error, ran.content
        assert "pass" in str(ran.structured_content or ran.content)
