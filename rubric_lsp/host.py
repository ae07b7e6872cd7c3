"""The interface of the server for its parts."""

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
    """The conversation with one client, the documents in it, and what may be run."""

    protocol: RubricProtocol
    client: Client
    documents: ClientWorkspace
    index: ProjectIndex
    permission: Permission

    def keep(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        """Do something in the background; it is logged when it fails, and cancelled at the end."""

    def say(self, message: str, kind: MessageType = INFORMATION) -> None:
        """Show a message to the person: only for what they asked for, or have to know."""

    async def ask_quietly(self, method: str, params: object = None) -> None:
        """Send a request whose answer does not matter."""
