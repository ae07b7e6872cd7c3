"""Tests of promptfoo that programs make, which run with `rubric run` alone. What promptfoo makes of them: `tests/parity/promptfoo`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from suites import stored_cases

from rubric_core.cli import main
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.families.promptfoo.cases.executed_code import executed_code
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable

NAME = "promptfooconfig.yaml"
CONFIG = "prompts: ['{{q}}']\nproviders: [echo]\ntests: "
MAKE = """\
import pathlib
path = pathlib.Path("ran")
path.write_text(path.read_text() + "x" if path.exists() else "x")
def generate_tests(config=None):
    return [{"description": f"made {n}", "vars": {"q": str(n)}, "assert": [{"type": "equals", "value": "1"}]} for n in (1, 2)]
def none(): return None
def word(): return "no list"
def mixed(): return [{"vars": {"q": "x"}}, 5]
def fails(): raise ValueError("as told")
def empty(): return []
def refused(): return [{"description": "nothing"}]
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "make.py").write_text(MAKE, encoding="utf-8")

    def written(tests: str) -> Path:
        (tmp_path / NAME).write_text(f"{CONFIG}{tests}\n", encoding="utf-8")
        return tmp_path / NAME

    return written


def ran(*arguments: str) -> tuple[int, dict[str, str]]:
    """The exit code of a run, and the verdict of each case that is stored."""
    code = main(["run", NAME, *arguments])
    return code, {each.id: each.summary.verdict.value for each in stored_cases(Path(NAME)).values()}


def test_tests_are_made_when_they_run_and_once(write: Write):
    write("[file://make.py, {description: own, vars: {q: x}, assert: [{type: equals, value: x}]}]")
    assert ran() == (1, {"made 1": "passed", "made 2": "failed", "own": "passed"})
    assert Path("ran").read_text() == "x"


def test_one_of_them_runs_by_its_name(write: Write):
    write("file://make.py")
    assert main(["run", f"{NAME}::made 1"]) == 0


def test_nothing_runs_to_load_or_check_a_configuration(write: Write):
    path = write("[{path: 'make.py:generate_tests', config: {a: 1}}]")
    (case,) = load_suite(path).cases
    assert case.problems[0][1] == "a program makes them when the suite is run"
    main(["check", NAME])
    assert not Path("ran").exists()


def test_the_code_that_makes_tests_is_found(write: Write):
    for tests in ("file://make.py:empty", "[make.py:empty]", "[{path: 'file://make.py:empty', config: {a: 1}}]"):
        (case,) = load_suite(write(tests)).cases
        assert isinstance(case, PromptfooRunnable)
        assert [(each.text.removeprefix("python3: ").removeprefix("file://"), each.file) for each in executed_code(case)] == [
            ("make.py:empty", "make.py")
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("none", "must return a list of tests, each a mapping"),
        ("word", "must return a list of tests, each a mapping"),
        ("mixed", "must return a list of tests, each a mapping"),
        ("fails", "the python code failed: ValueError: as told"),
        ("missing", "`make.py` has no `missing`"),
        ("refused", "promptfoo stops at a test without"),
    ],
)
def test_a_program_that_makes_no_tests_leaves_its_entry_unscored(
    write: Write, capsys: pytest.CaptureFixture[str], function: str, reason: str
):
    write(f"[file://make.py:{function}, {{description: own, vars: {{q: x}}}}]")
    code, verdicts = ran()
    assert code == 3
    assert sorted(verdicts.values()) == ["passed", "unscored"]
    assert reason in capsys.readouterr().out


def test_a_program_that_is_not_there(write: Write, capsys: pytest.CaptureFixture[str]):
    write("file://none.py")
    assert ran()[0] in (2, 3)
    assert "none.py" in "".join(capsys.readouterr())


def test_without_any_test_there_is_nothing_to_run(write: Write):
    """promptfoo runs one empty test then, which passes."""
    write("file://make.py:empty")
    assert ran()[0] == 2


def test_another_output_of_the_program_is_another_test(write: Write):
    write("file://make.py")
    ran()
    Path("make.py").write_text(MAKE.replace('"equals"', '"contains"'), encoding="utf-8")
    assert main(["run", NAME, "--changed"]) == 1
    assert Path("ran").read_text() == "xx"


@pytest.mark.node
@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("{assert: [{type: 'equals', value: () => 'x'}]}", "assert.0.value is a function"),
        ("{assert: [], assertScoringFunction: () => ({pass: true})}", "assertScoringFunction is a function"),
        ("{vars: {q: new Date(0)}}", "vars.q is a Date"),
        ("{vars: {q: [NaN]}}", "vars.q.0 is NaN"),
        ("{vars: {q: 5n}}", "vars.q is 5"),
    ],
)
def test_what_has_no_json_in_a_test_of_javascript_is_told(
    write: Write, capsys: pytest.CaptureFixture[str], test: str, reason: str
):
    Path("make.js").write_text(f"module.exports = [{{description: 'odd', vars: {{}}, ...{test}}}];", encoding="utf-8")
    write("file://make.js")
    assert ran()[1] == {"odd": "unscored"}
    assert f"{reason}, which rubric does not read in tests that a program makes" in capsys.readouterr().out


@pytest.mark.node
def test_a_function_of_tests_that_are_made_anew_each_time_fails(write: Write):
    """The list is made again to call it, and the function of another test may pass."""
    made = "[{description: 'odd', vars: {q: `${Math.random()}`}, assert: [{type: 'javascript', value: () => true}]}]"
    Path("make.js").write_text(f"module.exports = () => {made};", encoding="utf-8")
    write("file://make.js")
    assert ran() == (1, {"odd": "failed"})
