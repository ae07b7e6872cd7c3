"""Which entries of `prompts` and `providers` repeat an earlier one, so that `promptfoo eval -c FILE` leaves them out."""

import posixpath
from pathlib import PurePath

from rubric_core.language.javascript_values import json_text

__all__ = ["prompt_key", "provider_key"]

_FILE = "file://"


def prompt_key(entry: object, directory: str = "") -> str | None:
    """The text by which an entry of `prompts` equals another; None if it equals none, as no mapping does.

    What an entry stands for does not count: two files of equal text are two prompts, and so are `a.txt` and `./a.txt`. Only paths
    after `file://` are compared as paths, relative to `directory`.
    """
    if not isinstance(entry, str):
        return None
    if not entry.startswith(_FILE):
        return entry
    return _FILE + posixpath.normpath(PurePath(directory, entry.removeprefix(_FILE)).as_posix())


def provider_key(entry: object) -> str:
    """The text by which an entry of `providers` equals another: its id, or the whole mapping, with its keys in their order."""
    return entry if isinstance(entry, str) else json_text(entry)
