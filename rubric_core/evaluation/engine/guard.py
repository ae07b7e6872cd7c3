"""The ports of a run that refuse whatever is not in its plan: a program, a request, a file.

A refusal is an error of the case, in the kinds of errors that missing programs and servers have.
"""

import errno
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from rubric_core.dataclass_copies import replace_fields
from rubric_core.environment_files import refuse_environment_file
from rubric_core.evaluation.engine.permitted_files import is_temporary, permitted_files
from rubric_core.evaluation.engine.program_starts import ProgramStarts, is_rubrics_own, sent_request
from rubric_core.evaluation.engine.run_inputs import ANY_VARIABLE_WORDS
from rubric_core.evaluation.model.holes import has_hole
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.plan_entries import Send, Start
from rubric_core.evaluation.model.redaction import header_credentials
from rubric_core.evaluation.model.variables import Variables
from rubric_core.evaluation.targets.providers.http_retries import HttpCall, redirect_target
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.files import absolute
from rubric_core.ports import Directories, Finished, Http, HttpReply, NetworkError, Ports, Processes, Program
from rubric_core.redact_text import redact_text
from rubric_core.trust import real_path

__all__ = ["guarded"]

#: What is between words in the command of a shell.
_WORDS = pattern(r"[\s'\"`;|&<>()=]+")
#: From how many characters on the value of a variable is no word of a text by chance.
_LONG = 6


def guarded(ports: Ports, plan: Plan, as_planned: Callable[[Start], Start] = lambda start: start) -> Ports:
    """The ports of a run with this plan, and no others.

    Args:
        ports: The outside world.
        plan: What the run was allowed.
        as_planned: How a program is written in the plan, if that was made on another machine.
    """
    environment = _environment(ports.environment, plan) if plan.roots else ports.environment
    return replace_fields(
        ports,
        environment=environment,
        files=permitted_files(ports.files, plan),
        processes=_Processes(ports.processes, plan, ProgramStarts(ports.environment), as_planned),
        http=_Http(ports.http, plan, ports.environment),
        directories=_Directories(ports.directories, plan),
    )


class _Directories:
    """Directories for temporary files, and planned ones: those that programs work in, and those that are copied."""

    def __init__(self, inner: Directories, plan: Plan) -> None:
        self._inner, self._plan = inner, plan
        self.create, self.make, self.write = inner.create, inner.make, inner.write
        self.copy_file, self.remove = inner.copy_file, inner.remove
        self._known = [*plan.roots, *(Path(each.path) for each in plan.reads)]
        self._worked_in = [real_path(Path(each.cwd)) for each in plan.starts if each.cwd and not has_hole(each.cwd)]

    def entries(self, path: Path) -> "list[os.DirEntry[str]]":
        """See `ports.Directories.entries`. Also raises OSError for a directory that is not in the plan."""
        self._require(path, (*self._known, *self._worked_in))
        return self._inner.entries(path)

    def open(self, path: Path) -> BinaryIO:
        """See `ports.Directories.open`. Also raises OSError for a file that is not below a planned directory."""
        self._require(path, (*self._known, *self._worked_in))
        return self._inner.open(path)

    def copy(self, source: Path, target: Path) -> None:
        """See `ports.Directories.copy`. Also raises OSError for a directory that is not in the plan."""
        self._require(source, self._known)
        if not is_temporary(real_path(source)):
            for link, real in self.links(source, self._plan.roots).items():
                refuse_environment_file(link)
                self._require(real, self._known, link)
        self._inner.copy(source, target)

    def links(self, path: Path, roots: Sequence[Path]) -> Mapping[Path, Path]:
        """See `ports.Directories.links`. Also raises OSError for a directory that is not in the plan."""
        self._require(path, self._known)
        return self._inner.links(path, roots)

    def _require(self, path: Path, known: Sequence[Path], link: Path | None = None) -> None:
        real = real_path(path)
        if self._plan.roots and not is_temporary(real) and not any(real.is_relative_to(each) for each in known):
            raise OSError(errno.EPERM, _refused(f"{real} was not in the question"), str(link or path))


