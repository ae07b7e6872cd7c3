"""HTTP by httpx, which is imported with the first request, and WebSockets."""

import asyncio
import sys
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rubric_core.address_passwords import address_passwords
from rubric_core.deadlines import run_within
from rubric_core.ports import HttpReply, NetworkError
from rubric_core.proxies import Proxies, system_proxies
from rubric_core.redact_text import redact_text
from rubric_core.websocket_exchange import exchange_messages

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["HttpxHttp"]

T = TypeVar("T")
Said = TypeVar("Said", str, bytes)
#: Optional dependencies of httpx that are not needed.
_COMMAND_LINE = "httpx._main"
#: The only content encoding that is requested and decoded.
_GZIP = "gzip"
#: Characters of a password; shorter ones would also match parts of ordinary words.
_SHORTEST = 6
#: The maximum number of idle connections.
_MOST_IDLE = 256


class HttpxHttp:
    """HTTP by httpx with reused connections. Close it in the event loop that used it.

    Each connection has a client of its own: a pool of httpx iterates over all of its connections for every request and
    every reply, which costs more than the request itself with sixteen judges at once.
    """

    def __init__(self) -> None:
        self._clients: set[httpx.AsyncClient] = set()
        #: Those that are being closed.
        self._closing: set[asyncio.Task[None]] = set()
        #: Idle clients by scheme and proxy, and by the host to which they are connected.
        self._idle: dict[tuple[str, str], dict[str, list[httpx.AsyncClient]]] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        #: The proxies of the user, from the first request on.
        self._proxies: Proxies | None = None
        #: The passwords of proxies: a proxy, or a server behind it, may repeat the request.
        self._hidden: tuple[str, ...] = ()

    @asynccontextmanager
    async def _client(self, url: str) -> "AsyncIterator[httpx.AsyncClient]":
        """A client for one request, with an idle connection if there is one. Raises NetworkError for an invalid address.

        Only a complete reply makes it idle again: the pool of a client whose request was cancelled may have lost its one
        place for a connection, and the next request would wait for that place for ever.
        """
        scheme, host, proxy = urlsplit(url).scheme, _host(url), self.proxy_of(url)
        hosts = self._idle.setdefault((scheme, proxy), {})
        idle = hosts.setdefault(host, [])
        if not idle and len(self._clients) >= _MOST_IDLE:  # an idle client for another host loses its connection
            idle = next((others for others in hosts.values() if others), idle)
        client = idle.pop() if idle else self._new(scheme, proxy)
        try:
            yield client
        except BaseException:
            await self._discard(client)
            raise
        hosts[host].append(client)

    async def _discard(self, client: "httpx.AsyncClient") -> None:
        """Close a client for good, even if the caller is cancelled meanwhile."""
        self._clients.discard(client)
        closing = asyncio.ensure_future(_close(client))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
        await asyncio.shield(closing)

    def proxy_of(self, url: str) -> str:
        """See `ports.Ports.proxy_of`."""
        if self._proxies is None:
            self._proxies = system_proxies()
            found = {word for address in self._proxies.by_scheme.values() for word in address_passwords(address)}
            self._hidden = tuple(word for word in sorted(found, key=len, reverse=True) if len(word) >= _SHORTEST)
        return self._proxies.of(url)

    def _new(self, scheme: str, proxy: str) -> "httpx.AsyncClient":
        _load_httpx()
        import httpx  # noqa: PLC0415

        if scheme not in self._contexts:
            # Loading the certificates costs more than a local model's answer: it is done once, and not for plain http.
            self._contexts[scheme] = httpx.create_ssl_context(verify=scheme == "https")
        limits = httpx.Limits(max_connections=1)
        # A client that looks for proxies takes twenty times as long to create, and nobody could say which it finds.
        made = httpx.AsyncClient(
            verify=self._contexts[scheme],
            limits=limits,
            follow_redirects=False,
            trust_env=False,
            proxy=proxy or None,
            headers={"Accept-Encoding": _GZIP},
        )
        self._clients.add(made)
        return made

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """See `ports.Http.post`."""
        return await self._whole("POST", url, headers, body, time_limit, size_limit)

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        """See `ports.Http.get`."""
        return await self._whole("GET", url, {}, b"", time_limit, size_limit)

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        """See `ports.Http.request`."""
        return await self._whole(method, url, headers, body, time_limit, size_limit)

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
        return await exchange_messages(url, headers, message, protocols, time_limit, size_limit)

    async def _whole(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, time_limit: float, size_limit: int
    ) -> HttpReply:
        _load_httpx()
        import httpx  # noqa: PLC0415

        host = _host(url)
        try:
            reply = await run_within(self._request(method, url, headers, body, size_limit), time_limit)
        except httpx.ConnectError as error:
            raise NetworkError(self._without_passwords(f"connection to {host} {_why(error)}")) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            broken = isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError)
            raise NetworkError(self._without_passwords(f"{host} {_how(error)}"), transient=broken) from None
        except NetworkError:
            raise
        except Exception as error:  # noqa: BLE001  # whatever the libraries below httpx let through is no reply either
            raise NetworkError(self._without_passwords(f"connection to {host} {_why(error)}")) from None
        if reply is None:
            raise NetworkError(f"no reply from {host} within {time_limit:g} s")
        return reply

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, size_limit: int
    ) -> HttpReply:
        async with (
            self._client(url) as client,
            client.stream(method, url, headers=dict(headers), content=body, timeout=None) as reply,
        ):
            promised = reply.headers.get("content-length", "")
            if promised.isdecimal() and int(promised) > size_limit:
                raise NetworkError(f"{_host(url)} sends more than {size_limit:,} bytes")
            content = _Content(_host(url), reply.headers.get("content-encoding", ""), size_limit)
            async for chunk in reply.aiter_raw():
                content.add(chunk)
            headers = {k.lower(): self._without_passwords(v) for k, v in reply.headers.items()}
            return HttpReply(reply.status_code, headers, self._without_passwords(content.whole()))

    def _without_passwords(self, said: Said) -> Said:
        """A server's text, without the passwords of proxies."""
        if not self._hidden:
            return said
        if isinstance(said, str):
            return redact_text(said, self._hidden)
        text = said.decode("utf-8", "surrogateescape")
        found = redact_text(text, self._hidden)
        return said if found is text else found.encode("utf-8", "surrogateescape")

    async def close(self) -> None:
        """Close every connection."""
        self._idle.clear()
        await asyncio.gather(*(self._discard(client) for client in list(self._clients)), *self._closing)


