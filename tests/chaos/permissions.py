"""Files and folders that may not be read or written, and those of somebody else: they stay as they are, and are named.

As root, every command gives up what root may do beyond others: it keeps its name and is refused what its mode bits refuse.
"""

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

from rubric_core.evaluation.results.database import ResultDatabase

from .processes import rubric, sound, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]

_BROKEN = "name: s\ntests:\n  - id:   c\n    input: hi\n    criteria: x\n    wieght: 2\n"
_COMMANDS = {
    "fix": ("check", "--fix", "."),
    "format": ("format", "."),
    "migrate": ("migrate", "--to", "agentv-5", "s.eval.yaml"),
}
_LIBRARY = ctypes.CDLL(None)
_DROP_CAPABILITY, _CAPABILITIES = 24, 64
_NOBODY = 65534


def _as_everybody() -> None:
    for each in range(_CAPABILITIES):
        _LIBRARY.prctl(_DROP_CAPABILITY, each, 0, 0, 0)


def _mode(mode: int, name: str = "") -> Callable[[Path], None]:
    return lambda folder: (folder / name).chmod(mode)


def _of_somebody_else(folder: Path) -> None:
    _mode(0o644, "s.eval.yaml")(folder)
    os.chown(folder / "s.eval.yaml", _NOBODY, _NOBODY)


def _in_a_folder_of_somebody_else(folder: Path) -> None:
    folder.chmod(0o755)
    os.chown(folder, _NOBODY, _NOBODY)


#: What is done to a folder.
_REFUSALS: dict[str, Callable[[Path], None]] = {
    "a folder that is read-only": _mode(0o555), "a suite that is read-only": _mode(0o444, "s.eval.yaml"), "a suite that may not be read": _mode(0, "s.eval.yaml"),
    "a suite that may only be written": _mode(0o222, "s.eval.yaml"), "targets that may not be read": _mode(0, ".agentv/targets.yaml"), "a folder of targets that may not be searched": _mode(0, ".agentv"),
    "results in a folder that is read-only": _mode(0o555, ".rubric"), "results in a folder that may not be searched": _mode(0, ".rubric"),
}  # fmt: skip
_REFUSALS_OF_OTHERS = {
    "a suite of somebody else": _of_somebody_else,
    "a folder of somebody else": _in_a_folder_of_somebody_else,
}


def run(setting: Setting, tally: Tally) -> None:
    """Check, fix, format, migrate and run where something is refused."""
    refusals = _REFUSALS | (_REFUSALS_OF_OTHERS if os.geteuid() == 0 else {})
    wanted = {name: _written(setting.folder / f"at home, {name}", command) for name, command in _COMMANDS.items()}
    for name, refuse in setting.some(refusals, 3).items():
        for command, arguments in _COMMANDS.items():
            _one(
                setting.folder / f"{command}, {name}",
                tally,
                f"{command} with {name}",
                arguments,
                refuse,
                wanted[command],
            )
        _ran(setting.folder / f"run, {name}", tally, f"run with {name}", refuse)
    _read(setting.folder / "read", tally)
    tally.expect(tally.counts["refused"], "nothing was refused: these are the rights of root")


def _written(folder: Path, command: tuple[str, ...]) -> str:
    suite_folder(folder, _BROKEN)
    rubric(folder, *command)
    return (folder / "s.eval.yaml").read_text(encoding="utf-8")


def _one(
    folder: Path, tally: Tally, name: str, command: tuple[str, ...], refuse: Callable[[Path], None], wanted: str
) -> None:
    suite = suite_folder(folder, _BROKEN) / "s.eval.yaml"
    (folder / ".rubric").mkdir()
    refuse(folder)
    kinds = [(each.st_mode, each.st_uid, each.st_gid) for each in (folder.stat(), suite.stat())]
    ended = rubric(folder, *command, before=_as_everybody)
    tally.expect(
        kinds == [(each.st_mode, each.st_uid, each.st_gid) for each in (folder.stat(), suite.stat())],
        f"{name}: mode or owner is another one",
    )
    _opened_again(folder)
    sound(tally, name, ended)
    text = suite.read_text(encoding="utf-8")
    tally.expect(text in (_BROKEN, wanted), f"{name}: the suite is neither as it was nor as it should be")
    is_done = text == wanted
    tally.count("refused", not is_done)
    tally.expect(ended.code in (0, 1, 2), f"{name}: exit {ended.code}: {ended.said[-300:]}")
    tally.expect(
        is_done or ended.code == 2, f"{name}: exit {ended.code} although nothing is written: {ended.said[-300:]}"
    )
    tally.expect(is_done or ended.err, f"{name}: nobody is told why")


def _ran(folder: Path, tally: Tally, name: str, refuse: Callable[[Path], None]) -> None:
    suite_folder(folder, f"name: s\ntests:\n{rows_of_cases(3)}")
    sound(tally, name, rubric(folder, "run", "s.eval.yaml"))
    kept = len(ResultDatabase.at(folder).runs())
    refuse(folder)
    ended = rubric(folder, "run", "s.eval.yaml", before=_as_everybody)
    _opened_again(folder)
    sound(tally, name, ended)
    tally.expect(ended.code in (0, 2, 3), f"{name}: exit {ended.code}: {ended.said[-300:]}")
    tally.expect(len(ResultDatabase.at(folder).runs()) > kept or ended.code, f"{name}: exit 0, and nothing is stored")
    tally.expect(ended.code != 2 or "rubric: " in ended.err, f"{name}: nobody is told why")


def _read(folder: Path, tally: Tally) -> None:
    """Results that are there and may not be read are not called none."""
    suite_folder(folder, f"name: s\ntests:\n{rows_of_cases(1)}")
    sound(tally, "results", rubric(folder, "run", "s.eval.yaml"))
    for refused in (".rubric", ".rubric/results.db"):
        (folder / refused).chmod(0)
        for command in ("results", "report", "compare"):
            ended = rubric(folder, command, before=_as_everybody)
            sound(tally, f"{command}, {refused}", ended)
            tally.expect(
                ended.code == 2 and "Permission denied" in ended.err,
                f"{command} without {refused}: {ended.said[-300:]}",
            )
        _opened_again(folder)


def _opened_again(folder: Path) -> None:
    """Let the next one look, and whoever removes the folder."""
    for each in (folder, folder / ".agentv", folder / ".rubric"):
        each.chmod(0o755)
    for each in folder.glob("*.yaml"):
        each.chmod(0o644)
