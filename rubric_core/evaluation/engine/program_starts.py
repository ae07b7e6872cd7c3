"""Programs and requests as entries of a plan: which file the system would start, and which server a URL names."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from rubric_core.adapters import filtered
from rubric_core.evaluation.model.holes import hole
from rubric_core.evaluation.model.plan_entries import Send, Start
from rubric_core.language.secret_names import looks_secret
from rubric_core.ports import Program
from rubric_core.program_lookup import find_program

__all__ = ["ProgramStarts", "is_rubrics_own", "sent_request"]

_SHELL = ("sh", "-lc")
#: The variables that rubric itself sets for a program of one case: its address for targets, and the key for that.
_OF_A_CASE = frozenset(f"AGENTV_{what}_PROXY_{name}" for what in ("TARGET", "PROVIDER") for name in ("URL", "TOKEN"))
#: How variables begin that say how rubric and promptfoo work.
_SWITCHES = ("PROMPTFOO_", "RUBRIC_")
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


class ProgramStarts:
    """Finds what the system would start for a program.

    Args:
        environment: The variables of the user.
        remembered: Whether a file that was found once is not looked for again, as while one plan is made.
    """

    def __init__(self, environment: Mapping[str, str], *, remembered: bool = False) -> None:
        self._passed = filtered(environment)
        self._search = environment.get("PATH", os.defpath)
        # Rubric puts the user's PATH in front of a shell's command: it says nothing about the command.
        self._own_path = f"PATH={shlex.quote(environment.get('PATH', ''))}:$PATH; export PATH\n"
        self._found: dict[tuple[str, str, str], tuple[str, str]] | None = {} if remembered else None

    def start(self, program: Program) -> Start:
        """The entry for a program."""
        search = {**self._passed, **program.environment}.get("PATH", os.defpath)
        name, cwd = program.argv[0] if program.argv else "", str(program.cwd)
        file, real = self._file(program.executable or name, cwd, search)
        usual = self._file(Path(name).name if program.says else name, cwd, self._search)[0]
        variables = (
            (n, hole("case") if n in _OF_A_CASE else _without_holes(v)) for n, v in program.environment.items()
        )
        return Start(
            self._argv(program.argv), file, real, cwd, tuple(sorted(variables)), _without_holes(program.says),
            is_usual=file == usual,
        )  # fmt: skip

    def _argv(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        if argv[:2] != _SHELL or len(argv) < 3:
            return tuple(argv)
        return (*argv[:2], argv[2].removeprefix(self._own_path), *argv[3:])

    def _file(self, name: str, cwd: str, search: str) -> tuple[str, str]:
        """The path of the file that is started, and where its links lead; both empty without one."""
        key = (name, cwd, search)
        if self._found is not None and key in self._found:
            return self._found[key]
        found = _find(name, cwd, search)
        pair = (found, os.path.realpath(found) if found else "")
        if self._found is not None:
            self._found[key] = pair
        return pair


def _find(name: str, cwd: str, search: str) -> str:
    """The file that the system starts in a directory: a program changes to its directory before it is looked for."""
    found = find_program(name, Path(cwd), {"PATH": search}) if name else None
    return os.path.normpath(found) if found else ""


def _without_holes(text: str) -> str:
    """A text of a suite in which nothing looks like a hole."""
    return text.replace("\0", "␀")


def is_rubrics_own(name: str) -> bool:
    """Whether a variable says where things are or how rubric works, so that a run may read it unasked."""
    return bool(filtered({name: ""})) or (name.startswith(_SWITCHES) and not looks_secret(name))


def sent_request(method: str, url: str) -> Send:
    """The entry for a request, without the variables that it carries."""
    url = _without_holes(url)
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return Send(method, url)
    at = f":{port}" if port is not None and port != _PORTS.get(parts.scheme) else ""
    host = (parts.hostname or "").replace(" ", "%20")  # httpx sends it like this
    query = f"?{parts.query}" if parts.query else ""
    return Send(method, f"{parts.scheme}://{host}{at}", f"{parts.path or '/'}{query}")
