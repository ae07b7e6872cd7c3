"""The file that is found is the one that the system starts: in the child's directory, with the child's PATH."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from rubric_core.adapters import OsProcesses
from rubric_core.ports import Program
from rubric_core.program_lookup import find_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripts with a first line, and execve")


def script(path: Path, *, mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\nprintf %s "$0"\n')
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("tool", {"PATH": "{parent}/first:{parent}/second"}),
        ("tool", {"PATH": "{parent}/none:{parent}/second"}),
        ("tool", {"PATH": "{parent}/locked:{parent}/second"}),
        ("tool", {"PATH": "{parent}/folder:{parent}/second"}),
        ("tool", {"PATH": "rel:{parent}/second"}),
        ("tool", {"PATH": ":{parent}/second"}),
        ("tool", {"PATH": ".:{parent}/second"}),
        ("tool", {"PATH": "../second"}),
        ("./tool", {"PATH": "{parent}/first"}),
        ("rel/tool", {}),
        ("../second/tool", {}),
        ("{parent}/first/tool", {}),
        ("linked", {"PATH": "{parent}/first"}),
        ("tool", {"PATH": ""}),
        ("tool", {"PATH": "{parent}/none"}),
        ("tool", {}),
    ],
)
async def test_what_is_found_is_what_is_started(
    name: str, variables: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child, parent = tmp_path / "child", tmp_path
    for place in (child, child / "rel", parent / "first", parent / "second", parent / "here", parent / "here" / "rel"):
        script(place / "tool")
    script(parent / "locked" / "tool", mode=0o644)
    (parent / "folder" / "tool").mkdir(parents=True)
    (parent / "first" / "linked").symlink_to("tool")
    monkeypatch.chdir(parent / "here")
    name = name.format(parent=parent)
    environment = {key: value.format(parent=parent) for key, value in variables.items()}
    found = find_program(name, child, environment)
    try:
        finished = await OsProcesses({"PATH": os.environ["PATH"]}).run(Program((name,), child, environment=environment))
        started = os.path.realpath(child / finished.stdout.decode())
    except OSError:
        started = None
    assert (None if found is None else os.path.realpath(found)) == started
    assert found is None or (isinstance(found, str) and Path(found).is_absolute())
