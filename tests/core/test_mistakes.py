"""Mistakes that people make, each found where it is, once, with words that help and fixes that change what they should.

`#### what it is about`, then the text with its marks. `fixes/` has what each fix makes of the texts
that no page of a rule is about. `UPDATE=1` writes both anew;
people read the difference.
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import chain
from pathlib import Path

import pytest
from harness import UPDATING, analysis_of, annotated, check, fixed, marks_of, unmarked

from rubric_core.text import apply_edits

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


@pytest.mark.parametrize("recorded", sorted((HERE / "fixes").glob("*.txt")), ids=lambda page: page.stem)
def test_what_fixes_make_of_them(recorded: Path) -> None:
    page = HERE / recorded.name
    names = _HEADING.findall(page.read_text("utf-8"))
    made = "\n".join(chain.from_iterable((f"#### {name}", *_fixes(body_of(page, name))) for name in names)) + "\n"
    if UPDATING:
        recorded.write_text(made, encoding="utf-8")
    assert made == recorded.read_text(encoding="utf-8")


def _fixes(body: str) -> Iterator[str]:
    """For each finding in the order of the text its code, and of each of its fixes the title and the lines that it changes."""
    text, _ = unmarked(body)
    for found in sorted(analysis_of(text).diagnostics, key=lambda each: (each.span.start, each.code, each.message)):
        yield f"{found.code}{'' if found.fixes else ': none'}"
        for fix in found.fixes:
            yield f"  {'' if fix.safe else '(by hand) '}{fix.title}"
            after = apply_edits(text, fix.edits)
            changed = list(unified_diff(text.splitlines(), after.splitlines(), n=0, lineterm=""))[2:]
            yield from (f"    {line}".rstrip() for line in changed if not line.startswith("@@"))


def test_there_are_many() -> None:
    found = sum(len(unmarked(body_of(page, name))[1]) for page, name in examples())
    assert found >= 200
