"""Ports that write down what an executor would do, and do nothing: the plan of a run is made with them."""

import base64
import errno
import json
import os
import re
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import urlsplit

from rubric_core.address_passwords import address_passwords
from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.engine.program_starts import ProgramStarts, sent_request
from rubric_core.evaluation.model.holes import hole, hole_names
from rubric_core.evaluation.model.plan_entries import Send, Start, without_secrets
from rubric_core.language.secret_names import looks_secret
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.ports import Clock, Directories, Finished, HttpReply, Ports, Program

__all__ = ["ATTEMPT", "Masks", "Recorder", "Reply", "known_secrets", "rehearsal_ports", "workspace_path"]

#: How programs and servers reply: with data, with a text, or with a failure.
Reply = Literal["data", "text", "failure"]
#: The number of the attempt in rehearsals, of 18 digits.
ATTEMPT = 573_910_284_655_071_322
_LETTERS = "abcdefghijklmnop"
#: A text that may be in base64, and long enough for a word that stands for a hole.
_BASE64 = pattern(r"[A-Za-z0-9+/_-]{20,}")
#: What is taken for an answer, a score, a prompt and variables alike.
_DATA: Mapping[str, object] = {
    "output": "ok", "prompt": "ok", "text": "ok", "score": 1, "pass": True, "passed": True, "reason": "ok", "reasoning": "ok",
    "hits": ["ok"], "misses": [], "verdict": "pass",
}  # fmt: skip


class Masks:
    """Words of letters that stand for holes while a plan is made: no quoting and no template changes them."""

    def __init__(self) -> None:
        self._begin = "z" + "".join(secrets.choice("qrstuvwxy") for _ in range(12))
        self._pattern = re.compile(rf"{self._begin}([a-p]*)z")

    def word(self, name: str) -> str:
        """The word for the hole with a name."""
        return f"{self._begin}{''.join(_LETTERS[b >> 4] + _LETTERS[b & 15] for b in name.encode())}z"

    def holes(self, text: str) -> str:
        """A text with its holes in place of these words."""
        if self._begin not in text:
            return text
        return self._pattern.sub(lambda found: hole(_name(found[1])), text)

    def secrets_in(self, text: str) -> list[str]:
        """The names of the secret variables in a text, also in the parts of it that are in base64, as Basic headers are."""
        decoded = "\n".join(_decoded(each) for each in _BASE64.findall(text))
        whole = f"{text}\n{decoded}" if self._begin in decoded else text
        if self._begin not in whole:
            return []
        return [n.removeprefix("$") for n in hole_names(self.holes(whole)) if n.startswith("$")]

    def environment(self, variables: Mapping[str, str], named: Collection[str]) -> dict[str, str]:
        """Variables, with a word for each secret: those whose names say so, those that are `named`, and passwords in URLs."""
        return {
            name: self.word(f"${name}")
            if value and (name in named or looks_secret(name))
            else self._without_password(name, value)
            for name, value in variables.items()
        }

    def _without_password(self, name: str, value: str) -> str:
        if "://" not in value:
            return value
        for written in address_passwords(value)[:1]:  # of a short one, its user is a part
            value = value.replace(f":{written.rpartition(':')[2]}@", f":{self.word(f'${name}')}@", 1)
        return value


def _decoded(text: str) -> str:
    """What a text in base64 says, in the usual alphabet or in that for URLs, without the rest of one that is cut off."""
    whole = text[: len(text) - len(text) % 4 if len(text) % 4 == 1 else None]
    return base64.urlsafe_b64decode(f"{whole}{'=' * (-len(whole) % 4)}".replace("+", "-").replace("/", "_")).decode(
        "utf-8", "replace"
    )


def _name(letters: str) -> str:
    numbers = [_LETTERS.index(each) for each in letters]
    return bytes(a << 4 | b for a, b in zip(numbers[::2], numbers[1::2], strict=True)).decode()


