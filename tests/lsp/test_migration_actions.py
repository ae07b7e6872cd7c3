"""Steps of migrations as code actions: a part of a file only where what is left stays a valid file of one dialect."""

import pytest
from harness import analysis_of, cursor

from rubric_core.text import Span, apply_edits
from rubric_lsp.features.code_actions import actions

OLD = """\
# rubric: dialect=agentv-2.7
tests:
  - id: a
    criteria: Greets
    input: Hello
    assert:
      - {name: json, type: is_j<|>son}
      - {name: bye, type: contains, value: Bye}
"""
SUITE = """\
evalcases:
  - id: a
    expected_<|>outcome: Greets
    input_messages:
      - {role: user, content: Hello}
"""


def offered(marked: str, dialect: str | None = None) -> tuple[str, list[str], list[str]]:
    """A text, the titles of what is offered for parts of it, and what each would make of it."""
    text, offset = cursor(marked)
    found = actions(analysis_of(text, dialect), Span(offset, offset))
    parts = [a for a in found if a.kind == "refactor.rewrite.migrate" and a.later is None]
    return text, [a.title for a in parts], [apply_edits(text, a.edits) for a in parts]


@pytest.mark.parametrize("dialect", [None, "agentv-1"])
def test_no_part_of_a_clean_file_that_would_be_left_between_two_dialects(dialect):
    text, titles, _ = offered(SUITE, dialect)
    assert not analysis_of(text, dialect).diagnostics
    assert titles == []


def test_a_part_that_both_dialects_read():
    text, titles, made = offered(OLD)
    assert titles == ["Write `is_json` as `is-json` (agentv-3)"]
    assert made == [text.replace("is_json", "is-json")]
    assert not analysis_of(made[0]).diagnostics


def test_the_whole_file_is_always_offered():
    text, offset = cursor(SUITE)
    found = [a for a in actions(analysis_of(text), Span(offset, offset)) if a.later is not None]
    (whole,) = [a for a in found if a.kind == "refactor.rewrite.migrate"]
    assert whole.title == "Migrate this file to agentv-2.7"
    assert not analysis_of(apply_edits(text, whole.later())).diagnostics
