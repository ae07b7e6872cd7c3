"""The file that `rubric report` writes: what is in it, how large it is, and that no text of a case is markup in it."""

import base64
import gzip
import json
import random
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from sample_runs import BANDS, store

from rubric_core.cli import main
from rubric_core.evaluation.comparison.runs import compare_runs
from rubric_core.evaluation.exporting.formats import exported, format_of
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.exchanges import Exchange
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.report_page.write_report import write_report
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.ports import ChatMessage

NOW = datetime(2026, 11, 24, 12, tzinfo=timezone.utc)
#: Bytes that a page of a thousand cases may have.
LARGEST = 1_500_000
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028\u202e\x00\ud800"


def written(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The data and the details in a page."""
    text = path.read_text("utf-8")
    packed = dict(re.findall(r'<script type="text/plain" id="([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>', text))
    read = {name: json.loads(gzip.decompress(base64.b64decode(each))) for name, each in packed.items()}
    return read.pop("data"), [case for name in read for case in read[name]]


def one_run(root: Path, *results: CaseResult, tags: tuple[str, ...] = ()) -> ResultDatabase:
    """A database with one run."""
    database = ResultDatabase(root)
    suite = root / "a.eval.yaml"
    writer = database.begin(RunInfo(command=("rubric", "run", "a.eval.yaml"), suites=(suite,)))
    for each in results:
        writer.add(each, suite=suite, tags=tags)
    writer.end(RunState.DONE)
    return database


def report(database: ResultDatabase, path: Path) -> Path:
    write_report(path, database, database.find("last"), now=NOW)
    return path


def test_it_says_what_the_run_gave(database: ResultDatabase, tmp_path: Path) -> None:
    data, details = written(report(database, tmp_path / "r.html"))
    run = database.find("last")
    assert data["run"]["id"] == run.id
    assert sum(data["run"]["counts"].values()) == len(data["cases"]) == len(details) == 60
    assert [each["id"] for each in data["trend"]] == [each.id for each in reversed(database.runs())]
    assert data["suites"] == ["evals/support.eval.yaml", "evals/billing.eval.yaml"]
    assert [each["caseId"] for each in details] == [each["id"] for each in data["cases"]]


def test_a_case_has_everything_that_was_said_about_it(tmp_path: Path) -> None:
    criterion = CriterionResult(
        id="tone", outcome="Is kind", verdict=Verdict.FAILED, score=0.4, raw=4, minimum=0.6, gates=True, gate_failed=True,
        reasoning="curt", bands=BANDS,
    )  # fmt: skip
    judged = EvaluatorResult(
        name="style", type="rubrics", verdict=Verdict.FAILED, score=0.4, criteria=(criterion,), gate="tone", judge="gpt",
        raw_replies=('{"score": 4}',), exchanges=(Exchange(role="judge", to="gpt", messages=(ChatMessage("user", "Judge this"),)),),
    )  # fmt: skip
    asked = Exchange(role="target", to="bot", messages=(ChatMessage("user", "May I return it?"),))
    result = CaseResult(
        id="refund",
        verdict=Verdict.FAILED,
        score=0.4,
        evaluators=(judged,),
        answer="No.",
        expected_output="Yes, within 30 days.",
        exchanges=(asked,),
    )
    _, (case,) = written(report(one_run(tmp_path, result), tmp_path / "r.html"))
    (found,) = case["evaluators"]
    (told,) = found["criteria"]
    assert (case["prompt"], case["answer"], case["command"]) == (
        "May I return it?",
        "No.",
        "rubric run a.eval.yaml::refund",
    )
    assert (told["raw"], told["reasoning"], found["replies"]) == (4, "curt", ['{"score": 4}'])
    assert case["expectedOutput"] == "Yes, within 30 days."
    assert [(each["low"], each["high"], each["hit"]) for each in told["bands"]] == [
        (0, 2, False), (3, 5, True), (6, 8, False), (9, 10, False),
    ]  # fmt: skip
    assert [each["texts"] for each in case["requests"]] == [
        [{"name": "user", "text": "May I return it?"}], [{"name": "user", "text": "Judge this"}],
    ]  # fmt: skip


def test_a_case_that_ran_again_counts_as_it_ran_last(tmp_path: Path) -> None:
    first = CaseResult(id="a", verdict=Verdict.FAILED, score=0.0, answer="first")
    data, details = written(
        report(one_run(tmp_path, first, CaseResult(id="a", verdict=Verdict.PASSED, score=1.0, answer="second")), tmp_path / "r.html")
    )  # fmt: skip
    assert [(each["verdict"], each["answer"]) for each in details] == [("passed", "second")]
    assert data["run"]["counts"] == {"passed": 1, "borderline": 0, "failed": 0, "unscored": 0}


def test_unscored_is_not_passed_and_has_no_score(tmp_path: Path) -> None:
    result = CaseResult(id="a", verdict=Verdict.UNSCORED, reason="no judge is configured")
    data, _ = written(report(one_run(tmp_path, result), tmp_path / "r.html"))
    (row,) = data["cases"]
    assert "score" not in row
    assert (row["verdict"], row["reason"]) == ("unscored", "no judge is configured")
    assert "meanScore" not in data["run"]


def test_no_text_of_a_case_is_markup(tmp_path: Path) -> None:
    """Outside the packed data there is no trace of it: ids, tags, names and answers alike."""
    evaluator = EvaluatorResult(name=HOSTILE, type="contains", verdict=Verdict.FAILED, score=0.0, misses=(HOSTILE,))
    result = CaseResult(id=HOSTILE, verdict=Verdict.FAILED, score=0.0, answer=HOSTILE, reason=HOSTILE, target=HOSTILE, evaluators=(evaluator,))  # fmt: skip
    path = report(one_run(tmp_path, result, tags=(HOSTILE,)), tmp_path / "r.html")
    text = path.read_text("utf-8")
    assert "alert(1)" not in text
    assert text.count("<script") == text.count("</script>") == 3  # the data, one piece of details, the view
    assert "\u2028" not in text
    data, (case,) = written(path)
    assert case["answer"].startswith("</script><script>")
    assert data["tags"][0].startswith("</script>")


def test_the_name_of_a_suite_is_escaped(tmp_path: Path) -> None:
    database = ResultDatabase(tmp_path)
    suite = tmp_path / "<img src=x onerror=alert(1)>.eval.yaml"
    writer = database.begin(RunInfo(suites=(suite,)))
    writer.add(CaseResult(id="a", verdict=Verdict.PASSED, score=1.0), suite=suite)
    writer.end(RunState.DONE)
    assert "<img" not in report(database, tmp_path / "r.html").read_text("utf-8").split("<script>")[0]


def test_the_policy_lets_in_one_script_and_one_style(page: str) -> None:
    text = Path(page.removeprefix("file://")).read_text("utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert "default-src &#x27;none&#x27;" in policy
    assert "unsafe" not in policy
    assert len(re.findall(r"sha256-", policy)) == 2
    assert not re.search(r'<(link|img|iframe|object)\b|\b(src|href)="', text.split("<script>")[0])


def test_the_same_run_gives_the_same_bytes(database: ResultDatabase, tmp_path: Path) -> None:
    first, second = (report(database, tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
    assert first == second


def test_a_thousand_cases_fit_into_a_mail(tmp_path: Path) -> None:
    path = report(store(tmp_path, cases=1000, runs=2), tmp_path / "r.html")
    data, details = written(path)
    assert path.stat().st_size <= LARGEST
    assert len(data["cases"]) == len(details) == 1000


def test_texts_that_do_not_fit_are_cut_and_say_so(tmp_path: Path) -> None:
    """Texts that cannot be packed: the page stays small, and each case tells how much it lost."""
    noise = [base64.b64encode(random.Random(number).randbytes(30_000)).decode() for number in range(60)]
    results = [CaseResult(id=f"c{n}", verdict=Verdict.PASSED, score=1.0, answer=text) for n, text in enumerate(noise)]
    path = report(one_run(tmp_path, *results), tmp_path / "r.html")
    _, details = written(path)
    assert path.stat().st_size <= LARGEST
    for case, text in zip(details, noise, strict=True):
        kept = case["answer"].partition("\n… and ")[0]
        assert text.startswith(kept)
        assert case["cut"] == len(text) - len(kept) > 0
        assert case["answer"].endswith(f"… and {case['cut']:,} more characters")


def test_the_command(database: ResultDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(database.root)
    run, before = database.find("last"), database.find("last~1")
    assert main(["report", "-o", str(tmp_path / "one.html")]) == 0
    assert main(["report", before.id, "-o", str(tmp_path / "two.html")]) == 0
    assert written(tmp_path / "one.html")[0]["run"]["id"] == run.id
    assert written(tmp_path / "two.html")[0]["run"]["id"] == before.id
    assert f"{run.id}, 60 cases" in capsys.readouterr().out


def test_the_second_run_is_compared_with_the_first(database: ResultDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(database.root)
    run, before = database.find("last"), database.find("last~1")
    assert main(["report", "last~1", "last", "-o", str(tmp_path / "r.html")]) == 0
    assert f"{before.id} → {run.id}, 60 cases" in capsys.readouterr().out
    data, details = written(tmp_path / "r.html")
    expected = compare_runs(database, before, run)
    shown = data["comparison"]
    assert (data["run"]["id"], shown["base"]["id"]) == (run.id, before.id)
    assert [(each["id"], each["change"]) for each in shown["pairs"]] == [
        (pair.case.id, pair.change.value) for pair in expected.pairs
    ]
    passed, score = shown["differences"][:2]
    assert (passed["before"], passed["after"]) == (expected.flips.before / 59, expected.flips.after / 59)
    assert [score["before"], score["after"]] == list(expected.means or ())
    assert len(shown["groups"]) == len(expected.groups) > 0
    for pair in shown["pairs"]:
        assert data["cases"][pair["case"]]["id"] == pair["id"]
        assert ("before" in details[pair["case"]]) == (pair["change"] != "same")


def test_nothing_is_compared_unless_it_is_asked_for(database: ResultDatabase, tmp_path: Path) -> None:
    data, details = written(report(database, tmp_path / "r.html"))
    assert "comparison" not in data
    assert not any("before" in each for each in details)


def test_what_a_run_alone_has_is_not_compared(tmp_path: Path) -> None:
    """A case that went, one that came, one whose test is another: none of them counts in a difference."""
    database = one_run(
        tmp_path,
        CaseResult(id="gone", verdict=Verdict.PASSED, score=1.0),
        CaseResult(id="other", verdict=Verdict.PASSED, score=1.0, test_fingerprint="one"),
        CaseResult(id="kept", verdict=Verdict.PASSED, score=0.9),
    )
    one_run(
        tmp_path,
        CaseResult(id="new", verdict=Verdict.FAILED, score=0.0),
        CaseResult(id="other", verdict=Verdict.FAILED, score=0.0, test_fingerprint="two"),
        CaseResult(id="kept", verdict=Verdict.FAILED, score=0.4),
    )
    run, base = database.runs()
    write_report(tmp_path / "r.html", database, run, base=base, now=NOW)
    shown = written(tmp_path / "r.html")[0]["comparison"]
    assert {each["id"]: each["change"] for each in shown["pairs"]} == {
        "gone": "only_before", "new": "only_after", "other": "test_changed", "kept": "no_longer_passes",
    }  # fmt: skip
    assert "case" not in next(each for each in shown["pairs"] if each["id"] == "gone")
    passed = shown["differences"][0]
    assert (passed["before"], passed["after"], passed["cases"]) == (1.0, 0.0, 1)
    assert shown["words"].startswith("Too few cases to tell")


def test_a_run_that_is_not_there_is_a_usage_error(database: ResultDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(database.root)
    for wrong in (["nothing"], ["last~99"], ["last", "nothing"], ["last", "last", "last"]):
        assert main(["report", *wrong, "-o", str(tmp_path / "r.html")]) == 2
        assert capsys.readouterr().err.startswith("rubric: ")
    assert not (tmp_path / "r.html").exists()


def test_an_export_as_html_is_the_same_page(database: ResultDatabase, tmp_path: Path) -> None:
    run = database.find("last")
    path = tmp_path / "r.html"
    path.write_text("".join(exported(ExportedRun(run, lambda: database.cases(run)), format_of(path))), "utf-8")
    (data, details), (_, whole) = written(path), written(report(database, tmp_path / "whole.html"))
    assert data["run"]["id"] == run.id
    assert sorted(map(json.dumps, details)) == sorted(map(json.dumps, whole))


def test_what_cannot_be_read_or_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    database = ResultDatabase.at(tmp_path)
    database.begin(RunInfo(suites=(tmp_path / "s.eval.yaml",))).end(RunState.DONE)
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["report", "-o", "file/r.html"]) == 2
    assert capsys.readouterr().err.startswith("rubric: file/r.html cannot be written: ")
    database.path.write_bytes(b"no database" * 100)
    for command in (["report"], ["view", "--no-open"], ["compare"], ["results"]):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert f"{database.path} is damaged" in said
        assert "written" not in said
