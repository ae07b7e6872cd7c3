"""Suites that people wrote, run from the first line to the verdict: with replayed answers, a mock target and a scripted judge."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from suites import LANGUAGE, Lenient

from rubric_core.adapters import system_ports
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.loading.project import Project

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the checkout"),
]


async def run(suite: str, folder: Path, answers: dict[str, Any] | None = None) -> dict[str, CaseResult]:
    """Every case of a suite; `answers` are what the target is replayed to say, by case."""
    for name, answer in (answers or {}).items():
        (folder / f"{name}.json").write_text(json.dumps(answer) if isinstance(answer, dict) else answer)
    target = {"name": "replayed", "provider": "mock", "response": "An answer."}
    if answers is not None:
        target = {"name": "replayed", "provider": "cli", "command": f"cat {folder}/{{EVAL_ID}}.json"}
    targets = folder / "targets.yaml"
    targets.write_text(json.dumps({"targets": [target]}))
    judge = LlmJudgeEvaluator(resolve_judge_provider=lambda _: Lenient())
    options = Options(target="replayed", targets_file=targets, evaluators={"llm_judge": judge})
    loaded = load_suite(CORPUS / suite, LANGUAGE, Project(DiskFiles()), options)
    cases = [each for case in loaded.cases for each in variations(case)]
    async with system_ports() as ports:
        return {r.id: r for r in await run_cases(cases, ports, workers=8)}


def scores(results: dict[str, CaseResult]) -> dict[str, float | None]:
    return {name: None if r.score is None else round(r.score, 3) for name, r in results.items()}


def unexplained(results: dict[str, CaseResult]) -> dict[str, str]:
    """The cases without a score, with their reasons; where a grader needs uv or bun, which may not be there, none is due."""
    needs = re.compile(r": command not found: (?:uv|bun)|: (?:uv|bun): not found")
    none = {name: r for name, r in results.items() if r.score is None}
    return {
        name: r.reason
        for name, r in none.items()
        if not r.grader_errors or not all(needs.search(each.reason) for each in r.grader_errors)
    }


def trace(*calls: str, **told: Any) -> dict[str, Any]:
    """An answer with calls of tools, each `tool` or `tool {"argument": 1}`."""
    made = [call.partition(" ") for call in calls]
    uses = [{"tool": tool, "input": json.loads(args or "{}")} for tool, _, args in made]
    return {"output_messages": [{"role": "assistant", "content": "done", "tool_calls": uses}], **told}


WORKFLOW = trace('fetchData {"source": "api", "page": 2}', "validateSchema", "transformData", "saveResults")
AGENT = {
    "any-order-pass": trace("knowledgeSearch", "documentRetrieve", "knowledgeSearch"),
    "in-order-pass": WORKFLOW,
    "exact-auth-flow": trace("checkCredentials", "auditLog", "generateToken"),
    "metrics-check": trace("getMemoryMetrics", "getCpuMetrics"),
    "partial-match": trace("knowledgeSearch", "documentRetrieve"),
    "exact-args-match": trace('search {"query": "weather Paris", "n": 1}', 'get_weather {"location": "Lyon"}'),
    "skip-args-validation": trace('load_data {"source": "customers"}', 'transform {"x": 1}', "save_data"),
    "superset-mode": trace("log", "documentRetrieve", "knowledgeSearch"),
    "subset-mode": trace("getCpuMetrics", "deleteFile"),
    "mixed-args-match": WORKFLOW,
    "field-list-match": WORKFLOW,
}


async def test_tool_trajectories(tmp_path: Path) -> None:
    results = await run("v4.25.1/examples/features/tool-trajectory-simple/evals/dataset.eval.yaml", tmp_path, AGENT)
    assert scores(results) == {
        "any-order-pass": 1, "in-order-pass": 1, "exact-auth-flow": 0.333, "metrics-check": 1, "partial-match": 0.667, "exact-args-match": 0.5,
        "skip-args-validation": 1, "superset-mode": 1, "subset-mode": 0.5, "mixed-args-match": 1, "field-list-match": 1,
    }  # fmt: skip
    old = await run("v2.6.1/examples/features/tool-trajectory-simple/evals/dataset.yaml", tmp_path, AGENT)
    assert {name: score for name, score in scores(old).items() if score != scores(results)[name]} == {}


async def test_trajectories_of_agentv_5(tmp_path: Path) -> None:
    results = await run("HEAD/examples/features/trajectory-assertions-simple/evals/suite.yaml", tmp_path, AGENT)
    # Each case has a plain string beside its checks, which the judge finds met.
    assert scores(results) == {
        "any-order-pass": 1, "in-order-pass": 1, "exact-auth-flow": 0.5, "metrics-check": 1, "partial-match": 0.75, "exact-args-match": 0.75,
        "skip-args-validation": 1, "superset-mode": 1, "subset-mode": 0.5, "mixed-args-match": 1, "field-list-match": 1,
    }  # fmt: skip


async def test_deterministic_graders(tmp_path: Path) -> None:
    answers = {
        "contains-basic": "Hello!", "regex-email": "Write to support@example.com", "equals-exact": " 4\n", "starts-with-prefix": "Hi, Dear User",
        "is-json-valid": '{"status": "ok"} ', "multi-assertion": '{"answer": 42}', "required-gate": 'no json, but "message" and success',
    }  # fmt: skip
    results = await run("v4.25.1/examples/features/deterministic-graders/evals/dataset.eval.yaml", tmp_path, answers)
    assert scores(results) == {
        "contains-basic": 1, "regex-email": 1, "equals-exact": 1, "starts-with-prefix": 0, "is-json-valid": 1, "multi-assertion": 0.5, "required-gate": 0,
    }  # fmt: skip
    assert results["required-gate"].reason == "required evaluator is-json has 0.00 and needs 0.80"


async def test_execution_metrics(tmp_path: Path) -> None:
    told = {"token_usage": {"input": 900, "output": 200}, "cost_usd": 0.06, "duration_ms": 400}
    agent = trace("search", "read", "edit", "edit", **told)
    names = ("simple-thresholds-pass", "comprehensive-thresholds", "research-with-metrics", "exploration-ratio-check", "cost-budget-check", "hybrid-evaluation")  # fmt: skip
    results = await run(
        "v4.25.1/examples/features/execution-metrics/evals/dataset.eval.yaml", tmp_path, dict.fromkeys(names, agent)
    )
    assert scores(results) == {
        "simple-thresholds-pass": 1, "comprehensive-thresholds": 1, "research-with-metrics": 1, "exploration-ratio-check": 1, "cost-budget-check": 0,
        "hybrid-evaluation": None,
    }  # fmt: skip
    assert "1 model calls" in results["comprehensive-thresholds"].evaluators[0].hits
    missing = results["hybrid-evaluation"].evaluators[1]
    assert (missing.score, bool(missing.error)) == (None, True), "its program is run by bun, which is not there"


async def test_field_accuracy(tmp_path: Path) -> None:
    suite = "v4.25.1/examples/features/document-extraction/evals/field-accuracy.eval.yaml"
    loaded = load_suite(CORPUS / suite, LANGUAGE, Project(DiskFiles()))
    right = {
        "invoice_number": "INV-2025-001234", "invoice_date": "15-JAN-2025", "currency": "USD", "supplier": {"name": "Acme Shipping", "address": "x"},
        "importer": {"name": "Global Trade Co", "address": "y"}, "net_total": 1889.5, "gross_total": 1889,
    }  # fmt: skip
    results = await run(suite, tmp_path, {case.id: json.dumps(right) for case in loaded.cases})
    assert unexplained(results) == {}
    first = results["invoice-001"].evaluators[0]
    assert first.name == "invoice_field_accuracy"
    assert [miss.partition(":")[0] for miss in first.misses] == ["supplier.address", "importer.address"]
    assert first.score == pytest.approx(12 / 13), "each address weighs 0.5 of 13"


JUDGED = [
    "v1.0.0/examples/features/evals/composite/composite-example.yaml", "v1.0.0/examples/features/evals/rubric/rubric-examples.yaml",
    "v1.0.0/examples/features/evals/weighted-evaluators/weighted-evaluators-example.yaml", "v2.6.1/examples/features/rubric/evals/dataset.yaml",
    "v2.7.1-next.6/examples/features/threshold-evaluator/evals/dataset.eval.yaml", "v2.19.0/examples/features/composite/evals/dataset.eval.yaml",
    "v3.14.6/examples/features/rubric/evals/dataset.eval.yaml", "v4.25.1/examples/features/composite/evals/dataset.eval.yaml",
    "v4.25.1/examples/features/multi-turn-conversation/evals/dataset.eval.yaml", "v4.25.1/examples/features/rubric/evals/dataset.eval.yaml",
    "v4.25.1/examples/features/threshold-grader/evals/dataset.eval.yaml", "v4.25.1/examples/features/weighted-graders/evals/dataset.eval.yaml",
    "v4.42.4/examples/features/rubric/evals/operators.eval.yaml", "HEAD/examples/features/multi-turn-conversation/evals/suite.yaml",
    "HEAD/examples/features/rubric/evals/suite.yaml", "HEAD/examples/features/threshold-grader/evals/suite.yaml",
    "HEAD/examples/features/weighted-graders/evals/suite.yaml",
]  # fmt: skip


@pytest.mark.parametrize(
    "suite", JUDGED, ids=lambda s: re.sub(r"examples/(features/)?(evals/)?|/evals.*|/[\w-]+\.yaml", "", s)
)
async def test_what_a_judge_finds_becomes_scores(tmp_path: Path, suite: str) -> None:
    results = await run(suite, tmp_path)
    assert results
    assert unexplained(results) == {}
    judged = [e for r in results.values() for each in r.evaluators for e in (each, *each.members) if e.judge]
    assert judged
    for each in judged:
        expected = {1.0, 0.8} if each.criteria else {0.9}
        assert round(each.score or 0, 6) in expected, each
