"""`rubric check --watch`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pytest
from command import BROKEN, CLEAN, write

from rubric_core.analysis import Language
from rubric_core.cli.file_checker import CheckOptions, FileChecker
from rubric_core.cli.sources import Source, SourceCollector
from rubric_core.cli.watch import FileWatch
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery


class Counting(FileChecker):
    """Notes what is checked."""

    def __init__(self, configurations: Configurations) -> None:
        super().__init__(Language(), configurations, CheckOptions())
        self.checked: list[str] = []

    def check(self, source: Source):
        self.checked.append(source.shown)
        return super().check(source)


@pytest.fixture
def watching() -> tuple[FileWatch, Counting]:
    configurations = Configurations(Language())
    checker = Counting(configurations)
    return FileWatch(checker, lambda: SourceCollector(["."], Discovery(configurations), None), search=0.0), checker


def changed(file: Path, text: str) -> None:
    """Write, with a time that is another one for certain."""
    before = file.stat().st_mtime_ns
    file.write_text(text)
    os.utime(file, ns=(before + 1_000_000_000, before + 1_000_000_000))


def test_only_what_changed_is_checked_again(
    watching: tuple[FileWatch, Counting], capsys: pytest.CaptureFixture[str]
) -> None:
    watch, checker = watching
    first, second = write("a.eval.yaml", CLEAN), write("b.eval.yaml", CLEAN)
    assert watch.look()
    assert checker.checked == ["a.eval.yaml", "b.eval.yaml"]
    assert not watch.look()
    changed(second, BROKEN)
    assert watch.look()
    assert checker.checked[2:] == ["b.eval.yaml"]
    watch.show()
    out = capsys.readouterr().out
    assert "b.eval.yaml:8:57 error[bad-weight]" in out
    assert "1 error, 1 warning in 1 of 2 suites" in out
    assert "\x1b[2J" not in out, "no terminal"
    first.unlink()
    assert watch.look()
    watch.show()
    assert "in 1 of 1 suite" in capsys.readouterr().out


def test_a_new_file_is_found(watching: tuple[FileWatch, Counting]) -> None:
    watch, checker = watching
    write("a.eval.yaml", CLEAN)
    watch.look()
    write("evals/new.eval.yaml", CLEAN)
    assert watch.look()
    assert checker.checked == ["a.eval.yaml", "evals/new.eval.yaml"]


def test_a_change_of_the_settings_counts_for_every_file(
    watching: tuple[FileWatch, Counting], capsys: pytest.CaptureFixture[str]
) -> None:
    watch, checker = watching
    write("a.eval.yaml", BROKEN)
    write("b.eval.yaml", BROKEN)
    watch.look()
    write(".rubric.toml", 'ignore = ["bad-weight"]\nx = 1\n')
    assert watch.look()
    assert checker.checked[2:] == ["a.eval.yaml", "b.eval.yaml"]
    watch.show()
    out = capsys.readouterr().out
    assert "[bad-weight]" not in out
    assert out.count("[bad-configuration]") == 1


def test_a_change_around_a_suite_counts(
    watching: tuple[FileWatch, Counting], capsys: pytest.CaptureFixture[str]
) -> None:
    watch, checker = watching
    targets = write(".agentv/targets.yaml", "targets:\n  - {name: bot, provider: mock}\n")
    write("a.eval.yaml", f"execution: {{target: bot}}\n{CLEAN}")
    write("b.eval.yaml", "tests: cases.yaml\n")
    cases = write("cases.yaml", "- {id: a, input: Hello, criteria: Greets}\n")
    watch.look()
    assert sorted(checker.checked) == [".agentv/targets.yaml", "a.eval.yaml", "b.eval.yaml", "cases.yaml"]
    changed(targets, "targets:\n  - {name: other, provider: mock}\n")
    assert watch.look()
    watch.show()
    assert "no target in .agentv/targets.yaml is called `bot`" in capsys.readouterr().out
    checker.checked.clear()
    cases.rename("elsewhere.yaml")
    assert watch.look()
    watch.show()
    out = capsys.readouterr().out
    assert "there is no file `cases.yaml`" in out
    assert "of 3 files" in out
    assert checker.checked == ["b.eval.yaml", ".agentv/targets.yaml"], "cases that are gone may have used a target"
    assert not watch.look()


def test_what_cannot_be_read_is_said_and_looked_at_again(
    watching: tuple[FileWatch, Counting], capsys: pytest.CaptureFixture[str]
) -> None:
    watch, _ = watching
    file = write("a.eval.yaml", b"\xff")
    watch.look()
    watch.show()
    assert "rubric: a.eval.yaml:1: not UTF-8" in capsys.readouterr().out
    changed(file, CLEAN)
    assert watch.look()


def test_a_folder_that_is_still_empty(watching: tuple[FileWatch, Counting], capsys: pytest.CaptureFixture[str]) -> None:
    watch, _ = watching
    assert watch.look()
    watch.show()
    assert "no suites in this folder" in capsys.readouterr().out
    assert not watch.look()


def test_the_process_notices_and_ends_cleanly() -> None:
    file = write("a.eval.yaml", CLEAN)
    command = [sys.executable, "-u", "-m", "rubric_core.cli", "check", "--watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines: Queue[str] = Queue()
        Thread(target=lambda: [lines.put(line) for line in process.stdout or ()], daemon=True).start()
        try:
            _until(lines, "no findings in 1 suite")
            file.write_text(BROKEN)
            _until(lines, "1 error, 1 warning")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=120) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def _until(lines: "Queue[str]", wanted: str) -> None:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            if wanted in lines.get(timeout=0.2):
                return
        except Empty:
            continue
    raise AssertionError(f"{wanted!r} was never printed")
