"""What each step makes of a text, as it stands in `fixtures`: before, after, and the notes with their lines.

`UPDATE=1 pytest tests/migration` writes what comes out anew; people read the difference.
"""

import re
from pathlib import Path

import pytest
from harness import UPDATING, files
from properties import check_all, noted

from rubric_core.language.file_kinds import kind_named
from rubric_core.migration import migrate

FIXTURES = sorted(Path(__file__).with_name("fixtures").glob("*.txt"))
_HEAD = re.compile(r"(?P<source>\S+) → (?P<target>\S+)(?: \((?P<kind>\w+)\))?\n")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_fixture(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head = _HEAD.match(text)
    assert head is not None, "the first line says `source → target`"
    parts = files(text[head.end() :])
    source, target = head["source"], head["target"]
    kind = kind_named((head["kind"] or "suite").upper())
    referred = {name: content for name, content in parts.items() if name not in ("before", "after", "notes")}
    made = migrate(parts["before"], source, target, kind=kind, read=referred.get)
    check_all(parts["before"], made, source, target, kind)
    found = {"after": made.text, "notes": noted(made)}
    if UPDATING:
        others = "".join(f"--- {name}\n{content}" for name, content in referred.items())
        written = "".join(f"--- {name}\n{content}" for name, content in found.items() if content)
        path.write_text(f"{head[0]}--- before\n{parts['before']}{others}{written}", encoding="utf-8")
        return
    assert made.text == parts.get("after")
    assert noted(made) == parts.get("notes", "")


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_line_breaks_and_byte_order_marks_stay(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head = _HEAD.match(text)
    assert head is not None
    parts = files(text[head.end() :])
    kind = kind_named((head["kind"] or "suite").upper())

    def crossed(text: str) -> str:
        return "\ufeff" + text.replace("\n", "\r\n").removesuffix("\r\n")

    made = migrate(crossed(parts["before"]), head["source"], head["target"], kind=kind, read=parts.get)
    assert made.text == crossed(parts["after"])
