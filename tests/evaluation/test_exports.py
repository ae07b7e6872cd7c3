"""A stored run as JSON, JSON Lines, CSV, JUnit XML and Markdown."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from junitparser import Error, Failure, JUnitXml
from markdown_it import MarkdownIt

from rubric_core.evaluation.exporting.formats import FORMATS, ExportFormat, UnknownFormatError, exported, format_of
from rubric_core.evaluation.exporting.run_cases import ExportedRun
from rubric_core.evaluation.model.result import CaseResult, CriterionResult, EvaluatorResult, Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunInfo, RunState
from rubric_core.ports import Tokens

HOSTILE = (
    "=cmd|' /C calc'!A0 <img src=x onerror=alert(1)> ![x](http://evil/x.png) \x1b[31m\u202e ]]> & \x00 \ud800 \ufffe"
)
#: The attributes that Jenkins' xUnit plugin allows; it refuses a file with any other.
ALLOWED = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "file", "hostname", "id", "package"},
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "system-out": set(),
}  # fmt: skip
REQUIRED = {"testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name"}, "property": {"name", "value"}}


def case(name: str, verdict: Verdict, score: float | None, **more: object) -> CaseResult:
    return CaseResult(
        id=name, verdict=verdict, score=score, dialect="agentv-3", target="gpt", duration_ms=1_500.0, **more
    )  # type: ignore[arg-type]


TONE = EvaluatorResult(
    name="style", type="rubrics", verdict=Verdict.FAILED, score=0.4,
    criteria=(CriterionResult(id="tone", outcome="Friendly", verdict=Verdict.FAILED, score=0.4, raw=4, minimum=0.6, reasoning="curt"),),
)  # fmt: skip
RESULTS = [
    case("refund", Verdict.FAILED, 0.4, evaluators=(TONE,), answer="No.", line=9, tokens=Tokens(10, 5)),
    case("greets", Verdict.PASSED, 1.0, evaluators=(replace(TONE, verdict=Verdict.PASSED, score=1.0),), line=3),
    case("late", Verdict.UNSCORED, None, reason="no judge is configured", line=15),
    case("half", Verdict.BORDERLINE, 0.7, line=20),
    case(HOSTILE, Verdict.FAILED, 0.0, answer=HOSTILE, reason=HOSTILE, line=25),
]


@pytest.fixture
def database(tmp_path: Path) -> ResultDatabase:
    return ResultDatabase.at(tmp_path)


def stored(database: ResultDatabase, results: list[CaseResult], suite: str = "evals/support.eval.yaml") -> ExportedRun:
    path = database.root / suite
    writer = database.begin(RunInfo(command=("rubric", "run"), suites=(path,), commit="0123456789abcdef", dirty=True))
    for each in results:
        writer.add(each, suite=path, tags=("smoke", "=1+1"))
    writer.end(RunState.DONE)
    (record, *_) = database.runs()
    return ExportedRun(record, lambda: database.cases(record))


def text(run: ExportedRun, form: ExportFormat) -> str:
    return "".join(exported(run, form))


def test_cases_stand_in_the_order_of_the_file(database: ResultDatabase) -> None:
    rows = [json.loads(line) for line in text(stored(database, RESULTS), "jsonl").splitlines()]
    assert [row["id"] for row in rows][:4] == ["greets", "refund", "late", "half"]
    assert {row["suite"] for row in rows} == {"evals/support.eval.yaml"}
    assert rows[1]["evaluators"][0]["criteria"][0]["raw_score"] == 4


def test_json_is_the_document_of_the_command_line_with_the_run(database: ResultDatabase) -> None:
    document = json.loads(text(stored(database, RESULTS), "json"))
    assert list(document) == ["run", "suite", "dialect", "cases", "summary", "grader_errors", "usage"]
    assert document["run"]["commit"] == "0123456789abcdef"
    assert document["summary"] == {"passed": 1, "borderline": 1, "failed": 2, "unscored": 1}
    assert "stopped" not in document


def test_json_of_several_suites_lists_them(database: ResultDatabase) -> None:
    first = stored(database, RESULTS[:1])
    assert next(iter(json.loads(text(first, "json")))) == "run"
    writer = database.begin(RunInfo())
    for name in ("b.eval.yaml", "a.eval.yaml"):
        writer.add(RESULTS[0], suite=database.root / name)
    (record, *_) = database.runs()  # still running
    document = json.loads(text(ExportedRun(record, lambda: database.cases(record)), "json"))
    assert [each["suite"] for each in document["suites"]] == ["a.eval.yaml", "b.eval.yaml"]
    assert document["stopped"] is True


def test_a_run_without_cases_is_written_in_every_format(database: ResultDatabase) -> None:
    run = stored(database, [])
    assert json.loads(text(run, "json"))["suites"] == []
    assert text(run, "jsonl") == ""
    assert len(list(csv.reader(io.StringIO(text(run, "csv"))))) == 1
    assert JUnitXml.fromstring(text(run, "junit").encode()).tests == 0
    assert "0 of 0 cases passed" in text(run, "markdown")


def test_csv_has_a_row_per_case_and_a_column_per_evaluator(database: ResultDatabase) -> None:
    written = text(stored(database, RESULTS), "csv")
    assert written.startswith("\ufeffrun,")  # Excel reads UTF-8 by this mark only
    rows = list(csv.DictReader(io.StringIO(written.removeprefix("\ufeff"))))
    assert [row["verdict"] for row in rows] == ["passed", "failed", "unscored", "borderline", "failed"]
    assert [row["score: style"] for row in rows] == ["1.0", "0.4", "", "", ""]
    assert rows[1]["score"] == "0.4"
    assert rows[2]["score"] == ""  # unscored is not 0


def test_no_cell_of_csv_is_a_formula(database: ResultDatabase) -> None:
    answers = ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "\n=1", "＝1", "fine = 1"]
    results = [case(f"c{n}", Verdict.PASSED, 1.0, answer=answer, line=n + 1) for n, answer in enumerate(answers)]
    rows = list(csv.reader(io.StringIO(text(stored(database, results), "csv").removeprefix("\ufeff"), newline="")))
    cells = [cell for row in rows[1:] for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))]
    assert {"'=1+1", "'+1", "'-1", "'@x", "fine = 1"} <= set(cells)


@pytest.mark.parametrize(
    "answer",
    [
        "a;=cmd|'/C calc'!A0;b", 'a;"=HYPERLINK(""http://x"")"', "a\t@SUM(1)", "a;;+1", "a\n=1+1", "a\r\n-2+3+cmd|'/C calc'!A0", 'a\n"=1"', "a\n=1",
    ],
)  # fmt: skip
def test_no_cell_of_csv_is_a_formula_where_semicolons_or_tabs_separate_cells(
    database: ResultDatabase, answer: str
) -> None:
    written = text(stored(database, [case("a", Verdict.PASSED, 1.0, answer=answer)]), "csv").removeprefix("\ufeff")
    for separator in ";\t":  # each cell as it is read by Excel, to which quotes inside of a cell mean nothing
        cells = [cell.lstrip('"') for line in written.splitlines() for cell in line.split(separator)]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_lists_in_markdown_stay_as_they_are_in_csv(database: ResultDatabase) -> None:
    answer = "two things:\n- one; and a half\n+ two"
    written = text(stored(database, [case("a", Verdict.PASSED, 1.0, answer=answer)]), "csv")
    (row,) = csv.DictReader(io.StringIO(written.removeprefix("\ufeff"), newline=""))
    assert row["answer"] == answer


def test_junit_keeps_to_the_schema_of_jenkins(database: ResultDatabase) -> None:
    root = ET.fromstring(text(stored(database, RESULTS), "junit"))
    for element in root.iter():
        assert element.tag in ALLOWED
        assert set(element.attrib) <= ALLOWED[element.tag], element.tag
        assert REQUIRED.get(element.tag, set()) <= set(element.attrib)
        if element.tag == "testsuite":
            assert element.attrib["timestamp"].count(":") == 2


def test_junit_is_read_as_ci_servers_read_it(database: ResultDatabase) -> None:
    (suite,) = JUnitXml.fromstring(text(stored(database, RESULTS), "junit").encode())
    assert (suite.name, suite.tests, suite.failures, suite.errors, suite.skipped) == (
        "evals/support.eval.yaml", 5, 3, 1, 0,
    )  # fmt: skip
    greets, refund, late, half, _ = suite
    assert (greets.classname, greets.name, greets.time, greets.result) == ("evals.support", "greets", 1.5, [])
    (failure,) = refund.result
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("rubrics", "failed 0.40, needs 0.80: style / tone 4/10 (needs 6): curt")
    assert failure.text.splitlines()[0] == "evals/support.eval.yaml:9"
    assert refund.system_out == "No."
    (error,) = late.result
    assert isinstance(error, Error)  # nothing is known about the answer: neither passed nor failed
    assert error.message == "unscored: no judge is configured"
    assert isinstance(half.result[0], Failure)
    assert half.result[0].type == "borderline"


def test_markdown_says_what_did_not_pass_and_renders_nothing_of_an_answer(database: ResultDatabase) -> None:
    written = text(stored(database, RESULTS), "markdown")
    assert written.startswith("## ✘ rubric: 1 of 5 cases passed\n")
    assert "with changes" in written
    assert "- ✘ **refund** failed 0.40 (needs 0.80)" in written
    assert "| evals/support.eval.yaml | 1 / 5 | 0.52 |" in written
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(written)
    assert "http://" not in written  # GitHub makes a link of an address
    assert "<img" not in html
    assert "<a " not in html
    assert "\u202e" not in written


def test_markdown_fits_into_a_comment(database: ResultDatabase) -> None:
    many = [case(f"case-{n}", Verdict.FAILED, 0.0, reason="x" * 500, line=n + 1) for n in range(400)]
    written = text(stored(database, many), "markdown")
    assert len(written) < 65_536
    assert written.rstrip().splitlines()[-1].startswith("… and ")


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_in_an_export_acts_on_a_terminal(form: ExportFormat, database: ResultDatabase) -> None:
    written = text(stored(database, RESULTS), form)
    assert not {"\x1b", "\u202e", "\x00", "\ud800"} & set(written)


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.json", "json"), ("A.JSONL", "jsonl"), ("a.csv", "csv"), ("junit.xml", "junit"), ("a.junit.xml", "junit"), ("a.md", "markdown"), ("a.promptfoo.json", "promptfoo")],
)  # fmt: skip
def test_the_ending_of_a_file_says_the_format(name: str, form: ExportFormat) -> None:
    assert format_of(Path(name)) == form


def test_an_ending_that_stands_for_nothing_is_said() -> None:
    with pytest.raises(UnknownFormatError, match=r"a\.txt: no format ends with '\.txt'; use \.csv, "):
        format_of(Path("a.txt"))
