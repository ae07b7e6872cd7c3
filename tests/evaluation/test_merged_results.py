"""A result of several rows or runs: every number that is shown can be computed from them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suites import Folder

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import join_variations, variations
from rubric_core.evaluation.engine.repeats import Repeats, run_repeats
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import ROW, CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.report_page.case_data import case_data
from rubric_core.evaluation.reporting.inline_marks import evaluator_words
from rubric_core.evaluation.results.known_case import KnownCase
from rubric_core.evaluation.results.packed_result import pack_result, unpack_result
from rubric_core.evaluation.scoring.derived_metrics import DerivedMetrics
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.model import DerivedMetric, Suite
from rubric_core.text import Span
from rubric_lsp.features.report import report
from rubric_lsp.features.results import ShownCase

SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
NAMES = ("tone", "style", "facts")
WEIGHTS = (1.0, 2.0, 0.5)
PROPERTIES = next(each for each in DIALECTS if each.name == "agentv-3").properties


def verdict_of(score: float) -> Verdict:
    return Verdict.PASSED if score >= 0.5 else Verdict.FAILED


def row(number: int, scores: Sequence[tuple[float, float]], promptfoo: bool) -> CaseResult:
    """A row whose evaluators have these scores, each with that of its only member and criterion."""
    evaluators = tuple(
        EvaluatorResult(
            name=name, type="x", verdict=verdict_of(score), score=score, weight=weight, misses=(f"{name} misses {number}",),
            criteria=(CriterionResult(id="c", outcome="o", verdict=verdict_of(inner), score=inner, reasoning=f"inner {number}"),),
            members=(EvaluatorResult(name="m", type="y", verdict=verdict_of(inner), score=inner),),
        )
        for name, weight, (score, inner) in zip(NAMES, WEIGHTS, scores, strict=False)
    )  # fmt: skip
    total = sum(each.score * each.weight for each in evaluators) / sum(each.weight for each in evaluators)
    label = {"column": 0, "prompt": {"label": "p"}, "named_score_weights": {}}
    named = {each.name: each.score for each in evaluators}
    return CaseResult(
        id=f"a[n={number}]", verdict=verdict_of(total), score=total, evaluators=evaluators, answer=f"answer {number}",
        details={ROW: label, "named_scores": named} if promptfoo else None, dialect="promptfoo" if promptfoo else "agentv-5",
    )  # fmt: skip


@st.composite
def matrices(draw: Any) -> list[CaseResult]:
    width = draw(st.integers(1, len(NAMES)))
    cell = st.tuples(SCORES, SCORES)
    drawn = draw(st.lists(st.lists(cell, min_size=width, max_size=width), min_size=2, max_size=12))
    promptfoo = draw(st.booleans())
    return [row(number, scores, promptfoo) for number, scores in enumerate(drawn)]


def check(merged: CaseResult, rows: Sequence[CaseResult]) -> None:
    """Whether header, parts, marks, lines, hover and stored result are those of the rows."""
    assert merged.score == pytest.approx(fmean(each.score for each in rows))
    for number, part in enumerate(merged.evaluators):
        own = [each.evaluators[number] for each in rows]
        for found, of in (
            (part, own),
            (part.members[0], [each.members[0] for each in own]),
            (part.criteria[0], [each.criteria[0] for each in own]),
        ):
            good = sum(each.verdict is Verdict.PASSED for each in of)
            assert found.score == pytest.approx(fmean(each.score for each in of))
            assert (found.tally.passed, found.tally.count) == (good, len(rows))
            assert (found.verdict is Verdict.PASSED) == (good == len(rows))
        words = evaluator_words(part)
        assert f"{part.score:.2f}" in words
        assert (f"{part.tally.passed}/{part.tally.count}" in words) == (part.tally.passed < len(rows))
        worst = min(own, key=lambda each: (each.verdict is Verdict.PASSED, each.score))
        assert part.misses in [
            each.misses for each in own if (each.verdict, each.score) == (worst.verdict, worst.score)
        ]
        assert part.tally.shown.split()[-1].removeprefix("n=") in part.misses[0] or part.tally.shown.startswith("run ")
    page = case_data(merged, suite="", command="")["evaluators"]
    assert [each.get("passes", "") for each in page] == [each.tally.words for each in merged.evaluators]
    assert [each["criteria"][0].get("passes", "") for each in page] == [
        each.criteria[0].tally.words for each in merged.evaluators
    ]
    hover = report(ShownCase(KnownCase.of(merged)))
    gives = [float(number) for number in re.findall(r"\| (\d\.\d\d) of \d\.\d\d \|", hover)]
    assert sum(gives) == pytest.approx(float(re.search(r"(?:passed|failed|borderline) (\d\.\d\d)", hover)[1]), abs=0.02)
    assert unpack_result(pack_result(merged)).evaluators == merged.evaluators


@given(matrices())
def test_of_variations(rows: list[CaseResult]) -> None:
    merged = join_variations(CaseResult(id="a", verdict=Verdict.UNSCORED), rows)
    check(merged, rows)
    assert merged.answer == next(each.answer for each in rows if f"n={each.answer.split()[1]}" == merged.shown)
    metric = [DerivedMetric(Span(0, 0), name="all", value="tone / __count")]
    together, one_by_one = (DerivedMetrics(Suite(Span(0, 0), derived_metrics=metric)) for _ in range(2))
    together.take(merged)
    for each in rows:
        one_by_one.take(each)
    assert together.values() == one_by_one.values()


@given(rows=matrices())
async def test_of_repeats(rows: list[CaseResult]) -> None:
    async def once(number: int) -> CaseResult:
        return rows[number - 1]

    check(await run_repeats(Repeats(len(rows), "mean"), once, PROPERTIES), rows)
    worst = await run_repeats(Repeats(len(rows), "pass_all"), once, PROPERTIES)
    own = next(each for each in rows if each.answer == worst.answer)
    assert [each.score for each in worst.evaluators] == [each.score for each in own.evaluators]
    assert [each.tally.passed for each in worst.evaluators] == [
        sum(each.evaluators[n].verdict is Verdict.PASSED for each in rows) for n in range(len(own.evaluators))
    ]


PROMPTFOO = """\
prompts: ["Hello {{name}}", "Bye {{name}}", "Hello again"]
providers: [echo, {id: echo, label: other}]
derivedMetrics: [{name: all, value: tone + 1}]
tests:
  - description: greets
    vars: {name: [Ann, Bob]}
    assert:
      - {type: icontains, value: "{{name}}", metric: tone}
      - {type: contains, value: Hello, weight: 2}
