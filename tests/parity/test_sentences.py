"""Sentences about agentv are held against what it does: each check has an outcome that passes it and one that does not."""

from dataclasses import replace
from typing import cast

import pytest

from .outcome import CaseOutcome, EvaluatorOutcome, SuiteOutcome
from .run import Runner
from .sentences import Example, check_sentences, examples

GRADED = CaseOutcome("one", "default", "failed", 0.5, "an answer", (EvaluatorOutcome("r", "regex", 0.5, "failed"),))
NOTHING = SuiteOutcome({}, {}, 0, "Skipping test")
ONE = SuiteOutcome({"one": GRADED}, {}, 0, "")
REFUSED = SuiteOutcome({"one": replace(GRADED, verdict="unscored", score=0, evaluators=())}, {}, 0, "")
ZERO = SuiteOutcome({"one": replace(GRADED, evaluators=(EvaluatorOutcome("r", "regex", 0, "failed"),))}, {}, 0, "")


class Replayed:
    def __init__(self, outcome: SuiteOutcome) -> None:
        self.outcome = outcome

    def run_agentv(self, _: object) -> SuiteOutcome:
        return self.outcome


@pytest.mark.parametrize(
    ("sentence", "true", "untrue"),
    [
        ("agentv skips the whole case and only logs it", NOTHING, ONE),
        ("agentv rejects the case", REFUSED, ONE),
        ("agentv rejects the whole file", NOTHING, ONE),
        ("agentv skips this evaluator and only logs it", NOTHING, ONE),
        ("agentv scores 0 when the case runs", ZERO, ONE),
        ("agentv scores nothing with it", ZERO, ONE),
        ("agentv runs both and stores them under one name", ONE, REFUSED),
        ("agentv runs none of the cases that share an id", REFUSED, ONE),
        ("agentv still runs the case; only `agentv validate` rejects it", ONE, REFUSED),
        ("agentv sends it anyway, and the judge makes up a score", ONE, NOTHING),
    ],
)
def test_what_a_run_must_show(sentence: str, true: SuiteOutcome, untrue: SuiteOutcome) -> None:
    example = Example("x", "", 1, frozenset([sentence]))
    for outcome, found in ((true, ()), (untrue, (sentence,))):
        (checked,) = check_sentences(cast("Runner", Replayed(outcome)), [example], 1)
        assert (checked.untrue, checked.unchecked) == (found, ())


def test_a_sentence_that_no_run_shows_is_counted() -> None:
    example = Example("x", "", 1, frozenset(["agentv silently ignores it"]))
    (checked,) = check_sentences(cast("Runner", Replayed(ONE)), [example], 1)
    assert (checked.untrue, checked.unchecked) == ((), ("agentv silently ignores it",))


def test_pages_have_examples_for_agentv() -> None:
    found = {example.name: example for example in examples()}
    assert len(found) > 50
    assert found["missing-key-0"].cases == 3
