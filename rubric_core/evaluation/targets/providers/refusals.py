"""Classifies errors of a server: the model, the key or the address, by status and message."""

import json
import re
from typing import Any, Literal, NamedTuple

from rubric_core.ports import HttpReply

__all__ = ["ErrorReply", "refusal_of"]

Cause = Literal["model", "key", "address", ""]

_SHOWN = 300
#: Codes and types in the bodies of errors; they are unambiguous.
_CODES: dict[str, Cause] = {
    **dict.fromkeys(
        ("model_not_found", "model_not_available", "model_not_supported", "unknown_model", "invalid_model", "deploymentnotfound"),
        "model",
    ),
    **dict.fromkeys(("invalid_api_key", "api_key_invalid", "authentication_error"), "key"),
}  # fmt: skip
#: Refusals of a country or region have the same status as those of an invalid key.
_PLACES = ("unsupported_country_region_territory",)
_MODEL = re.compile(
    r"^model: |\bmodels?\b.{0,200}?\b(?:not found|not exist|is not (?:available|supported|valid|loaded))|\bno models? loaded"
    r"|\b(?:invalid|unknown|no such|not a valid|unsupported) model\b|\baccess (?:to )?(?:the )?model\b|\bno endpoints found for\b"
    r"|\bdeployment\b.{0,100}?\bnot exist",
    re.IGNORECASE | re.DOTALL,
)
_KEY = re.compile(
    r"\b(?:invalid|incorrect|missing) (?:x-)?api[- ]key\b|\bapi[- ]key (?:is )?(?:not (?:valid|found)|invalid|missing)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\bunexpected endpoint\b|\binvalid url\b|\bpage not found\b", re.IGNORECASE)


class ErrorReply(NamedTuple):
    """An error reply."""

    #: The cause; empty when it is another one, or unknown.
    cause: Cause
    #: The message of the server, truncated.
    said: str
    #: Whether a code of the reply names the cause, rather than its text alone.
    certain: bool = False


def refusal_of(reply: HttpReply) -> ErrorReply:
    """Classify an error reply. Errors with status 200 are read in the same way."""
    error = _error_in(reply.body)
    said = _words(error, reply.body)
    codes = {str(code).lower() for code in _codes(error)}
    found = next((cause for code, cause in _CODES.items() if code in codes), None)
    refused = reply.status in (400, 403, 404, 422)
    if found is not None or (refused and isinstance(error, dict) and error.get("param") == "model"):
        return ErrorReply(found or "model", said, certain=True)
    if codes & set(_PLACES):
        return ErrorReply("", said)
    if _KEY.search(said) or reply.status == 401:
        return ErrorReply("key", said)
    if _MODEL.search(said) and (refused or reply.status < 300):
        return ErrorReply("model", said)
    if _ADDRESS.search(said) or reply.status == 404:
        return ErrorReply("address", said)
    return ErrorReply("key" if reply.status == 403 else "", said)


def _error_in(body: bytes) -> Any:
    """The error in a body, as an object if it is one."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and value:
        value = value[0]
    return value.get("error", value) if isinstance(value, dict) else value


def _words(error: Any, body: bytes) -> str:
    if isinstance(error, dict):
        named = error.get("param")
        told = error.get("message", error.get("detail", error))
        error = f"{told}{f' [{named}]' if isinstance(named, str) else ''}"
    text = body[:4000].decode("utf-8", "replace") if error is None else str(error)
    return " ".join(text.split())[:_SHOWN]


def _codes(error: Any) -> list[Any]:
    if not isinstance(error, dict):
        return []
    details = error.get("details")
    reasons = [each.get("reason") for each in details if isinstance(each, dict)] if isinstance(details, list) else []
    return [error.get("code"), error.get("type"), *reasons]