async def _close(client: "httpx.AsyncClient") -> None:
    with suppress(Exception):  # its connection is broken, and dropped
        await client.aclose()


class _Content:
    """The body of a reply, decompressed as it arrives and never beyond its limit.

    httpx decompresses each received chunk as a whole: a few kilobytes that were compressed twice become gigabytes,
    while nothing else runs.
    """

    def __init__(self, host: str, encoding: str, size_limit: int) -> None:
        self._host, self._size_limit = host, size_limit
        self._received = bytearray()
        #: Bytes received, before decoding.
        self._arrived = 0
        self._decoder: Any = None
        if encoding.strip().lower() == _GZIP:
            self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)
        elif encoding.strip().lower() not in ("", "identity"):
            raise NetworkError(f"{host} sends its reply in the encoding {encoding[:40]!r}, which was not asked for")

    def add(self, chunk: bytes) -> None:
        """Add received data. Raises NetworkError."""
        self._arrived += len(chunk)
        if self._decoder is not None:
            chunk = self._unpacked(chunk)
        self._received += chunk
        if max(self._arrived, len(self._received)) > self._size_limit:
            raise NetworkError(f"{self._host} sends more than {self._size_limit:,} bytes")

    def _unpacked(self, chunk: bytes) -> bytes:
        if self._decoder.eof:
            return b""  # data after the end is dropped: it may never end
        try:
            unpacked: bytes = self._decoder.decompress(chunk, self._size_limit + 1 - len(self._received))
        except zlib.error:
            raise NetworkError(f"{self._host} sends a reply that is not {_GZIP}, as it says") from None
        return unpacked

    def whole(self) -> bytes:
        """The decoded body. Raises NetworkError for an incomplete one."""
        if self._arrived and self._decoder is not None and not self._decoder.eof:
            raise NetworkError(f"{self._host} broke off: the end of its reply is missing", transient=True)
        return bytes(self._received)


@cache
def _load_httpx() -> None:
    """Import httpx, lazily as it takes 60 ms, and without its command line, which imports rich."""
    if "httpx" in sys.modules:
        return
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # Python's word for a module that cannot be had
    try:
        import_module("httpx")
    finally:
        del sys.modules[_COMMAND_LINE]


def _host(url: str) -> str:
    """Host and port, without a password. Raises NetworkError for an invalid address."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False  # unclosed brackets, or an invalid port
    if not whole:
        raise NetworkError(f"{_shown(url)} is not an HTTP address")
    return parts.netloc.rpartition("@")[2]


def _shown(url: str) -> str:
    """An address that is safe to show: without password and query."""
    head, _, tail = url.partition("//")
    return f"{head}//{tail.rpartition('@')[2]}".partition("?")[0] if tail else url.partition("?")[0]


def _how(error: Exception) -> str:
    """How a connection ended."""
    said = str(error).rstrip(".")
    if said.startswith("illegal"):
        return "does not speak HTTP"
    return f"broke off: {said}" if said else "broke off: the connection was reset"


def _why(error: BaseException) -> str:
    """A connection error in a word or two."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ConnectionRefusedError):
            return "refused"
        if isinstance(seen, OSError) and seen.strerror:
            return f"failed: {seen.strerror}"
        seen = seen.__cause__ or seen.__context__
    return f"failed: {error}" if str(error) else "failed"
