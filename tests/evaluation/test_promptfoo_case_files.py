"""Tests of promptfoo in other files. What promptfoo itself makes of them: `tests/parity/promptfoo`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.attempt import targets_of
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.families.promptfoo.cases.tables import assertion_in_short

NAME = "promptfooconfig.yaml"
HEAD = "prompts: ['Hello {{name}}']\nproviders: [echo]\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    monkeypatch.chdir(tmp_path)

    def written(text: str, **files: str) -> Path:
        for name, content in files.items():
            (tmp_path / name.replace("_", ".")).write_text(content, encoding="utf-8")
        path = tmp_path / NAME
        path.write_text(HEAD + text, encoding="utf-8")
        return path

    return written


async def results(path: Path) -> list[CaseResult]:
    return await run_cases(load_suite(path).cases)


async def fingerprints(path: Path) -> list[str]:
    async with system_ports() as ports:
        return [fingerprint(case, ports.files, targets_of(case, ports)) for case in load_suite(path).cases]


YAML = "- description: one\n  vars: {name: Ann}\n  assert:\n    - {type: contains, value: Zoe}\n- vars: {name: Bob}\n"


async def test_a_case_is_told_in_its_own_file(write: Callable[..., Path]) -> None:
    path = write("tests: file://a.yaml\n", a_yaml=YAML)
    first, second = await results(path)
    assert (first.id, first.file, first.line, first.verdict.value) == ("one", "a.yaml", 1, "failed")
    assert (second.id, second.file, second.line, second.verdict.value) == ("name=Bob", "a.yaml", 5, "passed")
    (case, _) = load_suite(path).cases
    assert [case.blame(each) for each in case.evaluators] == [" (a.yaml:4)"]


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("a.csv", 'name,__expected\nAnn,contains:Ann\n"B\nob",contains:ob\nZoe,\n', [2, 3, 5]),
        ("a.jsonl", '{"vars": {"name": "Ann"}}\n\n{"vars": {"name": "Bob"}}\n', [1, 3]),
        ("a.json", '[{"vars": {"name": "Ann"}},\n {"vars": {"name": "Bob"}}]\n', [1, 2]),
    ],
)
async def test_rows_have_lines_and_numbers(name: str, text: str, lines: list[int], write: Callable[..., Path]) -> None:
    path = write(f"tests: {name}\n")
    (path.parent / name).write_text(text, encoding="utf-8")
    found = await results(path)
    assert [(each.id, each.file, each.line) for each in found] == [
        (f"Row #{n}", name, at) for n, at in enumerate(lines, 1)
    ]
    assert {each.verdict.value for each in found} == {"passed"}


async def test_a_result_is_stale_when_a_file_of_its_test_changes(write: Callable[..., Path]) -> None:
    text = "tests: [a.yaml, {vars: v.yaml}]\ndefaultTest: file://d.yaml\n"
    files = {
        "a_yaml": "- {vars: {name: Ann}, options: {prefix: file://p.txt}}\n",
        "v_yaml": "name: Zoe\n",
        "p_txt": "<",
        "d_yaml": "vars: {x: y}\n",
    }
    path = write(text, **files)
    of_file, inside = await fingerprints(path)
    (path.parent / "p.txt").write_text(">")
    changed, same = await fingerprints(path)
    assert (changed != of_file, same) == (True, inside)
    (path.parent / "v.yaml").write_text("name: Zed\n")
    same, changed_too = await fingerprints(path)
    assert (same, changed_too != inside) == (changed, True)
    (path.parent / "d.yaml").write_text("vars: {x: z}\n")
    assert not {*await fingerprints(path)} & {changed, changed_too}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tests: none.csv", "the file none.csv does not exist"),
        ("tests: ['no*.yaml']", "no file matches no*.yaml"),
        ("tests: wide.csv", "wide.csv, line 3: 2 columns, and 3 cells"),
        ("tests: broken.jsonl", "broken.jsonl, line 2"),
        ("tests: [make.py]", "a program makes them when the suite is run"),
        ("tests: https://docs.google.com/spreadsheets/d/x", "rubric does not read tests of promptfoo from https://docs.google.com"),
        ("tests: [flat.yaml]", "flat.yaml has a case without `vars`"),
        ("tests: t.txt", "promptfoo reads no"),
        ("tests: {path: rows.yaml}", "the column __threshold has a value that is no text: 0.5"),
        ("scenarios: [{config: [{vars: {name: A}}]}]", "promptfoo needs a list as `tests` of a scenario"),
        ("scenarios: [{config: [{vars: {name: A}}], tests: file://none.yaml}]", "the file none.yaml does not exist"),
        ("scenarios: file://none.yaml", "the file none.yaml does not exist"),
        ("defaultTest: file://none.yaml", "the file none.yaml does not exist"),
    ],
)  # fmt: skip
async def test_what_cannot_be_read_is_unscored(text: str, reason: str, write: Callable[..., Path]) -> None:
    files = {
        "wide_csv": "name,b\nx,y\na,b,c\n",
        "broken_jsonl": '{"vars": {}}\n{',
        "make_py": "",
        "flat_yaml": "- {x: y}\n",
        "t_txt": "a",
        "rows_yaml": "- {q: a, __threshold: 0.5}\n",
    }
    path = write(f"{text}\n", **files)
    told = [words for case in load_suite(path).cases for _, words in case.problems]
    assert any(reason in words for words in told), told
    assert {each.verdict.value for each in await results(path)} == {"unscored"}


async def test_one_broken_file_leaves_the_others(write: Callable[..., Path]) -> None:
    broken, fine = await results(write("tests: [make.py, {vars: {name: Ann}}]\n", make_py="raise SystemExit"))
    assert (broken.verdict.value, fine.verdict.value) == ("unscored", "passed")


def test_a_row_is_selected_by_its_number(write: Callable[..., Path], capsys: pytest.CaptureFixture[str]) -> None:
    write("tests: a.csv\n", a_csv="name,__expected\nAnn,contains:Ann\nBob,contains:Ann\n")
    assert main(["run", f"{NAME}::Row #1", "--format", "json"]) == 0
    assert [each["id"] for each in json.loads(capsys.readouterr().out)["cases"]] == ["Row #1"]
    assert main(["run", NAME]) == 1


@pytest.mark.parametrize(
    ("cell", "made"),
    [
        ("hello", {"type": "equals", "value": "hello"}),
        ("contain:hi", {"type": "equals", "value": "contain:hi"}),
        ("not-contains: hi ", {"type": "not-contains", "value": "hi"}),
        ("llm-rubric(0.5):x", {"type": "llm-rubric", "value": "x"}),
        ("similar:x", {"type": "similar", "value": "x", "threshold": 0.8}),
        ("levenshtein(3):x", {"type": "levenshtein", "value": "x", "threshold": 3.0}),
        ("is-json", {"type": "is-json"}),
        ('icontains-all:a, "b,c"', {"type": "icontains-all", "value": ["a", "b,c"]}),
        ("file://x.py", {"type": "python", "value": "x.py"}),
        ("grade: ok", {"type": "llm-rubric", "value": " ok"}),
    ],
)
def test_checks_in_short(cell: str, made: dict[str, object]) -> None:
    assert assertion_in_short(cell) == made


QUOTED = 'name;__expected\nAnn "A" Z;contains: "A" Z\n'


@pytest.mark.parametrize(
    ("variables", "verdict", "reason"),
    [
        ({"DELIMITER": ";"}, "passed", ""),
        ({"DELIMITER": ";", "STRICT": "no"}, "passed", ""),
        ({"DELIMITER": ";", "STRICT": "Yes"}, "unscored", "line 2: a quote stands inside of a cell"),
        ({"DELIMITER": ";;"}, "unscored", "rubric does not read tables of promptfoo whose cells ';;' separates"),
        ({"DELIMITER": ""}, "passed", "no assertions"),
    ],
)
async def test_the_environment_of_promptfoo_says_how_tables_are_read(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], verdict: str, reason: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"PROMPTFOO_CSV_{name}", value)
    (result,) = await results(write("tests: a.csv\n", a_csv=QUOTED))
    assert (result.verdict.value, reason in result.reason) == (verdict, True)


async def test_a_quote_of_a_table_that_is_never_closed(write: Callable[..., Path]) -> None:
    (result,) = await results(write("tests: a.csv\n", a_csv='name\nAnn\n"Bob\n'))
    assert "line 3: a quote is never closed" in result.reason


def test_a_test_that_the_range_leaves_out_runs_where_a_person_names_it(
    write: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """It neither reads nor leaves turns."""
    tests = "".join(f"  - {{description: {name}, vars: {{name: {name}}}}}\n" for name in ("one", "two", "three"))
    path = write(f"evaluateOptions: {{filterRange: '1:2'}}\ntests:\n{tests}")
    suite = load_suite(path)
    assert [case.id for case in suite.in_range] == ["two"]
    assert [case.case.depends_on for case in suite.cases] == [None, None, None]
    assert main(["run", str(path), "--no-store"]) == 0
    assert "`filterRange` or `filterSample` leaves 1 of 3 cases" in capsys.readouterr().err
    assert main(["run", f"{path}::three", "--no-store"]) == 0
    assert "three" in capsys.readouterr().out
