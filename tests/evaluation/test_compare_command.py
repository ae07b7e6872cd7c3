"""`rubric compare`, `rubric baseline`, `rubric results flaky` and `rubric run --baseline`: two runs beside each other."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suites import Folder

from rubric_core.cli import main
from rubric_core.evaluation.comparison.bootstrap import MOST_RESAMPLED, mean_interval
from rubric_core.evaluation.comparison.proportions import wilson_interval
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.report_page.write_report import earlier_runs
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.evaluation.scoring.merged_parts import merged_evaluators


def case(name: str, score: float | None, **more: object) -> CaseResult:
    verdict = Verdict.UNSCORED if score is None else Verdict.PASSED if score >= 0.8 else Verdict.FAILED
    return CaseResult(id=name, verdict=verdict, score=score, **{"target": "bot", "fingerprint": "f", **more})  # type: ignore[arg-type]


def store(folder: Path, results: Sequence[CaseResult], suite: str = "s.eval.yaml") -> str:
    database = ResultDatabase.at(folder)
    writer = database.begin(RunInfo(suites=(folder / suite,)))
    for each in results:
        writer.add(each, suite=folder / suite, tags=("even" if len(each.id) % 2 == 0 else "odd",))
    writer.end(RunState.DONE)
    return writer.id


@pytest.fixture
def place(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder.path / ".git").mkdir()
    monkeypatch.chdir(folder.path)
    monkeypatch.setattr("os.urandom", _rising())  # runs of one second sort by the end of their ids
    return folder.path


def _rising():
    numbers = iter(range(1, 60_000))
    return lambda size: next(numbers).to_bytes(max(size, 2), "big")[-size:]


def rubric(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    said = capsys.readouterr()
    return code, said.out, said.err


def compared(capsys: pytest.CaptureFixture[str], *runs: str) -> dict:
    code, out, err = rubric(capsys, "compare", *runs, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def test_a_better_prompt_is_called_better(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scipy import stats  # slow to load, and every process collects this module

    store(place, [case(f"c{n}", 1.0 if n % 2 else 0.0) for n in range(40)])
    store(place, [case(f"c{n}", 0.0 if n == 1 else 1.0) for n in range(40)])
    found = compared(capsys)
    assert (found["conclusion"], found["regressed"], found["cases"]) == ("better", False, 40)
    assert found["score"]["difference"] == pytest.approx(19 / 40)
    low, high = found["score"]["interval"]
    assert 0.2 < low < 19 / 40 < high < 0.75
    assert found["passed"] == {
        "before": 20, "after": 39, "now_pass": 20, "no_longer_pass": 1, "p_value": stats.binomtest(1, 21).pvalue,
    }  # fmt: skip
    assert [each["id"] for each in found["changes"]["no_longer_passes"]] == ["c1"]
    _, out, _ = rubric(capsys, "compare")
    assert "better (40 cases, 95 % +0." in out
    assert "s.eval.yaml::c1  1.00 → 0.00" in out


def test_noise_is_called_noise_and_what_would_tell_is_said(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = [0.5 + (n % 5 - 2) / 10 for n in range(20)]
    store(place, [case(f"c{n}", each) for n, each in enumerate(scores)])
    store(place, [case(f"c{n}", each + (0.2 if n % 2 else -0.18)) for n, each in enumerate(scores)])
    assert compared(capsys)["conclusion"] == "noise"
    _, out, _ = rubric(capsys, "compare")
    assert "not distinguishable from noise (20 cases, 95 % −0." in out
    assert "to tell a difference of +0.01: some " in out


def test_few_cases_get_no_interval(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(place, [case(f"c{n}", 0.0) for n in range(5)])
    store(place, [case(f"c{n}", 1.0) for n in range(5)])
    found = compared(capsys)
    assert (found["conclusion"], found["score"]["interval"], found["passed"]["now_pass"]) == ("too_few_cases", None, 5)


def test_what_cannot_be_compared_is_listed_and_not_counted(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(place, [case("same", 0.9), case("lost", 0.9), case("gone", 0.9), case("edited", 0.9, test_fingerprint="1")])
    store(place, [case("same", 0.9), case("lost", None), case("new", 0.1), case("edited", 0.1, test_fingerprint="2")])
    found = compared(capsys)
    assert (found["cases"], found["conclusion"]) == (1, "same")
    changes = {kind: [each["id"] for each in pairs] for kind, pairs in found["changes"].items() if pairs}
    assert changes == {"unscored": ["lost"], "test_changed": ["edited"], "only_after": ["new"], "only_before": ["gone"]}


def test_another_target_is_compared_with_the_one_before(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(place, [case(f"c{n}", 0.5) for n in range(12)])
    store(place, [case(f"c{n}", 0.9, target="new-bot") for n in range(12)])
    found = compared(capsys)
    assert found["conclusion"] == "better"
    assert {each["target"] for each in found["changes"]["now_passes"]} == {"bot → new-bot"}


def test_a_repeated_case_counts_once_with_its_mean(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def repeated(name: str, scores: Sequence[float]) -> CaseResult:
        tone = CriterionResult(id="tone", outcome="o", verdict=Verdict.PASSED, score=1.0)
        runs = tuple(
            case(name, each, evaluators=(
                EvaluatorResult(name="style", type="rubrics", verdict=Verdict.PASSED, score=each, criteria=(tone,)),
            ))
            for each in scores
        )  # fmt: skip
        mean = sum(scores) / len(scores)
        return case(name, mean, runs=runs, evaluators=merged_evaluators(runs, ["1", "2", "3"], 0))

    store(place, [repeated(f"c{n}", [0.0, 0.5, 1.0]) for n in range(12)])
    store(place, [repeated(f"c{n}", [0.5, 1.0, 1.0]) for n in range(12)])
    found = compared(capsys)
    assert found["cases"] == 12
    assert found["score"]["before"] == pytest.approx(0.5)
    style = next(each for each in found["groups"] if each["name"] == "style")
    assert (style["before"], style["after"]) == (pytest.approx(0.5), pytest.approx(2.5 / 3))  # not of one repeat
    assert found["needed"]["repeats"] is not None


def test_runs_baselines_and_mistakes(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = store(place, [case("a", 0.5)])
    assert rubric(capsys, "compare")[0] == 2
    store(place, [case("b", 0.5)], suite="other.eval.yaml")
    code, _, err = rubric(capsys, "compare")
    assert (code, "is the only run of other.eval.yaml" in err) == (2, True)
    last = store(place, [case("a", 0.6)])
    assert rubric(capsys, "baseline", "set", "main", first)[1] == f"main is {first}\n"
    assert rubric(capsys, "baseline", "list")[1] == f"main  {first}\n"
    found = compared(capsys, "main")
    assert (found["before"], found["after"]) == (first, last)
    assert (compared(capsys)["before"], compared(capsys, last, first)["after"]) == (first, first)
    assert rubric(capsys, "baseline", "drop", "main")[0] == 0
    code, _, err = rubric(capsys, "baseline", "drop", "main")
    assert (code, "there is no baseline main" in err) == (2, True)
    assert rubric(capsys, "baseline", "set", "last")[0] == 2  # a name that means something else


SUITE = "tests:\n" + "".join(
    f"  - id: c{n}\n    criteria: c\n    input: hi\n    assertions: [{{type: contains, value: hello}}]\n"
    for n in range(12)
)


def test_a_regression_fails_ci_and_names_the_cases(
    folder: Folder, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mock("hello")
    folder.suite(SUITE)
    rubric(capsys, "run", "suite.eval.yaml", "-q")
    rubric(capsys, "baseline", "set", "main")
    assert rubric(capsys, "run", "suite.eval.yaml", "-q", "--baseline", "main", "--fail-on", "regression")[0] == 0
    folder.mock("no")
    code, out, _ = rubric(capsys, "run", "suite.eval.yaml", "-q", "--baseline", "main", "--fail-on", "regression")
    assert code == 1
    assert "worse (12 cases, 95 % −1.00…−1.00)" in out
    assert "suite.eval.yaml::c7  1.00 → 0.00" in out
    assert "not in the second run" not in out
    code, out, _ = rubric(capsys, "run", "suite.eval.yaml::c7", "-q", "--baseline", "main", "--fail-on", "regression")
    assert code == 0  # one case is no evidence
    assert rubric(capsys, "run", "suite.eval.yaml::c7", "-q", "--baseline", "main", "--fail-on", "flip")[0] == 1
    rubric(capsys, "baseline", "set", "main")  # what fails now failed before
    assert rubric(capsys, "run", "suite.eval.yaml::c7", "-q", "--baseline", "main", "--fail-on", "flip")[0] == 0
    assert rubric(capsys, "run", "suite.eval.yaml::c7", "-q", "--baseline", "main")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--fail-on", "flip"], "--fail-on flip needs --baseline"),
        (["--baseline", "main"], "--baseline: there is no run main"),
        (["--baseline", "main", "--no-store"], "--no-store keeps none"),
        (["--baseline", "main", "--watch"], "--baseline compares a whole run"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_said_before_anything_runs(
    arguments: list[str], words: str, folder: Folder, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mock("hello")
    folder.suite(SUITE)
    code, out, err = rubric(capsys, "run", "suite.eval.yaml", *arguments)
    assert (code, out, words in err) == (2, "", True)
    assert ResultDatabase.at(place).runs() == []


def test_flaky_cases_are_those_that_flip_without_a_change(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no case is flaky" in rubric(capsys, "results", "flaky")[1]
    for round_, score in enumerate((1.0, 0.2, 1.0, 0.9)):
        changed = case("changed", float(round_ % 2), fingerprint=f"f{round_}")
        store(place, [case("flips", score), case("steady", 1.0), changed, case("unscored", None)])
    _, out, _ = rubric(capsys, "results", "flaky")
    assert out == "█▂██  3 of 4 passed (95 % 30 % to 95 %)  s.eval.yaml::flips (bot)\n"
    assert "steady" in rubric(capsys, "results", "flaky", "--all")[1]


@given(st.integers(1, 400).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_the_interval_of_a_rate_is_scipys(counts):
    from scipy import stats  # slow to load, and every process collects this module

    passes, count = counts
    theirs = stats.binomtest(passes, count).proportion_ci(method="wilson")
    assert wilson_interval(passes, count) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_interval_of_many_cases_is_students():
    from scipy import stats  # slow to load, and every process collects this module

    differences = [((n * 7919) % 101 - 48) / 100 for n in range(MOST_RESAMPLED + 1)]
    theirs = stats.ttest_1samp(differences, 0).confidence_interval()
    assert mean_interval(differences) == pytest.approx((theirs.low, theirs.high), abs=1e-6)
    drawn = mean_interval(differences[:MOST_RESAMPLED], resamples=2_000)
    assert drawn == pytest.approx((theirs.low, theirs.high), abs=0.002)


@pytest.fixture
def ran(folder: Folder, place: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    """A suite of twelve cases that ran once."""
    folder.mock("hello")
    folder.suite(SUITE)
    assert rubric(capsys, "run", "suite.eval.yaml", "-q")[0] == 0
    return folder


@pytest.mark.parametrize(
    ("chosen", "left_out"),
    [
        (["suite.eval.yaml::c7"], 11), (["suite.eval.yaml", "-k", "c1"], 9), (["suite.eval.yaml", "--limit", "5"], 7),
        (["suite.eval.yaml", "--sample", "4", "--seed", "1"], 8), (["suite.eval.yaml"], 0),
    ],
)  # fmt: skip
def test_cases_that_a_run_was_not_asked_for_are_counted(
    ran: Folder, capsys: pytest.CaptureFixture[str], chosen: list[str], left_out: int
) -> None:
    assert rubric(capsys, "run", *chosen, "-q")[0] == 0
    found = compared(capsys)
    assert (found["left_out"], found["cases"], found["changes"]["only_before"]) == (left_out, 12 - left_out, [])
    words = f"{left_out} cases of the first run were not part of the second\n"
    assert (words in rubric(capsys, "compare")[1]) == (left_out > 0)
    assert (words.strip() in rubric(capsys, "compare", "--format", "markdown")[1]) == (left_out > 0)


def test_a_case_that_was_removed_from_its_suite_is_missed(ran: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    ran.suite(SUITE.replace("id: c7", "id: renamed"))
    assert rubric(capsys, "run", "suite.eval.yaml", "-q")[0] == 0
    found = compared(capsys)
    assert (found["left_out"], [each["id"] for each in found["changes"]["only_before"]]) == (0, ["c7"])


@pytest.mark.parametrize("wish", ["--failed", "--changed"])
def test_what_failed_or_changed_is_run_again_and_what_passed_is_not_missed(
    folder: Folder, place: Path, capsys: pytest.CaptureFixture[str], wish: str
) -> None:
    folder.mock("hello")
    folder.suite(SUITE.replace("hello", "no", 1))
    assert rubric(capsys, "run", "suite.eval.yaml", "-q")[0] == 1
    folder.suite(SUITE.replace("value: hello", "value: HELLO", 1))  # otherwise: its test is another
    rubric(capsys, "run", "suite.eval.yaml", "-q", wish)
    found = compared(capsys)
    assert (found["left_out"], found["changes"]["only_before"]) == (11, [])


def test_a_run_that_is_resumed_misses_nothing_that_was_done_before(
    ran: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    ran.suite(SUITE + SUITE.split("\n", 1)[1].replace("id: c", "id: d"))
    assert rubric(capsys, "run", "suite.eval.yaml", "-q", "--resume")[0] == 0
    found = compared(capsys)
    assert (found["left_out"], found["changes"]["only_before"], len(found["changes"]["only_after"])) == (12, [], 12)


def test_suites_and_targets_that_a_run_was_not_asked_for_are_counted(
    ran: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    ran.suite(SUITE, "other.eval.yaml")
    ran.targets(*({"name": name, "provider": "mock", "response": "hello"} for name in ("default", "second")))
    both = ("--target", "default", "--target", "second")
    assert rubric(capsys, "run", "suite.eval.yaml", "other.eval.yaml", "-q", *both)[0] == 0
    assert rubric(capsys, "run", "suite.eval.yaml", "-q", "--target", "second")[0] == 0
    found = compared(capsys)
    assert (found["left_out"], found["cases"], found["changes"]["only_before"]) == (36, 12, [])


def test_runs_are_in_the_order_in_which_they_began_also_where_the_clock_was_set_back(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = store(place, [case("a", 0.1)])
    later = f"20991231-{first[9:]}"  # as if the clock had been wrong then
    with closing(sqlite3.connect(ResultDatabase.at(place).path)) as file, file:
        file.execute("UPDATE runs SET id = ?, started_at = '2099-12-31T00:00:00+00:00' WHERE id = ?", (later, first))
    second = store(place, [case("a", 0.9)])
    third = store(place, [case("a", 0.5)])
    assert [each.id for each in ResultDatabase.at(place).runs()] == [third, second, later]
    for arguments, expected in (((), (second, third)), ((later, second), (later, second)), ((later,), (later, third))):
        found = compared(capsys, *arguments)
        assert (found["before"], found["after"]) == expected
    # The first is no run of this user's rubric any more, since its row was changed.
    assert [each.id for each in earlier_runs(ResultDatabase.at(place), ResultDatabase.at(place).find("last"))] == [
        second, third,
    ]  # fmt: skip
    assert rubric(capsys, "results", "prune", "--keep", "1")[0] == 0
    assert [each.id for each in ResultDatabase.at(place).runs()] == [third]
