"""Cases in tables, and cases that programs make."""

import json
from pathlib import Path

import pytest
from suites import BY_NAME, LANGUAGE, Folder

from rubric_core.cli import main
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.model.result import Verdict
from rubric_core.loading.case_table import TableError, cases_in_table
from rubric_core.loading.project import Project

TYPES = BY_NAME["agentv-5"].types
SUITE = "# rubric: dialect=agentv-5\nprompts: ['{{ q }}']\nproviders: [default]\ntests:\n"


def row(cells: str, columns: str = "__expected") -> dict[str, object]:
    (found,) = cases_in_table(f"{columns}\n{cells}\n", TYPES)
    return found.case


@pytest.mark.parametrize(
    ("cell", "check"),
    [
        ("hello", {"type": "equals", "value": "hello"}),
        ("Note: be kind", {"type": "equals", "value": "Note: be kind"}),
        ("note: be kind", {"type": "equals", "value": "note: be kind"}),
        ("not-note: be kind", {"type": "equals", "value": "not-note: be kind"}),
        ("not-grade: rude", {"type": "llm-rubric", "negate": True, "value": "rude"}),
        ("not-is-json", {"type": "is-json", "negate": True}),
        ("cost(0.5)", {"type": "cost", "budget": 0.5}),
        ("contains-all:a", {"type": "contains-all", "value": ["a"]}),
        ("icontains:hello", {"type": "icontains", "value": "hello"}),
        ("not-contains: sorry", {"type": "contains", "negate": True, "value": "sorry"}),
        ("not-skill-used: x", {"type": "not-skill-used", "value": "x"}),
        ('"contains-any: a, b"', {"type": "contains-any", "value": ["a", "b"]}),
        ("is-json", {"type": "is-json"}),
        ("contains", {"type": "equals", "value": "contains"}),
        ("latency(500)", {"type": "latency", "threshold": 500.0}),
        ("cost: 0.01", {"type": "cost", "budget": 0.01}),
        ("similar(0.9): x", {"type": "similar", "threshold": 0.9, "value": "x"}),
        ("grade: is kind", {"type": "llm-rubric", "value": "is kind"}),
        ("fn: output.length > 3", {"type": "javascript", "value": "output.length > 3"}),
        ("file://check.py", {"type": "python", "value": "file://check.py"}),
    ],
)
def test_a_check_in_short(cell: str, check: dict[str, object]) -> None:
    assert row(cell)["assert"] == [check]


def test_what_the_columns_of_a_table_say() -> None:
    table = (
        "\ufeffid,vars.input,locale,__expected1,__expected2,__metric,__threshold,__metadata:source,__description\n"
        '\n"a","two\nlines",de,x,contains:y,tone,0.5,csv,about\n,one,,,,,,,\n'
    )
    assert [tuple(each) for each in cases_in_table(table, TYPES)] == [
        (
            3,
            4,
            {
                "id": "a",
                "run": {"threshold": 0.5},
                "description": "about",
                "vars": {"input": "two\nlines", "locale": "de"},
                "assert": [
                    {"metric": "tone", "type": "equals", "value": "x"},
                    {"metric": "tone", "type": "contains", "value": "y"},
                ],
                "metadata": {"source": "csv"},
            },
        ),
        (5, 5, {"vars": {"input": "one", "locale": ""}, "metadata": {"source": ""}}),
    ]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("a,b\n1\n", "2: the row has 1 cells, the first one has 2"),
        ("a,a\n", "1: there are two columns a"),
        ("q,__prefix\n", "1: the column __prefix is not supported by rubric"),
        ("q,__threshold\nx,high\n", "2: 'high' is not a number"),
        ('q\n"x\n', "2: unexpected end of data"),
    ],
)
def test_a_table_that_is_none_names_its_line(table: str, words: str) -> None:
    with pytest.raises(TableError, match=f"^{words}"):
        cases_in_table(table, TYPES)


def test_rows_of_a_table_run(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path)
    folder.mock("hello")
    folder.write("rows.csv", 'id,q,__expected\nfirst,hi,contains:hello\n,"more\n\nlines",bye\n')
    folder.write("bad.csv", "q\nx,y\n")
    folder.suite(f"{SUITE}  - file://rows.csv\n  - file://bad.csv\n")
    assert main(["run", "suite.eval.yaml", "--format", "jsonl"]) == 3
    rows = {r["id"]: r for r in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {n: (r["verdict"], r["file"], r["line"]) for n, r in rows.items()} == {
        "first": ("passed", "rows.csv", 2), "rows.csv-3": ("failed", "rows.csv", 3), "bad.csv": ("unscored", None, 6),
    }  # fmt: skip
    assert "bad.csv:2: the row has 2 cells, the first one has 1" in rows["bad.csv"]["reason"]
    assert main(["check", "suite.eval.yaml"]) == 1
    assert "bad.csv:2: the row has 2 cells" in capsys.readouterr().out


MAKES = """
def generate_tests():
    return [{"vars": {"q": "hi"}, "assert": [{"type": "contains", "value": "hello"}]}, {"id": "named", "vars": {"q": "x"}, "assert": ["kind"]}]
def broken():
    raise ValueError("no cases today")
"""


def test_cases_that_a_program_makes_are_made_by_a_run_alone(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path)
    folder.mock("hello")
    folder.write("make.py", MAKES)
    path = folder.suite(f"{SUITE}  - file://make.py\n  - file://make.py:broken\n")
    looked_at = load_suite(Path("suite.eval.yaml"), LANGUAGE, Project(DiskFiles(), folder.path))
    assert [c.problems[0][1] for c in looked_at.cases] == [
        "no cases were loaded from here: a program generates them when the suite is run"
    ] * 2
    assert main(["check", str(path)]) == 0
    capsys.readouterr()
    assert main(["run", "suite.eval.yaml", "--format", "jsonl"]) == 3
    rows = {r["id"]: r for r in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {name: r["verdict"] for name, r in rows.items()} == {
        "make.py-1": "passed", "named": Verdict.UNSCORED.value, "make.py:broken": "unscored",
    }  # fmt: skip
    assert rows["make.py:broken"]["reason"].endswith("the python code failed: ValueError: no cases today")
