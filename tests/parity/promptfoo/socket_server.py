"""A server on this machine that both programs reach by WebSocket."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from websockets.sync.server import ServerConnection, serve
from websockets.typing import Subprotocol

__all__ = ["speaking"]


def _answer(socket: ServerConnection) -> None:
    """Replies by the path: with what came, as text or data, with an error, or not at all."""
    assert socket.request is not None
    path, headers = socket.request.path, socket.request.headers
    message = socket.recv()
    if path.startswith("/text"):
        socket.send(f"said {message} {path}")
    elif path == "/output":
        socket.send(json.dumps({"output": f"out {message}"}))
    elif path == "/error":
        socket.send(json.dumps({"error": "as asked"}))
    elif path == "/twice":
        socket.send("first")
        socket.send("second")
    elif path == "/bytes":
        socket.send(b"bytes")
    elif path == "/data":
        told = {"message": message, "own": headers.get("x-own"), "protocol": socket.subprotocol}
        socket.send(json.dumps({"told": told, "output": None} if "null" in message else {"told": told}))


def _chosen(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    return offered[0] if offered else None


@contextmanager
def speaking() -> Iterator[int]:
    """The port of the server, while it runs."""
    with serve(_answer, "127.0.0.1", 0, select_subprotocol=_chosen) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.socket.getsockname()[1]
        server.shutdown()
        thread.join()
