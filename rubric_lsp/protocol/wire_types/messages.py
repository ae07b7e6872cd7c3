"""JSON-RPC messages."""

from typing import TypedDict


class NotificationMessage(TypedDict):
    """A message without a response."""

    jsonrpc: str
    method: str
    params: object


class RequestMessage(NotificationMessage):
    """A message with a response."""

    id: str


class ResponseMessage(TypedDict):
    """The response to a request."""

    jsonrpc: str
    id: int | str
    result: object


class ResponseError(TypedDict):
    """Why a request failed; the message is for users."""

    code: int
    message: str


class ResponseErrorMessage(TypedDict):
    """The response to a failed request; the id is null if it could not be read."""

    jsonrpc: str
    id: int | str | None
    error: ResponseError


OutgoingMessage = NotificationMessage | RequestMessage | ResponseMessage | ResponseErrorMessage
