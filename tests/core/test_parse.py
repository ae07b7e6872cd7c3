"""Parsing never fails: half-typed and broken text keeps everything that can be understood."""

import itertools
import random
import re
from collections import Counter

import pytest
import yaml
from edit_scripts import random_edit
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import tree_picture
from ruamel.yaml import YAML

from rubric_core.syntax.events import Failure
from rubric_core.syntax.line_repairs import indented, nudged
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping, Scalar, Sequence, walk
from rubric_core.text import apply_edits

#: Sixteen keys, every kind of value.
SUITE = """\
name: support-bot
execution: {target: bot, threshold: 0.75}
tests:
  - id: refund
    input: "Can I return this coat?"
    assertions:
      - Names the 30 day window
      - type: rubrics
        name: quality
        criteria:
          - id: tone
            outcome: Stays friendly
            weight: 2.0
            required: true
    expected_output: Within 30 days.
"""


def keys(text: str) -> list[str]:
    """Every key that the tree has, without the values."""
    return [e.name for n in walk(parse(text).root) if isinstance(n, Mapping) for e in n.entries if e.name]


def messages(text: str) -> list[str]:
    return [p.message for p in parse(text).problems]


def test_the_suite_itself_is_fine():
    assert len(keys(SUITE)) == 16
    assert not messages(SUITE)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_prefix_has_a_tree_with_the_keys_so_far(newline):
    text = SUITE.replace("\n", newline)
    for end in range(1, len(text) + 1):
        prefix = text[:end]
        tree = parse(prefix)
        assert tree.root is not None, prefix
        complete = prefix[: max(prefix.rfind("\n"), prefix.rfind("\r")) + 1]
        assert not Counter(keys(complete)) - Counter(keys(prefix)), prefix


#: What people type in the middle of a file, and libyaml refuses. `weight: 2.0` is replaced.
BROKEN = [
    "wei", "weight", "weight 2.0", "weight:2.0", "weight: [2.0", "weight: {a: 1", 'weight: "2.0', "weight: '2.0", "weight: a: b", "weight: @2",
    "weight: *", "weight: 'it's'", 'weight: "a "b" c"', 'weight: "\\d"', "weight: %", "weight: `x`", "weight: - 1", "weight: >2.0", "weight: ]",
    "\tweight: 2.0", "   weight: 2.0", "-weight: 2.0", "? weight", "weight: |x", "}", "[", "weight: 2.0 # ok: yes\n            more",
]  # fmt: skip


@pytest.mark.parametrize("line", BROKEN)
def test_a_broken_line_keeps_the_other_keys(line):
    text = SUITE.replace("weight: 2.0", line)
    found = keys(text)
    left = [k for k in keys(SUITE) if k != "weight"]
    assert len([k for k in left if k in found]) >= len(left) - 1, found
    assert len(messages(text)) <= 2, messages(text)
    assert messages(text) or line in ("-weight: 2.0", "? weight")  # keys that nobody means, and still YAML


@pytest.mark.parametrize("line", ["wei", "weight", "weight 2.0", "weight:2.0"])
def test_a_half_typed_key_is_a_key(line):
    assert re.match(r"\w+", line)[0] in keys(SUITE.replace("weight: 2.0", line))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: What: now?", "What: now?"),
        ("a: 'it's'", "it's"),
        ('a: "say "hi""', 'say "hi"'),
        ("a: @me", "@me"),
        ("a: *bold* text", "*bold* text"),
        ('a: "x" y', '"x" y'),
        ('a: "\\d+"', "\\d+"),
        ("a: - x", "- x"),
        ("a:x\nb: 1", "x"),
        ("a: 50% `of` @all: yes", "50% `of` @all: yes"),
        ("a: what\u2028now\x0c", "what\u2028now\x0c"),
        ("a: \ue0fe and \ue0ff", "\ue0fe and \ue0ff"),
        ("a: \ue0fa", "\ue0fa"),
        ("a: x: \ue0fe", "x: \ue0fe"),
    ],
)
def test_what_was_meant_is_read(text, value):
    node = parse(text).root.get("a")
    assert isinstance(node, Scalar)
    assert node.text == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'a: "\ud83d\ude00 \u00e9"', "\U0001f600 \u00e9"),
        (r'a: "\\ud83d \uD83D\uDE00"', "\\ud83d \U0001f600"),
        ('a: "\\ud83d\\ude00 \x01 \ue0ff"', "\U0001f600 \x01 \ue0ff"),
        (r'a: "one \uD800 alone"', "one \ufffd alone"),
        (r"a: \ud83d\ude00", r"\ud83d\ude00"),
        (r"a: '\ud83d'", r"\ud83d"),
    ],
)
def test_halves_of_pairs_of_surrogates_are_read_as_the_engine_reads_them(text, value):
    """The second entry makes libyaml stumble whatever the first is."""
    tree = parse(f'{text}\nb: {{c: "\\ud83d\\ude00"}}\n')
    assert [p for p in tree.problems if p.kind != "character"] == []
    assert [n.text for n in walk(tree.root) if isinstance(n, Scalar)] == ["a", value, "b", "c", "\U0001f600"]


