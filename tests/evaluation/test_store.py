"""Results on disk: whole or not at all, with their history, whoever writes."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results import journal
from rubric_core.evaluation.results.journal import write_atomically
from rubric_core.evaluation.results.store import ResultStore, results_path


def result(name: str, score: float = 1.0) -> CaseResult:
    return CaseResult(
        id=name, verdict=Verdict.PASSED, score=score, fingerprint=f"f-{name}-{score}", at="2026-11-21T00:00:00+00:00"
    )


def test_results_stand_at_the_root_of_the_repository_or_beside_the_suite(folder: Folder) -> None:
    suite = folder.path / "evals" / "a.eval.yaml"
    assert results_path(suite) == folder.path / "evals" / ".rubric" / "results" / "a.eval.yaml.json"
    (folder.path / ".git").mkdir()
    assert results_path(suite) == folder.path / ".rubric" / "results" / "evals__a.eval.yaml.json"


def test_suites_in_deep_folders_have_results_too(folder: Folder) -> None:
    (folder.path / ".git").mkdir()
    deep = Path(*(f"part {number} of a path {'ü' * 40}" for number in range(5)))
    for first in ("one", "two"):
        suite = folder.path / first / deep / "a.eval.yaml"
        suite.parent.mkdir(parents=True)
        ResultStore.of(suite).add([result(first)], "a.eval.yaml", "agentv-3")
    for first in ("one", "two"):
        assert set(ResultStore.of(folder.path / first / deep / "a.eval.yaml").read()) == {first}


def test_results_are_added_and_read(folder: Folder) -> None:
    store = ResultStore.of(folder.path / "a.eval.yaml")
    assert store.read() == {}
    store.add([result("a"), result("b")], "a.eval.yaml", "agentv-3")
    store.add([result("a", 0.5)], "a.eval.yaml", "agentv-3")
    cases = store.read()
    assert (cases["a"].latest, cases["b"].latest) == (result("a", 0.5), result("b"))
    assert [row["score"] for row in cases["a"].history] == [1.0, 0.5]
    assert (store.path.parent.parent / ".gitignore").read_text() == "*\n"
    assert [p.name for p in store.path.parent.iterdir() if p.name.startswith(".")] == []


def test_a_folder_that_is_removed_meanwhile_is_made_anew_as_it_was(folder: Folder) -> None:
    """Also while the journal in it is held open; git is to see it no more than before."""
    store = ResultStore.of(folder.path / "a.eval.yaml")
    store.note(result("a"))
    shutil.rmtree(store.path.parent.parent)
    store.note(result("b"))
    assert (store.path.parent.parent / ".gitignore").read_text() == "*\n"
    store.settle("a.eval.yaml", "agentv-3")
    assert list(store.read()) == ["b"]


def test_empty_texts_come_back(folder: Folder) -> None:
    """A criterion that is its score ranges has no text of its own."""
    criterion = CriterionResult(id="tone", outcome="", verdict=Verdict.PASSED, score=0.8, raw=8)
    evaluator = EvaluatorResult(name="rubrics", type="", verdict=Verdict.PASSED, score=0.8, criteria=(criterion,))
    case = CaseResult(id="a", verdict=Verdict.PASSED, score=0.8, evaluators=(evaluator,))
    store = ResultStore.of(folder.path / "a.eval.yaml")
    store.add([case], "a.eval.yaml", "agentv-3")
    assert store.read()["a"].latest == case


def test_the_history_has_an_end(folder: Folder) -> None:
    store = ResultStore.of(folder.path / "a.eval.yaml")
    for n in range(60):
        store.add([result("a", n / 100)], "a.eval.yaml", "agentv-3")
    history = store.read()["a"].history
    assert (len(history), history[-1]["score"]) == (50, 0.59)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"version": 2, "cases": {}}',
        b'{"version": 1, "cases": 5}',
        b'{"version": 1, "cases": {"a": {"latest": {"verdict": "so so"}}}}',
        b"\xff",
    ],
)
def test_a_damaged_file_holds_nothing_and_is_replaced(folder: Folder, content: bytes) -> None:
    store = ResultStore.of(folder.path / "a.eval.yaml")
    store.path.parent.mkdir(parents=True)
    store.path.write_bytes(content)
    assert store.read() == {}
    store.add([result("b")], "a.eval.yaml", "agentv-3")
    assert store.read()["b"].latest == result("b")


def test_writers_do_not_lose_what_others_wrote(folder: Folder) -> None:
    script = """
import sys
from pathlib import Path
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.store import ResultStore
store = ResultStore.of(Path(sys.argv[1]))
for n in range(10):
    store.add([CaseResult(id=f"{sys.argv[2]}-{n}", verdict=Verdict.PASSED, score=1.0)], "s", "agentv-3")
"""
    suite = str(folder.path / "a.eval.yaml")
    writers = [subprocess.Popen([sys.executable, "-c", script, suite, name]) for name in "abcd"]
    assert [w.wait() for w in writers] == [0, 0, 0, 0]
    assert len(ResultStore.of(Path(suite)).read()) == 40


def test_a_file_is_replaced_whole(folder: Folder) -> None:
    path = folder.path / "x" / "y.json"
    write_atomically(path, "one")
    write_atomically(path, "two")
    assert path.read_text() == "two"
    assert [p.name for p in path.parent.iterdir()] == ["y.json"]
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "two"
    assert [p.name for p in path.parent.iterdir()] == ["y.json"]


def test_the_file_is_json(folder: Folder) -> None:
    store = ResultStore.of(folder.path / "a.eval.yaml")
    store.add([result("a")], "a.eval.yaml", "agentv-3")
    assert json.loads(store.path.read_text())["suite"] == "a.eval.yaml"


def test_a_journal_that_others_take_away_is_made_anew(folder: Folder) -> None:
    """A run keeps it open: what it notes after another run has put everything in its place is not lost in a file without a name."""
    suite = folder.suite("tests: [{id: a, input: hi}]")
    one, other = ResultStore.of(suite), ResultStore.of(suite)
    one.note(result("a"))
    other.add([result("b")], "suite.eval.yaml", "agentv-3")
    one.note(result("c"))
    assert set(ResultStore.of(suite).read()) == {"a", "b", "c"}
    results = results_path(suite).parent
    results.rename(results.with_name("elsewhere"))
    one.note(result("d"))
    one.settle("suite.eval.yaml", "agentv-3")
    assert set(ResultStore.of(suite).read()) == {"d"}
    assert [each.name for each in results.iterdir() if each.suffix == ".jsonl"] == []


def test_a_file_system_that_knows_no_file_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter(range(1_000_000))
    monkeypatch.setattr(journal, "_identity", lambda _: (0, next(numbers)))
    suite = folder.suite("tests: [{id: a, input: hi}]")
    store = ResultStore.of(suite)
    store.add([result("a"), result("b")], "suite.eval.yaml", "agentv-3")
    assert set(store.read()) == {"a", "b"}


def test_a_result_is_put_in_its_place_as_it_was_noted(folder: Folder) -> None:
    suite = folder.suite("tests: [{id: a, input: hi}]")
    noted = replace(result("ä"), answer="one\u2028two \ud800 \x7f ü", reason="\\u00e4")
    ResultStore.of(suite).add([noted], "suite.eval.yaml", "agentv-3")
    assert ResultStore.of(suite).read()["ä"].latest == noted
    ResultStore.of(suite).add([result("b")], "suite.eval.yaml", "agentv-3")
    assert ResultStore.of(suite).read()["ä"].latest == noted
