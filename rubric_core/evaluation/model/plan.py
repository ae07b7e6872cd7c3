"""The plan of a run: the programs that it starts, the requests that it sends, the files and variables that it reads.

`engine/rehearse.py` derives it from the objects that run. It is shown before a run, compared with what was allowed
before, and the ports of the run refuse what is not in it.
"""

import hashlib
import hmac
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

from rubric_core.control_characters import reveal
from rubric_core.evaluation.model.holes import FOLDER, fits, has_hole, hole, hole_names, shown
from rubric_core.lazy_compilation import dataclass, field, replace

__all__ = ["ANY_FILE", "ANY_HOST", "Load", "Plan", "PlanEntry", "Read", "Send", "Start", "Variable", "without_secrets"]

T = TypeVar("T")
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

    def _command(self, folder: Path | None) -> str:
        if self.says:
            says = self.says if folder is None else self.says.replace(f"{str(folder).rstrip('/')}/", "")
            says = shown(says if folder is None else _moved(says, str(folder), "."))
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
    #: The path of the URL, without its query, with holes for what cases fill in.
    path: str = ""
    #: The secret variables that it carries.
    variables: tuple[str, ...] = ()
    #: What decides about the host, if nothing else is known.
    why: str = field(default="", compare=False)
    #: The values of secret variables in the origin, each with its name: they are compared and never shown.
    secrets: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    def public(self) -> "Send":
        """The same with holes in place of the values of secrets."""
        return replace(self, origin=without_secrets(self.origin, self.secrets), secrets=()) if self.secrets else self

    def words(self, folder: Path | None = None) -> str:  # noqa: ARG002  # the entries have one interface
        """One line: the URL, the method unless it is POST, and the secrets that it carries."""
        remarks = [each for each in ("" if self.method == "POST" else shown(self.method), self.why) if each]
        of = f" ({', '.join(remarks)})" if remarks else ""
        carries = f" with {', '.join(self.variables)}" if self.variables else ""
        return f"{shown(self.public().origin)}{shown(self.path)}{of}{carries}"

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


@dataclass(frozen=True, slots=True)
class Load:
    """Python that is loaded into rubric's own process."""

    path: str

    def words(self, folder: Path | None = None) -> str:
        """Its path."""
        return f"{_below(self.path, folder)} (inside of rubric)"

    def key(self) -> Sequence[object]:
        """What decides whether it was allowed before."""
        return ["load", self.path]


