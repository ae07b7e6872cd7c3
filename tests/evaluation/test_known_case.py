"""Stored results of which only the summary is read at first: the same as those that are read whole, also from damaged files."""

import random
from pathlib import Path

from damage import damaged

from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.known_case import KnownCase, ResultSummary
from rubric_core.evaluation.results.store import ResultStore

RESULTS = (
    CaseResult(
        id="a", verdict=Verdict.FAILED, score=0.25, at="2026-11-20T10:00:00+00:00", duration_ms=12.5, fingerprint="f1",
        evaluators=(
            EvaluatorResult(
                name="r", type="rubrics", verdict=Verdict.FAILED, score=0.25,
                criteria=(CriterionResult(id="tone", outcome="Is polite", verdict=Verdict.FAILED, score=0.25),),
            ),
        ),
    ),
    CaseResult(
        id="b", verdict=Verdict.PASSED, score=1.0, file="cases.yaml", at="2026-11-20T10:00:01+00:00",
        evaluators=(EvaluatorResult(name="x", type="code", verdict=Verdict.FAILED, score=0.0, crashed=True),),
    ),
    CaseResult(id='"c": {"summary": ', verdict=Verdict.UNSCORED, reason="no judge"),
)  # fmt: skip


def kept(folder: Path, runs: int = 2) -> ResultStore:
    """A store with results of several runs."""
    store = ResultStore.of(folder / "s.eval.yaml")
    for _ in range(runs):
        store.add(RESULTS, "s.eval.yaml", "agentv-3")
    return store


def test_what_is_read_later_is_what_is_read_at_once(tmp_path: Path) -> None:
    store = kept(tmp_path)
    known, whole = dict(store.known()), store.read()
    assert list(known) == list(whole) == [result.id for result in RESULTS]
    assert not any(case.is_read for case in known.values())
    assert {name: case.summary for name, case in known.items()} == {
        result.id: ResultSummary.of(result) for result in RESULTS
    }
    assert [case.summary.is_sound_pass for case in known.values()] == [r.is_sound_pass for r in RESULTS]
    assert [case.summary.lacks_a_verdict for case in known.values()] == [r.lacks_a_verdict for r in RESULTS]
    assert not any(case.is_read for case in known.values())
    for name, case in known.items():
        assert (case.result, case.history) == (whole[name].latest, whole[name].history)
        assert len(case.history) == 2


def test_results_of_a_run_that_goes_on_take_the_place_of_those_before(tmp_path: Path) -> None:
    store = kept(tmp_path)
    new = CaseResult(id="a", verdict=Verdict.PASSED, score=1.0, at="2026-11-21T10:00:00+00:00")
    store.note(new)
    known = dict(ResultStore.of(tmp_path / "s.eval.yaml").known())
    assert known["a"].summary == ResultSummary.of(new)
    assert len(known["a"].history) == 3
    assert [name for name, case in known.items() if case.is_read] == ["a"]


def test_a_damaged_result_is_what_its_summary_says(tmp_path: Path) -> None:
    store = kept(tmp_path)
    text = store.path.read_text(encoding="utf-8")
    store.path.write_text(text.replace('"latest": {"id": "a"', '"latest": {"id": }', 1), encoding="utf-8")
    known = dict(store.known())
    assert (known["a"].result.score, known["a"].result.evaluators) == (0.25, ())
    assert "damaged" in known["a"].result.reason
    assert known["b"].result.evaluators


def test_no_damage_breaks_what_is_shown(tmp_path: Path) -> None:
    store, rng, read = kept(tmp_path), random.Random(14), 0
    good = store.path.read_text(encoding="utf-8")
    for _ in range(500):
        store.path.write_bytes(damaged(good, rng))
        for name, case in store.known():
            assert type(name) is str
            assert isinstance(case, KnownCase)
            assert isinstance(case.summary.verdict, Verdict)
            for text in (case.summary.at, case.summary.fingerprint, case.summary.file, case.summary.suite):
                assert type(text) is str
            for number in (case.summary.score, case.summary.duration_ms):
                assert number is None or abs(number) <= 1e15
            assert case.summary.grader_errors >= 0
            assert isinstance(case.result, CaseResult)
            assert all(isinstance(row, dict) for row in case.history)
            read += 1
    assert read > 500  # most files are damaged in one place
