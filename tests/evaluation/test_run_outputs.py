"""`rubric run -o FILE`: the results of a run in files for other programs."""

import json
import shutil
import stat
from pathlib import Path

import pytest
from junitparser import JUnitXml
from suites import Folder

from rubric_core.cli import main
from rubric_core.evaluation.results.database import ResultDatabase

EXAMPLES = Path(__file__).parents[2] / "examples"
SUITE = """\
tests:
  - id: good
    criteria: c
    input: hi
    metadata: {tags: [smoke]}
    assertions: [{type: contains, value: hello}]
  - id: bad
    criteria: c
    input: hi
    assertions: [{type: contains, value: goodbye}]
"""


@pytest.fixture
def suite(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.mock("hello world")
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


def rubric(*arguments: str) -> int:
    try:
        return main(["run", *arguments])
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize("store", [[], ["--no-store"]])
def test_files_of_several_formats_are_written_at_once(store: list[str], suite: Folder) -> None:
    names = ["out/results.json", "rows.jsonl", "table.csv", "junit.xml", "summary.md", "report.html"]
    assert rubric("suite.eval.yaml", *store, *(word for name in names for word in ("-o", name))) == 1
    assert all((suite.path / name).stat().st_size for name in names)
    assert stat.S_IMODE((suite.path / "junit.xml").stat().st_mode) == 0o600  # it holds answers
    document = json.loads((suite.path / "out/results.json").read_text(encoding="utf-8"))
    assert [(case["id"], case["verdict"]) for case in document["cases"]] == [("good", "passed"), ("bad", "failed")]
    assert document["suite"] == "suite.eval.yaml"
    assert document["run"]["command"][:2] == ["rubric", "run"]
    assert ",smoke," in (suite.path / "table.csv").read_text(encoding="utf-8-sig")
    assert (suite.path / ".rubric").exists() is not bool(store)


def test_each_of_several_targets_has_its_test_case(suite: Folder) -> None:
    suite.targets(
        *({"name": name, "provider": "mock", "response": said} for name, said in (("a", "hello"), ("b", "no")))
    )
    assert rubric("suite.eval.yaml", "--target", "a", "--target", "b", "-o", "junit.xml") == 1
    (cases,) = JUnitXml.fromfile(str(suite.path / "junit.xml"))
    assert {case.name for case in cases} == {"good [a]", "good [b]", "bad [a]", "bad [b]"}


def test_a_run_that_leaves_nothing_to_run_is_written_all_the_same(suite: Folder) -> None:
    rubric("suite.eval.yaml::good")
    assert rubric("suite.eval.yaml::good", "--resume", "-o", "junit.xml", "-o", "run.json") == 0
    assert JUnitXml.fromfile(str(suite.path / "junit.xml")).tests == 0
    assert json.loads((suite.path / "run.json").read_text(encoding="utf-8"))["run"]["state"] == "done"


def test_a_file_that_cannot_be_written_is_named(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    (suite.path / "file").write_text("", encoding="utf-8")
    assert rubric("suite.eval.yaml", "-o", "file/junit.xml", "-o", "junit.xml") == 2
    assert f"rubric: {suite.path}/file/junit.xml cannot be written: " in capsys.readouterr().err
    assert (suite.path / "junit.xml").exists()


def test_an_ending_without_a_format_is_refused_before_anything_runs(
    suite: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rubric("suite.eval.yaml", "-o", "report.txt") == 2
    assert "report.txt: no format ends with '.txt'" in capsys.readouterr().err
    assert ResultDatabase.at(suite.path).runs() == []


def test_files_are_complete_where_nothing_can_be_stored(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    (suite.path / ".rubric").write_text("in the way", encoding="utf-8")
    assert rubric("suite.eval.yaml", "-o", "junit.xml") == 2
    assert "results cannot be stored" in capsys.readouterr().err
    assert JUnitXml.fromfile(str(suite.path / "junit.xml")).tests == 2


def test_a_stored_run_is_exported_later(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    rubric("suite.eval.yaml", "-o", "first.csv")
    capsys.readouterr()
    assert main(["results", "export", "--format", "junit"]) == 0
    assert JUnitXml.fromstring(capsys.readouterr().out.encode()).tests == 2
    assert main(["results", "export", "last", "-o", "later.csv"]) == 0
    first, later = (
        (suite.path / name).read_text(encoding="utf-8-sig").splitlines() for name in ("first.csv", "later.csv")
    )
    assert [line.partition(",")[2] for line in first] == [line.partition(",")[2] for line in later]
    assert main(["results", "export", "nothing-like-it"]) == 2
    assert "nothing-like-it" in capsys.readouterr().err


def test_no_grader_is_said_to_have_failed_where_several_suites_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is kept of a passed case names its judges without their scores; these counted as graders that failed."""
    for name in ("one", "two"):
        for kind in ("eval", "recordings"):
            shutil.copy(EXAMPLES / f"quickstart.{kind}.yaml", tmp_path / f"{name}.{kind}.yaml")
    for each in ("shop_bot.py", "check_order.py"):
        shutil.copy(EXAMPLES / each, tmp_path)
    if (EXAMPLES / ".agentv").exists():
        shutil.copytree(EXAMPLES / ".agentv", tmp_path / ".agentv")
    monkeypatch.chdir(tmp_path)
    assert rubric("one.eval.yaml", "two.eval.yaml", "--replay") == 1
    said = capsys.readouterr().out
    assert "4 passed, 2 failed" in said
    assert "graders failed" not in said
