"""One message and its reply over a WebSocket, by the package `websockets`, which is imported with the first one."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.deadlines import run_within
from rubric_core.ports import NetworkError

__all__ = ["exchange_messages"]


async def exchange_messages(
    url: str, headers: Mapping[str, str], message: str, protocols: Sequence[str], time_limit: float, size_limit: int
) -> str | bytes:
    """The first message that comes back; bytes if it is binary. See `ports.Http.exchange`."""
    try:
        from websockets.asyncio.client import connect  # noqa: PLC0415  # an extra, for the few suites that need it
        from websockets.exceptions import WebSocketException  # noqa: PLC0415
        from websockets.typing import Subprotocol  # noqa: PLC0415
    except ImportError:
        words = "WebSockets need the package websockets, which rubric has with its extra `ws`"
        raise NetworkError(words) from None
    options: dict[str, Any] = {"max_size": size_limit, "proxy": None}

    async def exchange() -> str | bytes:
        spoken = [Subprotocol(each) for each in protocols] or None
        connecting = connect(url, additional_headers=headers, subprotocols=spoken, **options)
        # The library would send the headers, and the keys in them, to any other host.
        connecting.process_redirect = lambda refusal: refusal  # type: ignore[assignment, method-assign]
        async with connecting as socket:
            await socket.send(message)
            return await socket.recv()

    try:
        reply = await run_within(exchange(), time_limit)
    except (OSError, WebSocketException, ValueError) as error:
        raise NetworkError(str(error) or "the connection failed") from None
    if reply is None:
        raise NetworkError(f"no reply within {time_limit:g} s", timed_out=True)
    return reply
