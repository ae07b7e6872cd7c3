"""Other ways to write the same: exact texts, and over the corpus that nothing but the writing changes."""

import random
from typing import Any

import pytest
from corpus import suites
from harness import LANGUAGE, cursor

from rubric_core.analysis import Analysis, analyze
from rubric_core.language.evaluators import Criterion, Evaluator, ScoreRanges
from rubric_core.language.model import Suite
from rubric_core.loading.grading import default_name, evaluators_of, required
from rubric_core.refactoring import Refactoring, refactorings
from rubric_core.refactoring.bands import even_bounds
from rubric_core.refactoring.weights import shares
from rubric_core.text import Span, apply_edits

HEAD = "tests:\n  - id: a\n    criteria: x\n    input: hi\n    assertions:\n"
RUBRIC = HEAD + "      - type: rubrics\n        criteria:\n"
BANDS = RUBRIC + "          - id: q\n            outcome: y\n            score_ranges:"


def read(text: str, dialect: str = "agentv-3") -> Analysis:
    return analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect)


def offered(marked: str, dialect: str = "agentv-3") -> tuple[str, dict[str, Refactoring]]:
    text, offset = cursor(marked)
    return text, {r.title: r for r in refactorings(read(text, dialect), offset)}


def after(marked: str, title: str, dialect: str = "agentv-3") -> str:
    text, found = offered(marked, dialect)
    assert title in found, list(found)
    return apply_edits(text, found[title].edits)


def meaning(analysis: Analysis) -> list[Any]:
    """Everything by which cases are graded."""
    suite = analysis.suite or Suite(Span(0, 0))
    return [
        (e.case.id, [_evaluator(analysis, x) for x in evaluators_of(suite, e.case, analysis.dialect)])
        for e in analysis.cases
    ]


def _evaluator(analysis: Analysis, each: Evaluator) -> Any:
    criteria = vars(each).get("criteria")
    listed = criteria if isinstance(criteria, list) else [criteria]
    inner = [c for c in listed if isinstance(c, Criterion)]
    settings = {k: v for k, v in vars(each).items() if k in type(each).keys and isinstance(v, str | int | float | bool)}
    settings |= {"name": default_name(each), "weight": each.weight}
    # Made of strings or written out, it is the same rubric.
    settings.pop("type", None)
    return (type(each).__name__, sorted(settings.items(), key=str), [_criterion(analysis, c) for c in inner])


def _criterion(analysis: Analysis, each: Criterion) -> Any:
    ranges = each.score_ranges
    bands = [(b.low, b.high, b.text) for b in ranges.bands] if isinstance(ranges, ScoreRanges) else None
    return (each.id, each.outcome, each.weight, required(each, analysis.dialect), each.min_score, bands)


