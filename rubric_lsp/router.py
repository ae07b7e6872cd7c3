"""The three kinds of routes: notifications, requests, and requests about a document."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from rubric_lsp import convert
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.errors import CONTENT_MODIFIED, RequestFailedError
from rubric_lsp.protocol.json_array import JsonArray
from rubric_lsp.protocol.json_rpc import RubricProtocol
from rubric_lsp.protocol.params import Shape

__all__ = ["Router", "per_yaml_document"]

log = logging.getLogger("rubric")
Work = Callable[[Snapshot, Any], Any]


class Router:
    """Adds routes to a protocol.

    Args:
        protocol: Calls the handler of a method with its parameters, once they have the shape that it needs.
        documents: The open documents.
    """

    def __init__(self, protocol: RubricProtocol, documents: ClientWorkspace) -> None:
        self._protocol = protocol
        self._documents = documents

    def notification(self, method: str, needs: Shape, work: Callable[[Any], object]) -> None:
        """A notification."""
        self._protocol.route(method, work, needs)

    def request(self, method: str, needs: Shape, work: Callable[[Any], object]) -> None:
        """A request that does not concern a single document."""
        self._protocol.route(method, work, needs)

    def document_request(
        self,
        method: str,
        needs: Shape,
        work: Work,
        empty: object = None,
        *,
        whole: bool = False,
        finds_use: bool = False,
    ) -> None:
        """A request about one document. A failed one is logged with its description, and answered with `empty`.

        A file may have several YAML documents: `work` is called with the one at the position, or with each of them, or,
        with `whole`, with the file. With `finds_use`, `work` itself finds out whether a suite uses the file.
        """

        def asked(params: Any) -> object:
            # The version at the time of the request, not the newest one at the time of the work.
            snapshot = self._documents.get(convert.uri(params))
            done = work if whole else partial(per_yaml_document, work)
            return self._read(method, snapshot, params, done, empty, finds_use=finds_use)

        self._protocol.route(method, asked, needs)

    async def _read(
        self, method: str, snapshot: Snapshot | None, params: Any, work: Work, empty: object, *, finds_use: bool
    ) -> object:
        if snapshot is None:
            return empty
        if not self._documents.is_newest(snapshot) and not snapshot.analyzed:
            raise RequestFailedError(CONTENT_MODIFIED, "the document has changed since")
        try:
            if not (finds_use or snapshot.is_ours):
                return empty
            result = work(snapshot, params)
            return await result if asyncio.iscoroutine(result) else result
        except RequestFailedError:
            raise
        except Exception:
            log.exception("%s failed: %s", method, convert.request_words(snapshot, params))
            return empty


def per_yaml_document(work: Callable[[Snapshot, Any], Any], snapshot: Snapshot, params: Any) -> Any:
    """The result of `work` for the YAML document of the request; for a whole file, the concatenated lists."""
    # What is not known to be of rubric may be large, and is not analyzed to find its documents.
    if not snapshot.is_ours or len(snapshot.parts) == 1:
        return work(snapshot, params)
    line = convert.line(params)
    if line is not None:
        return work(snapshot.part_at(line), params)
    found = [work(part, params) or () for part in snapshot.parts]
    if any(isinstance(each, JsonArray) for each in found):
        return JsonArray.joined(each for each in found if isinstance(each, JsonArray))
    return [each for listed in found for each in listed]
