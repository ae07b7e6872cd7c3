"""`rubric completion`: what real shells complete with it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import Run, write

sys.path.insert(0, str(Path(__file__).parents[1] / "editors"))
from terminal import Terminal


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here")
    return found


def said(*command: str) -> list[str]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.splitlines()


@pytest.fixture
def script(rubric: Run, request: pytest.FixtureRequest) -> Path:
    """The script for the shell that a test is about."""
    return write(f"script.{request.param}", rubric("completion", request.param).out)


def bash(script: Path, line: str) -> list[str]:
    words = line.split(" ")
    reply = (
        f"source {script}; COMP_WORDS=({' '.join(words)} ''); COMP_CWORD={len(words) - 1}; COMP_LINE='{line}'; COMP_POINT={len(line)};"
        f" _shtab_rubric rubric '{words[-1]}' '{words[-2]}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    return said(shell("bash"), "-c", reply)


@pytest.mark.parametrize("script", ["bash"], indirect=True)
@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("rubric ru", ["run"]),
        ("rubric run --max", ["--maxfail", "--max-cost", "--max-seconds"]),
        ("rubric run --color n", ["never"]),
        ("rubric completion z", ["zsh"]),
    ],
)
def test_bash(script: Path, line: str, offers: list[str]) -> None:
    assert [each.strip() for each in bash(script, line)] == offers


@pytest.mark.parametrize("script", ["fish"], indirect=True)
@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("rubric ru", ["run"]),
        ("rubric run --max", ["--maxfail", "--max-cost", "--max-seconds"]),
        ("rubric run --color n", ["never"]),
        ("rubric completion z", ["zsh"]),
    ],
)
def test_fish(script: Path, line: str, offers: list[str]) -> None:
    lines = said(shell("fish"), "--no-config", "-c", f"source {script}; complete -C '{line}'")
    assert sorted(each.partition("\t")[0] for each in lines) == sorted(offers)


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh(script: Path, here: Path) -> None:
    shell("tmux")
    (here / "functions").mkdir()
    script.rename(here / "functions" / "_rubric")
    write(".zshrc", f"fpath+={here}/functions\nautoload -Uz compinit && compinit -u\nPS1='ready> '\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(here), "ZDOTDIR": str(here), "LC_ALL": "C.UTF-8"}
    terminal = Terminal([shell("zsh")], here, environment)
    try:
        terminal.sees("ready>")
        terminal.keys("rubric ru", "Tab")
        terminal.sees("rubric run")
        terminal.keys(" --ma", "Tab", "Tab")
        assert "--max-cost" in terminal.sees("--max-seconds")
    finally:
        terminal.close()


@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_files_are_completed_where_a_file_is_meant(script: Path) -> None:
    write("shop.eval.yaml", "")
    assert [each.strip() for each in bash(script, "rubric run sh")] == ["shop.eval.yaml"]


def test_a_shell_that_is_not_known(rubric: Run) -> None:
    ran = rubric("completion", "tcsh")
    assert (ran.code, ran.out) == (2, "")
    assert "invalid choice: 'tcsh'" in ran.err
