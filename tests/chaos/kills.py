"""A run that is killed at work, again and again, then resumed: nothing that was kept is lost or asked for twice."""

import json
import os
import random
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

from .processes import RUBRIC, left_behind, rubric, sound, stored, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]


def run(setting: Setting, tally: Tally) -> None:
    """Kill, look, resume."""
    rng, cases = setting.random("kills"), setting.of(8, 80)
    folder, calls = setting.folder, setting.folder / f"calls-{setting.seed}-{os.getpid()}"
    command = f"echo begun {{EVAL_ID}} >> {calls}; sleep 0.1; echo done {{EVAL_ID}} >> {calls}; echo hello"
    target = {"name": "default", "provider": "cli", "command": command}
    suite_folder(folder, f"name: s\ntests:\n{rows_of_cases(cases)}", target)
    known: set[str] = set()
    for _ in range(setting.of(2, 15)):
        if len(known) == cases:
            break
        printed = _killed_at_work(folder, calls, rng, tally)
        kept = stored(folder)
        tally.expect(known | printed <= kept, f"lost by a kill: {sorted((known | printed) - kept)}")
        known = kept
    _read_whole(folder, tally)
    ended = rubric(folder, "run", "--resume", "s.eval.yaml")
    sound(tally, "the last --resume", ended)
    tally.expect(ended.code == 0, f"the last --resume ends with {ended.code}: {ended.said[-300:]}")
    kept = stored(folder)
    tally.expect(len(kept) == cases, f"{len(kept)} of {cases} results")
    lines = calls.read_text(encoding="utf-8").splitlines()
    sound(tally, "--resume with nothing to do", rubric(folder, "run", "--resume", "s.eval.yaml"))
    again = len(calls.read_text(encoding="utf-8").splitlines()) - len(lines)
    tally.expect(again == 0, f"{again // 2} cases are run again by a --resume with nothing to do")
    left = left_behind(calls.name)
    tally.expect(not left, f"{len(left)} programs outlive a run that was killed")
    tally.count("cases", cases)


def _killed_at_work(folder: Path, calls: Path, rng: random.Random, tally: Tally) -> set[str]:
    """Start a run, kill it after its first call, and give the cases whose results it has printed."""
    size = calls.stat().st_size if calls.exists() else 0
    with subprocess.Popen(
        [*RUBRIC, "run", "--resume", "s.eval.yaml", "--format", "jsonl"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:  # fmt: skip
        end = time.monotonic() + 60
        while (
            running.poll() is None
            and time.monotonic() < end
            and (calls.stat().st_size if calls.exists() else 0) == size
        ):
            time.sleep(0.01)
        try:
            running.wait(rng.uniform(0.01, 0.8))
        except subprocess.TimeoutExpired:
            running.kill()
            tally.count("kills")
        out, err = running.communicate()
    tally.expect(b"Traceback" not in err, f"a traceback: {err[-400:].decode(errors='replace')}")
    time.sleep(0.3)  # what it has started ends with it
    return {json.loads(line)["id"] for line in out.decode().splitlines() if line.endswith("}")}


def _read_whole(folder: Path, tally: Tally) -> None:
    """What a kill leaves is whole."""
    with closing(sqlite3.connect(folder / ".rubric/results.db")) as connection:
        found = connection.execute("PRAGMA quick_check").fetchall()
    tally.expect(found == [("ok",)], f"the database is damaged: {found[:3]}")
