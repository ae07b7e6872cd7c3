"""`rubric explain`."""

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from command import Run

from rubric_core.cli.terminal_markdown import render_markdown
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.family import FAMILIES
from rubric_core.language.dialect_reference import dialect_reference
from rubric_core.language.dialects import dialect_named
from rubric_core.validation.codes import family_codes
from rubric_core.validation.rules import all_rules


def test_without_a_code_every_code_is_listed(rubric: Run) -> None:
    ran = rubric("explain")
    assert ran.code == 0
    own = (each.code for family in FAMILIES for each in family_codes(family.name))
    assert [line.split()[0] for line in ran.out.splitlines()] == [*sorted(r.code for r in all_rules()), *own]
    assert any(line.split(maxsplit=2)[1:] == ["error", "A score that two bands cover"] for line in ran.out.splitlines())


def test_a_page_that_is_piped_stays_markdown(rubric: Run) -> None:
    ran = rubric("explain", "unused-ignore")
    assert (
        ran.out
        == next(r for r in all_rules() if r.code == "unused-ignore").page.read_text(encoding="utf-8").rstrip() + "\n"
    )


def test_a_page_names_the_codes_of_its_group_and_the_group_of_its_code(rubric: Run) -> None:
    assert "- `promptfoo/weight`: " in rubric("explain", "bad-weight").out
    own = rubric("explain", "promptfoo/weight").out
    assert own.startswith("# promptfoo/weight\n")
    assert "`bad-weight` selects and ignores it together with the others of its group." in own


def test_an_unknown_code_is_wrong_use(rubric: Run) -> None:
    ran = rubric("explain", "overlaping-bands")
    assert (ran.code, ran.out, ran.err) == (
        2,
        "",
        "rubric: there is no code overlaping-bands; did you mean overlapping-bands?\n",
    )
    assert rubric("explain", "xyz").err == "rubric: there is no code xyz; `rubric explain` lists them all\n"


def test_on_a_terminal_the_page_is_drawn() -> None:
    out = _on_terminal("explain", "unused-ignore")
    assert out.startswith("\x1b[1munused-ignore\x1b[0m\r\n")
    assert "```" not in out
    assert "codes · rubric explain CODE" in _on_terminal("explain")


def _on_terminal(*arguments: str) -> str:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rubric_core.cli", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs):
        os.close(theirs)
        parts = []
        # The end of a terminal is an error on Linux.
        with suppress(OSError):
            while part := os.read(ours, 4096):
                parts.append(part)
    os.close(ours)
    return b"".join(parts).decode()


PAGE = """\
# a-code

A value of `some kind of
thing` is **not** like the other one at all.

- one
- two goes on
  here

| Key | Means |
|---|---|
| `a` | b |

```yaml
a: 1
#  ^ error[a-code]: no
^ note: there
```
"""


def test_pages_in_plain() -> None:
    assert render_markdown(PAGE, TerminalStyle(colour=False), 34).splitlines() == [
        "a-code",
        "",
        "A value of `some kind of thing` is",
        "**not** like the other one at all.",
        "",
        "- one",
        "- two goes on here",
        "",
        "Key  Means",
        "`a`  b",
        "",
        "│ a: 1",
        "│    ^ error[a-code]: no",
        "│ ^ note: there",
    ]


def test_pages_in_colour() -> None:
    drawn = render_markdown(PAGE, TerminalStyle(colour=True), 80)
    assert "\x1b[36msome kind of thing\x1b[0m is \x1b[1mnot\x1b[0m like" in drawn
    assert "\x1b[36ma\x1b[0m    b" in drawn
    assert "\x1b[1;31m   ^ error[a-code]: no\x1b[0m" in drawn


@pytest.mark.parametrize("rule", all_rules(), ids=lambda r: r.code)
def test_every_page_can_be_drawn(rule) -> None:
    text = Path(rule.page).read_text(encoding="utf-8")
    for columns in (30, 80, 200):
        assert render_markdown(text, TerminalStyle(colour=False), columns).startswith(rule.code)


def test_a_dialect_is_one_page_of_markdown(rubric: Run) -> None:
    ran = rubric("explain", "--language", "agentv-3")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == dialect_reference(dialect_named("agentv-3"))


def test_a_dialect_is_explained_alone(rubric: Run) -> None:
    ran = rubric("explain", "--language", "agentv-3", "unused-ignore")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "rubric: --language explains a whole dialect; leave out the code\n"
