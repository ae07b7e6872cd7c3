"""A run as promptfoo writes its results, version 3: what `promptfoo import` and programs that read its files take.

Rows of AgentV suites have their input as a variable, which is the whole prompt.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from rubric_core.dataclass_copies import replace_fields
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import ROW, CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.journal import json_text
from rubric_core.evaluation.results.records import RunCase
from rubric_core.evaluation.scoring.derived_metrics import MetricTotals, derived_values
from rubric_core.families.promptfoo.language.assertion import SET_TYPE
from rubric_core.families.promptfoo.model.assertion import given_score
from rubric_core.ports import Tokens

__all__ = ["exported_results"]

_VERSION = 3
_INPUT = "{{input}}"
_SEVERAL = 2
#: What promptfoo calls the reasons of a failure: none, an assertion, an error.
_NONE, _ASSERTION, _ERROR = range(3)
_KINDS: Mapping[int, str] = {_NONE: "Pass", _ASSERTION: "Fail", _ERROR: "Error"}


class _Column(NamedTuple):
    """A prompt with a provider."""

    provider: str
    raw: str
    label: str
    #: The provider in promptfoo's words: its label, else its id, which two may share.
    shown: str

    @property
    def prompt_id(self) -> str:
        return sha256(f"{self.label}\0{self.raw}".encode(errors="replace")).hexdigest()


class _Row:
    """A case as a row, or one of its repetitions."""

    def __init__(self, case: RunCase, result: CaseResult, repetition: int = 0) -> None:
        self.case, self.result = case, result
        told = (result.details or {}).get(ROW)
        row: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
        self.sent = _on_one_line(str(row.get("sent") or case.input))
        prompt = row.get("prompt") or {"raw": _INPUT, "label": _INPUT}
        self.provider: Mapping[str, str] = row.get("provider") or {"id": result.target, "label": ""}
        shown = self.provider["label"] or self.provider["id"]
        self.column = _Column(result.target, str(prompt.get("raw", "")), str(prompt.get("label", "")), shown)
        self.variables: Mapping[str, Any] = row.get("vars", {} if row else {"input": self.sent})
        self.test: Mapping[str, Any] = row.get("test") or {"description": result.id, "threshold": result.threshold}
        #: The test in its suite, and which repetition of which combination of its values this is.
        self.test_key = (case.suite, str(row.get("name", result.id)))
        self.number = repetition, int(row.get("number", 0))
        #: The place of the test in its configuration.
        self.order = int(row.get("order", 0))
        self.derived: Sequence[tuple[str, str]] = [(name, formula) for name, formula in row.get("derived_metrics", ())]
        self.weights: Mapping[str, float] = row.get("named_score_weights", {})
        #: The place of its column in the configuration.
        self.place = int(row.get("column", 0))

    @property
    def failure(self) -> int:
        """Why it did not pass. A row without a score is an error, and never a pass."""
        verdict = self.result.verdict
        return _NONE if verdict is Verdict.PASSED else _ERROR if verdict is Verdict.UNSCORED else _ASSERTION

    @property
    def named_scores(self) -> Mapping[str, Any]:
        """Those of a row that is no error: promptfoo has none of the others."""
        found: Mapping[str, Any] = (self.result.details or {}).get("named_scores") or {}
        return found if self.failure != _ERROR else {}

    def components(self) -> list[dict[str, Any]]:
        """The results of its assertions."""
        written = [each for each in self.test.get("assert") or () if isinstance(each, Mapping)]
        found = []
        for evaluator in self.result.evaluators:
            # In text order, except assertions that compare rows, which come last.
            own = next((each for each in written if str(each.get("type")) == evaluator.type), None)
            if own is not None:
                written.remove(own)
            found += _components(evaluator, own or {"type": evaluator.type})
        return found

    def as_data(self, test_index: int, prompt_index: int) -> dict[str, Any]:
        """The row of a file."""
        result, reason = self.result, self._reason()
        tokens, cost = _tokens(result.tokens), result.cost_usd or 0
        row: dict[str, Any] = {
            "id": f"{self.case.suite}::{result.id}{f'::{self.number[0]}' if self.number[0] else ''}",
            "testIdx": test_index,
            "promptIdx": prompt_index,
            "promptId": self.column.prompt_id,
            "prompt": {"raw": self.sent or self.column.raw, "label": self.column.label, "config": {}},
            "provider": self.provider,
            "vars": self.variables,
            "testCase": {"options": {}, "metadata": {}, **self.test, "vars": self.variables},
            "response": {"output": result.answer, "tokenUsage": tokens, "cost": cost, "cached": False},
            "success": self.failure == _NONE,
            "score": given_score(result) or 0,
            "failureReason": self.failure,
            "namedScores": self.named_scores,
            "latencyMs": round(result.duration_ms or 0),
            "cost": cost,
            "tokenUsage": tokens,
            "metadata": {},
        }
        if self.failure != _NONE:
            row["error"] = reason
        if self.failure != _ERROR:
            row["gradingResult"] = {
                "pass": self.failure == _NONE, "score": given_score(result) or 0, "reason": reason or "All assertions passed",
                "namedScores": self.named_scores, "tokensUsed": _tokens(None), "componentResults": self.components(),
            }  # fmt: skip
        return row

    def _reason(self) -> str:
        """Why it did not pass; empty for a row that did."""
        if self.failure == _NONE:
            return ""
        missed = (each for outer in self.result.evaluators for each in outer.flat() if each.verdict is Verdict.FAILED)
        first = next(missed, None)
        return self.result.reason or ("; ".join(first.misses) or first.name if first is not None else "failed")


def _on_one_line(prompt: str) -> str:
    """A prompt that is JSON, in the format of promptfoo's files; any other prompt unchanged."""
    if not prompt.startswith(("[", "{")):
        return prompt
    try:
        return json.dumps(json.loads(prompt), ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return prompt


def _components(evaluator: EvaluatorResult, assertion: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The result of an assertion. That of a set, which holds those of its members, is followed by these, as in promptfoo."""
    passed = evaluator.verdict is Verdict.PASSED
    said = evaluator.reason or "; ".join(evaluator.misses) or evaluator.reasoning
    found: dict[str, Any] = {
        "pass": passed,
        "score": given_score(evaluator) or 0,
        "reason": said or ("Assertion passed" if passed else evaluator.name),
    }
    if not evaluator.members:
        return [{**found, "assertion": assertion}]
    written = [each for each in assertion.get("assert") or () if isinstance(each, Mapping)]
    own = written if len(written) == len(evaluator.members) else [{"type": each.type} for each in evaluator.members]
    members = [part for each, at in zip(evaluator.members, own, strict=True) for part in _components(each, at)]
    about = {"assertionSet": {"type": SET_TYPE, "assertionCount": len(members)}}
    return [{**found, "componentResults": members, "metadata": about}, *members]


def _tokens(tokens: Tokens | None) -> dict[str, int]:
    if tokens is None:
        return {"total": 0, "prompt": 0, "completion": 0, "cached": 0, "numRequests": 0}
    prompt, completion = tokens.input or 0, tokens.output or 0
    return {"total": prompt + completion, "prompt": prompt, "completion": completion, "cached": 0, "numRequests": 1}


class _Metrics:
    """The figures of a column."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(_KINDS, 0)
        self.score = self.cost = 0.0
        self.latency = self.passed = self.failed = 0
        self.named = MetricTotals()
        self.named_counts: dict[str, int] = {}
        self.named_weights: dict[str, float] = {}
        self.derived: Sequence[tuple[str, str]] = ()

    def add(self, row: _Row) -> None:
        self.counts[row.failure] += 1
        self.score += given_score(row.result) or 0
        self.cost += row.result.cost_usd or 0
        self.latency += round(row.result.duration_ms or 0)
        self.derived = row.derived or self.derived
        self.named.take_row(row.result)
        if row.failure == _ERROR:  # promptfoo has no assertions of such a row
            return
        for each in (part for evaluator in row.result.evaluators for part in evaluator.flat()):
            self.passed += each.verdict is Verdict.PASSED
            self.failed += each.verdict is Verdict.FAILED
        written = [str(part.get("assertion", {}).get("metric")) for part in row.components()]
        for name in row.named_scores:
            self.named_counts[name] = self.named_counts.get(name, 0) + (written.count(name) or 1)
            self.named_weights[name] = self.named_weights.get(name, 0) + row.weights.get(name, 1)

    def as_data(self) -> dict[str, Any]:
        derived = {each.name: each.value for each in derived_values(self.derived, self.named) if each.value is not None}
        named = {**self.named.sums, **derived}
        tests = {f"test{kind}Count": self.counts[number] for number, kind in _KINDS.items()}
        return {
            "score": self.score, **tests, "assertPassCount": self.passed, "assertFailCount": self.failed, "totalLatencyMs": self.latency,
            "tokenUsage": _tokens(None), "namedScores": named, "namedScoresCount": self.named_counts, "namedScoreWeights": self.named_weights, "cost": self.cost,
        }  # fmt: skip


def exported_results(run: ExportedRun) -> Iterator[str]:
    """A stored run as one document, row by row: its results are read twice and never held together."""
    columns: dict[_Column, _Metrics] = {}
    places: dict[_Column, tuple[int, int]] = {}
    tests: dict[tuple[str, str], set[tuple[int, int]]] = {}
    orders: dict[tuple[str, str], tuple[int, int]] = {}
    suites: dict[str, int] = {}
    for case, row in _rows(run):
        columns.setdefault(row.column, _Metrics()).add(row)
        places.setdefault(row.column, (row.place, len(places)))
        tests.setdefault(row.test_key, set()).add(row.number)
        orders.setdefault(row.test_key, (suites.setdefault(case.suite, len(suites)), row.order))
    columns = {column: columns[column] for column in sorted(columns, key=places.__getitem__)}
    numbers = {column: number for number, column in enumerate(columns)}
    # Tests of other files are in the order of the configuration, not in that of their places.
    keys = [(test, number) for test in sorted(tests, key=orders.__getitem__) for number in sorted(tests[test])]
    test_numbers = {key: number for number, key in enumerate(keys)}
    yield _head(run, columns)
    between = "\n"
    for _, row in _rows(run):
        yield f"{between}{json_text(row.as_data(test_numbers[row.test_key, row.number], numbers[row.column]))}"
        between = ",\n"
    yield f"\n],{_foot(run, list(columns.values()), columns)}\n"


def _rows(run: ExportedRun) -> Iterator[tuple[RunCase, _Row]]:
    """The rows of a run: a row of promptfoo that is repeated is one for each time, as in promptfoo."""
    for case, result in run:
        for number, each in enumerate(_repetitions(result)):
            yield case, _Row(case, each, number)


def _repetitions(result: CaseResult) -> Sequence[CaseResult]:
    """The repetitions of a row. The output is that of the one whose result is kept; of the others only the verdict is."""
    details = result.details or {}
    trials = details.get("trials") if ROW in details else None
    runs = trials.get("runs") if isinstance(trials, Mapping) else None
    if not isinstance(runs, list) or len(runs) < _SEVERAL:
        return (result,)
    outcomes = [(each.get("verdict"), each.get("score")) for each in runs]
    own = (result.verdict.value, result.score)
    kept = outcomes.index(own) if own in outcomes else -1
    return [
        result if number == kept else replace_fields(
            result, verdict=Verdict(each.get("verdict")), score=each.get("score"), reason=each.get("reason") or "", answer="",
            evaluators=(), details={ROW: details[ROW]}, tokens=None, cost_usd=None,
        )
        for number, each in enumerate(runs)
    ]  # fmt: skip


def _head(run: ExportedRun, columns: Mapping[_Column, _Metrics]) -> str:
    prompts = [
        {"id": c.prompt_id, "raw": c.raw, "label": c.label, "provider": c.shown, "metrics": metrics.as_data()}
        for c, metrics in columns.items()
    ]
    name, at = f"eval-{run.record.id or 'rubric'}", run.record.started_at
    about = f'"version": {_VERSION}, "timestamp": {json_text(at)},\n"prompts": {json_text(prompts)}'
    return f'{{"evalId": {json_text(name)}, "results": {{{about},\n"results": ['


def _foot(run: ExportedRun, metrics: Sequence[_Metrics], columns: Mapping[_Column, _Metrics]) -> str:
    passed, failed, errors = (sum(each.counts[kind] for each in metrics) for kind in _KINDS)
    record = run.record
    stats = {
        "successes": passed, "failures": failed, "errors": errors, "tokenUsage": _tokens(record.tokens),
        "durationMs": round(record.duration_ms or 0),
    }  # fmt: skip
    config: dict[str, Any] = {
        "description": f"{', '.join(record.suites)}{f' (not yours: {run.foreign})' if run.foreign else ''}",
        "prompts": list(dict.fromkeys(column.raw for column in columns)),
        "providers": list(dict.fromkeys(column.shown for column in columns)),
    }
    derived = dict.fromkeys(pair for each in metrics for pair in each.derived)
    if derived:
        config["derivedMetrics"] = [{"name": name, "value": formula} for name, formula in derived]
    about: dict[str, Any] = {
        "exportedBy": f"rubric {record.rubric_version}".strip(),
        "evaluationCreatedAt": record.started_at,
    }
    if run.foreign:
        about["own"] = False
    return f'\n"stats": {json_text(stats)}}},\n"config": {json_text(config)}, "shareableUrl": null, "metadata": {json_text(about)}}}'
