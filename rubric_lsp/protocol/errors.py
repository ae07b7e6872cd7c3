"""Requests that fail with an error response, and its codes."""

__all__ = [
    "CANCELLED", "CONTENT_MODIFIED", "INTERNAL_ERROR", "INVALID_PARAMS", "INVALID_REQUEST", "METHOD_NOT_FOUND",
    "NOT_INITIALIZED", "PARSE_ERROR", "REQUEST_FAILED", "RequestFailedError",
]  # fmt: skip

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, CANCELLED, CONTENT_MODIFIED = -32002, -32800, -32801
#: An error that clients show to the user.
REQUEST_FAILED = -32803


class RequestFailedError(Exception):
    """A request fails with this message, which is for users."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
