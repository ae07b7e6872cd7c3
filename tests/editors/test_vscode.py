"""VS Code itself with the packaged extension: its API from inside, and its screen from outside.

Not part of `make test`, for its size: see tests/editors/run.sh.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from neovim import SERVER_FOLDER, WORKSPACE

pytestmark = pytest.mark.editor

HERE = Path(__file__).parent / "vscode"
HOST_TESTS = re.findall(r"^  async '(.+)'\(\) \{$", (HERE / "host_tests.js").read_text(encoding="utf-8"), re.MULTILINE)


def node(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", str(HERE / script), *map(str, arguments)],
        env={**os.environ, "RUBRIC_SERVER_FOLDER": SERVER_FOLDER},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def inside() -> dict[str, Any]:
    """What happened to each test that ran inside the extension host."""
    done = node("host.mjs", WORKSPACE)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert lines, done.stderr[-4000:]
    return {line["test"]: line for line in lines}


@pytest.mark.parametrize("name", HOST_TESTS)
def test_inside(inside: dict[str, Any], name: str) -> None:
    assert inside[name]["error"] is None, inside[name]["error"]


@pytest.mark.parametrize(
    "scenario",
    ["work", "no-server", "broken-server", "restricted", "environment", "restricted-environment"],
)
def test_on_the_screen(artifacts: Path, scenario: str) -> None:
    done = node("screen.mjs", scenario, WORKSPACE, artifacts)
    assert done.returncode == 0, done.stderr[-4000:]
