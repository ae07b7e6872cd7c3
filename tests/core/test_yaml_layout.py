"""What libyaml and the engine's parser see differently: tabs that indent nothing, and lines too far left."""

import pytest
from harness import analysis_of, check, fixed

from rubric_core.formatting import format_edits
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import apply_edits

IDLE_TABS = [
    "a: b\n\t\nc: d\n",
    "a:\n  - b\n  \t \n\t\n  - c\n",
    "\t# about a\na: b\n",
    "a:\n  b: c\n    \t# about d\n  d: e\n",
    "a:\n  -\tb\n  -\t{c: d}\n",
    "a: |\n  \tindented by a tab\n  \n  \t# no comment\nb: >\n \tx\n",
    "a:\tb\t# c\n",
    "a: [\n\t\n  b,\t\n  ]\n",
]


@pytest.mark.parametrize("text", IDLE_TABS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_tab_that_does_not_indent_is_no_problem(text, newline):
    assert parse(text.replace("\n", newline)).problems == ()


def test_the_tabs_of_a_text_stay():
    root = parse("a: |\n  \tx\n  \ty\nb: c\n").root
    assert isinstance(root, Mapping)
    value = root.get("a")
    assert isinstance(value, Scalar)
    assert value.text == "\tx\n\ty\n"


@pytest.mark.parametrize("text", ["a:\n\tb: c\n", "-\ta: b\n", "a: |\n\tx\n", "a:\n  b: 1\n\tc: 2\n"])
def test_a_tab_that_indents_is_a_mistake(text):
    assert [p.kind for p in parse(text).problems] == ["syntax"]


def test_a_line_too_far_left():
    marked = """\
tests:
  - id: a
    input: "Where is
    my order?
#   ^^^^^^^^^ error[syntax-error]: this line continues the value above; it needs at least 5 spaces in front
    It is late."
    criteria: Finds it
    assertions: [
      {type: contains, value: x},
    {type: contains, value: y},
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[syntax-error]
    # a comment may stand anywhere
    ]
"""
    analysis = check(marked)
    mended = fixed(analysis.document.text)
    assert mended.count("\n      my order?\n      It is late.") == 1
    assert analysis_of(mended).diagnostics == ()


def test_a_comment_glued_to_a_value():
    check("""\
tests: [{id: a, input: "x", criteria: Does it}]#all
#                                              ^ error[syntax-error]: a comment needs a space in front of its `#`
""")


def test_cases_that_are_not_below_those_above():
    """Read without the cases above, they would be a list like any other; the parser of agentv refuses the file."""
    marked = """\
tests:
  - id: a
    input: Where is it?
    criteria: Finds it

- id: b
^^^^^^^ error[syntax-error]: this line is indented by 0, which matches nothing above it; 2 would
  input: |
    Hello

  criteria: Greets back
name: two
"""
    analysis = check(marked)
    assert format_edits(analysis) == []
    (diagnostic,) = analysis.diagnostics
    text = analysis.document.text
    mended = apply_edits(text, diagnostic.fixes[0].edits)
    assert mended == text.replace("- id: b\n  input", "  - id: b\n    input").replace(
        "\n    Hello\n\n  c", "\n      Hello\n\n    c"
    )
    assert analysis_of(mended).diagnostics == ()
