"""Mistakes that people make, each found where it is, once, with words that help.

`#### what it is about`, then the text with its marks. `UPDATE=1` writes the marks anew; people read the difference.
"""

import re
from pathlib import Path

import pytest
from harness import UPDATING, analysis_of, annotated, check, fixed, marks_of, unmarked

HERE = Path(__file__).parent / "mistakes"
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)


def examples() -> list[tuple[Path, str]]:
    return [(page, name) for page in sorted(HERE.glob("*.txt")) for name in _HEADING.findall(page.read_text("utf-8"))]


def body_of(page: Path, name: str) -> str:
    _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))[name]


@pytest.mark.parametrize(("page", "name"), examples(), ids=[f"{p.stem}: {n}" for p, n in examples()])
def test_it_is_found_and_nothing_else(page: Path, name: str) -> None:
    body = body_of(page, name)
    text, _ = unmarked(body)
    if UPDATING:
        new = annotated(text, marks_of(analysis_of(text)))
        whole = page.read_text(encoding="utf-8")
        page.write_text(whole.replace(f"#### {name}\n{body}", f"#### {name}\n{new}"), encoding="utf-8")
        return
    check(body)


@pytest.mark.parametrize(("page", "name"), examples(), ids=[f"{p.stem}: {n}" for p, n in examples()])
def test_fixes_come_to_an_end(page: Path, name: str) -> None:
    text, marks = unmarked(body_of(page, name))
    if not text.startswith("--- "):
        after = [m.code for m in marks_of(analysis_of(fixed(text)))]
        assert after.count("syntax-error") <= sum(m.code == "syntax-error" for m in marks)


def test_there_are_many() -> None:
    found = sum(len(unmarked(body_of(page, name))[1]) for page, name in examples())
    assert found >= 200
