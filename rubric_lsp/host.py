"""The server as its parts see it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.project_index import ProjectIndex
from rubric_lsp.permission import Permission
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.protocol.json_rpc import RubricProtocol
from rubric_lsp.protocol.notices import INFORMATION, MessageType

__all__ = ["Host"]

_T = TypeVar("_T")


class Host(Protocol):
    """The connection to one client, its documents, and its permissions."""

    protocol: RubricProtocol
    client: Client
    documents: ClientWorkspace
    index: ProjectIndex
    permission: Permission

    def keep(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        """Run a task in the background; it is logged if it fails, and cancelled at the end."""

    def say(self, message: str, kind: MessageType = INFORMATION) -> None:
        """Show a message to the user: only in response to a request, or if they have to know."""

    async def ask_quietly(self, method: str, params: object = None) -> None:
        """Send a request and ignore the response."""
