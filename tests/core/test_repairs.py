"""What is said of broken YAML, at which place, and the text after the fix.

`repairs.txt` has `#### what it is about`, the text with the marks of `syntax-error` alone, and for each fix its title and the text that
it makes. `UPDATE=1` writes marks and fixes anew; people read the difference.
"""

import re
from pathlib import Path

import pytest
from harness import UPDATING, after, analysis_of, annotated, marks_of, unmarked

PAGE = Path(__file__).parent / "repairs.txt"
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)
_FIX = re.compile(r"^=> ", re.MULTILINE)
_, *_PARTS = _HEADING.split(PAGE.read_text(encoding="utf-8"))
EXAMPLES = dict(zip(_PARTS[::2], _PARTS[1::2], strict=True))


def outcome(text: str) -> str:
    """The text with its marks, then each fix with what it makes of the text."""
    analysis = analysis_of(text)
    marks = [mark for mark in marks_of(analysis) if mark.code == "syntax-error"]
    fixes = [fix for each in analysis.diagnostics if each.code == "syntax-error" for fix in each.fixes]
    made = [f"=> {fix.title}{', safe' if fix.safe else ''}\n{after(text, fix)}" for fix in fixes]
    return "".join((annotated(text, marks), *made))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_repair_is_told_where_it_is_and_mends_the_text(name: str) -> None:
    body = EXAMPLES[name]
    text, _ = unmarked(_FIX.split(body)[0])
    made = outcome(text)
    if UPDATING:
        whole = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(whole.replace(f"#### {name}\n{body}", f"#### {name}\n{made}"), encoding="utf-8")
        return
    assert made == body


def test_the_page_has_every_kind_of_fix() -> None:
    titles = {line for line in "\n".join(EXAMPLES.values()).splitlines() if line.startswith("=> ")}
    assert len(titles) >= 30
    assert {line.endswith(", safe") for line in titles} == {True, False}
