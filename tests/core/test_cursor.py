"""Where a cursor is in a text that may be no YAML yet, as `cursors.txt` says it: the text with `<|>`, then what is read from it.

`UPDATE=1 pytest tests/core/test_cursor.py` writes what comes out anew; people read the difference.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import UPDATING, cursor

from rubric_core.syntax.cursor import ITEM, Cursor, cursor_at

PAGE = Path(__file__).with_name("cursors.txt")
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)
_READ = "→ "


def examples() -> list[tuple[str, str]]:
    _, *parts = _HEADING.split(PAGE.read_text(encoding="utf-8"))
    return list(zip(parts[::2], parts[1::2], strict=True))


def described(text: str, found: Cursor) -> Iterator[str]:
    """Everything that is read, one thing a line; what is not there is left out."""
    path = " / ".join("item" if step is ITEM else str(step) for step in found.path)
    yield f"{found.role} in {path or 'the root'}, column {found.column}, margin {found.margin}"
    yield f"typed {found.typed!r} of {text[slice(*found.span)]!r}" + (f" in {found.quote}" if found.quote else "")
    if found.siblings:
        yield "beside " + ", ".join(f"{name}: {value}" for name, value in found.siblings.items())
    if found.before:
        yield f"after {found.before}"
    flags = {"in brackets": found.flow, "at the end of the line": found.ends_line, "with a colon": found.has_colon}
    yield from (words for words, holds in flags.items() if holds)


@pytest.mark.parametrize(("name", "body"), examples(), ids=[name for name, _ in examples()])
def test_a_cursor(name: str, body: str) -> None:
    marked = "".join(line for line in body.splitlines(keepends=True) if not line.startswith(_READ))
    text, offset = cursor(marked.removesuffix("\n"))
    new = marked + "".join(f"{_READ}{line}\n" for line in described(text, cursor_at(text, offset)))
    if UPDATING:
        whole = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(whole.replace(f"#### {name}\n{body}", f"#### {name}\n{new}"), encoding="utf-8")
        return
    assert new == body


@pytest.mark.parametrize(("name", "body"), examples(), ids=[name for name, _ in examples()])
def test_line_breaks_of_windows_change_nothing(name: str, body: str) -> None:
    lines = [line for line in body.splitlines() if not line.startswith(_READ)]
    text, offset = cursor("\r\n".join(lines))
    assert [_READ + line for line in described(text, cursor_at(text, offset))] == body.splitlines()[len(lines) :], name
