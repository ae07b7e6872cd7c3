"""Messages between a worker and its engine process, sent through pipes: pickled, each preceded by its length."""

import asyncio
import pickle
import struct
from typing import Any

__all__ = ["encode", "receive"]

_LENGTH = struct.Struct(">Q")


def encode(message: tuple[Any, ...]) -> bytes:
    """A message as bytes."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


async def receive(stream: asyncio.StreamReader) -> tuple[Any, ...] | None:
    """The next message; None at the end of the stream."""
    try:
        (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
        # The pipe connects two processes of this program and is open to no other.
        message: tuple[Any, ...] = pickle.loads(await stream.readexactly(length))  # noqa: S301  # see above
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return message
