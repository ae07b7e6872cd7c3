"""Ctrl-C, SIGTERM and SIGHUP at random moments: the exit code says so, nothing is lost or half written, no process is left."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from .processes import PATIENCE, RUBRIC, end, left_behind, rubric, sound, stored, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: So many that several processes share the work of a check.
_SUITES = 60
_BROKEN = "name: x\ntests:\n" + "".join(
    f"  - {{id: c{number}, input: hi, criteria: x, assertions: [{{type: contian, value: a}}]}}\n"
    for number in range(25)
)
#: Seconds that processes may take to end, on a busy machine; what stays stays for ever.
_ENDING = 20.0
#: Frames of rubric itself; until its first line runs, Python answers Ctrl-C in its own way.
_OURS = (", in main", ", in _main")
#: What Python says where it is interrupted while it starts: in `site`, which has a `main` of its own, or before the module of `-m` runs.
_STARTING = ("<frozen site>", "Could not import runpy module")


def run(setting: Setting, tally: Tally) -> None:
    """Checks, fixes and runs."""
    rng = setting.random("interrupts")
    _checked(setting, tally, rng)
    _ran(setting, tally, rng)


def _checked(setting: Setting, tally: Tally, rng: random.Random) -> None:
    """Checks and fixes of a folder: every suite is as it was or as it should be."""
    folder = suite_folder(setting.folder / "checked", _BROKEN)
    suites = [folder / f"s{number}.eval.yaml" for number in range(setting.of(20, _SUITES))]
    for suite in suites:
        suite.write_text(_BROKEN, encoding="utf-8")
    begun = time.monotonic()
    sound(tally, "check", rubric(folder, "check", "--no-cache", str(folder)))
    takes = time.monotonic() - begun
    sound(tally, "fix", rubric(folder, "check", "--fix", "s.eval.yaml"))
    wanted = (folder / "s.eval.yaml").read_text(encoding="utf-8")
    tally.expect(wanted != _BROKEN, "a fix changes nothing")
    for number in range(setting.of(2, 14)):
        options = ("--fix",) if number % 2 else ("--no-cache",)
        told, code, _ = _told(tally, rng, folder, ("check", *options, str(folder)), rng.uniform(0, takes * 1.2))
        tally.expect(code in (0, 1, *_codes(told)), f"check {options[0]}, {told.name}: exit {code}")
        for suite in suites:
            text = suite.read_text(encoding="utf-8")
            tally.expect(text in (_BROKEN, wanted), f"{told.name} leaves {suite.name} in between")
            if text != _BROKEN:
                suite.write_text(_BROKEN, encoding="utf-8")


def _ran(setting: Setting, tally: Tally, rng: random.Random) -> None:
    """Runs: what was printed is kept, and the next one goes on from there."""
    cases = 60
    mark = f"86400.{rng.randrange(10**9)}"
    command = f"sleep 0.05; test {mark} && echo hello"
    target = {"name": "default", "provider": "cli", "command": command}
    folder = suite_folder(setting.folder / "ran", f"name: s\ntests:\n{rows_of_cases(cases)}", target)
    known: set[str] = set()
    for _ in range(setting.of(2, 10)):
        asked = ("run", "--resume", "s.eval.yaml", "--format", "jsonl")
        told, code, out = _told(tally, rng, folder, asked, rng.uniform(0, 1.5))
        tally.expect(code in (0, *_codes(told)), f"run, {told.name}: exit {code}")
        kept = stored(folder)
        printed = {json.loads(line)["id"] for line in out.splitlines() if line.endswith("}")}
        tally.expect(known | printed <= kept, f"{told.name} loses {sorted((known | printed) - kept)}")
        known = kept
        left = _outliving(mark)
        tally.expect(not left, f"{told.name}: {len(left)} programs outlive the run")
        end(left)
    ended = rubric(folder, "run", "--resume", "s.eval.yaml")
    sound(tally, "the last --resume", ended)
    tally.expect(ended.code == 0, f"the last --resume ends with {ended.code}: {ended.said[-300:]}")
    kept = stored(folder)
    tally.expect(len(kept) == cases, f"{len(kept)} of {cases} results")


def _codes(told: signal.Signals) -> tuple[int, int]:
    """How a program ends that a signal ends: by itself, or by the system."""
    return 128 + told, -told


def _told(
    tally: Tally, rng: random.Random, folder: Path, arguments: tuple[str, ...], after: float
) -> tuple[signal.Signals, int | None, str]:
    """Start a command, tell it to end after so many seconds: the signal, the exit code (None: it hangs), and what it printed."""
    told, alone = rng.choice(_SIGNALS), rng.random() < 0.5
    with subprocess.Popen(
        [*RUBRIC, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as running:
        try:
            running.wait(after)
        except subprocess.TimeoutExpired:
            tally.count("signals")
            # A terminal tells all processes of a command, a supervisor the first one only.
            os.kill(running.pid, told) if alone else os.killpg(running.pid, told)
        code: int | None = None
        try:
            out, err = running.communicate(timeout=PATIENCE)
            code = running.returncode
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            out, err = running.communicate()
    said = err.decode(errors="replace")
    if told is signal.SIGINT and any(each in said for each in _STARTING):
        code = -told  # Python says 1 then: nothing of rubric has run
    else:
        tally.expect(not any(each in said for each in _OURS), f"{told.name}: a traceback: {said[-600:]}")
    left = _outliving(str(folder)) if str(folder) in arguments else []
    tally.expect(not left, f"{told.name}: {len(left)} processes outlive {' '.join(arguments[:2])}")
    end(left)
    others = {path.name for path in folder.iterdir() if not path.name.endswith(".eval.yaml")} - _USUAL
    tally.expect(not others, f"{told.name} leaves {sorted(others)}")
    for name in others:
        (folder / name).unlink()
    return told, code, out.decode(errors="replace")


_USUAL = {".git", ".agentv", ".rubric", ".state"}


def _outliving(mark: str) -> list[int]:
    """The processes with `mark` that do not end; the last ones notice a moment later that the first one has gone."""
    end_of_patience = time.monotonic() + _ENDING
    while (left := left_behind(mark)) and time.monotonic() < end_of_patience:
        time.sleep(0.05)
    return left
