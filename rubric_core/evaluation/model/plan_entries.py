"""The entries of a plan: one program, kind of request, file or variable each, in words and as what identifies it."""

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from rubric_core.evaluation.model.holes import has_hole, hole, hole_names, shown
from rubric_core.language.secret_names import WELL_KNOWN_KEY, looks_secret
from rubric_core.lazy_compilation import dataclass, field, replace

__all__ = [
    "ANY_FILE", "ANY_HOST", "PlanEntry", "Read", "Send", "Start", "Variable", "moved_path", "without_secrets",
]  # fmt: skip

#: The origin of a request whose host an answer decides.
ANY_HOST = "any host"
#: How the path of a file begins whose name is computed.
ANY_FILE = "any file, by a computed name: "
#: Folders of the system, whose links change with its updates.
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/opt/homebrew", "/System", "/Library")
#: Variables that rubric sets for the functions of `python` targets, and for git.
_OURS = (("PYTHONUTF8", "1"), ("GIT_TERMINAL_PROMPT", "0"))
#: From how many characters on a secret is none of the words of a text by chance.
_LONG = 6
#: Parameters of queries that sign a request or allow it, besides those whose names say so anywhere.
_SECRET_PARAMETERS = frozenset({"sig", "signature", "code", "x-amz-signature", "x-goog-signature"})
_HIDDEN = "***"
_SHELLS = (("sh", "-c"), ("sh", "-lc"))


@dataclass(frozen=True, slots=True)
class Start:
    """One program that is started."""

    #: Its command line, with holes for what cases fill in.
    argv: tuple[str, ...]
    #: The file that the system starts for it; empty if there is none.
    program: str = ""
    #: That file with its links resolved.
    real: str = ""
    cwd: str = ""
    #: Variables besides those that every program gets; the value of a variable of the user's is a hole.
    environment: tuple[tuple[str, str], ...] = ()
    #: What the command line does not show: the code that the program runs, or the function that it calls.
    says: str = ""
    #: Whether the program is the one that its name means in a terminal of the user's.
    is_usual: bool = field(default=True, compare=False)
    #: The directory of the suite, in which programs usually work.
    home: str = field(default="", compare=False)
    #: The values of secret variables in program and directory, each with its name: they are compared and never shown.
    secrets: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    @property
    def in_shell(self) -> int:
        """The number of the argument that a shell reads, from 0; -1 without one."""
        return 2 if len(self.argv) > 2 and self.argv[:2] in _SHELLS else -1

    def words(self, folder: Path | None = None) -> str:
        """One line: the command, and what is not usual about it. Never empty, and without the values of secrets."""
        if self.secrets:
            return self.public().words(folder)
        command = self._command(folder) or "a program without a name"
        remarks = []
        if self.program and not self.is_usual:
            remarks.append(f" ({_below(self.program, folder)})")
        elif not self.program and self.argv and self.argv[0]:
            remarks.append(f" ({shown(self.argv[0])} is not installed)")
        if self.cwd != self.home:
            remarks.append(f" in {_below(self.cwd, folder)}")
        named = [_assigned(name, value) for name, value in self.environment if not _is_ours(name, value)]
        if named:
            remarks.append(f" with {', '.join(named)}")
        return f"{command}{''.join(remarks)}"

    def found_words(self, folder: Path | None = None) -> str:
        """The file that its name leads to, if `words` leaves it out as usual: the same words may have led to another one before."""
        if not self.program or not self.is_usual or self.in_shell > 0 or self.program == self.argv[0]:
            return ""
        return _below(self.public().program, folder)

    def _command(self, folder: Path | None) -> str:
        if self.says:
            says = self.says if folder is None else self.says.replace(f"{str(folder).rstrip('/')}/", "")
            says = shown(says if folder is None else moved_path(says, str(folder), "."))
            return f"{Path(self.argv[0]).name}: {says}" if self.argv else says
        if self.in_shell > 0 and len(self.argv) == 3:
            return shown(self.argv[2]).strip()
        return " ".join(shown(word) if has_hole(word) else shlex.quote(word) for word in self.argv).strip()

    def public(self) -> "Start":
        """The same with holes in place of the values of secrets."""
        if not self.secrets:
            return self
        return replace(
            self, argv=tuple(without_secrets(word, self.secrets) for word in self.argv),
            program=without_secrets(self.program, self.secrets), real=without_secrets(self.real, self.secrets),
            cwd=without_secrets(self.cwd, self.secrets), secrets=(),
        )  # fmt: skip

    def key(self) -> Sequence[object]:
        """What decides whether it was allowed before. Links in system folders change with its updates."""
        is_system = self.program.startswith(_SYSTEM) and self.real.startswith(_SYSTEM)
        real = "" if is_system else self.real
        # Of a secret, only the file and the directory that it names count.
        argv = list(self.public().argv)
        return ["start", argv, self.program, real, self.cwd, [list(e) for e in self.environment], self.says]