CASES = [
    # Criteria.
    (
        RUBRIC + "          - Names <|>it  # why\n          - Is short\n",
        "Write this criterion as an object",
        RUBRIC + "          - outcome: Names it  # why\n            required: true\n          - Is short\n",
    ),
    (
        RUBRIC + "          - Names <|>it\n          - 'Is short'\n",
        "Write all 2 criteria as objects",
        RUBRIC
        + "          - outcome: Names it\n            required: true\n          - outcome: 'Is short'\n            required: true\n",
    ),
    (
        HEAD + "      - {type: rubrics, criteria: [Names <|>it, 'Is short']}\n",
        "Write all 2 criteria as objects",
        HEAD + "      - {type: rubrics, criteria: [{outcome: Names it, required: true}, {outcome: 'Is short', required: true}]}\n",
    ),
    (
        RUBRIC + "          - |\n            Names <|>it\n            and more\n",
        "Write this criterion as an object",
        RUBRIC + "          - required: true\n            outcome: |\n              Names it\n              and more\n",
    ),
    (
        RUBRIC + "          - outcome: Names <|>it  # why\n            required: true\n          - Is short\n",
        "Write this criterion as a plain string",
        RUBRIC + "          - Names it  # why\n          - Is short\n",
    ),
    (
        RUBRIC + "          # first\n          - required: true\n            outcome: Names <|>it\n          - {outcome: Is short, required: true}\n",
        "Write all 2 criteria as plain strings",
        RUBRIC + "          # first\n          - Names it\n          - Is short\n",
    ),
    # Strings among evaluators.
    (
        HEAD + "      # first\n      - Names <|>it  # why\n      - {type: contains, value: x}\n      - Is short\n",
        "Write these strings as a rubric",
        HEAD
        + "      - type: rubrics\n        weight: 2\n        criteria:\n          # first\n          - Names it  # why\n          - Is short\n      - {type: contains, value: x}\n",
    ),
    (
        HEAD + "      - type: ru<|>brics\n        weight: 2\n        criteria:\n          - Names it  # why\n          # and\n          - Is short\n      - {type: contains, value: x}\n",
        "Write its criteria as plain strings",
        HEAD + "      - Names it  # why\n      # and\n      - Is short\n      - {type: contains, value: x}\n",
    ),
    # Bands.
    (
        BANDS + "\n              0: bad  # low\n              4: |\n                fair\n              <|>8: 'good'\n",
        "Write the bands as a list",
        BANDS
        + "\n              - score_range: [0, 3]\n                outcome: bad  # low\n              - score_range: [4, 7]\n"
        "                outcome: |\n                  fair\n              - score_range: [8, 10]\n                outcome: 'good'\n",
    ),
    (
        BANDS + ' {0: bad, <|>5: "good"}\n',
        "Write the bands as a list",
        BANDS + ' [{score_range: [0, 4], outcome: bad}, {score_range: [5, 10], outcome: "good"}]\n',
    ),
    (
        BANDS + "\n              - score_range: [0, 4]\n                outcome: bad  # low\n              # top\n              - {score_range: [5, 10], <|>outcome: good}\n",
        "Write the bands as a map",
        BANDS + "\n              0: bad  # low\n              # top\n              5: good\n",
    ),
    (
        BANDS + " [{score_range: [0, 4], outcome: bad}, {outcome: good, score_range: [5, 10]<|>}]\n",
        "Write the bands as a map",
        BANDS + " {0: bad, 5: good}\n",
    ),
    (
        BANDS + "\n              - {score_range: [0, 1], outcome: bad}\n              - {score_range: [2, 2], outcome: fair}\n              - {score_range: [5, 10], <|>outcome: good}\n",
        "Spread the bands evenly",
        BANDS + "\n              - {score_range: [0, 2], outcome: bad}\n              - {score_range: [3, 6], outcome: fair}\n              - {score_range: [7, 10], outcome: good}\n",
    ),
    (BANDS + " {0: bad, <|>2: fair, 9: good}\n", "Spread the bands evenly", BANDS + " {0: bad, 3: fair, 7: good}\n"),
    # Weights.
    (
        RUBRIC + "          - {id: a, outcome: x, weight: 2}\n          - id: b  # <|>\n            outcome: y\n          - {id: c, outcome: z, weight: 3.0}\n",
        "Make the weights of these criteria add up to 1",
        RUBRIC + "          - {id: a, outcome: x, weight: 0.333}\n          - id: b  # \n            weight: 0.167\n            outcome: y\n          - {id: c, outcome: z, weight: 0.5}\n",
    ),
    (
        HEAD + "      - {type: contains, value: x, weight: 3}\n      - {type: regex, <|>value: y}\n",
        "Make the weights of these evaluators add up to 1",
        HEAD + "      - {type: contains, value: x, weight: 0.75}\n      - {type: regex, weight: 0.25, value: y}\n",
    ),
    # A first assertion.
    (
        "tests:\n  - id: a\n    criteria: x\n    input: |\n      h<|>i\n\n  - id: b\n",
        "Add an assertion",
        "tests:\n  - id: a\n    criteria: x\n    input: |\n      hi\n    assertions:\n      - what the answer has to mention\n\n  - id: b\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "title", "expected"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_exact_texts(marked: str, title: str, expected: str, newline: str) -> None:
    assert after(marked.replace("\n", newline), title) == expected.replace("\n", newline)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [(marked, expected) for marked, title, expected in CASES if not title.startswith(("Make", "Spread", "Add"))],
)
def test_nothing_but_the_writing_changes(marked: str, expected: str) -> None:
    assert meaning(read(cursor(marked)[0])) == meaning(read(expected))


SHARED = """\
tests:
  - id: a
    criteria: x
    input: hi
    assertions:
      # polite
      - type: llm-grader
        name: tone  # of voice
        prompt: Is it polite?
      - {type: contains, value: x}
  - id: b
    criteria: x
    input: hi
    assertions:
      - {type: llm-grader, name: tone, prompt: Is it polite?}
"""
ANCHORED = """\
tests:
  - id: a
    criteria: x
    input: hi
    assertions:
      # polite
      - &tone
        type: llm-grader
        name: tone  # of voice
        prompt: Is it polite?
      - {type: contains, value: x}
  - id: b
    criteria: x
    input: hi
    assertions:
      - *tone
"""
MOVED = """\
  assertions:
  # polite
  - type: llm-grader
    name: tone  # of voice
    prompt: Is it polite?
"""


def test_an_evaluator_that_several_cases_have() -> None:
    marked = SHARED.replace("name: tone  #", "name: to<|>ne  #")
    text = after(marked, "Share it by an anchor with 1 other case")
    assert text == ANCHORED
    assert meaning(read(text)) == meaning(read(SHARED))
    moved = after(marked, "Move it to the suite: all 2 cases have it")
    assert moved == (
        "assertions:\n  # polite\n  - type: llm-grader\n    name: tone  # of voice\n    prompt: Is it polite?\n"
        "tests:\n  - id: a\n    criteria: x\n    input: hi\n    assertions:\n      - {type: contains, value: x}\n"
        "  - id: b\n    criteria: x\n    input: hi\n"
    )
    graded = [sorted(names for _, names, _ in found) for _, found in meaning(read(moved))]
    assert graded == [sorted(names for _, names, _ in found) for _, found in meaning(read(SHARED))]
    back = after(moved.replace("name: tone", "name: to<|>ne"), "Write it into every case")
    graded = [sorted(names for _, names, _ in found) for _, found in meaning(read(back))]
    assert graded == [sorted(names for _, names, _ in found) for _, found in meaning(read(SHARED))]
    assert back.startswith("tests:\n")
    assert back.count("# polite\n") == 2


def test_a_list_with_comments_around_its_only_item_stays_in_the_suite() -> None:
    item, below = "  - name: to<|>ne\n    type: llm-judge\n", "  # - name: length\n  #   type: contains\n"
    cases = "tests:\n  - id: a\n    input: x\n    criteria: y\n"
    assert "Write it into every case" in offered(f"assert:\n{item}{cases}")[1]
    assert "Write it into every case" not in offered(f"assert:\n{item}{below}{cases}")[1]


def test_what_not_every_case_has_is_not_moved_to_the_suite() -> None:
    marked = SHARED.replace("name: tone  #", "name: to<|>ne  #") + "  - {id: c, criteria: x, input: hi}\n"
    assert [t for t in offered(marked)[1] if "suite" in t] == []


@pytest.mark.parametrize(
    "marked",
    [
        RUBRIC
        + "          - outcome: Names <|>it\n            weight: 2\n            required: true\n",  # a string weighs 1
        RUBRIC + "          - outcome: Names <|>it\n",  # a string gates
        RUBRIC
        + "          - id: z\n            outcome: Names <|>it\n            required: true\n",  # a string has no id
        RUBRIC + "          - outcome: Names <|>it\n            required: true  # because\n",  # the comment would go
    ],
)
def test_an_object_that_says_more_than_a_string_stays(marked: str) -> None:
    assert "Write this criterion as a plain string" not in offered(marked)[1]


def test_bands_with_gaps_have_no_map() -> None:
    marked = BANDS + " [{score_range: [0, 3], outcome: bad}, {score_range: [5, 10], <|>outcome: good}]\n"
    assert "Write the bands as a map" not in offered(marked)[1]


def test_an_empty_list_of_bands_has_no_map() -> None:
    assert "Write the bands as a map" not in offered(BANDS + " <|>[]\n")[1]


def test_text_that_is_no_yaml_is_left_alone() -> None:
    assert offered(RUBRIC + "          - Names <|>it\n          - 'open\n")[1] == {}


@pytest.mark.parametrize("count", range(1, 12))
def test_even_bands_cover_everything(count: int) -> None:
    bounds = even_bounds(count)
    assert [s for low, high in bounds for s in range(low, high + 1)] == list(range(11))
    sizes = {high - low for low, high in bounds}
    assert max(sizes) - min(sizes) <= 1


def test_shares_add_up_to_exactly_one() -> None:
    rng = random.Random(3)
    for _ in range(200):
        found = shares([rng.choice([0.5, 1, 1, 2, 3, 7]) for _ in range(rng.randint(2, 9))])
        assert round(sum(found), 9) == 1


def test_over_the_corpus_nothing_but_the_writing_changes() -> None:
    rng = random.Random(11)
    made = 0
    for suite in rng.sample(suites(), min(60, len(suites()))):
        text, dialect = suite.text, suite.dialect
        analysis = read(text, dialect)
        if analysis.document.column < 0 or len(text) > 20_000:
            continue
        before = meaning(analysis)
        for offset in (rng.randrange(len(text)) for _ in range(12)):
            for found in refactorings(analysis, offset):
                changed = read(apply_edits(text, found.edits), dialect)
                made += 1
                new = {d.code for d in changed.diagnostics} - {d.code for d in analysis.diagnostics}
                assert not new & {"syntax-error", "unknown-key", "wrong-type", "unknown-alias"}, (suite.name, found)
                if found.kind == "rewrite" and not found.title.startswith(("Make", "Spread", "Add")):
                    assert meaning(changed) == before, (suite.name, found)
                if not found.title.startswith(("Share", "Move", "Write it into")):
                    assert _comments(changed.document.text) == _comments(text), (suite.name, found)
    assert made > 20 or not suites()


def _comments(text: str) -> list[str]:
    from rubric_core.syntax.collection_edits import comments_of
    from rubric_core.syntax.parse import parse

    return sorted(text[s.start : s.end] for s in comments_of(text, parse(text)))
