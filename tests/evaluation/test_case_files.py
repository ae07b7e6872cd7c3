"""Cases in files of their own: lists, data sets, directories and patterns, run with the suite that takes them over."""

import json
from pathlib import Path

import pytest
from suites import Folder, stored_cases

from rubric_core.cli import main

SUITE = """\
assertions:
  - {type: contains, value: hello}
tests:
  - {id: own, criteria: c, input: hi, assertions: [{type: contains, value: world}]}
  - file://cases/more.yaml
  - {id: last, criteria: c, input: hi}
  - file://cases/*.jsonl
"""
MORE = """\
# more
- id: listed
  criteria: c
  input: hi
  assertions:
    - {type: contains, value: goodbye}
- {id: passing, criteria: c, input: hi}
"""


@pytest.fixture
def suite(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.mock("hello world")
    folder.write("evals/a.eval.yaml", SUITE)
    folder.write("evals/cases/more.yaml", MORE)
    folder.write(
        "evals/cases/set.jsonl",
        '{"id": "row-1", "criteria": "c", "input": "hi"}\n\n{"id": "row-2", "criteria": "c", "input": "hi"}\n',
    )
    (folder.path / ".git").mkdir()
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["run", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[str, str | None, int, str, int]]:
    _, out, _ = run(capsys, *arguments, "--format", "json")
    return [(r["id"], r["file"], r["line"], r["verdict"], len(r["evaluators"])) for r in json.loads(out)["cases"]]


def test_every_case_runs_where_it_is_taken_over(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert rows(capsys, "evals/a.eval.yaml") == [
        ("own", None, 4, "passed", 2),
        ("listed", "cases/more.yaml", 2, "failed", 2),
        ("passing", "cases/more.yaml", 7, "passed", 1),
        ("last", None, 6, "passed", 1),
        ("row-1", "cases/set.jsonl", 1, "passed", 1),
        ("row-2", "cases/set.jsonl", 3, "passed", 1),
    ]
    assert rows(capsys, "evals/a.eval.yaml::row-2") == [("row-2", "cases/set.jsonl", 3, "passed", 1)]


def test_each_file_is_shown_with_its_results(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "evals/a.eval.yaml")
    assert code == 1
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[1] == "- {type: contains, value: hello} ✔ 6/6 cases"
    assert lines[4] == "- file://cases/more.yaml ✘ 1/2 cases"
    assert lines[6] == "- file://cases/*.jsonl ✔ 2/2 cases"
    assert lines[8] == "evals/cases/more.yaml"
    assert lines[10].startswith("- id: listed ✘ 0.50")  # and perhaps the time that it took
    assert lines[14] == '- {type: contains, value: goodbye} ✘ does not contain "goodbye"'
    assert lines[17] == "evals/cases/set.jsonl"
    assert [line[:14] for line in lines[18:20]] == ["1 row-1 ✔ 1.00", "3 row-2 ✔ 1.00"]
    assert "evals/cases/more.yaml:2 listed failed 0.50, needs 0.80" in out


def test_results_are_found_from_the_suite_and_from_the_file(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "evals/a.eval.yaml")
    stored = stored_cases(suite.path / "evals/a.eval.yaml")
    assert list(stored) == ["own", "listed", "passing", "last", "row-1", "row-2"]
    assert (stored["listed"].result.file, stored["listed"].result.line) == ("cases/more.yaml", 2)
    beside = stored_cases(suite.path / "evals/cases/more.yaml")
    assert {n: (c.result.verdict.value, c.result.suite, c.result.line) for n, c in beside.items()} == {
        "listed": ("failed", "../a.eval.yaml", 2),
        "passing": ("passed", "../a.eval.yaml", 7),
    }
    assert [r[0] for r in rows(capsys, "evals/a.eval.yaml", "--failed")] == ["listed"]
    suite.write("evals/cases/more.yaml", MORE.replace("goodbye", "hello").replace("passing", "new"))
    assert [r[0] for r in rows(capsys, "evals/a.eval.yaml", "--resume")] == ["listed", "new"]


def test_a_directory_of_cases(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write("evals/b.eval.yaml", "tests: ./all\n")
    suite.write("evals/all/first/case.yaml", "criteria: c\ninput: hi\nassertions: [{type: contains, value: hello}]\n")
    suite.write(
        "evals/all/second/case.yaml",
        "id: named\ncriteria: c\ninput: hi\nassertions:\n  - {type: contains, value: no}\n",
    )
    assert rows(capsys, "evals/b.eval.yaml") == [
        ("first", "all/first/case.yaml", 1, "passed", 1),
        ("named", "all/second/case.yaml", 1, "failed", 1),
    ]
    _, out, _ = run(capsys, "evals/b.eval.yaml::first")
    assert "all/first/case.yaml" in out.splitlines()[1]


def test_a_data_set_by_itself_with_its_description(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write(
        "data/set.jsonl",
        '{"id": "a", "criteria": "c", "input": "hi"}\n{"id": "b", "criteria": "c", "input": "hi", "assertions": ["kind"]}\n',
    )
    suite.write(
        "data/set.yaml", "name: set\nassertions:\n  - {type: equals, value: hello world}\nexecution: {target: other}\n"
    )
    suite.targets({"name": "other", "provider": "mock", "response": "hello world"})
    assert rows(capsys, "data/set.jsonl") == [("a", None, 1, "passed", 1), ("b", None, 2, "unscored", 2)]
    assert list(stored_cases(suite.path / "data/set.jsonl")) == ["a", "b"]


@pytest.mark.parametrize(
    ("written", "content", "reason"),
    [
        ("gone.yaml", None, "line 3 has a mistake, no cases were loaded from here: there is no such file or directory"),
        ("bad.jsonl", '{"id": "x", "criteria": "c", "input": "hi"}\n{"id": ', "no cases were loaded from here: bad.jsonl:2 is not JSON"),
        ("bad.yaml", "tests: 3\n", "no cases were loaded from here: bad.yaml is not a list of cases"),
        ("made.py", "print(1)\n", "made.py is none of the files from which agentv-3 reads cases: .yaml, .yml, .jsonl"),
        ("rows.csv", "id,input\na,hi\n", "rows.csv is none of the files from which agentv-3 reads cases: .yaml, .yml, .jsonl"),
        ("all.json", "[]", "all.json is none of the files from which agentv-3 reads cases: .yaml, .yml, .jsonl"),
        ("bad.yaml", "- {id: x, criteria: c, input: hi, assertions: [{type: contains}]}\n", "bad.yaml:1 has a mistake, missing-key"),
        ("bad.yaml", "- {id: own, criteria: c, input: hi}\n", "duplicate-case-id: the id own is taken (line 2)"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_has_no_score_and_the_others_run(
    suite: Folder, capsys: pytest.CaptureFixture[str], written: str, content: str | None, reason: str
) -> None:
    suite.write(
        "evals/d.eval.yaml",
        f"tests:\n  - {{id: own, criteria: c, input: hi, assertions: [{{type: contains, value: hello}}]}}\n  - file://{written}\n",
    )
    if content is not None:
        suite.write(f"evals/{written}", content)
    code, out, _ = run(capsys, "evals/d.eval.yaml", "--format", "json")
    own, other = json.loads(out)["cases"]
    both = "duplicate" in reason
    assert (code, own["verdict"], other["verdict"]) == (3, "unscored" if both else "passed", "unscored")
    assert reason in other["reason"]


def test_an_item_that_is_no_case_keeps_no_other_from_being_run(
    suite: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    good = "{id: ID, criteria: c, input: hi, assertions: [{type: contains, value: hello}]}"
    items = f"  - {good}\n  -\n  - 3\n  - {good}\n".replace("ID", "a", 1).replace("ID", "b")
    suite.write("evals/g.eval.yaml", f"tests:\n{items}")
    suite.write("evals/h.eval.yaml", "tests: ./items.yaml\n")
    suite.write("evals/items.yaml", items.replace("  -", "-"))
    for name in ("g", "h"):
        code, out, _ = run(capsys, f"evals/{name}.eval.yaml", "--format", "json")
        told = {row["id"]: row for row in json.loads(out)["cases"]}
        assert (code, [told[n]["verdict"] for n in ("a", "b")]) == (3, ["passed", "passed"])
        assert len(told) == 4
        assert all("has a mistake, wrong-type" in row["reason"] for n, row in told.items() if n not in ("a", "b"))


def test_a_broken_file_of_a_pattern_keeps_no_other_from_being_run(
    suite: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.write("evals/cases/bad.yaml", "tests: 3\n")
    suite.write("evals/f.eval.yaml", "tests:\n  - file://cases/*.yaml\n")
    assert [(r[0], r[3]) for r in rows(capsys, "evals/f.eval.yaml")] == [
        ("listed", "failed"),
        ("passing", "unscored"),
        ("cases/*.yaml", "unscored"),
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("evals/cases/more.yaml", "this is a file of cases, not a suite; run the suite that includes it"),
        (".agentv/targets.yaml", "this is a targets file, not a suite"),
    ],
)
def test_a_file_that_is_no_suite(suite: Folder, capsys: pytest.CaptureFixture[str], name: str, words: str) -> None:
    code, out, err = run(capsys, name)
    assert (code, out) == (2, "")
    assert words in err


def test_an_evaluator_without_a_score_is_told_with_its_file(suite: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    suite.write("evals/e.eval.yaml", "tests: ./list.yaml\ninput_files: [gone.txt]\n")
    suite.write(
        "evals/list.yaml",
        "- id: x\n  criteria: c\n  input:\n    - role: user\n      content: [{type: file, value: gone.txt}]\n",
    )
    _, out, _ = run(capsys, "evals/e.eval.yaml", "--format", "json")
    (row,) = json.loads(out)["cases"]
    assert "(list.yaml:5)" in row["reason"] or "has a mistake, missing-file" in row["reason"]
    assert Path(row["file"]) == Path("list.yaml")


def test_an_include_of_the_older_form_is_no_case_and_says_so(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path)
    folder.mock("hello")
    head = "# rubric: dialect=agentv-5\nproviders: [default]\nprompts: [hi]\ntests:"
    entry = "{include: ./other.eval.yaml, type: tests}"
    folder.write("other.eval.yaml", "tests: []\n")
    case = "{id: a, vars: {}, assert: [{type: contains, value: hello}]}"
    for tests in (f"\n  - {entry}\n  - {case}\n", f" [{entry}, {case}]\n"):
        folder.suite(f"{head}{tests}")
        code, out, _ = run(capsys, "suite.eval.yaml", "--format", "json")
        left, done = json.loads(out)["cases"]
        assert (code, left["verdict"], done["verdict"]) == (3, "unscored", "passed")
        assert left["reason"].endswith("does not include cases by `include`: write `file://…` instead")


async def test_rows_and_tests_of_a_scenario_in_files_of_their_own(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "cat {PROMPT_FILE}"})
    folder.write("rows.yaml", "- vars: {q: two}\n- {id: three, vars: {q: three}}\n")
    folder.write("none.yaml", "[]\n")
    folder.write("cases.yaml", "- {id: w, assert: [{type: contains, value: o}]}\n")
    results = await folder.run_all(
        "# rubric: dialect=agentv-5\nproviders: [default]\nprompts: ['{{ q }}']\nscenarios:\n"
        "  - config: [{vars: {q: one}}, file://rows.yaml, file://none.yaml]\n    tests: [file://cases.yaml]\n"
    )
    assert {name: (r.answer, r.score) for name, r in results.items() if name.startswith("w")} == {
        "w[row-1]": ("one", 1.0), "w[row-2]": ("two", 1.0), "w[three]": ("three", 0.0), "w": ("", None),
    }  # fmt: skip
    assert results["w"].reason == "none.yaml has no rows: a row of a scenario must be a mapping with `vars`"
