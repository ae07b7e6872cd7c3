"""Calls a model over HTTP: retries with backoff, Retry-After, and error messages without secrets."""

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from rubric_core.deadlines import untimed
from rubric_core.evaluation.model.redaction import seal
from rubric_core.evaluation.targets.providers.base import TargetLocation
from rubric_core.evaluation.targets.providers.refusals import ErrorReply, refusal_of
from rubric_core.language.own_providers import HttpEndpoint
from rubric_core.language.providers import Api
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Http, HttpReply, NetworkError, Ports, ProviderError

__all__ = ["HttpCall", "HttpRefusalError", "HttpTarget", "redirect_target"]

_SIZE_LIMIT = 10_000_000
_SHOWN = 300
_TIMEOUT = 120.0
_RETRIES = 3
#: The default maximum for Retry-After, in seconds, without `retry_max_delay_ms`.
_LONGEST_ASKED = 120.0
_FIRST_DELAY_MS, _LONGEST_DELAY_MS, _FACTOR = 500.0, 30_000.0, 2.0
#: The beginnings of event streams.
_STREAM = ("data:", "event:")
#: Statuses to retry: timeouts, busy servers, server errors. 529 is Anthropic's status for an overloaded server.
_RETRIED = (408, 429, 500, 502, 503, 504, 529)

#: Redirects that repeat a request unchanged, and those that do so for requests without a body.
_REPEATED, _REPEATED_GET = (307, 308), (301, 302, 303)
#: The most requests for one answer, redirects included.
_REDIRECTS = 6


def _ignore_retry(_: str) -> None:
    """Ignore the reason for a retry."""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One request."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    #: Whether it carries a key, for messages.
    keyed: bool
    #: Whether a redirect to the same host is followed.
    follows: bool = False


class HttpRefusalError(ProviderError):
    """The server rejected the request."""

    def __init__(self, message: str, status: int, refusal: ErrorReply) -> None:
        super().__init__(message)
        self.status = status
        self.refusal = refusal


