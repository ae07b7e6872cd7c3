"""Adds targets to an existing targets file, whose text and comments stay."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from rubric_core.cli.init_files import FirstTarget
from rubric_core.ports import Files

__all__ = ["TargetsNotExtendedError", "extended", "names_in"]

_LARGEST = 5_000_000


class TargetsNotExtendedError(Exception):
    """A targets file to which nothing can be added safely; the message says why."""


def names_in(path: Path, files: Files) -> tuple[str, ...]:
    """The names of the targets in a file. Raises TargetsNotExtendedError for a file that is no list of targets."""
    listed = _parsed(_text(path, files), path)
    return tuple(str(each.get("name", each.get("label", ""))) for each in listed if isinstance(each, dict))


def extended(path: Path, files: Files, added: Sequence[FirstTarget]) -> str:
    """The text of a targets file with more targets at its end.

    Args:
        path: The file.
        files: Reads files.
        added: The targets; those with an existing name are not added.

    Raises TargetsNotExtendedError if `targets` is not a block list, or if the result would not be the old and the new
    targets.
    """
    text = _text(path, files)
    before = _parsed(text, path)
    names = {each.get("name") for each in before if isinstance(each, dict)}
    missing = [target for target in added if target.name not in names]
    if not missing:
        return text
    value = _list_node(text, path)
    first = value.value[0].start_mark
    head = text[: first.index]
    indent = head[head.rfind("\n") + 1 :].partition("-")[0]
    if value.flow_style or indent.strip():
        raise TargetsNotExtendedError(f"{path}:{value.start_mark.line + 1} is not a list with one target after another")
    # The node of a block list ends where the next token starts, after blank lines and comments that do not belong to
    # it.
    end = len(text[: _last_leaf(value).end_mark.index].rstrip())
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [line for target in missing for line in ("", *target.lines(indent))]
    line_end = text.find("\n", end)
    place = len(text) if line_end < 0 else line_end + 1
    gap = "" if text[:place].endswith("\n") else newline
    result = text[:place] + gap + newline.join(lines[0 if text[:place].strip() else 1 :]) + newline + text[place:]
    if _parsed(result, path)[: len(before)] != before or len(_parsed(result, path)) != len(before) + len(missing):
        raise TargetsNotExtendedError(f"{path} is written in a way to which nothing can be added safely")
    return result


def _text(path: Path, files: Files) -> str:
    try:
        return files.read(path, _LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TargetsNotExtendedError(f"{path} cannot be read: {error}") from error


def _parsed(text: str, path: Path) -> list[Any]:
    try:
        whole = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise TargetsNotExtendedError(f"{path} is not YAML: rubric check {path} shows where") from error
    listed = whole.get("targets") if isinstance(whole, dict) else None
    if not isinstance(listed, list) or not listed:
        raise TargetsNotExtendedError(f"{path} has no list of targets")
    return listed


def _last_leaf(node: yaml.Node) -> yaml.Node:
    while isinstance(node, (yaml.SequenceNode, yaml.MappingNode)) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node


def _list_node(text: str, path: Path) -> yaml.SequenceNode:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    found = next((value for key, value in pairs if key.value == "targets"), None)
    if not isinstance(found, yaml.SequenceNode):
        raise TargetsNotExtendedError(f"{path} has no list of targets")
    return found
