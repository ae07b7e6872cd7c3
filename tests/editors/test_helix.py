"""Helix with nothing of ours but the file that editors/README.md names: what a person does in it, on its screen."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from neovim import REPOSITORY, SERVER_FOLDER
from terminal import Terminal, until

pytestmark = pytest.mark.editor

UNPACKED = REPOSITORY / ".tools" / "debian-13" / "bin" / "hx"
CONFIG = "[editor.lsp]\ndisplay-inlay-hints = true\n"


def program() -> str | None:
    return str(UNPACKED) if UNPACKED.is_file() else shutil.which("hx") or shutil.which("helix")


@pytest.fixture
def helix(workspace: Path, tmp_path: Path) -> Iterator[Terminal]:
    hx = program()
    if hx is None:
        pytest.skip("Helix is not installed (tests/editors/debian-13.sh)")
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed (apt install tmux)")
    home = tmp_path / "home"
    config = home / ".config" / "helix"
    config.mkdir(parents=True)
    shutil.copy(REPOSITORY / "editors" / "helix" / "languages.toml", config)
    (config / "config.toml").write_text(CONFIG, encoding="utf-8")
    here = dict.fromkeys(("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(home))
    path = os.pathsep.join([SERVER_FOLDER, os.environ.get("PATH", "")])
    xdg = {**here, "HOME": str(home), "XDG_CONFIG_HOME": str(config.parent), "PATH": path}
    env = {**os.environ, **xdg, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    terminal = Terminal([hx, "broken.eval.yaml"], workspace, env)
    yield terminal
    log = home / "helix" / "helix.log"
    if log.is_file():
        print(f"--- helix.log\n{log.read_text(encoding='utf-8')[-3000:]}")  # noqa: T201  pytest shows it when the test failed
    terminal.close()


def marked(editor: Terminal) -> str:
    """The entry of the menu that is chosen: it alone has its colours the other way round."""
    found = re.search(r"\x1b\[7m(?:\x1b\[[\d;]*m)* (\S[^\x1b]*)", editor.screen(colours=True))
    return found[1].strip() if found else ""


def choose(editor: Terminal, title: str) -> list[str]:
    """Choose a code action: what stands above it."""
    editor.keys(" ", "a")
    editor.sees(title)
    seen: list[str] = []
    while not (now := until("an entry", lambda: m if (m := marked(editor)) not in seen[-1:] else "")).startswith(title):
        assert now not in seen, f"{title} is not among {seen}"
        seen.append(now)
        editor.keys("Down")
    editor.keys("Enter")
    return seen


def leave(editor: Terminal, shown: str) -> None:
    """Close what shows a text. Keys right behind Escape would be taken with Alt."""
    editor.keys("Escape")
    until(f"{shown} is gone", lambda: shown not in editor.screen())


def go_to(editor: Terminal, pattern: str) -> None:
    editor.keys("g", "g", "/", pattern, "Enter")


def test_checked_completed_and_mended(helix: Terminal) -> None:
    helix.sees("● 1 ● 1")  # an error and a warning
    helix.keys(" ", "d")
    listed = helix.sees("renamed-key")
    assert "overlapping-bands" in listed
    leave(helix, "overlapping-bands")
    go_to(helix, "expected_outcome")
    choose(helix, "Rename")
    helix.sees("    criteria: Says hello")
    helix.keys("G", "o", "exp")
    helix.sees("expected_output")


def test_trusted_run_and_looked_at(helix: Terminal, artifacts: Path) -> None:
    helix.sees("● 1 ● 1")
    helix.keys(":open support.eval.yaml", "Enter")
    helix.sees("late-order")
    go_to(helix, "late-order")
    assert choose(helix, "Run case") == []
    first = ("# What running `late-order` would do", "Trust this folder")
    if first[1] in until("an answer", lambda: s if any(each in (s := helix.screen()) for each in first) else ""):
        helix.keys("Down", "Enter")  # from 25.07 on it asks
    else:
        # Helix 25.01 cannot ask: it shows what the run would do, and says how to allow it.
        helix.sees("rubric: not run yet: :lsp-workspace-command rubric.trust or `rubric trust ")
        helix.keys(":buffer-close", "Enter")
        helix.keys(":lsp-workspace-command rubric.trust", "Enter")
        helix.sees("is trusted")
        choose(helix, "Run case")
    helix.sees("● 2")  # the case, and what it lacks
    helix.keys(" ", "k")
    report = helix.sees("To pass: contains-sorry at 1")
    assert "late-order — ✘ failed 0.50" in report
    (artifacts / "helix-report.txt").write_text(report, encoding="utf-8")
    leave(helix, "To pass")
    go_to(helix, "is late")
    helix.keys("A", "!")  # Helix asks for hints after an edit
    helix.sees("◌ stale · was ✘ 0.50")
    helix.keys("BSpace")
    helix.sees('✘  does not contain "sorry"')
