"""A migrated suite gives every case the score that it had: run for real, with a judge that always says the same."""

import json
import os
import sys
from pathlib import Path

import pytest
from harness import LANGUAGE

from rubric_core.adapters import system_ports
from rubric_core.analysis import analyze
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import runnables
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.migration import migrate

SUITE = """\
execution:
  evaluators:
    - {name: shared, type: code_judge, script: [PYTHON, grade.py, "0.25"]}
evalcases:
  - id: of the suite
    expected_outcome: A number
    input: Which one?
  - id: of its own
    expected_outcome: A number
    input: Which one?
    evaluators:
      - {name: most, type: code_judge, script: [PYTHON, grade.py, "0.9"], weight: 3}
      - {name: least, type: code_judge, script: [PYTHON, grade.py, "0.5"]}
  - id: gated
    expected_outcome: A number
    input: Which one?
    evaluators:
      - name: ranges
        type: rubric
        rubrics:
          - id: clarity
            expected_outcome: Clear
            required: true
            score_ranges: {0: unreadable, 4: uneven, 8: crisp}
          - id: depth
            expected_outcome: Deep
            required_min_score: 9
            weight: 2
            score_ranges: {0: shallow, 5: deep}
  - id: inline
    expected_outcome: A number
    input: Which one?
    rubrics:
      - {id: clarity, expected_outcome: Clear, score_ranges: {0: unreadable, 4: uneven, 8: crisp}}
    execution:
      evaluators:
        - name: both
          type: composite
          evaluators:
            - {name: a, type: code_judge, script: [PYTHON, grade.py, "0.9"]}
            - {name: b, type: code_judge, script: [PYTHON, grade.py, "0.3"]}
          aggregator: {type: weighted_average, weights: {a: 3}}
""".replace("PYTHON", json.dumps(sys.executable))

JUDGED = {
    "checks": [{"id": "clarity", "score": 5, "reasoning": "so so"}, {"id": "depth", "score": 8, "reasoning": "well"}],
    "overall_reasoning": "all in all",
}
PROGRAM = 'import json, sys\njson.dump({"score": float(sys.argv[1]), "hits": [], "misses": [], "reasoning": ""}, sys.stdout)\n'


async def run(folder: Path, text: str, dialect: str) -> dict[str, CaseResult]:
    path = folder / "suite.eval.yaml"
    path.write_text(text)
    analysis = analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect, path=path)
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        results = await run_cases(runnables(path, analysis, Options()), ports, lambda _: None)
    return {result.id: result for result in results}


@pytest.mark.parametrize("target", ["agentv-2.7", "agentv-3"])
async def test_scores_and_gates_are_the_same(tmp_path: Path, target: str) -> None:
    (tmp_path / "grade.py").write_text(PROGRAM)
    (tmp_path / ".agentv").mkdir()
    entries = [
        {"name": "default", "provider": "mock", "response": "42", "judge_target": "judge"},
        {"name": "judge", "provider": "mock", "response": json.dumps(JUDGED)},
    ]
    (tmp_path / ".agentv" / "targets.yaml").write_text(json.dumps({"targets": entries}))
    before = await run(tmp_path, SUITE, "agentv-1")
    after = await run(tmp_path, migrate(SUITE, "agentv-1", target).text, target)
    assert {name: result.score for name, result in before.items()} == {
        "of the suite": 0.25,
        "of its own": pytest.approx(0.8),
        "gated": pytest.approx(0.7),
        "inline": pytest.approx((0.5 + 0.75) / 2),
    }
    for name, result in before.items():
        assert after[name].score == pytest.approx(result.score), name
        assert [e.verdict is Verdict.PASSED for e in after[name].evaluators] == [
            e.verdict is Verdict.PASSED for e in result.evaluators
        ], name