PlanEntry: TypeAlias = Start | Send | Read | Variable | Load
_TITLES: tuple[tuple[str, str], ...] = (
    ("start", "execute"),
    ("load", "execute"),
    ("send", "send requests to"),
    ("variable", "read of the environment"),
    ("read", "read outside of the open folder"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run does to the outside world."""

    starts: tuple[Start, ...] = ()
    sends: tuple[Send, ...] = ()
    reads: tuple[Read, ...] = ()
    variables: tuple[Variable, ...] = ()
    loads: tuple[Load, ...] = ()
    #: What is not done, and why, in one sentence each: "target x is not called: KEY is not set".
    notes: tuple[str, ...] = field(default=(), compare=False)
    #: Why the plan is not known; such a run is refused. Empty for a plan that is known.
    unknown: str = ""
    #: The open folders, and every examined file with the target of its links.
    roots: tuple[Path, ...] = field(default=(), compare=False)
    files: Mapping[Path, Path] = field(default_factory=dict, compare=False)

    def joined(self, other: "Plan") -> "Plan":
        """Both plans as one, each entry once."""
        return Plan(
            _once(self.starts, other.starts), _once(self.sends, other.sends), _once(self.reads, other.reads),
            _once(self.variables, other.variables), _once(self.loads, other.loads), _once(self.notes, other.notes),
            self.unknown or other.unknown, _once(self.roots, other.roots), {**self.files, **other.files},
        )  # fmt: skip

    def all(self) -> Iterator[PlanEntry]:
        """Every entry, in the order in which people read them."""
        yield from self.starts
        yield from self.loads
        yield from self.sends
        yield from self.variables
        yield from self.reads

    def parts(self, folder: Path | None = None) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The headings in use, each with its lines; paths below `folder` are relative."""
        found: dict[str, list[str]] = {}
        titles = dict(_TITLES)
        for entry in self.all():
            found.setdefault(titles[str(entry.key()[0])], []).append(reveal(entry.words(folder)))
        return tuple((title, tuple(dict.fromkeys(lines))) for title, lines in found.items())

    def words(self, folder: Path | None = None) -> tuple[str, ...]:
        """One line for each entry, as in "execute: echo ok"; then what is not done."""
        lines = (f"{title}: {line}" for title, several in self.parts(folder) for line in several)
        return (*lines, *map(reveal, self.notes))

    @property
    def outside(self) -> tuple[Read, ...]:
        """The files that are read outside of the open folders."""
        return self.reads

    def entries(self, key: bytes, folder: Path) -> dict[str, str]:
        """The words of each entry by a hash that identifies it, and reveals nothing to those without the key.

        Paths below `folder` are relative.
        """
        return {entry_hash(entry, key, folder): reveal(entry.words(folder)) for entry in self.all()}

    def variable_names(self) -> frozenset[str]:
        """The environment variables that the run reads, as far as its entries name them."""
        names = {each.name for each in self.variables}
        names.update(name for each in self.sends for name in each.variables)
        for each in self.starts:
            texts = (*each.argv, each.says, *(value for _, value in each.environment))
            names.update(name.removeprefix("$") for text in texts for name in hole_names(text) if name.startswith("$"))
            names.update(name for name, _ in each.environment)
        return frozenset([*names, *(name for _, name in self._secrets())])

    def _secrets(self) -> Iterator[tuple[str, str]]:
        """The values of secrets in entries, each with the name of its variable."""
        yield from (pair for each in self.starts for pair in each.secrets)
        yield from (pair for each in self.sends for pair in each.secrets)

    def refusal(self, wanted: PlanEntry) -> str:
        """Why something is not in the plan: "its variable PATH was not in the question"; empty for what is in it."""
        if self.unknown:
            return self.unknown
        if isinstance(wanted, Start | Send):
            why = (
                _start_refusal(self.starts, wanted) if isinstance(wanted, Start) else _send_refusal(self.sends, wanted)
            )
            return shown(without_secrets(why, self._secrets()))
        return "" if wanted in set(self.all()) else f"{wanted.words()} was not in the question"


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


def entry_hash(entry: PlanEntry, key: bytes, folder: Path) -> str:
    """The hash that identifies an entry: 64 hexadecimal digits."""
    text = json.dumps(_relative(entry.key(), str(folder)), ensure_ascii=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _relative(value: object, folder: str) -> object:
    """A value with the paths below a folder as from that folder."""
    if isinstance(value, str):
        return _moved(value, folder, FOLDER)
    return [_relative(each, folder) for each in value] if isinstance(value, list | tuple) else value


def _moved(text: str, folder: str, place: str) -> str:
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


def _start_refusal(planned: Sequence[Start], wanted: Start) -> str:
    """Why a program is not planned, in the order in which people find it: program, code, arguments, directory, variables."""
    name = wanted.argv[0] if wanted.argv else ""
    left: Sequence[Start] = [each for each in planned if fits([each.says], [wanted.says])]
    if not left:
        return "this code was not in the question" if wanted.says else f"{name} was not in the question"
    left = [each for each in left if fits(each.argv, wanted.argv, in_shell=each.in_shell)]
    if not left:
        is_known = any(each.argv and each.argv[0] == name for each in planned)
        return f"the arguments of {name} were not in the question" if is_known else f"{name} was not in the question"
    left = [each for each in left if fits([each.program], [wanted.program])]
    if not left:
        if not wanted.program:
            return f"{name} does not exist"
        if not any(each.program for each in planned if each.argv and each.argv[0] == name):
            return f"{name} did not exist when the question was asked"
        return f"{name} is another file than in the question ({wanted.program})"
    left = [each for each in left if has_hole(each.program) or each.real == wanted.real]
    if not left:
        return f"{name} leads to another file than in the question ({wanted.real})"
    left = [each for each in left if fits([each.cwd], [wanted.cwd])]
    if not left:
        return f"its directory {wanted.cwd} was not in the question"
    return "" if any(_same_variables(each, wanted) for each in left) else _variable_refusal(left[0], wanted)


def _same_variables(planned: Start, wanted: Start) -> bool:
    names = [[name for name, _ in each.environment] for each in (planned, wanted)]
    values = [[value for _, value in each.environment] for each in (planned, wanted)]
    # A value of several lines is still one word here.
    return names[0] == names[1] and all(fits([p], [w]) for p, w in zip(*values, strict=True))


def _variable_refusal(planned: Start, wanted: Start) -> str:
    known, given = dict(planned.environment), dict(wanted.environment)
    for name, value in given.items():
        if name not in known:
            return f"its variable {name} was not in the question"
        if not fits([known[name]], [value]):
            return f"its variable {name} has another value than in the question"
    missing = next(name for name in known if name not in given)
    return f"its variable {missing} is missing, unlike in the question"


def _send_refusal(planned: Iterable[Send], wanted: Send) -> str:
    left = [each for each in planned if each.origin in (wanted.origin, ANY_HOST)]
    if not left:
        return f"{wanted.origin} was not in the question"
    left = [each for each in left if each.origin == ANY_HOST or fits([each.path], [wanted.path])]
    if not left:
        return f"{wanted.origin}{wanted.path} was not in the question"
    left = [each for each in left if fits([each.method], [wanted.method])]
    if not left:
        return f"{wanted.method} {wanted.origin}{wanted.path} was not in the question"
    known = {name for each in left for name in each.variables}
    new = next((name for name in wanted.variables if name not in known), "")
    return f"{new} for {wanted.origin} was not in the question" if new else ""


def _once(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys((*first, *second)))