@dataclass
class HttpTarget:
    """The connection to one target. When a server asks to slow down, all requests to the target wait."""

    settings: Api | HttpEndpoint
    place: TargetLocation
    ports: Ports
    #: The setting with the address, for messages; empty when it is not a setting.
    address: str = "base_url"
    #: The requested model, and the setting that names it.
    model: str = ""
    model_setting: str = "model"
    #: The setting with the key, for messages.
    key_setting: str = "api_key"

    async def ask(
        self,
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any],
        again: Callable[[str], None] = _ignore_retry,
    ) -> tuple[Mapping[str, Any], float]:
        """The JSON object in the server's reply, and the duration of the last request in milliseconds.

        `again` is called with the reason before a retry.

        Raises HttpRefusalError for an error status that persists after the retries, ProviderError for everything else.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        sent = {"Content-Type": "application/json", "Accept": "application/json", **self.sendable(headers)}
        reply, took = await self.reply(HttpCall("POST", url, sent, content, bool(headers)), again)
        return self._read(url, reply, keyed=bool(headers)), took

    async def reply(self, call: HttpCall, again: Callable[[str], None] = _ignore_retry) -> tuple[HttpReply, float]:
        """The server's reply, and the duration of the last request in milliseconds. As `ask`, but the body is not read."""
        retries = _or(self.settings.max_retries, _RETRIES)
        longest = _or(self.settings.retry_max_delay_ms, _LONGEST_DELAY_MS) / 1000
        delay = _or(self.settings.retry_initial_delay_ms, _FIRST_DELAY_MS) / 1000
        clock, http = self.ports.clock, seal(self.ports, self.place.redact).http
        for left in range(retries, -1, -1):
            await self.place.quiet_period.over(clock)
            began = clock.seconds()
            try:
                reply = await self._sent(call, http)
            except NetworkError as error:
                if not (error.transient and left):
                    raise ProviderError(self._unreached(error)) from None
                asked, wait, why = 0.0, delay, str(error)
            else:
                if reply.status < 300:
                    return reply, (clock.seconds() - began) * 1000
                if reply.status not in (self.settings.retry_status_codes or _RETRIED) or not left:
                    refusal = refusal_of(reply)
                    raise HttpRefusalError(
                        self._refused(call.url, reply, refusal, retries, keyed=call.keyed), reply.status, refusal
                    )
                asked = self._retry_after(reply)
                if self.settings.retry_max_delay_ms is None:
                    self._require_patience(asked, reply)
                    longest = max(longest, asked)
                wait, why = max(delay, asked), f"{reply.status}: {refusal_of(reply).said}".removesuffix(": ")
                if asked:
                    self.place.quiet_period.extend(min(asked, longest), clock)
            with untimed() if asked else nullcontext():
                await clock.sleep(min(wait, longest))
            again(why)
            delay *= _or(self.settings.retry_backoff_factor, _FACTOR)
        raise AssertionError("the loop returns or raises")

    async def _sent(self, call: HttpCall, http: Http) -> HttpReply:
        """The reply to one request, after the redirects that may be followed. Raises NetworkError."""
        limit = _or(self.settings.timeout_seconds, _TIMEOUT)
        if not call.follows:
            return await http.post(call.url, call.headers, call.body, time_limit=limit, size_limit=_SIZE_LIMIT)
        for _ in range(_REDIRECTS):
            reply = await http.request(
                call.method, call.url, call.headers, call.body, time_limit=limit, size_limit=_SIZE_LIMIT
            )
            target = redirect_target(call, reply)
            if target is None:
                break
            call = replace(call, url=target)
        return reply

    def sendable(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Headers as they can be sent: a key from a file often ends with a line break. Raises ProviderError."""
        stripped = {name: value.strip() for name, value in headers.items()}
        if not all(value.isascii() and value.isprintable() for value in stripped.values()):
            setting, what = self.key_setting, "the key" if self.key_setting == "api_key" else "a value"
            words = f"{what} contains characters that are not allowed in a header; check {setting}"
            raise ProviderError(f"{words} ({self.place.where(setting)})")
        return stripped

    def _retry_after(self, reply: HttpReply) -> float:
        """The seconds that the server asks to wait."""
        written = reply.headers.get("retry-after", "0")
        try:
            return max(0.0, float(written))
        except ValueError:
            pass
        try:
            until = parsedate_to_datetime(written)
            return max(0.0, (until - self.ports.clock.now()).total_seconds())
        except (ValueError, TypeError, OverflowError):
            return 0.0

    def _require_patience(self, asked: float, reply: HttpReply) -> None:
        """Raises HttpRefusalError for a server that asks to wait longer than a run should."""
        if asked > _LONGEST_ASKED:
            refusal = refusal_of(reply)
            more = f": {refusal.said}" if refusal.said else ""
            words = f"the server asks to be left alone for {asked:.0f} s ({reply.status}{more}); write retry_max_delay_ms to try earlier"
            raise HttpRefusalError(f"{words} ({self.place.where('')})", reply.status, refusal)

    def _unreached(self, error: NetworkError) -> str:
        hint = ". Is the server running?" if "refused" in str(error) else ""
        where = "timeout_seconds" if str(error).startswith("no reply") else self.address
        return self.place.redact(f"{error}{hint} ({self.place.where(where)})")

    def _refused(self, url: str, reply: HttpReply, refusal: ErrorReply, retries: int, *, keyed: bool) -> str:
        place, status = self.place, reply.status
        more = f": {refusal.said}" if refusal.said else ""
        if status < 400:
            moved = _without_query(reply.headers.get("location", ""))
            to = f" to {moved}" if moved else ""
            return f"the server redirects ({status}{to}); set the final address ({place.where(self.address)})"
        cause = self._cause(url, refusal.cause, f"{status}{more}", keyed=keyed)
        if cause:
            return cause
        if status == 429:
            return f"the server asks to slow down (429{more}), also after {retries} retries; lower `workers` of the target to send fewer requests at once ({place.where('')})"
        if status == 413:
            return f"the prompt is too long for the server (413{more}) ({place.where('')})"
        return f"the server replied {status}{more} ({place.where('')})"

    def _cause(self, url: str, cause: str, said: str, *, keyed: bool) -> str:
        """The cause of the error and the server's message, if known."""
        where = self.place.where
        if cause == "model":
            name = f" {self.model}" if self.model else ""
            what = "deployment" if self.model_setting == "deployment" else "model"
            return f"the server has no {what}{name} for this target ({said}) ({where(self.model_setting)})"
        if cause == "key" and not keyed:
            return f"the server requires a key ({said}); set {self.key_setting} ({where('')})"
        if cause == "key":
            return f"the server rejected the API key ({said}); check {self.key_setting} ({where(self.key_setting)})"
        if cause == "address":
            asked = _without_query(url)
            hint = "; most addresses end in /v1" if self.address == "base_url" and "/v1" not in asked else ""
            hint = "; check the API version, too" if "api-version=" in url else hint
            return self.place.redact(f"the server has no address {asked} ({said}){hint} ({where(self.address)})")
        return ""

    def _read(self, url: str, reply: HttpReply, *, keyed: bool) -> Mapping[str, Any]:
        where = self.place.where(self.address)
        try:
            value = json.loads(reply.body)
        except (ValueError, RecursionError):
            start = reply.body[:80].decode("utf-8", "replace")
            if start.startswith(_STREAM):
                raise ProviderError(
                    f"the server streams its reply, although streaming was not requested ({where})"
                ) from None
            raise ProviderError(f"the server's reply is not JSON: {start!r} ({where})") from None
        if not isinstance(value, dict):
            raise ProviderError(f"the server's reply is not a JSON object ({where})")
        if value.get("error") and not value.get("choices"):
            refusal = refusal_of(reply)
            other = f"the server replied with an error: {refusal.said} ({self.place.where('')})"
            raise ProviderError(self._cause(url, refusal.cause, refusal.said, keyed=keyed) or other)
        return value


def _or(value: float | None, default: Any) -> Any:
    return default if value is None else value


def _without_query(address: str) -> str:
    """An address that is safe to show; empty for an invalid address from a server."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return parts._replace(query="", fragment="", netloc=parts.netloc.rpartition("@")[2]).geturl()[:_SHOWN]


def redirect_target(call: HttpCall, reply: HttpReply) -> str | None:
    """The address to which a redirect leads: same scheme, host and port only, so that no key reaches another server."""
    repeated = reply.status in _REPEATED or (reply.status in _REPEATED_GET and call.method == "GET")
    location = reply.headers.get("location", "")
    if not repeated or not location:
        return None
    try:
        target = urljoin(call.url, location)
        here, there = urlsplit(call.url), urlsplit(target)
        same = (here.scheme, here.hostname, here.port) == (there.scheme, there.hostname, there.port)
    except ValueError:
        return None
    return target if same else None
