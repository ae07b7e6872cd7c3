"""Work-done progress, with a way to cancel."""

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.protocol.json_rpc import RubricProtocol
from rubric_lsp.protocol.notices import notice

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.window import (
        ProgressParams,
        WorkDoneProgress,
        WorkDoneProgressCreateParams,
    )

__all__ = ["Progress", "ProgressBoard"]

#: Seconds to wait for the client to accept a token; the work itself does not wait.
_PATIENCE = 2.0


class Progress:
    """A piece of work that the client shows; without a token it is not shown."""

    def __init__(self, protocol: RubricProtocol, token: str | None) -> None:
        self._protocol = protocol
        self.token = token

    def report(self, message: str, percentage: int) -> None:
        """Report the current state."""
        self._tell({"kind": "report", "message": notice(message), "percentage": percentage, "cancellable": True})

    def end(self, message: str) -> None:
        """Report the outcome."""
        self._tell({"kind": "end", "message": notice(message)})
        self.token = None

    def begin(self, title: str) -> None:
        """Show the title."""
        self._tell({"kind": "begin", "title": notice(title), "percentage": 0, "cancellable": True})

    def _tell(self, value: "WorkDoneProgress") -> None:
        if self.token is not None:
            step: ProgressParams = {"token": self.token, "value": value}
            self._protocol.tell("$/progress", step)


class ProgressBoard:
    """Every piece of work in progress, by token."""

    def __init__(self, protocol: RubricProtocol, name: str = "run") -> None:
        self._protocol = protocol
        self._name = name
        self._cancels: dict[str, Callable[[], None]] = {}
        self._numbers = itertools.count(1)

    async def begin(self, title: str, cancel: Callable[[], None], *, shown: bool) -> Progress:
        """Show a piece of work, if the client supports it."""
        token = await self._token() if shown else None
        progress = Progress(self._protocol, token)
        if token is not None:
            self._cancels[token] = cancel
        progress.begin(title)
        return progress

    async def _token(self) -> str | None:
        token = f"rubric-{self._name}-{next(self._numbers)}"
        work: WorkDoneProgressCreateParams = {"token": token}
        with contextlib.suppress(RequestFailedError, asyncio.TimeoutError):
            await asyncio.wait_for(self._protocol.ask("window/workDoneProgress/create", work), _PATIENCE)
            return token
        return None

    def ended(self, token: str | None) -> None:
        """Forget a piece of work."""
        if token is not None:
            self._cancels.pop(token, None)

    def cancel(self, token: object) -> None:
        """Handle a cancellation by the client; one of finished work is ignored."""
        cancel = self._cancels.get(token) if isinstance(token, str) else None
        if cancel is not None:
            cancel()
