"""The network, by httpx, which is imported with the first request."""

import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rubric_core.address_passwords import address_passwords
from rubric_core.deadlines import run_within
from rubric_core.ports import HttpReply, NetworkError

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["HttpxHttp"]

T = TypeVar("T")
Said = TypeVar("Said", str, bytes)
#: What httpx tries to import, and does without where it is not installed.
_COMMAND_LINE = "httpx._main"
#: The only encoding that is asked for and unpacked.
_GZIP = "gzip"
#: Characters of a password; what is shorter would also be part of ordinary words.
_SHORTEST = 6
#: Connections that are kept although nothing is sent on them.
_MOST_IDLE = 256


class HttpxHttp:
    """HTTP by httpx; connections are kept and used again. Close it in the loop that used it.

    Each connection has a client of its own: a pool of httpx looks through all of its connections with every request and every
    reply, which costs more than the request when sixteen judges are asked at once.
    """

    def __init__(self) -> None:
        self._clients: list[httpx.AsyncClient] = []
        #: Those that have no request, by scheme, and by the host to which they are connected.
        self._idle: dict[str, dict[str, list[httpx.AsyncClient]]] = {}
        self._contexts: dict[str, ssl.SSLContext] = {}
        #: Whether the environment names a proxy.
        self._proxied = False
        #: The passwords of these: a proxy, or a server behind one, may repeat the request that it was sent.
        self._hidden: tuple[str, ...] = ()

    @contextmanager
    def _client(self, url: str) -> "Iterator[httpx.AsyncClient]":
        """A client for one request, connected to its host already if one is idle. Raises NetworkError for what is no address."""
        scheme, host = urlsplit(url).scheme, _host(url)
        hosts = self._idle.setdefault(scheme, {})
        idle = hosts.setdefault(host, [])
        if not idle and len(self._clients) >= _MOST_IDLE:  # another host loses its connection
            idle = next((others for others in hosts.values() if others), idle)
        client = idle.pop() if idle else self._new(scheme)
        try:
            yield client
        finally:
            hosts[host].append(client)

    def _new(self, scheme: str) -> "httpx.AsyncClient":
        _load_httpx()
        from urllib.request import getproxies  # noqa: PLC0415  # httpx loads it, too

        import httpx  # noqa: PLC0415

        if scheme not in self._contexts:
            # Loading the certificates costs more than a local model's answer: once is enough, and plain http needs none.
            self._contexts[scheme] = httpx.create_ssl_context(verify=scheme == "https")
            proxies = getproxies()
            self._proxied = bool(proxies)
            found = {word for address in proxies.values() for word in address_passwords(address)}
            self._hidden = tuple(word for word in sorted(found, key=len, reverse=True) if len(word) >= _SHORTEST)
        limits = httpx.Limits(max_connections=1)
        # A client that looks for proxies takes twenty times as long to make, so one look at the environment has to do.
        made = httpx.AsyncClient(
            verify=self._contexts[scheme],
            limits=limits,
            follow_redirects=False,
            trust_env=self._proxied,
            headers={"Accept-Encoding": _GZIP},
        )
        self._clients.append(made)
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
        with self._client(url) as client:
            async with client.stream(method, url, headers=dict(headers), content=body, timeout=None) as reply:
                promised = reply.headers.get("content-length", "")
                if promised.isdecimal() and int(promised) > size_limit:
                    raise NetworkError(f"{_host(url)} sends more than {size_limit:,} bytes")
                content = _Content(_host(url), reply.headers.get("content-encoding", ""), size_limit)
                async for chunk in reply.aiter_raw():
                    content.add(chunk)
                headers = {k.lower(): self._without_passwords(v) for k, v in reply.headers.items()}
                return HttpReply(reply.status_code, headers, self._without_passwords(content.whole()))

    def _without_passwords(self, said: Said) -> Said:
        """What a server says, without the passwords of proxies."""
        for word in self._hidden:
            said = said.replace(word, "***") if isinstance(said, str) else said.replace(word.encode(), b"***")
        return said

    async def close(self) -> None:
        """Close every connection."""
        for client in self._clients:
            await client.aclose()
        self._clients.clear()
        self._idle.clear()


class _Content:
    """The body of a reply, unpacked as it comes and never to more than its limit.

    httpx unpacks whatever arrives as a whole: a few kilobytes that were packed twice become gigabytes, while nothing else happens.
    """

    def __init__(self, host: str, encoding: str, size_limit: int) -> None:
        self._host, self._size_limit = host, size_limit
        self._received = bytearray()
        #: Bytes that have arrived, as they were sent.
        self._arrived = 0
        self._decoder: Any = None
        if encoding.strip().lower() == _GZIP:
            self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)
        elif encoding.strip().lower() not in ("", "identity"):
            raise NetworkError(f"{host} sends its reply in the encoding {encoding[:40]!r}, which was not asked for")

    def add(self, chunk: bytes) -> None:
        """What arrived. Raises NetworkError."""
        self._arrived += len(chunk)
        if self._decoder is not None:
            chunk = self._unpacked(chunk)
        self._received += chunk
        if max(self._arrived, len(self._received)) > self._size_limit:
            raise NetworkError(f"{self._host} sends more than {self._size_limit:,} bytes")

    def _unpacked(self, chunk: bytes) -> bytes:
        if self._decoder.eof:
            return b""  # what follows the end is not kept: it may be without end
        try:
            unpacked: bytes = self._decoder.decompress(chunk, self._size_limit + 1 - len(self._received))
        except zlib.error:
            raise NetworkError(f"{self._host} sends a reply that is not {_GZIP}, as it says") from None
        return unpacked

    def whole(self) -> bytes:
        """All of it. Raises NetworkError for the beginning of something packed."""
        if self._arrived and self._decoder is not None and not self._decoder.eof:
            raise NetworkError(f"{self._host} broke off: the end of its reply is missing", transient=True)
        return bytes(self._received)


@cache
def _load_httpx() -> None:
    """Import httpx: 60 ms that nobody should pay before something is asked. Its command line, for which it loads rich, is left out."""
    if "httpx" in sys.modules:
        return
    sys.modules[_COMMAND_LINE] = None  # type: ignore[assignment]  # Python's word for a module that cannot be had
    try:
        import_module("httpx")
    finally:
        del sys.modules[_COMMAND_LINE]


def _host(url: str) -> str:
    """Host and port, without a password. Raises NetworkError for what is no address."""
    try:
        parts = urlsplit(url)
        whole = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False  # brackets that are not closed, a port that is no number or too high
    if not whole:
        raise NetworkError(f"{_shown(url)} is not an HTTP address")
    return parts.netloc.rpartition("@")[2]


def _shown(url: str) -> str:
    """What may be shown of anything that should be an address: no password, no query."""
    head, _, tail = url.partition("//")
    return f"{head}//{tail.rpartition('@')[2]}".partition("?")[0] if tail else url.partition("?")[0]


def _how(error: Exception) -> str:
    """How a conversation ended."""
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
