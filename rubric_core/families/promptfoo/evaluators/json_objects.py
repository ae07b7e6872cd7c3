"""Finds JSON objects within a text as promptfoo does, in time that a hostile text cannot inflate."""

import json
import re
from collections.abc import Iterator
from typing import Any

from rubric_core.syntax.events import build
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping

__all__ = ["objects_in"]

#: How many characters are searched for the end of an object.
_LONGEST = 100_000
#: The maximum number of characters read repeatedly: nested or unclosed braces make the search start again and again.
_MOST_IN_VAIN = 200_000
#: Quotes, and the starts of comments in JavaScript.
_SIGNS, _QUOTES, _LETTER = re.compile(r"['\"]|/{2,}"), ("'", '"'), re.compile("[a-zA-Z]")
#: To take a part of the text costs little, but something: a hundredth of reading it.
_TAKING = 100


def objects_in(text: str) -> Iterator[dict[Any, Any]]:
    """The objects in a text: from a brace to its closing brace, read as YAML flow mappings.

    Raises ValueError for a text with more braces than can be tried.
    """
    ends = _ends(text)
    at, left = 0, _MOST_IN_VAIN
    while (at := text.find("{", at)) >= 0:
        end = min(ends.get(at, len(text)), at + _LONGEST)
        if end == at + 1:  # a brace at the end of the text
            return
        written = text[at:end]
        value, read = _read(written + "}" * max(0, written.count("{") - written.count("}")))
        if value is not None:
            yield value
            at = end
            continue
        at += 1
        left -= read + len(written) // _TAKING
        if left < 0:
            raise ValueError("the text has too many braces to look for objects in it")


def _ends(text: str) -> dict[int, int]:
    """For each closed brace, by its offset: the offset after the brace that closes it."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    for at, sign in enumerate(text):
        if sign == "{":
            opened.append(at)
        elif sign == "}" and opened:
            ends[opened.pop()] = at + 1
    return ends


def _read(text: str) -> tuple[dict[Any, Any] | None, int]:
    """The object that a text holds, if any, and the number of characters read to find out."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        # Not `parse`, which is slow because it repairs text that is not an object to promptfoo either.
        tree, failure = build("\n".join(map(_with_comment, text.split("\n"))) if "//" in text else text)
        if failure is not None:
            return None, failure.offset
        value = None if tree.problems or not isinstance(tree.root, Mapping) else plain(tree.root, tree.anchors)
    return value if isinstance(value, dict) else None, len(text)


def _with_comment(line: str) -> str:
    """A line in which a comment after `//`, outside of quotes and addresses, is one of YAML."""
    quote = ""
    for found in _SIGNS.finditer(line):
        at, sign = found.start(), found.group()
        letters = line[max(0, at - 1) : at], line[at + 1 : at + 2]
        if quote:
            is_escaped = (at - len(line[:at].rstrip("\\"))) % 2 == 1
            if sign == quote and not is_escaped and not (sign == "'" and _LETTER.match(letters[1])):
                quote = ""
        elif sign == '"' or (sign == "'" and not _LETTER.match(letters[0])):
            quote = sign
        elif sign not in _QUOTES and "://" not in line[line.rfind(" ", 0, at) + 1 : at + 2]:
            return f"{line[:at]}{'#' * (len(sign) // 2)}{line[found.end() :]}"
    return line
