"""Admission to a server behind a socket: only a client that has shown the token may send messages.

Any program and any web page of a machine can reach its ports. The token is printed where the server was started; a
client gives it
as `initializationOptions.token` of its first message, a WebSocket also as `?token=` in the address.
"""

import hmac
import os
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.messages import ResponseErrorMessage

__all__ = ["VARIABLE", "Admission", "refusal"]

#: An environment variable of the server with a predefined token.
VARIABLE = "RUBRIC_LSP_TOKEN"
_SHORTEST = 16
#: The error code for a request that is refused.
_REQUEST_FAILED = -32803
_WHY = f"the token is missing or wrong: pass the one that rubric-lsp printed as initializationOptions.token, or set {VARIABLE}"


def refusal(message: object) -> "ResponseErrorMessage":
    """The response to a client without the token."""
    number = message.get("id") if isinstance(message, Mapping) else None
    return {"jsonrpc": "2.0", "id": number, "error": {"code": _REQUEST_FAILED, "message": _WHY}}


class Admission:
    """The token of a server; without one, everybody who can connect is admitted.

    Args:
        token: The token, empty for none.
    """

    def __init__(self, token: str) -> None:
        self.token = token

    @classmethod
    def by_token(cls) -> "Admission":
        """A new token, or the one in the environment. Raises OSError if that is too short to be secret."""
        given = os.environ.pop(VARIABLE, "")  # removed so that no program of a run inherits it
        if given and len(given) < _SHORTEST:
            raise OSError(f"{VARIABLE} needs at least {_SHORTEST} characters")
        return cls(given or secrets.token_urlsafe(24))

    def is_valid(self, token: object) -> bool:
        """Whether a token is the server's."""
        return not self.token or (isinstance(token, str) and hmac.compare_digest(token.encode(), self.token.encode()))

    def admits(self, message: object) -> bool:
        """Whether the first message of a client has the token, which is removed from it and so never logged."""
        options = _options(message)
        given = options.pop("token", None) if options is not None else None
        return self.is_valid(given)


def _options(message: object) -> dict[str, Any] | None:
    """The `initializationOptions` of an `initialize` request."""
    if not isinstance(message, Mapping) or message.get("method") != "initialize":
        return None
    params = message.get("params")
    options = params.get("initializationOptions") if isinstance(params, Mapping) else None
    return options if isinstance(options, dict) else None
