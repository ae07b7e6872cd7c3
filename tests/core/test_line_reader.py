"""What is read line by line is what libyaml reads, node by node and span by span; everything else is left to libyaml."""

import random

import pytest
from corpus import needs_corpus, suites

from rubric_core.analysis import Language
from rubric_core.syntax.events import build
from rubric_core.syntax.line_reader import read_lines
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

SUITE = """\
# A comment.
name: returns  # another
description: >-
  What happens
  after thirty days

  and later
tags: [refund, "two words", 'one']
execution: {target: default, threshold: 0.8}
nothing:
tests:
- id: window
  criteria: |
    Names the window: 30 days

      # and what follows
  input:
    - role: user
      content: |-
        Can I return it?

    # a comment between items
    - role: assistant
      content: "It depends: when?"
  assertions:
    - {type: contains, value: thirty days }
    - {type: rubrics, criteria: [{id: tone, outcome: "Stays calm"}, [a, [b , c] ] ], weight: 2} # nested
    - - nested
      - 'twice'
    -   far: in
        0: -1
  url: http://localhost:80/#top
  empty:
"""
SIGNS = [
    *" \n:-#|>'\"[]{},?&*!%@`~abc01.\\/_", "  ", "\n  ", "- ", ": ", ", ", " #", "|\n", ">-\n", "key: ", "\n    ", "\n\n", "- a: b\n",
    "{a: b, c: d}", "[a, b]", "[{a: b}]", "{a: [b, {c: d}]}", "'x'", "é", "…", "\xa0", "\n- ", "...", "---", "\n#x", " # c", "",
]  # fmt: skip


def picture(node: Node | None) -> object:
    """Everything that is known of a node and what is below it."""
    if node is None:
        return None
    known = type(node), node.span, node.whole, node.anchor, node.tag
    if isinstance(node, Scalar):
        return *known, node.text, node.style
    if isinstance(node, Mapping):
        return *known, node.flow, [(picture(e.key), picture(e.value)) for e in node.entries]
    assert isinstance(node, Sequence)
    return *known, node.flow, [picture(item) for item in node.items]


def is_read_alike(text: str) -> bool:
    """Whether a text is read line by line; if so it has to be as libyaml reads it."""
    tree = read_lines(text)
    if tree is None:
        return False
    other, failure = build(text)
    assert failure is None, text
    assert (other.problems, other.anchors, other.aliases) == ((), {}, []), text
    assert picture(tree.root) == picture(other.root), text
    return True


def mutated(text: str, chance: random.Random) -> str:
    """A few lines of a text with a few signs put in, taken away or indented otherwise."""
    lines = text.split("\n")
    first = chance.randrange(len(lines))
    lines = lines[first : first + chance.randrange(1, 9)] if chance.random() < 0.6 else lines
    if chance.random() < 0.3:
        at = chance.randrange(len(lines))
        lines[at] = " " * chance.randrange(8) + lines[at].lstrip(" ")
    text = "\n".join(lines) + "\n"
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(SIGNS) + text[at + chance.choice((0, 0, 1, 2)) :]
    return text


def test_the_suite_is_read_as_libyaml_reads_it():
    assert is_read_alike(SUITE)


def test_each_of_its_beginnings_too():
    lines = SUITE.splitlines(keepends=True)
    assert sum(is_read_alike("".join(lines[:n])) for n in range(1, len(lines) + 1)) > len(lines) // 2


@pytest.mark.parametrize("seed", range(4))
def test_random_texts_are_read_alike_or_not_at_all(seed):
    chance = random.Random(seed)
    read = sum(is_read_alike(mutated(SUITE, chance)) for _ in range(1_500))
    assert 200 < read < 1_400


@needs_corpus
def test_most_cases_of_real_suites_are_read_alike():
    language = Language()
    blocks = {block.text for suite in suites() for block in language.document(suite.text).blocks}
    simple = [block for block in blocks if block and "\t" not in block and "\r" not in block]
    assert sum(map(is_read_alike, simple)) > 0.8 * len(simple)
    chance = random.Random(7)
    assert sum(is_read_alike(mutated(chance.choice(simple), chance)) for _ in range(1_500)) > 200


@pytest.mark.parametrize(
    "text",
    [
        "a: b", "a: &x b\n", "a: *x\n", "a: !t b\n", "a: b\n  c\n", 'a: "b\\n"\n', 'a: "b\n  c"\n', "? a\n", "a: b: c\n", "a: 'it''s'\n",
        "a: [b, [c: d]]\n", "a: [b,\n c]\n", "a: [[[[[[[[[[b]]]]]]]]]]\n", "a: |2\n  b\n", "a: >\n  b\n   c\n", "- a\nb: c\n", "a: 1\n- b\n", "  a: 1\nb: 2\n", "a:\n  b\n",
        "--- \na: b\n", "<<: b\n", "a: @b\n", "a: - b\n", "text\n", "# nothing\n", "\n", "", "- \n  a: b\n", "'a': b\n", "a: {b: c}}\n",
        "a: b:\n", "a: |\nb: c\n", f"{'- ' * 100}a\n",
    ],
)  # fmt: skip
def test_what_is_not_simple_is_left_to_libyaml(text):
    assert read_lines(text) is None


def test_long_rows_of_blanks_and_signs_take_no_longer_than_their_length():
    for text in ("a: [b" + " " * 200_000 + "?]\n", " " * 200_000, "a: 'b'" + " " * 200_000 + "c\n", "- " * 100_000):
        assert read_lines(text) is None
