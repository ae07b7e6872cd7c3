"""Connections to judges and targets: kept, and no more of them than requests at a time."""

import asyncio
import base64
import gzip
import re
import subprocess
import sys
import tracemalloc

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder, checks
from waiting import PATIENCE

import rubric_core.network
from rubric_core.adapters import system_ports
from rubric_core.network import HttpxHttp
from rubric_core.ports import HttpReply, NetworkError


async def ask(http: HttpxHttp, server: JudgeServer) -> int:
    reply = await http.post(f"{server.url}/chat/completions", {}, b"{}", time_limit=10, size_limit=10_000)
    return reply.status


async def test_a_run_opens_a_connection_for_each_worker_and_keeps_it(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(
        {"name": "default", "provider": "mock", "response": "hi", "grader_target": "judge"}, judge.target(workers=20)
    )
    judge.replies = [checks(a=True)]
    cases = "".join(
        f"  - {{id: c{n}, input: say {n}, assertions: [{{type: rubrics, criteria: [{{id: a, outcome: o}}]}}]}}\n"
        for n in range(40)
    )
    results = await folder.run(f"tests:\n{cases}", workers=4)
    assert {result.verdict.value for result in results.values()} == {"passed"}
    assert len(judge.bodies) == 40
    assert judge.most <= judge.connections <= 4


async def test_each_host_keeps_its_connection(judge: JudgeServer) -> None:
    async with JudgeServer() as other, system_ports({}) as ports:
        assert isinstance(ports.http, HttpxHttp)
        for _ in range(5):
            assert await ask(ports.http, judge) == await ask(ports.http, other) == 200
        assert (judge.connections, other.connections) == (1, 1)


class _Pieces:
    """A server that answers each request with a body in `pieces`, one per turn of the loop; with one, as a whole."""

    def __init__(self, pieces: int) -> None:
        self._pieces = pieces
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())  # type: ignore[arg-type]  # a connection is served in a task
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n{}")
                if self._pieces == 1:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
                    continue
                writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in range(self._pieces):
                    await asyncio.sleep(0)
                    writer.write(b"1\r\nx\r\n")
                writer.write(b"0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            writer.close()


@pytest.mark.parametrize("pieces", [1, 4], ids=["whole", "stream"])
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
@pytest.mark.parametrize("end", ["cancel", "time limit"])
async def test_a_request_that_ends_at_any_moment_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, end: str, warm: bool, pieces: int
) -> None:
    """Ended after each number of turns of the loop up to its reply, the next three requests get their answers."""
    loop = asyncio.get_running_loop()
    skipped = 0.0
    real = loop.time
    monkeypatch.setattr(loop, "time", lambda: real() + skipped)

    def post(http: HttpxHttp, url: str) -> "asyncio.Task[HttpReply]":
        return asyncio.ensure_future(http.post(url, {}, b"{}", time_limit=2 * PATIENCE, size_limit=10_000))

    async with _Pieces(pieces) as url:
        for turns in range(10_000):
            http = HttpxHttp()
            if warm:
                await post(http, url)
            asking = post(http, url)
            for _ in range(turns):
                await asyncio.sleep(0)
            answered = asking.done()
            if end == "cancel":
                asking.cancel()
            else:
                skipped += 3 * PATIENCE
            await asyncio.gather(asking, return_exceptions=True)
            for after in range(1, 4):
                following = post(http, url)
                done, _ = await asyncio.wait({following}, timeout=PATIENCE)
                assert done, f"ended after {turns} turns: request {after} after it waits for ever"
                assert following.result().body == b"x" * pieces
            await http.close()
            if answered:
                break
    assert turns > 10, "no request was ended"


