"""Work that takes a while, shown by the client, with a way to cancel it."""

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

#: Seconds that a client may take to accept a token; work does not wait for one that never answers.
_PATIENCE = 2.0


class Progress:
    """One piece of work as the client sees it. Without a token it is not shown."""

    def __init__(self, protocol: RubricProtocol, token: str | None) -> None:
        self._protocol = protocol
        self.token = token

    def report(self, message: str, percentage: int) -> None:
        """Say how far it is."""
        self._tell({"kind": "report", "message": notice(message), "percentage": percentage, "cancellable": True})

    def end(self, message: str) -> None:
        """Say what came of it."""
        self._tell({"kind": "end", "message": notice(message)})
        self.token = None

    def begin(self, title: str) -> None:
        """Say what it is."""
        self._tell({"kind": "begin", "title": notice(title), "percentage": 0, "cancellable": True})

    def _tell(self, value: "WorkDoneProgress") -> None:
        if self.token is not None:
            step: ProgressParams = {"token": self.token, "value": value}
            self._protocol.tell("$/progress", step)


class ProgressBoard:
    """Every piece of work that is under way, by token."""

    def __init__(self, protocol: RubricProtocol, name: str = "run") -> None:
        self._protocol = protocol
        self._name = name
        self._cancels: dict[str, Callable[[], None]] = {}
        self._numbers = itertools.count(1)

    async def begin(self, title: str, cancel: Callable[[], None], *, shown: bool) -> Progress:
        """Show a piece of work, if the client can."""
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
        """Handle a cancellation by the client; progress that is over is ignored."""
        cancel = self._cancels.get(token) if isinstance(token, str) else None
        if cancel is not None:
            cancel()
