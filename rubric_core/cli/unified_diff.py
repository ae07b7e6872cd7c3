"""The changes of fixes as a unified diff for `patch -p0`."""

import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff

from rubric_core.cli.check_result import CheckedFile
from rubric_core.cli.terminal_style import TerminalStyle

__all__ = ["difference", "differences"]

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_ROLES = {"+": "good", "-": "bad", "@": "code"}


def differences(files: Iterable[CheckedFile], style: TerminalStyle) -> Iterator[str]:
    """The diff, line by line."""
    for each in files:
        if each.changed and each.before is not None:
            yield from difference(each.path, each.before, each.document.text, style)


def difference(path: str, before: str, after: str, style: TerminalStyle) -> Iterator[str]:
    """The diff of one file, line by line."""
    for line in unified_diff(_LINE.findall(before), _LINE.findall(after), path, path):
        yield from _painted(line, style)


def _painted(line: str, style: TerminalStyle) -> Iterator[str]:
    body, end = (line[:-1], "\n") if line.endswith("\n") else (line, "\n\\ No newline at end of file\n")
    role = "bold" if line.startswith(("+++ ", "--- ")) else _ROLES.get(line[:1], "")
    yield style.paint(body, role) + end
