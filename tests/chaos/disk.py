"""A disk that fills up, and a fix that is killed: a suite is as it was or as it should be, and exit codes tell."""

import os
import random
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

from rubric_core.evaluation.results.database import ResultDatabase

from .processes import RUBRIC, limited, rubric, sound, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]

_BROKEN = "# rubric: dialect=agentv-3\nname: x\ntests:\n" + "".join(
    f"  - id: c{number}\n    input:    hi\n    criteria: x\n    assertions:\n      - {{type: contian, value: hello{number}}}\n"
    for number in range(1_500)
)
_COMMANDS = {"fix": ("check", "--fix"), "migrate": ("migrate", "--to", "agentv-5"), "format": ("format",)}
_WRONG_USE = 2


def run(setting: Setting, tally: Tally) -> None:
    """Fill the disk below every command that writes."""
    rng = setting.random("disk")
    for name, command in setting.some(_COMMANDS, 1).items():
        _written(setting, tally, name, command, rng)
    _stored(setting, tally, rng)
    _killed(setting, tally, rng)
    if not setting.short:
        _small_blocks(setting, tally, rng)


def _written(setting: Setting, tally: Tally, name: str, command: tuple[str, ...], rng: random.Random) -> None:
    folder = suite_folder(setting.folder / name, _BROKEN)
    suite = folder / "s.eval.yaml"
    sound(tally, name, rubric(folder, *command, "s.eval.yaml"))
    wanted = suite.read_text(encoding="utf-8")
    tally.expect(wanted != _BROKEN, f"{name} changes nothing")
    for limit in (0, rng.randrange(1, 5_000), rng.randrange(5_000, min(len(wanted), len(_BROKEN)) - 1))[
        : setting.of(1, 3)
    ]:
        suite.write_text(_BROKEN, encoding="utf-8")
        ended = rubric(folder, *command, "s.eval.yaml", before=limited(limit))
        sound(tally, f"{name} with room for {limit} bytes", ended)
        tally.count("full disks")
        tally.expect(
            suite.read_text(encoding="utf-8") == _BROKEN,
            f"{name} with room for {limit} bytes: the suite is not as it was",
        )
        tally.expect(ended.code == _WRONG_USE, f"{name} with room for {limit} bytes: exit {ended.code}")
        _nothing_else(folder, tally, name)


def _nothing_else(folder: Path, tally: Tally, name: str) -> None:
    others = sorted(
        path.name
        for path in folder.iterdir()
        if path.name not in ("s.eval.yaml", ".git", ".agentv", ".rubric", ".state")
    )
    tally.expect(not others, f"{name}: leaves {others}")


def _stored(setting: Setting, tally: Tally, rng: random.Random) -> None:
    """Results: those that there were stay whole, and new ones that are lost fail the run."""
    cases = 60
    folder = suite_folder(setting.folder / "stored", f"name: s\ntests:\n{rows_of_cases(cases)}")
    sound(tally, "a run", rubric(folder, "run", "s.eval.yaml"))
    size = max(path.stat().st_size for path in (folder / ".rubric").rglob("*") if path.is_file())
    for limit in (0, rng.randrange(1, size // 2), rng.randrange(size // 2, size))[: setting.of(1, 3)]:
        ended = rubric(folder, "run", "s.eval.yaml", "--format", "json", before=limited(limit))
        name = f"a run with room for {limit} bytes"
        sound(tally, name, ended)
        tally.count("full disks")
        tally.expect(f'"passed": {cases}' in ended.out, f"{name}: the scores are not shown")
        kept = ResultDatabase.of(folder / "s.eval.yaml").latest(folder / "s.eval.yaml")
        tally.expect(len(kept) == cases, f"{name}: {len(kept)} of {cases} results are left")
        lost = sum(len(case.history) < 2 for case in kept.values())
        tally.expect(ended.code == _WRONG_USE or lost == 0, f"{name}: exit {ended.code} with {lost} results lost")
        sound(tally, "a run after it", rubric(folder, "run", "s.eval.yaml"))
        with closing(sqlite3.connect(folder / ".rubric/results.db")) as connection:
            found = connection.execute("PRAGMA quick_check").fetchall()
        tally.expect(found == [("ok",)], f"{name}: the database is damaged: {found[:3]}")


def _small_blocks(setting: Setting, tally: Tally, rng: random.Random) -> None:
    """A real file system with blocks of a quarter of a page, nearly full: the file that SQLite shares as memory has holes there."""
    image, folder = setting.folder / "image", setting.folder / "small"
    folder.mkdir()
    image.write_bytes(bytes(3_000_000))
    made = (("mkfs.ext4", "-q", "-b", "1024", "-O", "^has_journal", image), ("mount", "-o", "loop", image, folder))
    if os.geteuid() != 0 or not all(shutil.which(command[0]) and _done(*command) for command in made):
        tally.count("no disk of its own: skipped")
        return
    try:
        suite_folder(folder, f"name: s\ntests:\n{rows_of_cases(30)}")
        for room in (None, *(rng.randrange(0, 160_000) for _ in range(8)), None):
            (folder / "ballast").unlink(missing_ok=True)
            if room is not None:
                found = os.statvfs(folder)
                (folder / "ballast").write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - room)))
            for command in (("run", "s.eval.yaml"), ("results",)):
                ended = rubric(folder, *command)
                name = f"{command[0]} on a disk of small blocks with room for {room} bytes"
                sound(tally, name, ended)
                codes = (0,) if room is None or command[0] == "results" else (0, _WRONG_USE)
                tally.expect(ended.code in codes, f"{name}: exit {ended.code}: {ended.said[-300:]}")
            tally.count("full disks")
    finally:
        _done("umount", folder)


def _done(*command: str | Path) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _killed(setting: Setting, tally: Tally, rng: random.Random) -> None:
    folder = suite_folder(setting.folder / "killed", _BROKEN)
    suite = folder / "s.eval.yaml"
    sound(tally, "fix", rubric(folder, "check", "--fix", "s.eval.yaml"))
    wanted = suite.read_text(encoding="utf-8")
    for _ in range(setting.of(1, 8)):
        suite.write_text(_BROKEN, encoding="utf-8")
        with subprocess.Popen(
            [*RUBRIC, "check", "--fix", "s.eval.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            time.sleep(rng.uniform(0.2, 2.5))
            running.kill()
        tally.count("kills")
        tally.expect(
            suite.read_text(encoding="utf-8") in (_BROKEN, wanted), "a fix that is killed leaves a suite in between"
        )
