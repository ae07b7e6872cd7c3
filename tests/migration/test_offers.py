"""The way to the next dialect in pieces, as an editor offers it at a place."""

import random
from pathlib import Path

import pytest
from harness import analysis_of, cursor

from rubric_core.analysis import Analysis
from rubric_core.language.file_kinds import FileKind
from rubric_core.migration import Offer, migrate, steps, steps_at
from rubric_core.syntax.parse import parse
from rubric_core.text import apply_edits

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
SUITE = """\
# About greetings.
evalcases:
  - id: a
    expected_outcome: A greeting  # of the day
    input_messages:
      - {role: user, content: Hello}
  - id: b
    expected_outcome: A farewell
    input_messages:
      - {role: user, content: Bye}
"""


def offered(marked: str) -> tuple[str, list[Offer]]:
    text, offset = cursor(marked)
    analysis = analysis_of(text)
    assert isinstance(analysis, Analysis)
    return text, list(steps_at(analysis, offset))


def test_a_key_a_case_and_the_file() -> None:
    text, offers = offered(SUITE.replace("expected_outcome: A f", "expected_<|>outcome: A f"))
    assert [(o.title, o.scope) for o in offers] == [
        ("Write `expected_outcome` as `criteria` (agentv-2.7)", "line"),
        ("Migrate this case to agentv-2.7", "item"),
        ("Migrate this file to agentv-2.7", "file"),
    ]
    key, case, file = (apply_edits(text, o.edits) for o in offers)
    assert key == text.replace("expected_outcome: A f", "criteria: A f")
    head, dash, behind = text.partition("  - id: b")
    assert case == head + dash + behind.replace("expected_outcome", "criteria").replace("input_messages", "input")
    assert file == migrate(text, "agentv-1", "agentv-2.7").text


@pytest.mark.parametrize("marks", [0, 1, 3])
def test_byte_order_marks_in_front_are_no_indentation(marks: int) -> None:
    case = "tests:\n  - {id: a, criteria: x, input: hi}\n"
    for marked in (
        f"<|>evaluator: llm_judge # for every case\n{case}",
        f"execution:\n  # for every case\n  <|>evaluators:\n    - {{name: n, type: contains, value: x}}\n  target: default\n{case}",
    ):
        without, with_marks = offered(marked), offered("\ufeff" * marks + marked)
        for one, other in ((steps_of(without[0]), steps_of(with_marks[0])), (without[1], with_marks[1])):
            assert [o.title for o in other] == [o.title for o in one]
            made = [apply_edits(with_marks[0], o.edits) for o in other]
            assert made == ["\ufeff" * marks + apply_edits(without[0], o.edits) for o in one]


def steps_of(text: str) -> list[Offer]:
    analysis = analysis_of(text)
    assert isinstance(analysis, Analysis)
    return steps(analysis)


def test_around_the_cases_there_is_no_case() -> None:
    text, offers = offered(SUITE.replace("evalcases", "<|>evalcases"))
    assert [o.title for o in offers] == [
        "Write `evalcases` as `tests` (agentv-2.7)", "Migrate this file to agentv-2.7"
    ]  # fmt: skip
    assert apply_edits(text, offers[0].edits) == text.replace("evalcases", "tests")


def test_what_carries_to_elsewhere_is_not_offered_for_one_case() -> None:
    marked = "description: A chat\ntests:\n  - id: a\n    inp<|>ut: Hello\n    assertions: [Is polite]\n"
    _, offers = offered(marked)
    assert [o.scope for o in offers][-1] == "file"
    assert all("prompts:" not in e.new_text for o in offers[:-1] for e in o.edits)


@pytest.mark.parametrize(
    "marked",
    [
        'prompts: ["{{ q }}"]\ntests:\n  - vars: {q: a}\n    <|>assert: [Is polite]\n',
        "# .agentv/config.yaml\neval_patterns: [<|>a]\n",
    ],
)
def test_nothing_is_offered_where_there_is_nothing_to_do(marked: str) -> None:
    assert offered(marked)[1] == []


def test_a_broken_case_is_left_alone() -> None:
    text, offers = offered(SUITE.replace("Hello}", "<|>Hello"))
    assert [o.scope for o in offers] == ["file"]
    assert apply_edits(text, offers[0].edits) == text


def test_an_entry_of_a_targets_file() -> None:
    text, offers = offered("# .agentv/targets.yaml\ntargets:\n  - {name: bot, provider: mock, judge_<|>target: j}\n")
    assert [o.title for o in offers] == [
        "Write `judge_target` as `grader_target` (agentv-3)", "Migrate this file to agentv-3"
    ]  # fmt: skip
    assert apply_edits(text, offers[0].edits) == text.replace("judge_target", "grader_target")


def test_offers_for_the_corpus_leave_yaml() -> None:
    draw = random.Random(7)
    paths = sorted(CORPUS.rglob("*.eval.yaml")) + sorted(CORPUS.rglob("dataset*.yaml")) if CORPUS.is_dir() else []
    for path in draw.sample(paths, min(12, len(paths))):
        text = path.read_bytes().decode()
        analysis = analysis_of(text)
        assert isinstance(analysis, Analysis)
        assert analysis.kind is FileKind.SUITE
        for offset in draw.sample(range(len(text)), 4):
            for offer in steps_at(analysis, offset):
                assert not parse(apply_edits(text, offer.edits)).problems, f"{path}:{offset}: {offer.title}"
                assert offer.scope == "file" or offer.edits


def test_what_the_older_dialect_would_silently_read_otherwise_is_left_to_the_whole_file() -> None:
    """`{{ env.KEY }}` is plain text to agentv-3, and no check says so."""
    marked = "# rubric: dialect=agentv-3\ntests:\n  - id: a\n    criteria: Greets\n    input: Hello ${{ N<|>AME }}\n"
    text, offers = offered(marked)
    assert not [o.title for o in offers[:-1] for e in o.edits if "env." in e.new_text]
    assert "{{ env.NAME }}" in apply_edits(text, offers[-1].edits)
