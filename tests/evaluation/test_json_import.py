"""Results of versions before the database: shown until the suite is run again, and taken over then, once."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from damage import damaged
from suites import Folder, stored_cases
from thorough import seeds

from rubric_core.evaluation.model.result import CaseResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.json_results import json_cases, json_path
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.evaluation.results.stored_rows import stored_row

SEEDS = seeds(300, few=60)


def result(name: str, score: float = 1.0, **more: Any) -> CaseResult:
    return CaseResult(
        id=name, verdict=Verdict.PASSED, score=score, at=f"2026-11-20T10:00:0{round(score * 9)}+00:00", target="t",
        evaluators=(EvaluatorResult(name="e", type="contains", verdict=Verdict.PASSED, score=score),), **more,
    )  # fmt: skip


def written(suite: Path, *results: CaseResult, journal: tuple[CaseResult, ...] = ()) -> str:
    """What an earlier version left of a suite."""
    cases = {
        each.id: {"summary": {}, "history": [{"verdict": "failed", "score": 0.0, "at": "2026-11-19T10:00:00+00:00"}, stored_row(each)], "latest": stored_row(each)}
        for each in results
    }  # fmt: skip
    lines = ",\n".join(json.dumps({name: row})[1:-1] for name, row in cases.items())
    path = json_path(suite)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = f'{{"version": 1, "suite": "{suite.name}", "dialect": "agentv-3", "cases": {{\n{lines}\n}}}}\n'
    path.write_text(text, encoding="utf-8")
    if journal:
        path.with_suffix(".jsonl").write_text(
            "".join(f"\n{json.dumps(stored_row(each))}\n" for each in journal) + '\n{"id": "x", "verd', encoding="utf-8"
        )
    return text


def begun(suite: Path) -> None:
    """A run of the suite that stores nothing itself."""
    ResultDatabase.of(suite).begin(RunInfo(suites=(suite,))).end(RunState.STOPPED)


def test_the_file_stood_at_the_root_of_the_repository_or_beside_the_suite(folder: Folder) -> None:
    suite = folder.path / "evals" / "a.eval.yaml"
    assert json_path(suite) == folder.path / "evals" / ".rubric" / "results" / "a.eval.yaml.json"
    (folder.path / ".git").mkdir()
    assert json_path(suite) == folder.path / ".rubric" / "results" / "evals__a.eval.yaml.json"


def test_suites_in_deep_folders_had_files_too(folder: Folder) -> None:
    (folder.path / ".git").mkdir()
    deep = Path(*(f"part {number} of a path {'ü' * 40}" for number in range(5)))
    for first in ("one", "two"):
        written(folder.path / first / deep / "a.eval.yaml", result(first))
    for first in ("one", "two"):
        assert list(stored_cases(folder.path / first / deep / "a.eval.yaml")) == [first]


def test_results_are_shown_before_anything_is_run_and_nothing_is_written(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    written(suite, result("a"), journal=(result("b", 0.5),))
    assert {name: case.result.score for name, case in stored_cases(suite).items()} == {"a": 1.0, "b": 0.5}
    assert [path.name for path in (folder.path / ".rubric").iterdir()] == ["results"]


def test_results_are_taken_over_once_as_a_run_with_their_history(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    written(suite, result("a"), result("b"), journal=(result("b", 0.5),))
    begun(suite)
    database = ResultDatabase.of(suite)
    _, earlier = database.runs()
    assert (earlier.state, earlier.cases, earlier.suites) == (RunState.DONE, 2, ("a.eval.yaml",))
    assert earlier.id.startswith("20261120-100009-")
    assert [(case.id, case.summary.score) for case in database.cases(earlier)] == [("a", 1.0), ("b", 0.5)]
    known = stored_cases(suite)
    assert known["a"].result == result("a")
    assert [row["score"] for row in known["a"].history] == [0.0, 1.0]
    assert [row["score"] for row in known["b"].history] == [0.0, 1.0, 0.5]
    written(suite, result("later"))
    begun(suite)
    assert set(stored_cases(suite)) == {"a", "b"}
    assert len(database.runs()) == 3
    assert json_path(suite).exists(), "an earlier version still finds it"


def test_a_run_after_that_counts(folder: Folder) -> None:
    suite = folder.path / "a.eval.yaml"
    written(suite, result("a"))
    writer = ResultDatabase.of(suite).begin(RunInfo(suites=(suite,)))
    writer.add(result("a", 0.25), suite=suite)
    writer.end(RunState.DONE)
    assert stored_cases(suite)["a"].summary.score == 0.25


def test_cases_of_a_file_are_taken_over_with_their_suite(folder: Folder) -> None:
    (folder.path / ".git").mkdir()
    suite, file = folder.path / "a.eval.yaml", folder.path / "cases.yaml"
    written(suite, result("a", file="cases.yaml"))
    written(file, result("a", suite="a.eval.yaml"))
    begun(suite)
    assert [(n, c.summary.file) for n, c in stored_cases(suite).items()] == [("a", "cases.yaml")]
    assert [(n, c.summary.suite) for n, c in stored_cases(file).items()] == [("a", "a.eval.yaml")]


def test_a_suite_without_any_takes_nothing_over(folder: Folder) -> None:
    begun(folder.path / "a.eval.yaml")
    assert len(ResultDatabase.of(folder.path / "a.eval.yaml").runs()) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b'{"version": 2, "cases": {}}', b'{"version": 1, "cases": 5}',
        b'{"version": 1, "cases": {"a": {"latest": {"verdict": "so so"}}}}', b"\xff",
    ],
)  # fmt: skip
def test_a_damaged_file_holds_nothing(folder: Folder, content: bytes) -> None:
    suite = folder.path / "a.eval.yaml"
    json_path(suite).parent.mkdir(parents=True)
    json_path(suite).write_bytes(content)
    assert stored_cases(suite) == {}
    begun(suite)
    assert len(ResultDatabase.of(suite).runs()) == 1


def test_no_damage_keeps_a_suite_from_being_run(folder: Folder) -> None:
    rng, read = random.Random(14), 0
    (folder.path / ".git").mkdir()
    good = written(folder.path / "a.eval.yaml", result("a"), result("b"), result("c"))
    for number in SEEDS:
        suite = folder.path / f"{number}.eval.yaml"
        json_path(suite).write_bytes(damaged(good, rng))
        before = {name for name, _ in json_cases(suite)}
        if number % 10 == 0:
            begun(suite)
            assert len(stored_cases(suite)) <= len(before)
        read += len(before)
    assert read > len(SEEDS)
    assert sys.getrecursionlimit() < 20_000


def test_suites_that_ran_within_one_second_are_all_taken_over(folder: Folder) -> None:
    """Of so many, two have the same chance in their ids in nearly all cases."""
    suites = [folder.path / f"{number}.eval.yaml" for number in range(900)]
    for suite in suites:
        written(suite, result("a"))
    ResultDatabase.of(suites[0]).begin(RunInfo(suites=suites)).end(RunState.DONE)
    assert len(ResultDatabase.of(suites[0]).runs()) == len(suites) + 1
    assert list((folder.path / ".rubric").glob("*damaged*")) == []
