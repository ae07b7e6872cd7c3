"""A server of models that lies, drips, redirects and hangs: the run ends by itself, tells no secret and follows nobody."""

import asyncio
import gzip
import json
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from judge_server import Fault, JudgeServer

from .processes import rubric, sound, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["Serving", "run", "serving"]

SECRET = "sk-a-secret-that-nobody-sees"
_ESCAPES = "hello \\ud800 \\u001b[31mRED\\u001b[2J\\u001b]0;title\\u0007 \\u202e"
#: Whether a case can pass with it.
_FINE = ("fine", "escapes", "usage that lies")


def _json(value: object) -> Fault:
    return Fault(body=json.dumps(value).encode())


def _packed_twice(megabytes: int) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return gzip.compress(b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(megabytes)), packer.flush()]))


def _faults(other: str) -> dict[str, str | Fault]:
    answer = {"choices": [{"message": {"content": "hello"}}]}
    return {
        "fine": "hello",
        "escapes": Fault(body=f'{{"choices": [{{"message": {{"content": "{_ESCAPES}"}}}}]}}'.encode()),
        "redirect": Fault(307, headers={"Location": f"{other}/leak"}, body=b""),
        "redirect to no address": Fault(302, headers={"Location": "http://[::1"}, body=b""),
        "redirect to a file": Fault(302, headers={"Location": "file:///etc/passwd"}, body=b""),
        "not JSON": Fault(body=b"<html>\xff\xfe"),
        "deep JSON": Fault(body=b"[" * 100_000),
        "a text of the wrong type": _json({"choices": [{"message": {"content": {"a": [1]}}}], "usage": "x"}),
        "choices of the wrong type": _json({"choices": 5}),
        "null": _json(None),
        "usage that lies": _json({**answer, "usage": {"prompt_tokens": -1, "completion_tokens": 1e308, "cost": "x"}}),
        "hangs up": Fault(hang_up=True),
        "endless": Fault(endless=True),
        "a body that unpacks to 300 MB": Fault(body=gzip.compress(b" " * 300_000_000), headers={"Content-Encoding": "gzip"}),
        "a body that unpacks to 1 GB when it is unpacked twice": Fault(
            body=_packed_twice(1_000), headers={"Content-Encoding": "gzip, gzip"}
        ),
        "packed, with an end that is missing": Fault(body=gzip.compress(json.dumps(answer).encode())[:-9], headers={"Content-Encoding": "gzip"}),
        "429 that says to wait a day": Fault(429, b'{"error": {"message": "no"}}', {"Retry-After": "99999"}),
        "500": Fault.error(500, "no"),
        "401 that repeats the key": Fault.error(401, f"not with Bearer {SECRET}"),
        "hangs": Fault(delay=60.0),
        "two bytes a second": Fault(body=json.dumps(answer).encode() + b" " * 1_000, drips_after=100),
        "two bytes of its head a second": Fault(body=json.dumps(answer).encode() + b" " * 1_000, drips_after=5),
        "a header of 100 MB": Fault(headers={"X-Long": "a" * 100_000_000}, body=b"{}"),
        "100 MB of headers": Fault(headers={f"X-{number}": "a" * 1_000 for number in range(100_000)}, body=b"{}"),
    }  # fmt: skip


def run(setting: Setting, tally: Tally) -> None:
    """One fault after the other."""
    with serving() as host, serving() as other:
        for name, fault in setting.some(_faults(other.server.url), 3).items():
            tally.count("servers")
            host.server.replies, host.server.bodies, other.server.paths = [fault], [], []
            _one(setting, tally, name, host, other)


def _one(setting: Setting, tally: Tally, name: str, host: "Serving", other: "Serving") -> None:
    target = host.server.target("default", api_key="${{ THE_API_KEY }}", timeout_seconds=4, max_retries=1)
    folder = suite_folder(setting.folder / name.replace(" ", "-"), f"name: s\ntests:\n{rows_of_cases(1)}", target)
    ended = rubric(folder, "run", "s.eval.yaml", environment={"THE_API_KEY": SECRET})
    sound(tally, f"a server: {name}", ended)
    stored = "".join(path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*") if path.is_file())
    tally.expect(SECRET not in ended.said + stored, f"a server: {name}: the key is told or kept", said=ended.said)
    tally.expect(not other.server.paths, f"a server: {name}: a redirect is followed to another host")
    tally.expect((ended.code == 0) == (name in _FINE), f"a server: {name}: exit {ended.code}: {ended.said[-300:]}")
    tally.expect(host.server.bodies, f"a server: {name}: nobody asked it")


@dataclass
class Serving:
    """A server in a thread of its own."""

    server: JudgeServer = field(default_factory=JudgeServer)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)


@contextmanager
def serving() -> Iterator[Serving]:
    serving = Serving()
    thread = threading.Thread(target=serving.loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(serving.server.__aenter__(), serving.loop).result(30)
    try:
        yield serving
    finally:
        asyncio.run_coroutine_threadsafe(_end(serving.server), serving.loop).result(30)
        serving.loop.call_soon_threadsafe(serving.loop.stop)
        thread.join(30)
        serving.loop.close()


async def _end(server: JudgeServer) -> None:
    """Close it, and let go of the clients that it still has: one may have been kept waiting on purpose."""
    await server.__aexit__(None, None, None)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
