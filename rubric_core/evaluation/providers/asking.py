"""Asking a model over HTTP: retries with backoff, Retry-After, and what went wrong in words without secrets."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rubric_core.evaluation.providers.kind import Place, Retries
from rubric_core.ports import HttpReply, NetworkError, Ports, ProviderError

__all__ = ["Asking", "RefusalError"]

_SIZE_LIMIT = 10_000_000
_SHOWN = 300


class RefusalError(ProviderError):
    """The server said no."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Asking:
    """How one target is asked."""

    settings: Retries
    place: Place
    ports: Ports

    async def ask(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], float]:
        """The JSON object that the server replies, and how long the last request took in milliseconds.

        Raises RefusalError for an error status that stays after the retries, ProviderError for everything else.
        """
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        sent = {"Content-Type": "application/json", "Accept": "application/json", **headers}
        delay = self.settings.retry_initial_delay_ms / 1000
        for left in range(self.settings.max_retries, -1, -1):
            began = self.ports.clock.seconds()
            try:
                reply = await self.ports.http.post(
                    url, sent, content, time_limit=self.settings.timeout_seconds, size_limit=_SIZE_LIMIT
                )
            except NetworkError as error:
                if not (error.transient and left):
                    raise ProviderError(self._unreached(error)) from None
                wait = delay
            else:
                if reply.status < 400:
                    return self._read(reply), (self.ports.clock.seconds() - began) * 1000
                if reply.status not in self.settings.retry_status_codes or not left:
                    raise RefusalError(self._refused(reply), reply.status)
                wait = max(delay, _retry_after(reply))
            await self.ports.clock.sleep(min(wait, self.settings.retry_max_delay_ms / 1000))
            delay *= self.settings.retry_backoff_factor
        raise AssertionError("the loop returns or raises")

    def _unreached(self, error: NetworkError) -> str:
        hint = " Is the server running?" if "refused" in str(error) else ""
        return self.place.redact(f"{error}.{hint} ({self.place.where('base_url')})")

    def _refused(self, reply: HttpReply) -> str:
        said = self.place.redact(_error_text(reply))
        if reply.status in (401, 403):
            return f"the server does not take the key ({reply.status}{f': {said}' if said else ''}); check api_key ({self.place.where('api_key')})"
        if reply.status == 404:
            return f"the server knows no such address or model (404{f': {said}' if said else ''}) ({self.place.where('base_url')})"
        if reply.status == 429:
            return f"the server asks to slow down (429{f': {said}' if said else ''}), also after {self.settings.max_retries} retries ({self.place.where('')})"
        return f"the server replied {reply.status}{f': {said}' if said else ''} ({self.place.where('')})"

    def _read(self, reply: HttpReply) -> Mapping[str, Any]:
        try:
            value = json.loads(reply.body)
        except (ValueError, RecursionError):
            start = self.place.redact(reply.body[:80].decode("utf-8", "replace"))
            raise ProviderError(f"the server's reply is no JSON: {start!r} ({self.place.where('base_url')})") from None
        if not isinstance(value, dict):
            raise ProviderError(f"the server's reply is no JSON object ({self.place.where('base_url')})")
        return value


def _retry_after(reply: HttpReply) -> float:
    try:
        return max(0.0, float(reply.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0  # a date: the usual delay does


def _error_text(reply: HttpReply) -> str:
    """What a server says about an error, cut short."""
    text = reply.body[:4000].decode("utf-8", "replace")
    try:
        value = json.loads(reply.body)
    except (ValueError, RecursionError):
        return " ".join(text.split())[:_SHOWN]
    error = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(error, dict):
        named = error.get("param")
        error = f"{error.get('message', error)}{f' [{named}]' if isinstance(named, str) else ''}"
    return " ".join(str(error).split())[:_SHOWN]