class Recorder:
    """Programs and a network that write down what is asked of them.

    Args:
        masks: The words for holes.
        starts: Finds programs.
        passed: The variables of the user, whose names alone are shown.
        proxy_of: The proxy for a URL.
    """

    def __init__(
        self, masks: Masks, starts: ProgramStarts, passed: Mapping[str, str], proxy_of: Callable[[str], str]
    ) -> None:
        self.masks, self._proxy_of = masks, proxy_of
        self._starts, self._passed = starts, passed
        self.starts: dict[Start, None] = {}
        self.sends: dict[Send, None] = {}
        #: The directories that are copied.
        self.copies: dict[str, None] = {}
        #: The secret variables that decide about a program or a host, which has to be known then.
        self.deciding: set[str] = set()
        #: The values of those that are known, each with its name: they are no part of what is written down elsewhere.
        self.known: tuple[tuple[str, str], ...] = ()
        self._reply: ContextVar[Reply] = ContextVar("reply", default="data")
        self._carried: ContextVar[tuple[str, ...]] = ContextVar("carried", default=())
        self._sink: ContextVar[list[Start] | None] = ContextVar("sink", default=None)
        self._schema = json.dumps({masks.word("schema"): 1})
        #: The directory of the suite that is rehearsed.
        self.home = ""

    @contextmanager
    def replying(self, reply: Reply, carried: Sequence[str] = ()) -> Iterator[None]:
        """Reply in a way; what is sent meanwhile carries these secret variables."""
        before, outer = self._reply.set(reply), self._carried.set(tuple(carried))
        try:
            yield
        finally:
            self._reply.reset(before)
            self._carried.reset(outer)

    @contextmanager
    def collecting(self) -> Iterator[list[Start]]:
        """Collect the programs that are started, in order, in place of writing them down."""
        found: list[Start] = []
        before = self._sink.set(found)
        try:
            yield found
        finally:
            self._sink.reset(before)

    async def run(self, program: Program) -> Finished:
        """See `ports.Processes.run`."""
        if any("\0" in word for word in program.argv):
            raise ValueError("embedded null byte")
        self._write(program)
        reply = self._reply.get()
        if reply == "failure":
            return Finished(1, b"", b"it does not know --schema", 0.0)
        data = json.dumps(_DATA) if reply == "data" else "ok"
        if program.says:
            result = json.dumps({"result": _DATA if reply == "data" else "ok"})
            return Finished(0, f"\x1e{result}".encode(), b"", 0.0)
        return Finished(0, data.encode(), b"", 0.0)

    async def serve(self, program: Program) -> Finished:
        """See `ports.Processes.serve`. Replies as the process of an evaluator does."""
        self._write(program)
        reply = (
            {"unscored": "it is a rehearsal", "failed": True}
            if self._reply.get() == "failure"
            else {"score": {"score": 1.0}}
        )
        return Finished(0, json.dumps(reply).encode() + b"\n", b"", 0.0)

    def _write(self, program: Program) -> None:
        """Write a program down, unless a secret decides about it whose value is not known yet."""
        start = self._holed(program)
        sink = self._sink.get()
        if start is None:
            return
        if sink is None:
            self.starts.setdefault(start)
        else:
            sink.append(start)

    def _holed(self, program: Program) -> Start | None:
        """The entry for a program, with holes; None if a secret decides which it is."""
        made = self._starts.start(program)
        given = len(made.argv) - program.data
        argv = tuple(hole("data") if number >= given else self._text(word) for number, word in enumerate(made.argv))
        environment = tuple((n, self._variable(n, value)) for n, value in made.environment)
        cwd, file = self._place(made.cwd), made.program
        name = program.argv[0] if program.argv else ""
        if cwd != made.cwd and not file and os.path.dirname(name) and not os.path.isabs(name):  # noqa: PTH117, PTH120  # as text
            file = f"{cwd}/{os.path.normpath(name)}"  # in a workspace that does not exist yet
        decided = (argv[0] if argv else "", file, cwd, self.masks.holes(program.environment.get("PATH", "")))
        if self._decide(decided):
            return None
        hidden = tuple(without_secrets(word, self.known) for word in argv)
        return replace(
            made, argv=(*argv[:1], *hidden[1:]), environment=tuple((n, without_secrets(v, self.known)) for n, v in environment),
            cwd=cwd, program=self._place(file), says=without_secrets(self.masks.holes(made.says), self.known), home=self.home,
            is_usual=made.is_usual or file != made.program,
            secrets=self.known if any(without_secrets(each, self.known) != each for each in decided[:3]) else (),
        )  # fmt: skip

    def _decide(self, texts: Iterable[str]) -> bool:
        """Whether a secret decides, whose name is written down."""
        names = {name.removeprefix("$") for text in texts for name in hole_names(text) if name.startswith("$")}
        self.deciding |= names
        return bool(names)

    def _variable(self, name: str, value: str) -> str:
        if value and self._passed.get(name) == value:
            return hole(f"${name}")
        return self._text(value)

    def _text(self, text: str) -> str:
        text = text.replace(self._schema, hole("schema"))
        text = text.replace(f"{ATTEMPT - 1}", hole("attempt")).replace(f"{ATTEMPT}", hole("attempt"))
        return self._place(text)

    def _place(self, text: str) -> str:
        """A text with the places of directories that do not exist, which begin at the root in rehearsals, as holes."""
        text = self.masks.holes(text)
        for name in ("workspace", "scratch"):
            text = text.replace(f"/{hole(name)}", hole(name))
        return text

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """See `ports.Http.post`."""
        return await self.request("POST", url, headers, body, time_limit=time_limit, size_limit=size_limit)

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        """See `ports.Http.get`."""
        return await self.request("GET", url, {}, b"", time_limit=time_limit, size_limit=size_limit)

    async def request(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        *,
        time_limit: float,  # noqa: ARG002  # of the port, as the next
        size_limit: int,  # noqa: ARG002
    ) -> HttpReply:
        """See `ports.Http.request`."""
        self._sent(method, url, headers, body.decode("utf-8", "replace"))
        reply = self._reply.get()
        if reply == "failure":
            return HttpReply(500, {}, b"{}")
        return HttpReply(
            200, {"content-type": "application/json"}, json.dumps(_DATA).encode() if reply == "data" else b"ok"
        )

    async def exchange(
        self,
        url: str,
        headers: Mapping[str, str],
        message: str,
        protocols: Sequence[str],  # noqa: ARG002  # of the port, as the next
        *,
        time_limit: float,  # noqa: ARG002
        size_limit: int,  # noqa: ARG002
    ) -> str | bytes:
        """See `ports.Http.exchange`."""
        self._sent("CONNECT", url, headers, message)
        return json.dumps(_DATA) if self._reply.get() == "data" else "ok"

    def _sent(self, method: str, url: str, headers: Mapping[str, str], text: str) -> None:
        words = "\n".join((url, *(f"{name}: {value}" for name, value in headers.items()), text))
        carried = tuple(sorted({*self.masks.secrets_in(words), *self._carried.get()}))
        holes = self.masks.holes
        if holes(url).startswith("\0"):  # a variable has the scheme, too
            end = min((at for at in (url.find("/"), url.find("?")) if at >= 0), default=len(url))
            made = replace_fields(sent_request(method, f"http://x{url[end:]}"), origin=url[:end])
        else:
            made = sent_request(method, url)
        # Methods are sent in capitals, which no word for a hole is in.
        verb = method if holes(method.lower()) == method.lower() else holes(method.lower())
        known = {name for value, name in self.known if without_secrets(words, [(value, name)]) != words}
        entry = replace_fields(
            made, method=verb, origin=holes(made.origin), path=without_secrets(holes(made.path), self.known),
            variables=tuple(sorted({*carried, *known})), secrets=self.known if known else (),
            proxy=self.proxy_of(method, url),
        )  # fmt: skip
        if not self._decide([entry.origin]):
            self.sends.setdefault(entry)

    def proxy_of(self, method: str, url: str) -> str:
        """The proxy for a request, without its password; empty without one, and for WebSockets, which need none."""
        proxy = "" if method == "CONNECT" else self._proxy_of(url)
        return sent_request(method, proxy).origin if proxy else ""