@pytest.mark.parametrize("escape", [r"\U00110000", r"\uD8 0", r"\x1"])
@pytest.mark.parametrize("around", ['"{}"', '["{}", b]', '{{c: "{}"}}'])
def test_an_escape_of_no_character_is_said_to_be_one(escape, around):
    text = f"a: {around.format(f'x {escape} y')}\nb: 1\n"
    (problem,) = parse(text).problems
    assert problem.message == "this escape is not valid in double quotes; double the backslash, or use single quotes"
    assert text[problem.span.start : problem.span.end] == escape[:2]
    assert parse(apply_edits(text, problem.mend.edits)).problems == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a:\n\t- b", "a tab cannot indent YAML; use spaces"),
        ("a: b: c", "this value holds a second `: `, so YAML reads it as a key; put the value in quotes"),
        ("a: 1\nb\nc: 2", "this key has no colon"),
        ('a: "b\nc: 1', "this quote is never closed"),
        ("a: [b\nc: 1", "this bracket is never closed"),
        ("a: b]]\nc: [d]]", "this bracket closes nothing"),
        ("a: %b", "a plain value cannot start with `%`; put it in quotes"),
        ("a: `b`", "a plain value cannot start with a backquote; put it in quotes"),
        ("a: 1\n  b: 2\nc: 3", "this line is indented by 2, which matches nothing above it; 0 would"),
        ("a: >b\n  c", "a block text starts on the line below its `|` or `>`"),
        ("a: 1\nb: 2\n    - c: 3\n", "this list belongs to no key; the line above has a value already"),
        ("a:\n  \x01", "the character U+0001 is not allowed in YAML; write it as an escape in double quotes"),
        ("a: 1\n---\nb: 2", "a second document starts here"),
    ],
)
def test_problems_are_said_in_words(text, message):
    assert messages(text) == [message]


LONG = "".join(f"    note{n}: x\n" for n in range(60))

#: One slip of the hand each, in a list of cases.
SLIPS = {
    "a quote left open above other quotes": (
        'a: "open\nb: "fine"\nc: it\'s\nd: "x"\n',
        "this quote is never closed",
    ),
    "an item far below its siblings": (
        f"tests:\n  - id: a\n{LONG}   - id: b\n    c: 1\n",
        "this line is indented by 3, which matches nothing above it; 2 would",
    ),
    "the dash of the first message": (
        "input:\n    role: a\n    content: b\n  - role: c\n    content: d\n",
        "an item of a list starts here; it needs a dash",
    ),
    "the first item a step too deep": (
        "a:\n   - x: 1\n    y: 2\n  - x: 3\n",
        "this line is indented by 3, which matches nothing above it; 2 would",
    ),
    "a key of the item a step too deep": (
        "- a: 1\n   b: 2\n  c: 3\n",
        "this line is indented by 3, which matches nothing above it; 2 would",
    ),
    "an item a step too shallow": (
        "a:\n  - x: 1\n - x: 2\n   y: 3\nb: 1\n",
        "this line is indented by 1, which matches nothing above it; 2 would",
    ),
    "a second item without its dash": (
        'a:\n  - "x"\n    "y"\n  - "z"\n',
        "an item of a list starts here; it needs a dash",
    ),
    "a colon left out": ("- role user\n  content: x\n", "this key has no colon"),
    "a block that starts on its line": (
        "a: |text\n  more\nb: 1\n",
        "a block text starts on the line below its `|` or `>`",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_one_mistake_is_one_problem(slip):
    text, message = SLIPS[slip]
    assert messages(text) == [message]
    [problem] = parse(text).problems
    if problem.mend is not None:
        assert messages(apply_edits(text, problem.mend.edits)) == []


def test_every_problem_has_its_place():
    text = SUITE.replace("weight: 2.0", "weight: @2").replace("name: quality", "name: 'it's'")
    assert [text[p.span.start : p.span.end] for p in parse(text).problems] == ["'", "@"]


def test_mending_what_can_be_mended_leaves_no_problem():
    for line in BROKEN:
        text = SUITE.replace("weight: 2.0", line)
        for _ in range(3):
            mends = [p.mend for p in parse(text).problems if p.mend is not None]
            text = apply_edits(text, [e for m in mends[:1] for e in m.edits])
        assert not any(p.mend for p in parse(text).problems), line


def test_a_value_that_is_given_up_is_a_hole():
    root = parse("a: ? x :\n  ]\nb: 1").root
    assert isinstance(root, Mapping)
    assert root.get("b").text == "1"


def test_duplicates_and_odd_keys_are_kept():
    root = parse("a: 1\na: 2\n? [x]\n: 3\n4: 5\n").root
    assert [e.name for e in root.entries] == ["a", "a", None, "4"]


def test_spans_leave_out_anchor_and_tag():
    text = "a: &x !!str 'b'"
    node = parse(text).root.get("a")
    assert text[slice(*node.span)] == "'b'"
    assert text[slice(*node.whole)] == "&x !!str 'b'"
    assert (node.anchor, node.tag) == ("x", "tag:yaml.org,2002:str")


def test_spans_of_collections_end_with_their_last_child():
    text = "a:\n  - b: 1\n    c: 2  # note\n\n# end\nd: 3\n"
    root = parse(text).root
    assert text[slice(*root.get("a").span)] == "- b: 1\n    c: 2"
    assert text[slice(*root.get("a").items[0].span)] == "b: 1\n    c: 2"


def test_a_byte_order_mark_is_no_content():
    tree = parse("\ufeffa: 1\nb: @x")
    assert tree.root.get("a").span == (4, 5)
    assert tree.problems[0].span == (9, 10)
    assert tree.problems[0].mend.edits[0].span == (9, 11)


def test_nesting_is_cut_off_not_followed():
    tree = parse("[" * 10_000)
    assert any(p.kind == "nesting" for p in tree.problems)
    assert sum(1 for _ in walk(tree.root)) < 1_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "#",
        "---",
        "...",
        "\ufeff",
        "\x00",
        "%YAML 1.2\n---\n",
        "&",
        "*",
        "!",
        "- ",
        ":",
        "? ",
        "{",
        "}",
        "\ud800",
        "a: \udfff",
    ],
)
def test_nothing_at_all_is_no_crash(text):
    parse(text)