"""
AGENTV = """\
prompts: ["Hello {{ name }}", "Bye {{ name }}", "Hello again"]
tests:
  - id: greets
    vars: {name: [Ann, Bob]}
    assert:
      - {type: icontains, value: "{{ name }}"}
      - {type: contains, value: Hello, weight: 2}
"""


async def test_of_a_configuration_of_promptfoo(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(PROMPTFOO, encoding="utf-8")
    await _agrees(lambda: load_suite(path).cases, {"icontains-{{name}}": "8/12", "contains-Hello": "8/12"})
    (case,) = load_suite(path).cases
    together, one_by_one = (DerivedMetrics(case.suite) for _ in range(2))
    for each in await run_cases([case]):
        together.take(each)
    for each in await run_cases(variations(case)):
        one_by_one.take(each)
    assert together.values() == one_by_one.values()
    assert [each.value for each in together.values()] == [3, 3, 1, 3, 3, 1]


async def test_of_a_suite_of_agentv(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "cat {PROMPT_FILE}"})
    await _agrees(lambda: folder.cases(AGENTV, "agentv-5"), {"icontains": "4/6", "contains": "4/6"})


async def _agrees(cases: Callable[[], Sequence[Any]], wanted: dict[str, str]) -> None:
    (merged,) = await run_cases(cases())
    rows = await run_cases([each for case in cases() for each in variations(case)])
    assert merged.score == pytest.approx(fmean(each.score for each in rows))
    assert [each.tally.words for each in merged.evaluators] == list(wanted.values())
    assert [each.score for each in merged.evaluators] == [
        pytest.approx(fmean(each.evaluators[number].score for each in rows)) for number in range(len(wanted))
    ]
