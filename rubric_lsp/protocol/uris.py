"""Conversion between files and URIs."""

import os
from pathlib import Path
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from rubric_core.lazy_compilation import pattern

__all__ = ["path_of"]

#: `/C:/…`, the path of a URI on Windows.
_DRIVE = pattern(r"/[A-Za-z]:")


def path_of(uri: str) -> Path | None:
    """The file of a URI, None if it is not on disk."""
    if not uri.startswith("file:"):
        return None
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None  # an invalid address in brackets as host
    # The bytes of the name, as `Path.as_uri` writes them: they may be no UTF-8, and the system's own encoding another one.
    try:
        path = os.fsdecode(unquote_to_bytes(parts.path))
    except UnicodeEncodeError:  # a lone surrogate
        return None
    if parts.netloc and path and parts.netloc != "localhost":
        path = f"//{unquote(parts.netloc)}{path}"
    elif os.name == "nt" and _DRIVE.match(path):
        path = path[1].lower() + path[2:]
    return Path(path) if path and _can_be(path) else None


def _can_be(path: str) -> bool:
    """Whether a path can be passed to the system, which rejects some names."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate
        return False
