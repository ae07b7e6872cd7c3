"""Entries of `prompts` and `providers`: which texts promptfoo treats as paths, and which entries repeat an earlier one."""

import posixpath
from pathlib import PurePath

from rubric_core.language.javascript_values import json_text

__all__ = ["path_sign", "prompt_key", "provider_key", "without_member"]

_EXTENSIONS = (
    ".cjs", ".cts", ".j2", ".js", ".json", ".jsonl", ".md", ".mjs", ".mts", ".py", ".ts", ".txt", ".yml", ".yaml",
)  # fmt: skip
_REMOTE = ("portkey://", "langfuse://", "helicone://")


def path_sign(text: str) -> str:
    """Why promptfoo treats a prompt as a path, for people: "contains `/`"; empty for a literal prompt."""
    if "\n" in text or any(each in text for each in _REMOTE):
        return ""
    if text.startswith("file://"):
        return "begins with `file://`"
    parts = text.split(":")[-2:]
    ending = next((e for e in _EXTENSIONS if any(part.endswith(e) for part in parts)), "")
    if ending:
        return f"ends in `{ending}`"
    if text[-3:-2] == "." or text[-4:-3] == ".":
        return f"has `.` shortly before its end: `{text[-4:]}`"
    return next((f"contains `{sign}`" for sign in ("*", "/", "\\") if sign in text), "")


def without_member(path: str) -> str:
    """The path in `file.py:function`."""
    head, colon, member = path.rpartition(":")
    is_member = bool(colon) and "/" not in member and head.endswith((*_EXTENSIONS, ".rb", ".go"))
    return head if is_member else path


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