class _StandingClock:
    """A clock that only waiting moves."""

    def __init__(self, clock: Clock) -> None:
        self._now, self._seconds = clock.now(), 0.0

    def now(self) -> datetime:
        return self._now

    def seconds(self) -> float:
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        self._seconds += max(0.0, seconds)


class _NoDirectories:
    """Directories that are named and not made."""

    def __init__(self, masks: Masks, inner: Directories) -> None:
        self._masks = masks
        self.links = inner.links

    def create(self, prefix: str) -> Path:  # noqa: ARG002  # of the port
        return Path("/") / self._masks.word("scratch")

    def make(self, path: Path) -> None:
        """Make nothing."""

    def write(self, path: Path, content: bytes) -> None:
        """Write nothing."""

    def entries(self, path: Path) -> "list[os.DirEntry[str]]":  # noqa: ARG002  # of the port
        return []

    def open(self, path: Path) -> BinaryIO:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))

    def copy(self, source: Path, target: Path) -> None:
        """Copy nothing."""

    def copy_file(self, source: Path, target: Path) -> None:
        """Copy nothing."""

    def remove(self, path: Path) -> None:
        """Remove nothing."""


def known_secrets(variables: Mapping[str, str], names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The values of variables, and the words of each, with the name: nothing of them is shown, except an address."""
    found = []
    for name in sorted(names):
        value = variables[name]
        parts = [value, *value.split()]
        if "://" in value:  # people decide about the host, and not about what follows it
            address = urlsplit(value)
            parts = [address.path.rstrip("/"), address.query, address.username or "", address.password or ""]
        found += [(part, name) for part in parts if part]
    return tuple(sorted(dict.fromkeys(found), key=lambda each: -len(each[0])))


def rehearsal_ports(ports: Ports, environment: Mapping[str, str], recorder: Recorder) -> Ports:
    """Ports that act in no way; files are read, and templates are filled in by the sandbox of `ports`."""
    return replace_fields(
        ports,
        clock=_StandingClock(ports.clock), processes=recorder, http=recorder, environment=environment,
        directories=_NoDirectories(recorder.masks, ports.directories),
    )  # fmt: skip


def workspace_path(masks: Masks) -> Path:
    """The place of workspaces in rehearsals; nothing is there."""
    return Path("/") / masks.word("workspace")