class _Repeating:
    """A proxy that answers with the request that it got: in its reason, in a header, and in its body."""

    async def __aenter__(self) -> int:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        told = next(line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"proxy-auth"))
        writer.write(b"HTTP/1.1 502 no%b\r\nX-Told:%b\r\nContent-Length: %d\r\n\r\n%b" % (told, told, len(head), head))
        writer.close()


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_what_a_proxy_repeats_has_no_password_of_it(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    basic = base64.b64encode(b"someone:a secret word").decode()
    async with _Repeating() as port:
        monkeypatch.setenv(f"{scheme}_proxy", f"http://someone:a%20secret%20word@127.0.0.1:{port}")
        monkeypatch.delenv("no_proxy", raising=False)
        http = HttpxHttp()
        try:
            reply = await http.post(f"{scheme}://models.invalid/v1", {}, b"{}", time_limit=10, size_limit=10_000)
            said = f"{reply.headers}{reply.body!r}"
        except NetworkError as error:
            said = str(error)
        finally:
            await http.close()
    assert "Basic ***" in said
    assert basic not in said


async def test_idle_connections_are_bounded_over_all_hosts(judge: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for one connection the second host takes the place of the first, and both are answered."""
    monkeypatch.setattr(rubric_core.network, "_MOST_IDLE", 1)
    async with JudgeServer() as other, system_ports({}) as ports:
        assert isinstance(ports.http, HttpxHttp)
        for _ in range(2):
            assert await ask(ports.http, judge) == await ask(ports.http, other) == 200
        assert (judge.connections, other.connections) == (2, 2)


async def test_requests_beyond_that_bound_do_not_wait_for_one_another(
    judge: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rubric_core.network, "_MOST_IDLE", 1)
    async with system_ports({}) as ports:
        assert isinstance(ports.http, HttpxHttp)
        assert await asyncio.gather(*(ask(ports.http, judge) for _ in range(3))) == [200] * 3
    assert judge.connections == 3


async def test_a_proxy_that_the_environment_names_is_used(judge: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        async with system_ports({}) as ports:
            reply = await ports.http.get("http://models.invalid/v1", time_limit=10, size_limit=10)
            assert isinstance(ports.http, HttpxHttp)
            assert await ask(ports.http, judge) == 200, "what it is not to be used for is asked itself"
    assert reply.status == 204
    assert asked == [b"GET http://models.invalid/v1 HTTP/1.1\r\n"]


_TEXT = b'{"choices": []}'
_BOMB = gzip.compress(bytes(5_000_000))


@pytest.mark.parametrize(
    ("encoding", "body", "wanted"),
    [
        ("", _TEXT, _TEXT),
        ("identity", _TEXT, _TEXT),
        ("gzip", gzip.compress(_TEXT), _TEXT),
        ("GZIP", gzip.compress(_TEXT) + b"what follows", _TEXT),
        ("gzip", b"", b""),
        ("gzip", _BOMB, "sends more than 10,000 bytes"),
        ("gzip", gzip.compress(_TEXT) + bytes(20_000), "sends more than 10,000 bytes"),
        ("gzip", _TEXT, "sends a reply that is not gzip, as it says"),
        ("gzip", gzip.compress(_TEXT)[:-9], "broke off: the end of its reply is missing"),
        # A few kilobytes that are ten gigabytes in the end: httpx unpacks them at once, which took a minute and all memory.
        ("gzip, gzip", gzip.compress(_BOMB), "sends its reply in the encoding 'gzip, gzip', which was not asked for"),
        ("br", _TEXT, "sends its reply in the encoding 'br', which was not asked for"),
    ],
    ids=lambda value: value if isinstance(value, str) else "bytes",
)
async def test_a_reply_is_unpacked_once_and_never_to_more_than_its_limit(
    judge: JudgeServer, encoding: str, body: bytes, wanted: bytes | str
) -> None:
    judge.replies = [Fault(body=body, headers={"Content-Encoding": encoding} if encoding else {})]
    tracemalloc.start()
    async with system_ports({}) as ports:
        asking = ports.http.post(judge.url, {}, b"{}", time_limit=PATIENCE, size_limit=10_000)
        if isinstance(wanted, bytes):
            assert (await asking).body == wanted
        else:
            with pytest.raises(NetworkError, match=f"{re.escape(wanted)}$"):
                await asking
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert judge.headers[0]["accept-encoding"] == "gzip"
    assert most < 4_000_000


def test_the_command_line_of_httpx_is_not_loaded() -> None:
    """It brings rich and pygments with it where these are installed, as they are for these tests: a third of the time."""
    code = """
import asyncio, sys
from rubric_core.adapters import system_ports

async def main():
    async with system_ports({}) as ports:
        try:
            await ports.http.get("http://127.0.0.1:1", time_limit=5, size_limit=1)
        except Exception as error:
            print(error)

asyncio.run(main())
import httpx, rich
print([name for name in ("httpx", "rich.console", "httpx._main") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["connection to 127.0.0.1:1 refused", "['httpx']"]
