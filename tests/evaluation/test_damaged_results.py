"""A stored result that is damaged is one that is not there: nothing that reads it breaks, and nothing else is lost."""

import json
import random
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any, get_args, get_type_hints

import pytest
from damage import damaged
from suites import Folder

from rubric_core.cli import main
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult
from rubric_core.evaluation.results.result_reader import case_result_of
from rubric_core.evaluation.results.store import ResultStore, StoredCase

SUITE = """
tests:
  - id: good
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: hello}
  - id: bad
    criteria: c
    input: hi
    assertions:
      - {type: contains, value: goodbye}
      - type: code-grader
        command: [sh, -c, 'echo "{\\"score\\": 0.5, \\"hits\\": [\\"a\\"], \\"misses\\": [\\"b\\"], \\"reasoning\\": \\"r\\", \\"details\\": {\\"a\\": [1, {\\"b\\": 2}]}}"']
      - type: composite
        aggregator: {type: weighted_average}
        assertions:
          - {name: one, type: contains, value: hello}
          - {name: two, type: contains, value: bye}
  - id: judged
    criteria: Stays polite
    input: hi
    assertions:
      - type: rubrics
        criteria:
          - {id: tone, outcome: Stays polite, required: true}
          - {id: length, outcome: Is short}
"""
JUDGE = json.dumps(
    {
        "score": 0.5,
        "checks": [
            {"id": "tone", "satisfied": True, "reasoning": "It is polite"},
            {"id": "length", "satisfied": False, "reasoning": "It is long"},
        ],
        "overall_reasoning": "r",
    }
)


@pytest.fixture
def good(folder: Folder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A file of results that a run has written, and a history."""
    folder.targets(
        {"name": "default", "provider": "mock", "response": "hello world", "grader_target": "judge"},
        {"name": "judge", "provider": "mock", "response": JUDGE},
    )
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    for _ in range(3):
        main(["run", "suite.eval.yaml"])
    capsys.readouterr()
    text = store(folder).path.read_text(encoding="utf-8")
    found = json.loads(text)["cases"]
    assert found["bad"]["latest"]["evaluators"][2]["members"]
    assert len(found["judged"]["latest"]["evaluators"][0]["criteria"]) == 2
    assert len(found["good"]["history"]) == 3
    return text


def store(folder: Folder) -> ResultStore:
    return ResultStore.of(folder.path / "suite.eval.yaml")


@cache
def hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass."""
    every = get_type_hints(kind)
    return {each.name: every[each.name] for each in fields(kind)}


def wrong(value: Any, kind: Any) -> Iterator[str]:
    """What of a result is not as its fields say."""
    for name, hint in hints(kind).items():
        found = getattr(value, name)
        if not _fits(found, hint):
            yield f"{kind.__name__}.{name}: {found!r:.80} is no {hint}"
        inner = next((c for c in (EvaluatorResult, CriterionResult) if c in get_args(hint)), None)
        for item in found if inner is not None else ():
            yield from wrong(item, inner)


def _fits(value: Any, hint: Any) -> bool:
    if hint is float or float in get_args(hint):
        return (value is None and hint is not float) or (type(value) in (int, float) and abs(value) <= 1e15)
    if hint in (str, int, bool):
        return type(value) is hint
    if get_args(hint)[:1] == (str,) and isinstance(value, tuple):
        return all(type(item) is str for item in value)
    return isinstance(value, tuple) or "tuple" not in str(hint)


def test_whatever_is_read_has_the_types_of_a_result(folder: Folder, good: str) -> None:
    rng, read = random.Random(14), 0
    for _ in range(1_000):
        store(folder).path.write_bytes(damaged(good, rng))
        for name, case in store(folder).read().items():
            assert type(name) is str
            assert list(wrong(case.latest, CaseResult)) == []
            assert all(isinstance(row, dict) for row in case.history)
            assert all(type(row.get("score", 0)) in (int, float) for row in case.history)
            assert {row.get("verdict", "passed") for row in case.history} <= {
                "passed",
                "borderline",
                "failed",
                "unscored",
            }
            read += 1
    assert read > 1_000  # most files are damaged in one place


@pytest.mark.parametrize(
    "arguments", [(), ("--failed",), ("--resume",), ("--failed", "--format", "json")], ids=" ".join
)
def test_a_run_reads_and_mends_a_damaged_file(
    folder: Folder, good: str, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    rng = random.Random(" ".join(arguments))
    for _ in range(12):
        data = damaged(good, rng)
        store(folder).path.write_bytes(data)
        assert main(["run", "suite.eval.yaml", *arguments]) in (0, 1, 2, 3), data
        said = capsys.readouterr()
        assert "Traceback" not in said.err, (said.err, data)
        assert "mistake in rubric" not in said.err, (said.err, data)
        if not arguments:  # everything was run
            assert set(store(folder).read()) >= {"good", "bad", "judged"}, data


def test_a_damaged_history_or_journal_loses_no_new_result(folder: Folder, good: str) -> None:
    results, data = store(folder), json.loads(good)
    for case, history in zip(
        data["cases"].values(), (5, "x", [5, None, {"score": 10**400, "verdict": "passed"}]), strict=True
    ):
        case["history"] = history
    results.path.write_text(json.dumps(data))
    rows = (
        '{"id": "a"}\n{"id": "a", "verdict": 5}\n{"id": [1], "verdict": {}}\n\\xff\n[]\n{"verdict": "passed"'
        + "[" * 5_000
    )
    results.path.with_suffix(".jsonl").write_bytes(rows.encode("latin-1"))
    latest = case_result_of(data["cases"]["good"]["latest"])
    results.add([latest], "suite.eval.yaml", "agentv-3")
    read = results.read()
    assert read["good"] == StoredCase(latest, read["good"].history)
    assert (len(read["good"].history), set(read)) == (1, {"good", "bad", "judged"})


def test_a_result_that_is_whole_comes_back_as_it_was(folder: Folder, good: str) -> None:
    """The counter-example: nothing that rubric writes is refused."""
    assert set(store(folder).read()) == {"good", "bad", "judged"}
    for case in json.loads(good)["cases"].values():
        assert len(case["history"]) == 3
    assert [len(case.history) for case in store(folder).read().values()] == [3, 3, 3]
