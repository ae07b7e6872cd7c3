"""The messages themselves, by JSON-RPC."""

from typing import TypedDict


class NotificationMessage(TypedDict):
    """A message without an answer."""

    jsonrpc: str
    method: str
    params: object


class RequestMessage(NotificationMessage):
    """A message with an answer."""

    id: str


class ResponseMessage(TypedDict):
    """The answer to a request."""

    jsonrpc: str
    id: int | str
    result: object


class ResponseError(TypedDict):
    """Why a request has no result; the message is for users."""

    code: int
    message: str


class ResponseErrorMessage(TypedDict):
    """The answer to a request that failed; null is the id of one that cannot be read."""

    jsonrpc: str
    id: int | str | None
    error: ResponseError


OutgoingMessage = NotificationMessage | RequestMessage | ResponseMessage | ResponseErrorMessage
