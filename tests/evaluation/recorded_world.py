"""The outside world of a suite whose whole results are recorded: replies by script, programs without the time that they take.

Nothing in it differs from one run to the next: requests never leave the process, each takes a quarter of a second, a program half of
one, and one goes on at a time. What node prints is kept beside the records, so that a plain run needs no node.
"""

import asyncio
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from suites import Waits

from rubric_core.adapters import system_ports
from rubric_core.ports import Finished, HttpReply, NetworkError, Ports, Processes, Program

__all__ = ["Call", "NodeReplies", "Respond", "World", "described_program", "quick_python"]

#: Secrets are not recorded, only that they were sent.
_SECRET = re.compile(r"(?i)authorization|api-key|x-goog-api-key|cookie|token")

_TEMPORARY = re.compile(rf"{re.escape(tempfile.gettempdir())}/\S*?/rubric-(workspace-)?\w+")
_PORT = re.compile(r":\d{4,5}\b")
_UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")


@dataclass(frozen=True)
class Call:
    """A request that was sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def place(self) -> str:
        """The address without scheme and host."""
        return self.url.partition("://")[2].partition("/")[2]

    def described(self) -> str:
        """Method, address, headers without secrets, and body, on one line."""
        shown = {name: "…" if _SECRET.search(name) else value for name, value in sorted(self.headers.items())}
        return f"{self.method} {self.url} {json.dumps(shown)} {self.body.decode()}"


Respond = Callable[[Call], HttpReply]


class NodeReplies:
    """What node printed, by what it was told: read from a file, or asked of node and written again where records are made anew."""

    def __init__(self, path: Path, *, anew: bool) -> None:
        self._path, self._anew = path, anew
        self._known: dict[str, list[object]] = {}
        if path.exists() and not anew:
            self._known = json.loads(path.read_text(encoding="utf-8"))

    async def run(self, program: Program, real: Processes, normal: Callable[[str], str]) -> Finished:
        told = [*program.argv[1:], program.stdin.decode(errors="replace"), dict(program.environment)]
        key = hashlib.sha256(normal(json.dumps(told, sort_keys=True)).encode()).hexdigest()[:12]
        if key not in self._known:
            if not self._anew:
                raise AssertionError(f"node was never told this: {normal(str(told))[-2000:]}")
            done = await real.run(program)
            self._known[key] = [done.exit_code, normal(done.stdout.decode()), normal(done.stderr.decode())]
        code, printed, errors = self._known[key]
        assert isinstance(code, int)
        return Finished(code, str(printed).encode(), str(errors).encode(), 0.5)

    def save(self) -> None:
        """Write what was asked, one line each, beside what is there: a run of some tests asks some of it."""
        if self._anew and self._known:
            before = json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}
            known = before | self._known
            rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
            self._path.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


def described_program(program: Program) -> str:
    """How a program was started."""
    shown = {
        name: "…" if _SECRET.search(name) else _PORT.sub(":PORT", value)
        for name, value in sorted(program.environment.items())
    }
    told = program.stdin.decode(errors="replace")
    return f"{program.argv} in {program.cwd} {shown} {program.time_limit} {program.output_limit} {told}"


@dataclass
class World:
    """Ports around a folder. `requests` and `programs` are what was sent and started, in order."""

    folder: Path
    respond: Respond
    environment: Mapping[str, str]
    node: NodeReplies
    #: Instead of some programs: the exit code and what is printed, or None for one that is to be started.
    instead: Callable[[Program], Finished | None] = lambda _: None
    clock: Waits = field(default_factory=Waits)
    requests: list[Call] = field(default_factory=list)
    programs: list[Program] = field(default_factory=list)

    @asynccontextmanager
    async def ports(self) -> AsyncIterator[Ports]:
        path = f"{quick_python(self.folder / '.bin')}{os.pathsep}{os.environ['PATH']}"
        # Always in the same place; where there is none, what it would print is known.
        (self.folder / ".bin" / "node").symlink_to(shutil.which("node") or "python3")
        async with system_ports(
            {"PATH": path, "HOME": str(self.folder), "LANG": "C.UTF-8", **self.environment}
        ) as ports:
            turn = asyncio.Lock()
            yield replace(
                ports, clock=self.clock, http=_Network(self, turn), processes=_Programs(self, ports.processes, turn)
            )

    def normal(self, text: str) -> str:
        """A text without what differs from run to run."""
        text = text.replace(str(self.folder), "$FOLDER").replace(sys.executable, "$PYTHON")
        text = text.replace(os.environ["PATH"], "$PATH")  # commands for login shells set it
        return _UUID.sub("$UUID", _TEMPORARY.sub("$TEMPORARY", text))


@dataclass(frozen=True)
class _Network:
    world: World
    turn: asyncio.Lock

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        return await self.request("POST", url, headers, body, time_limit=time_limit, size_limit=size_limit)

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        return await self.request("GET", url, {}, b"", time_limit=time_limit, size_limit=size_limit)

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        call = Call(method, url, dict(headers), body)
        self.world.requests.append(call)
        async with self.turn:
            await asyncio.sleep(0)
            self.world.clock.passed += 0.25
            if time_limit < 0.25:
                raise NetworkError(f"{urlsplit(url).netloc} did not reply within {time_limit:g} s")
            reply = self.world.respond(call)
            if len(reply.body) > size_limit:
                raise NetworkError(f"the reply of {urlsplit(url).netloc} is larger than {size_limit} bytes")
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
        told = {**headers, "sec-websocket-protocol": ", ".join(protocols)}
        reply = await self.request("WS", url, told, message.encode(), time_limit=time_limit, size_limit=size_limit)
        return reply.body.decode()


@dataclass(frozen=True)
class _Programs:
    world: World
    real: Processes
    turn: asyncio.Lock

    async def run(self, program: Program) -> Finished:
        self.world.programs.append(program)
        async with self.turn:
            done = self.world.instead(program)
            if done is None and Path(program.argv[0]).name == "node":
                done = await self.world.node.run(program, self.real, self.world.normal)
            if done is None:
                done = replace(await self.real.run(program), seconds=0.5)
            self.world.clock.passed += done.seconds
            return done

    async def serve(self, program: Program) -> Finished:
        async with self.turn:
            done = replace(await self.real.serve(program), seconds=0.5)
            self.world.clock.passed += done.seconds
            return done


def quick_python(folder: Path) -> Path:
    """A folder with a python3 that starts without looking for packages, to be the first of the search path."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "python3"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E -s "$@"\n', encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return folder