@settings(max_examples=300)
@given(st.text(st.sampled_from("ab:- \n\t#'\"[]{}&*!|>%@`,?\\\r\u2028\x00é😀0."), max_size=40))
def test_any_text_has_spans_inside_it(text):
    tree = parse(text)
    for node in walk(tree.root):
        assert 0 <= node.whole.start <= node.span.start <= node.span.end <= len(text)
        assert node.span.end <= node.whole.end <= len(text)
    for problem in tree.problems:
        assert 0 <= problem.span.start <= problem.span.end <= len(text)
        if problem.mend is not None:
            apply_edits(text, problem.mend.edits)


def test_parsing_twice_gives_the_same():
    rng = random.Random(7)
    text = SUITE
    for _ in range(60):
        text = apply_edits(text, [random_edit(text, rng)])[:3_000]
        first, second = parse(text), parse(text)
        assert tree_picture(first.root) == tree_picture(second.root)
        assert first.problems == second.problems


#: Well-formed YAML: what both parsers read has the same meaning.
SCALAR_TEXTS = st.sampled_from(
    ["x", "1", "true", "''", '"a b"', "null", "1.5", "yes", "a b", "é", "'😀'", "- not a list'"[:1] + "x"]
)
NODES = st.recursive(
    SCALAR_TEXTS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda xs: f"[{', '.join(xs)}]"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda xs: "{" + ", ".join(f"k{i}: {x}" for i, x in enumerate(xs)) + "}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.lists(NODES, min_size=1, max_size=4))
def test_like_the_oracle(values):
    text = "".join(f"key{i}:\n  - {v}\n  - inner: {v} # note\n" for i, v in enumerate(values))
    tree = parse(text)
    assert not tree.problems
    loader = YAML(typ="safe", pure=True)
    loader.version = (1, 2)
    assert plain(tree.root, tree.anchors) == loader.load(text)


def test_items_and_entries_are_in_the_order_of_the_text():
    starts = [n.span.start for n in walk(parse(SUITE).root) if isinstance(n, Scalar)]
    assert starts == sorted(starts)
    assert all(a < b for a, b in itertools.pairwise(starts))
    assert any(isinstance(n, Sequence) for n in walk(parse(SUITE).root))


def test_a_line_below_a_thousand_levels_is_moved_to_few_places() -> None:
    """Each place is a copy of all that stands deeper: a thousand of a thousand lines keep a server busy for minutes."""
    lines = [" " * level + "a:" for level in range(1_000)]
    lines.insert(900, " " * 350 + "b:")
    failure = Failure(yaml.MarkedYAMLError(problem="p"), 0)
    assert 0 < len([*nudged(lines, 900, failure), *indented(lines, 900, failure)]) <= 100