@dataclass(frozen=True, slots=True)
class Send:
    """One kind of request that is sent."""

    method: str
    #: Scheme, host and port: `https://api.example`; `ANY_HOST` where an answer decides.
    origin: str
    #: The path of the URL and its query, with holes for what cases fill in.
    path: str = ""
    #: The secret variables that it carries.
    variables: tuple[str, ...] = ()
    #: The proxy of the user through which it goes, without its password.
    proxy: str = field(default="", compare=False)
    #: What decides about the host, if nothing else is known.
    why: str = field(default="", compare=False)
    #: The values of secret variables in the origin, each with its name: they are compared and never shown.
    secrets: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    def public(self) -> "Send":
        """The same with holes in place of the values of secrets."""
        return replace(self, origin=without_secrets(self.origin, self.secrets), secrets=()) if self.secrets else self

    def words(self, folder: Path | None = None) -> str:  # noqa: ARG002  # the entries have one interface
        """One line: the URL, the method unless it is POST, and the secrets that it carries."""
        through = f"through the proxy {self.proxy}" if self.proxy else ""
        remarks = [each for each in ("" if self.method == "POST" else shown(self.method), self.why, through) if each]
        of = f" ({', '.join(remarks)})" if remarks else ""
        carries = f" with {', '.join(self.variables)}" if self.variables else ""
        return f"{shown(self.public().origin)}{self.shown_path()}{of}{carries}"

    def shown_path(self) -> str:
        """Path and query as people read them: without the values of parameters with secrets, and without well-known keys."""
        path, mark, query = self.path.partition("?")
        pairs = (each.partition("=") for each in query.split("&"))
        kept = (f"{name}{equals}{_HIDDEN if _is_secret(name) and not has_hole(v) else v}" for name, equals, v in pairs)
        return shown(WELL_KNOWN_KEY.sub(_HIDDEN, f"{path}{mark}{'&'.join(kept)}"))

    def key(self) -> Sequence[object]:
        """What decides whether it was allowed before."""
        return ["send", self.method, self.origin, self.path, list(self.variables)]


@dataclass(frozen=True, slots=True)
class Read:
    """A file or a folder outside of the open folders, with links resolved."""

    path: str

    @property
    def is_any(self) -> bool:
        """Whether the path is computed in the run, so that it may be any."""
        return self.path.startswith(ANY_FILE)

    def words(self, folder: Path | None = None) -> str:  # noqa: ARG002  # the entries have one interface
        """Its path."""
        return self.path

    def key(self) -> Sequence[object]:
        """What decides whether it was allowed before."""
        return ["read", self.path]


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable that prompts and other texts read."""

    name: str

    def words(self, folder: Path | None = None) -> str:  # noqa: ARG002  # the entries have one interface
        """Its name."""
        return self.name

    def key(self) -> Sequence[object]:
        """What decides whether it was allowed before."""
        return ["variable", self.name]


PlanEntry: TypeAlias = Start | Send | Read | Variable


def _is_secret(parameter: str) -> bool:
    """Whether a parameter of a query holds a secret."""
    return looks_secret(parameter) or parameter.lower() in _SECRET_PARAMETERS


def without_secrets(text: str, secrets: Iterable[tuple[str, str]]) -> str:
    """A text with holes in place of values of secret variables, as whole words where they are short.

    Args:
        text: The text.
        secrets: Values, each with the name of its variable.
    """
    for value, name in secrets:
        if value in text:
            word = re.escape(value)
            form = word if len(value) >= _LONG else rf"(?<![\w\0$]){word}(?![\w\0])"
            text = re.sub(form, lambda _, name=name: hole(f"${name}"), text)  # type: ignore[misc]  # bound in this turn
    return text


def moved_path(text: str, folder: str, place: str) -> str:
    """A text with another place for a folder, wherever its path stands, alone or before a name."""
    path = folder.rstrip("/")
    return re.sub(rf"(?<![\w.-]){re.escape(path)}(?![\w.-])", lambda _: place, text) if path else text


def _below(path: str, folder: Path | None) -> str:
    """A path as people read it: relative below the folder."""
    if folder is None:
        return shown(path)
    if path == str(folder):
        return "."
    start = f"{str(folder).rstrip('/')}/"
    return shown(f"./{path.removeprefix(start)}" if path.startswith(start) else path)


def _is_ours(name: str, value: str) -> bool:
    """Whether rubric itself sets a variable for every program of a kind."""
    return (name, value) in _OURS or value == hole("case") or name == "AGENTV_WORKSPACE_PATH"


def _assigned(name: str, value: str) -> str:
    """A variable: its name, and its value if the suite sets it, as a shell reads it."""
    if not has_hole(value):
        return f"{name}={shlex.quote(value)}"
    named = [each for each in hole_names(value) if each.startswith("$")]
    return name if not named or value == hole(f"${name}") else f"{name}={shown(value)}"
