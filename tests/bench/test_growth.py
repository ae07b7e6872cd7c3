"""Work grows with a text, and not faster: the calls that a check makes of a structured text, and of one twice as long.

No clock is read. What grows inside of one call, as a search through a list does, only `bench_growth.py` tells.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from grown import GROWN
from thorough import only_thorough, sample

from rubric_core.analysis import Language, analyze
from rubric_core.fixing import Gate, apply_safe_fixes
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Edit, Span

LANGUAGE = Language()
SIZE, MOST = 120, 2.4
EVERY = sample(list(GROWN), 3)
#: So many calls go up and down with what is remembered from text to text.
NOISE = 4_000


def calls(do: Callable[[], object]) -> int:
    """How many functions are called, those of C among them."""
    count = 0

    def profile(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        do()
    finally:
        sys.setprofile(None)
    return count


def check(text: str, path: str) -> int:
    """How many calls a check of a text takes."""
    return calls(lambda: analyze(text, LANGUAGE, path=Path("/x") / path))


@pytest.mark.parametrize(("name", "path"), EVERY, ids=[name for name, _ in EVERY])
def test_twice_as_much_takes_twice_as_long(name: str, path: str) -> None:
    make = GROWN[name, path]
    check(make(8), path)  # what is worked out once for all texts
    small, large = check(make(SIZE), path), check(make(2 * SIZE), path)
    assert large - MOST * small <= NOISE, f"{small:,} calls, then {large:,}"


def parsed(name: str, operation: str, size: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many characters are parsed to do something with a text, and how many it has."""
    make, path = next((GROWN[key], key[1]) for key in GROWN if key[0] == name)
    known = analyze(make(size), LANGUAGE, path=Path("/x") / path)
    count = 0

    def counted(text: str) -> SyntaxTree:
        nonlocal count
        count += len(text)
        return parse(text)

    monkeypatch.setattr("rubric_core.syntax.blocks.parse", counted)
    if operation == "fixes":
        Gate(known).passed(known.diagnostics)
    else:
        apply_safe_fixes(known)
    return count, len(known.document)


@only_thorough
@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("bands, reversed", 12),
        ("bracket that does not close, many lines", 12),
        ("cases without an id", 4),
        ("criteria with one id", 12),
        ("criteria without a text", 12),
        ("criteria without weight", 12),
        ("dependencies on misspelt ids", 4),
        ("keys behind tabs", 12),
        ("rubrics, agentv-1", 12),
        ("targets without a key", 12),
    ],
)
def test_fixes_are_tried_together(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """To try the fixes of a long text, be there a thousand, it is read a few times, and not once for each."""
    read, length = parsed(name, "fixes", 1_000, monkeypatch)
    assert read <= most * length


@pytest.mark.parametrize(
    ("name", "most"),
    [("bands, reversed", 12), ("dependencies on misspelt ids", 6), ("targets without a key", 4)],
)
def test_every_safe_fix_is_made_in_a_few_readings(name: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    read, length = parsed(name, "fix all", 300, monkeypatch)
    assert read <= most * length


def test_a_chain_of_merged_cases_is_read_link_by_link() -> None:
    """Each case takes what the one above it has, which was put together there."""
    make = GROWN["merge chain over cases", "a.eval.yaml"]
    check(make(8), "a.eval.yaml")
    small, large = check(make(40), "a.eval.yaml"), check(make(80), "a.eval.yaml")
    assert large <= 2.1 * small + NOISE


PROMPTFOO = """\
prompts: ["Say {{word}} and {{question}}"]
providers: [echo]
derivedMetrics: [{name: d, value: 2 * tone}]
tests:
"""
TESTED = """\
  - vars: {word: w%s, question: What is it?}
    assert:
      - {type: contains, value: "{{word}}"}
      - {type: javascript, value: output.length > 3 && output.includes(context.vars.word)}
      - {type: llm-rubric, value: Says it politely, metric: tone}
"""


def typed(where: str, size: int) -> int:
    """How many calls a letter takes in a configuration of promptfoo with so many cases."""
    path, text = Path("/x/promptfooconfig.yaml"), PROMPTFOO + "".join(TESTED % i for i in range(size))
    known = analyze(LANGUAGE.document(text, path), LANGUAGE, path=path)
    at = Span(text.index(where), text.index(where) + 1)
    taken = 0
    for letter in "STS":  # the first one finds nothing remembered
        again = partial(analyze, known.document.edited(Edit(at, letter)), LANGUAGE, path=path, previous=known)
        taken, known = calls(again), again()
    return taken


@pytest.mark.parametrize(
    ("where", "most"),
    [("w7, q", 0), ("tone}\n  - vars: {word: w8,", 14), ("word: w7", 30), ("Say {{", 36), ("tone", 36)],
    ids=["a value", "a metric", "the name of a variable", "a prompt", "a formula"],
)
def test_a_letter_asks_little_of_each_case(where: str, most: int) -> None:
    """What only one case reads is looked at there; else each case is asked for what it remembers."""
    assert typed(where, 200) - typed(where, 100) <= 100 * most


def test_what_grows_faster_is_seen() -> None:
    def quadratic(size: int) -> int:
        return calls(lambda: [[abs(1) for _ in range(size)] for _ in range(size)])

    assert quadratic(2 * SIZE) - MOST * quadratic(SIZE) > NOISE