class _Processes:
    def __init__(
        self, inner: Processes, plan: Plan, starts: ProgramStarts, as_planned: Callable[[Start], Start]
    ) -> None:
        self._inner, self._plan, self._starts, self._as_planned = inner, plan, starts, as_planned
        #: The names of the examined files.
        self._names = frozenset(path.name for path in plan.files)
        self._known = [*plan.roots, *(Path(each.path) for each in plan.reads)]

    async def run(self, program: Program) -> Finished:
        """See `ports.Processes.run`. Also raises OSError for a program that is not in the plan."""
        return await self._inner.run(self._allowed(program))

    async def serve(self, program: Program) -> Finished:
        """See `ports.Processes.serve`. Also raises OSError for a program that is not in the plan."""
        return await self._inner.serve(self._allowed(program))

    def _allowed(self, program: Program) -> Program:
        """The program with the file that was compared. Raises OSError for one that is not in the plan."""
        if any("\0" in word for word in program.argv):
            raise ValueError("embedded null byte")
        start = self._starts.start(program)
        why = self._plan.refusal(self._as_planned(start))
        if why:
            raise OSError(errno.EPERM, _refused(why))
        self._require_same_files(start)
        if start.program and not program.executable and "/" not in program.argv[0]:
            # The file that was compared, without another look at the PATH.
            return replace(program, executable=start.program)
        return program

    def _require_same_files(self, start: Start) -> None:
        """Raises OSError for a file in a command, also of a shell, that leads out of the folder and did not before."""
        words = {part for each in start.argv for part in (each, *_WORDS.split(each))}
        for word in sorted(each for each in words if each.rpartition("/")[2] in self._names):
            path = absolute(Path(start.cwd) / word)
            real = real_path(path)
            is_known = real == self._plan.files.get(path, real) or any(
                real.is_relative_to(each) for each in self._known
            )
            if not is_known:
                raise OSError(errno.EPERM, _refused(f"{word} leads to another file than in the question"), str(path))


def _environment(variables: Mapping[str, str], plan: Plan) -> Mapping[str, str]:
    """The variables of the user. To read one that is not in the plan raises Unscored."""
    known = plan.variable_names()
    if ANY_VARIABLE_WORDS in known:
        return variables
    return Variables(variables, withheld={n for n in variables if n not in known and not is_rubrics_own(n)})


class _Http:
    def __init__(self, inner: Http, plan: Plan, environment: Mapping[str, str]) -> None:
        self._inner, self._plan = inner, plan
        names = {name for each in plan.sends for name in each.variables if name in environment}
        values = Counter(environment[name] for name in names)
        #: The planned secrets, without those that nobody can tell apart from others or from words.
        self._secrets = {
            name: environment[name] for name in sorted(names) if environment[name] and values[environment[name]] == 1
        }
        #: Where servers of the plan have sent requests on, on themselves.
        self._moved: set[Send] = set()

    def _require(self, method: str, url: str, headers: Mapping[str, str] | None = None, body: str = "") -> None:
        wanted = sent_request(method, url)
        carried = tuple(self._carried(url, (headers or {}).values(), body))
        why = "" if wanted in self._moved else self._plan.refusal(replace_fields(wanted, variables=carried))
        if why:
            raise NetworkError(_refused(why))

    def _carried(self, url: str, headers: Collection[str], body: str) -> Iterator[str]:
        """The names of the planned secrets in a request, in any form; of short ones, as words of its URL and headers."""
        around = "\n".join((url, *headers, *(part for each in headers for part in header_credentials(each))))
        whole = f"{around}\n{body}"
        for name, value in self._secrets.items():
            is_in = redact_text(whole, (value,)) != whole if len(value) >= _LONG else _has_word(around, value)
            if is_in:
                yield name

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """See `ports.Http.post`."""
        self._require("POST", url, headers, body.decode("utf-8", "replace"))
        return await self._inner.post(url, headers, body, time_limit=time_limit, size_limit=size_limit)

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        """See `ports.Http.get`."""
        self._require("GET", url)
        return await self._inner.get(url, time_limit=time_limit, size_limit=size_limit)

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """See `ports.Http.request`."""
        self._require(method, url, headers, body.decode("utf-8", "replace"))
        reply = await self._inner.request(method, url, headers, body, time_limit=time_limit, size_limit=size_limit)
        target = redirect_target(HttpCall(method, url, headers, body, keyed=False), reply)
        if target is not None:
            self._moved.add(sent_request(method, target))
        return reply

    async def exchange(
        self,
        url: str,
        headers: Mapping[str, str],
        message: str,
        protocols: Sequence[str],
        *,
        time_limit: float,
        size_limit: int,
    ) -> str | bytes:
        """See `ports.Http.exchange`."""
        self._require("CONNECT", url, headers, message)
        return await self._inner.exchange(
            url, headers, message, protocols, time_limit=time_limit, size_limit=size_limit
        )


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", text) is not None


def _refused(why: str) -> str:
    return f"refused: {why}; run it again"
