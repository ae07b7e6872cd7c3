"""Odd environments: no home, no temporary folder, a language without UTF-8, closed or full streams, hardly any open files."""

import os
import resource
from collections.abc import Callable
from pathlib import Path

from .processes import Ended, limited_memory, rubric, sound, suite_folder
from .tally import Setting, Tally

__all__ = ["run"]

_SUITE = "name: s\ntests:\n  - id: é\n    input: hi\n    criteria: x\n    assertions: [{type: contains, value: hello}, {type: regex, value: 'h.*o'}]\n"
_BROKEN = _SUITE + "    wieght: 2\n"
_VARIABLES: dict[str, dict[str, str]] = {
    "no home": {"HOME": "/no/such", "XDG_CACHE_HOME": "", "XDG_STATE_HOME": "/no/such/state"}, "a home that is empty": {"HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": ""},
    "a home that is relative": {"HOME": ".", "XDG_STATE_HOME": "here"}, "no temporary folder": {"TMPDIR": "/no/such", "TEMP": "/no/such", "TMP": "/no/such"}, "the language C": {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII streams": {"PYTHONIOENCODING": "ascii"}, "a language that is none": {"LANG": "xx_YY.nonsense", "LC_ALL": "xx_YY.nonsense"}, "a terminal that is none": {"COLUMNS": "-5", "LINES": "x", "TERM": "nonsense", "FORCE_COLOR": "x", "NO_COLOR": ""},
    "no path": {"PATH": ""}, "a time zone that is none": {"TZ": "No/Such"}, "a proxy that is none": {"http_proxy": "nonsense://", "HTTPS_PROXY": "\\"}, "optimized": {"PYTHONOPTIMIZE": "2"},
    "a megabyte of variables": {f"BIG_{number}": "x" * 120_000 for number in range(9)}, "secrets of a megabyte": {f"BIG_KEY_{number}": str(number) * 120_000 for number in range(9)},
}  # fmt: skip


def _open_files(most: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _closed(*streams: int) -> Callable[[], None]:
    return lambda: [os.close(stream) for stream in streams] and None


def _at(device: str, stream: int) -> Callable[[], None]:
    return lambda: os.dup2(os.open(device, os.O_WRONLY), stream) and None


#: How a process begins, and whether its command can do all that is asked of it.
_BEGINNINGS: dict[str, tuple[Callable[[], None], bool]] = {
    "no input": (_closed(0), True), "no output": (_closed(1), True), "no errors": (_closed(2), True), "no streams at all": (_closed(0, 1, 2), True),
    "errors that are full": (_at("/dev/full", 2), True), "output that is full": (_at("/dev/full", 1), False), "64 open files": (_open_files(64), True), "12 open files": (_open_files(12), False),
    "150 MB of addresses": (limited_memory(150_000_000), False), "a mask that hides all": (lambda: os.umask(0o777) and None, False),
}  # fmt: skip
_COMMANDS = {"check": ("check", "s.eval.yaml"), "run": ("run", "s.eval.yaml"), "fix": ("check", "--fix", "b.eval.yaml")}


def run(setting: Setting, tally: Tally) -> None:
    """Each command ends as it does elsewhere where it can, and never with a mistake of ours."""
    wanted = {name: _one(setting.folder / name, command) for name, command in _COMMANDS.items()}
    tally.expect(all(each.code == 0 for each in wanted.values()), f"at home: {wanted}")
    for name, variables in setting.some(_VARIABLES, 3).items():
        for command, arguments in _COMMANDS.items():
            ended = _one(setting.folder / f"{command}, {name}", arguments, environment=variables)
            _judged(tally, f"{command} with {name}", ended, wanted[command].code)
    for name, (before, is_able) in setting.some(_BEGINNINGS, 3).items():
        for command, arguments in _COMMANDS.items():
            folder = setting.folder / f"{command}, {name}"
            ended = _one(folder, arguments, before=before)
            _judged(tally, f"{command} with {name}", ended, wanted[command].code if is_able else None)
            text = (folder / "b.eval.yaml").read_text(encoding="utf-8")
            tally.expect(
                text in (_BROKEN, _SUITE + "    weight: 2\n"), f"{command} with {name}: the suite is {text[-40:]!r}"
            )


def _judged(tally: Tally, name: str, ended: Ended, wanted: int | None) -> None:
    if wanted is None:
        # It says that it could not, or it could.
        tally.expect(ended.code is not None and "Traceback" not in ended.said, f"{name}: {ended.said[-400:]}")
        tally.expect(ended.code is not None and 0 <= ended.code <= 3, f"{name}: exit {ended.code}: {ended.said[-300:]}")
        return
    sound(tally, name, ended)
    tally.expect(ended.code == wanted, f"{name}: exit {ended.code}, not {wanted}: {ended.said[-300:]}")


def _one(
    folder: Path,
    arguments: tuple[str, ...],
    environment: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> Ended:
    folder.mkdir(parents=True, exist_ok=True)
    suite_folder(folder, _SUITE)
    (folder / "b.eval.yaml").write_text(_BROKEN, encoding="utf-8")
    return rubric(folder, *arguments, environment=environment, before=before)
