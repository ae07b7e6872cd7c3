"""A grader that could not run or crashed: what it scores, what becomes of its case, and how a run tells it."""

import json
import re
from pathlib import Path

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder, stored_cases

from rubric_core.cli import main
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import case_words, evaluator_words
from rubric_core.evaluation.reporting.rows import case_row, evaluation_row
from rubric_core.evaluation.results.result_reader import case_result_of

CRASH = "{type: code-grader, name: broken, command: [python3, -c, 'raise SystemExit(\"boo\")']}"
GONE = "{type: code-grader, name: gone, command: [no-such-program, x]}"
RIGHT = "{type: contains, value: hello, weight: 9}"
WRONG = "{type: contains, value: goodbye, weight: 9}"


def suite(*graders: str, **case: object) -> str:
    lines = "".join(f"\n      - {each}" for each in graders)
    keys = "".join(f"\n    {name}: {json.dumps(value)}" for name, value in case.items())
    return f"tests:\n  - id: a\n    criteria: c\n    input: hi{keys}\n    assertions:{lines}\n"


@pytest.fixture
def greeting(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A target that says hello, in the current directory."""
    folder.mock("hello world")
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["run", *arguments])
    return code, capsys.readouterr().out


# What becomes of a case


async def test_a_crash_scores_0_and_its_case_does_not_pass_by_the_rest(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, CRASH))
    broken = result.evaluators[1]
    assert (broken.score, broken.verdict, broken.misses) == (0, Verdict.FAILED, (broken.error,))
    assert (result.score, result.verdict) == (0.9, Verdict.UNSCORED)
    assert result.reason.startswith("broken: python3 -c ")
    assert [(e.name, e.failed) for e in result.grader_errors] == [("broken", True)]


async def test_a_case_that_fails_anyway_stays_failed(greeting: Folder) -> None:
    result = await greeting.one(suite(WRONG, CRASH))
    assert (result.score, result.verdict, result.reason) == (0, Verdict.FAILED, "")
    assert [e.name for e in result.grader_errors] == ["broken"]


async def test_a_program_that_is_not_there_has_no_score(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, GONE))
    gone = result.evaluators[1]
    assert (gone.score, gone.verdict, gone.misses) == (None, Verdict.UNSCORED, ())
    assert gone.error == "no-such-program x: command not found: no-such-program"
    assert gone.reason == f"{gone.error} (line 7)"
    assert (result.score, result.verdict, result.reason) == (None, Verdict.UNSCORED, f"gone: {gone.reason}")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program --flag", "the shell cannot run it: "),
        ("[python3, checks/missing.py]", "checks/missing.py does not exist in "),
        ("python3 missing.py", "missing.py does not exist in "),
        ("./missing.sh", "the shell cannot run it: "),
        ("[./plain.txt]", "./plain.txt is not executable"),
    ],
)
async def test_what_could_not_be_started_has_no_score(greeting: Folder, command: str, words: str) -> None:
    greeting.write("plain.txt", "no program")
    result = await greeting.one(suite(RIGHT, f"{{type: code-grader, name: gone, command: {command}}}"))
    assert result.evaluators[1].score is None
    assert words in result.evaluators[1].error


@pytest.mark.parametrize(
    "script", ["print(1, file=__import__('sys').stderr); exit(127)", "open('data.json')", "import missing"]
)
async def test_a_program_that_was_started_scores_0(greeting: Folder, script: str) -> None:
    greeting.write("check.py", script)
    result = await greeting.one(suite(RIGHT, "{type: code-grader, command: [python3, check.py]}"))
    assert (result.evaluators[1].score, result.evaluators[1].crashed) == (0, True)


async def test_an_evaluator_without_weight_that_failed_keeps_its_case_from_passing(greeting: Folder) -> None:
    for grader in (CRASH, GONE):
        result = await greeting.one(suite(RIGHT, grader.replace("}", ", weight: 0}", 1)))
        assert (result.score, result.verdict) == (1, Verdict.UNSCORED)
        assert len(result.grader_errors) == 1


async def test_an_evaluator_without_weight_that_has_no_judge_does_so_too(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, "{type: llm-grader, name: tone, weight: 0, prompt: Is it kind}"))
    assert (result.score, result.verdict) == (1, Verdict.UNSCORED)
    assert [(e.name, e.failed) for e in result.grader_errors] == [("tone", False)]


async def test_a_missing_judge_is_no_failure_of_a_grader(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, "{type: rubrics, name: tone, criteria: [Is kind]}"))
    assert (result.score, result.verdict, result.grader_errors) == (None, Verdict.UNSCORED, ())
    assert case_words(result).startswith("○ unscored: tone: no judge is configured")


async def test_a_required_crash_makes_the_score_0(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, CRASH.replace("}", ", required: true}", 1)))
    assert (result.score, result.verdict) == (0, Verdict.FAILED)
    assert len(result.grader_errors) == 1


async def test_negate_turns_no_crash_into_a_pass(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, CRASH.replace("}", ", negate: true}", 1)))
    assert (result.evaluators[1].score, result.evaluators[1].verdict) == (0, Verdict.FAILED)
    assert result.verdict is Verdict.UNSCORED


async def test_negate_of_a_composite_needs_every_member(greeting: Folder) -> None:
    member = CRASH.replace("code-grader", "code-grader, weight: 1")
    whole = (
        f"{{type: composite, name: both, negate: true, aggregator: {{type: weighted_average}}, assertions: [{member}]}}"
    )
    result = await greeting.one(suite(RIGHT, whole))
    both = result.evaluators[1]
    assert both.score is None
    assert both.reason.startswith("`negate` needs the score of every member; both / broken: ")
    assert [e.name for e in result.grader_errors] == ["both / broken"]


@pytest.mark.parametrize(
    ("aggregator", "score"),
    [("{type: weighted_average}", 0.5), ("{type: threshold, threshold: 0.5}", 0.5)],
)  # fmt: skip
async def test_a_crashed_member_counts_0_and_is_told(greeting: Folder, aggregator: str, score: float) -> None:
    member = "{type: contains, name: says, value: hello}"
    whole = f"{{type: composite, name: both, aggregator: {aggregator}, assertions: [{member}, {CRASH}]}}"
    result = await greeting.one(suite(RIGHT, whole))
    assert result.evaluators[1].score == score
    assert result.verdict is Verdict.UNSCORED
    assert [e.name for e in result.grader_errors] == ["both / broken"]


async def test_a_member_that_is_not_there_is_told_once_and_its_siblings_are_kept(greeting: Folder) -> None:
    member = "{type: contains, name: says, value: hello}"
    whole = f"{{type: composite, name: both, aggregator: {{type: weighted_average}}, assertions: [{member}, {GONE}]}}"
    result = await greeting.one(suite(RIGHT, whole))
    both = result.evaluators[1]
    assert (both.score, both.error) == (None, "")
    assert [(m.name, m.score) for m in both.members] == [("says", 1), ("gone", None)]
    assert [e.name for e in result.grader_errors] == ["both / gone"]


async def test_an_aggregator_that_crashes_is_the_one_that_failed(greeting: Folder) -> None:
    member = "{type: contains, name: says, value: hello}"
    for path, score in (("echo boo >&2; exit 3", 0), ("no-such-aggregator", None)):
        aggregator = f'{{type: code-grader, path: "{path}"}}'
        whole = f"{{type: composite, name: both, aggregator: {aggregator}, assertions: [{member}]}}"
        result = await greeting.one(suite(RIGHT, whole))
        assert result.evaluators[1].score == score, path
        assert [e.name for e in result.grader_errors] == ["both"]
        assert result.verdict is Verdict.UNSCORED


async def test_members_of_a_set(greeting: Folder) -> None:
    inner = "{type: contains, value: hello}, {type: python, value: 1 / 0, metric: odd, weight: 0}"
    result = await greeting.one(
        f"tests:\n  - id: a\n    vars: {{q: hi}}\n    assert:\n      - {{type: assert-set, metric: set, assert: [{inner}]}}\nprompts: ['{{{{ q }}}}']\n"
    )  # fmt: skip
    assert (result.score, result.verdict) == (1, Verdict.UNSCORED)
    (error,) = result.grader_errors
    assert error.name == "set / odd"
    assert "ZeroDivisionError" in error.reason


@pytest.mark.parametrize(
    ("grader", "words"),
    [
        ("{type: python, value: 1 / 0}", "the python code failed: ZeroDivisionError"),
        ("{type: python, value: '[1]'}", "the reply is neither true nor false"),
        ("{type: python, value: 'file://none.py'}", "the file none.py is not there"),
        ("{type: javascript, value: 'nonsense('}", "the javascript code failed"),
        ("{type: webhook, value: 'http://127.0.0.1:9/x'}", "the webhook: "),
        ("{type: similar, value: hi, config: {embedding_provider: {model: m, base_url: 'http://127.0.0.1:9'}}}", "embeddings: "),
    ],
)  # fmt: skip
async def test_code_and_servers_that_fail_have_no_score(greeting: Folder, grader: str, words: str) -> None:
    text = f"tests:\n  - id: a\n    vars: {{q: hi}}\n    assert:\n      - {grader}\nprompts: ['{{{{ q }}}}']\n"
    result = await greeting.one(text)
    assert result.evaluators[0].score is None
    assert words in result.evaluators[0].error


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("import nothing_of_that_name", "mine.py cannot be imported: ModuleNotFoundError"),
        ("class Mine:\n    kind = 'mine'\n    def evaluate(self, context):\n        raise ValueError('odd')\n", "crashed: ValueError: odd"),
        ("class Mine:\n    kind = 'mine'\n    def evaluate(self, context):\n        return 1.0\n", "gave 1.0, not an EvaluationScore"),
        ("X = 1\n", "mine.py has no class with an `evaluate` method"),
    ],
)  # fmt: skip
async def test_custom_evaluators_that_fail_have_no_score(greeting: Folder, module: str, words: str) -> None:
    (greeting.path / ".agentv/evaluators").mkdir(parents=True)
    (greeting.path / ".agentv/evaluators/mine.py").write_text(module)
    result = await greeting.one(suite(RIGHT, "{type: mine, weight: 0}"))
    assert result.verdict is Verdict.UNSCORED
    assert words in result.grader_errors[0].reason


async def test_a_type_that_nothing_grades_has_no_score(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, "{type: mine, weight: 0}"))
    assert "there is no evaluator of type mine" in result.grader_errors[0].reason


async def test_judges_that_fail(greeting: Folder, judge: JudgeServer) -> None:
    greeting.targets(
        {"name": "default", "provider": "mock", "response": "hello", "grader_target": "judge"}, judge.target()
    )
    graders = "{type: llm-grader, name: tone, prompt: Is it kind, weight: 0}"
    for reply, words in (("not JSON", "gave no usable reply in 3 tries"), (Fault.error(400, "no"), "replied 400")):
        judge.replies = [reply]
        result = await greeting.one(suite(RIGHT, graders))
        assert (result.score, result.verdict) == (1, Verdict.UNSCORED)
        assert words in result.grader_errors[0].reason
    greeting.targets({"name": "default", "provider": "mock", "response": "hello", "grader_target": "other"})
    result = await greeting.one(suite(RIGHT, graders))
    assert result.grader_errors[0].reason.startswith("no target is called other")


async def test_prompt_programs_that_fail(greeting: Folder, judge: JudgeServer) -> None:
    greeting.targets(
        {"name": "default", "provider": "mock", "response": "hello", "grader_target": "judge"}, judge.target()
    )
    grader = "{type: llm-grader, name: tone, weight: 0, prompt: {command: [no-such-program]}}"
    result = await greeting.one(suite(RIGHT, grader))
    assert result.grader_errors[0].reason.startswith("the prompt program no-such-program: ")
    assert not judge.bodies


# Several runs, and conversations


@pytest.mark.parametrize(
    ("strategy", "verdict"), [("mean", "unscored"), ("confidence_interval", "unscored"), ("pass_at_k", "passed")]
)
async def test_repeats(greeting: Folder, strategy: str, verdict: str) -> None:
    """The first run crashes, the second does not: only a strategy for which one good run is enough is content."""
    greeting.write(
        "once.py",
        "import pathlib, sys\nflag = pathlib.Path('flag')\n"
        'if not flag.exists():\n    flag.touch()\n    sys.exit("boo")\nprint(\'{"score": 1}\')\n',
    )
    grader = "{type: code-grader, name: once, command: [python3, once.py], weight: 0.1}"
    trials = {"trials": {"count": 2, "strategy": strategy}}
    result = await greeting.one(suite(RIGHT, grader, execution=trials), workers=1)
    assert result.verdict.value == verdict
    if verdict == "unscored":
        assert result.reason.startswith("run 1 of 2: once: ")
        assert [e.name for e in result.grader_errors] == ["once"]
        assert result.score is not None


@pytest.mark.parametrize("aggregation", ["mean", "max", "min"])
async def test_turns(greeting: Folder, aggregation: str) -> None:
    graders = [{"type": "contains", "value": "hello", "weight": 9}, json.loads(json.dumps({"type": "code-grader", "name": "gone", "weight": 0, "command": ["no-such-program"]}))]  # fmt: skip
    turns = [{"input": "one", "assertions": graders}, {"input": "two", "assertions": graders[:1]}]
    case = {
        "id": "a",
        "mode": "conversation",
        "criteria": "c",
        "input": "hi",
        "turns": turns,
        "aggregation": aggregation,
    }
    result = await greeting.one(json.dumps({"tests": [case]}))
    assert (result.score, result.verdict) == (1, Verdict.UNSCORED)
    assert [e.name for e in result.grader_errors] == ["turn-1 / gone"]
    assert result.evaluators[0].verdict is Verdict.UNSCORED


async def test_what_depends_on_such_a_case_is_not_run(greeting: Folder) -> None:
    text = suite(RIGHT, CRASH) + "  - {id: b, criteria: c, input: hi, depends_on: [a], assertions: [hello]}\n"
    results = await greeting.run(text)
    assert results["b"].reason == "not run: a, which it depends on, could not be scored"


# --allow-grader-errors


async def test_with_grader_errors_allowed_the_other_graders_decide(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, GONE), allow_grader_errors=True)
    assert (result.score, result.verdict) == (1, Verdict.PASSED)
    assert [e.name for e in result.grader_errors] == ["gone"]
    result = await greeting.one(suite(RIGHT, CRASH), allow_grader_errors=True)
    assert (result.score, result.verdict) == (0.9, Verdict.PASSED)
    result = await greeting.one(suite(WRONG, GONE), allow_grader_errors=True)
    assert (result.score, result.verdict) == (0, Verdict.FAILED)


async def test_allowed_or_not_nothing_passes_without_any_grader_or_with_a_gate_unchecked(greeting: Folder) -> None:
    result = await greeting.one(suite(GONE), allow_grader_errors=True)
    assert (result.score, result.verdict) == (None, Verdict.UNSCORED)
    result = await greeting.one(suite(RIGHT, GONE.replace("}", ", required: true}", 1)), allow_grader_errors=True)
    assert (result.score, result.verdict) == (None, Verdict.UNSCORED)


# What is kept and told


async def test_results_keep_it_and_older_ones_are_read(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, CRASH))
    again = case_result_of(json.loads(json.dumps(jsonable(result))))
    assert again.grader_errors == result.grader_errors
    row = jsonable(result)
    del row["evaluators"][1]["error"]  # as earlier versions wrote it, who called this a pass
    older = case_result_of({**row, "verdict": "passed", "reason": ""})
    assert older.grader_errors == result.grader_errors
    assert not older.is_sound_pass


def test_marks() -> None:
    def told(**fields: object) -> str:
        row = {"id": "a", "verdict": "unscored", "evaluators": [{"name": "check", "type": "code", "verdict": "failed", "score": 0, "crashed": True, "misses": ["boo"]}]}  # fmt: skip
        return case_words(case_result_of({**row, **fields}))

    assert told(score=0.9) == "○ 0.90  ⚠ 1 grader failed: check"
    assert told() == "○ ⚠ 1 grader failed: check"
    assert told(verdict="failed", score=0.4) == "✘ 0.40  ⚠ 1 grader failed: check"
    assert told(verdict="passed", score=0.9) == "✔ 0.90  ⚠ 1 grader failed: check"


async def test_rows(greeting: Folder) -> None:
    result = await greeting.one(suite(RIGHT, CRASH, GONE))
    row = case_row(result)
    assert [e["evaluator"] for e in row["grader_errors"]] == ["broken", "gone"]
    assert [e["error"] for e in row["evaluators"]] == [None, *(e["error"] for e in row["grader_errors"])]
    assert case_row(await greeting.one(suite(RIGHT)))["grader_errors"] == []
    released = evaluation_row(await greeting.one(suite(WRONG, CRASH)))
    assert released["evaluator_results"][1]["error"].startswith("python3 -c ")
    assert released["error"].startswith("broken: python3 -c ")
    assert evaluator_words(result.evaluators[1]).startswith("⚠ failed: python3 -c ")


@pytest.mark.parametrize(
    ("graders", "options", "code"),
    [
        ((RIGHT, CRASH), (), 3), ((RIGHT, GONE), (), 3), ((WRONG, CRASH), (), 3), ((WRONG, GONE), (), 3),
        ((RIGHT, CRASH), ("--allow-grader-errors",), 0), ((RIGHT, GONE), ("--allow-grader-errors",), 0),
        ((WRONG, CRASH), ("--allow-grader-errors",), 1), ((GONE,), ("--allow-grader-errors",), 3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_exit_codes(
    greeting: Folder, capsys: pytest.CaptureFixture[str], graders: tuple[str, ...], options: tuple[str, ...], code: int, form: str
) -> None:  # fmt: skip
    greeting.suite(suite(*graders))
    assert run(capsys, "suite.eval.yaml", "--format", form, *options)[0] == code


def test_the_suite_with_its_results(greeting: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    greeting.suite(suite(RIGHT, CRASH))
    _, out = run(capsys, "suite.eval.yaml")
    lines = out.splitlines()
    assert "○ 0.90  ⚠ 1 grader failed: broken" in lines[1]
    assert re.search(r"⚠ failed  python3 -c .*: boo$", lines[6])
    assert out.count("ended with exit code 1: boo") == 2, "on its line, and at the end"
    assert "--allow-grader-errors lets the others decide" in out
    assert lines[-1].startswith("1 unscored · ⚠ 1 grader failed · target default")


def test_a_missing_program_is_told_once_a_run(greeting: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    each = "\n".join(suite(RIGHT, GONE).replace("id: a", f"id: c{number}").split("\n", 1)[1] for number in range(5))
    greeting.suite(f"tests:\n{each}", "one.eval.yaml")
    greeting.suite(f"tests:\n{each}", "two.eval.yaml")
    _, out = run(capsys, "one.eval.yaml", "two.eval.yaml")
    assert out.count("command not found: no-such-program") == 1
    assert "one.eval.yaml:2 c0, one.eval.yaml:9 c1, one.eval.yaml:16 c2 and 7 more" in out, out
    assert "⚠ 10 graders failed in 10 cases · target default" in out
    _, out = run(capsys, "one.eval.yaml")
    assert out.count("command not found: no-such-program") == 2, "on the first line that it hits, and at the end"


def test_a_line_for_each_case(greeting: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    greeting.suite(suite(RIGHT, GONE), "one.eval.yaml")
    greeting.suite(suite(RIGHT, CRASH), "two.eval.yaml")
    _, out = run(capsys, "one.eval.yaml", "two.eval.yaml")
    assert "○       a  ⚠ 1 grader failed: gone" in out
    assert "○ 0.90  a  ⚠ 1 grader failed: broken" in out
    _, out = run(capsys, "two.eval.yaml", "--allow-grader-errors", "--explain")
    assert "✔ 0.90  ⚠ 1 grader failed: broken" in out
    assert "Allowed by --allow-grader-errors" in out
    assert "  ⚠ broken                   0.00 × 1 = 0.00   failed: python3 -c " in out


def test_json(greeting: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    greeting.suite(suite(RIGHT, CRASH))
    _, out = run(capsys, "suite.eval.yaml", "--format", "json")
    told = json.loads(out)
    assert told["grader_errors"] == 1
    assert told["summary"] == {"passed": 0, "borderline": 0, "failed": 0, "unscored": 1}
    (case,) = told["cases"]
    assert (case["verdict"], case["score"], len(case["grader_errors"])) == ("unscored", 0.9, 1)


def test_failed_and_resume_take_such_cases_again(greeting: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    text = suite(RIGHT, CRASH) + suite(RIGHT).replace("id: a", "id: b").split("\n", 1)[1]
    path = greeting.suite(text)
    for options in ((), ("--allow-grader-errors",)):
        run(capsys, "suite.eval.yaml", *options)
        for again in ("--failed", "--resume"):
            _, out = run(capsys, "suite.eval.yaml", again, "--format", "jsonl")
            assert [json.loads(line)["id"] for line in out.splitlines()] == ["a"], (options, again)
    run(capsys, "suite.eval.yaml", "--allow-grader-errors")
    code, out = run(capsys, "suite.eval.yaml", "--resume", "--allow-grader-errors", "--format", "jsonl")
    assert (code, out) == (0, "")
    assert stored_cases(path)["a"].result.grader_errors


def test_a_case_with_a_score_and_without_a_verdict_is_told_whole(tmp_path: Path) -> None:
    result = CaseResult(id="a", verdict=Verdict.UNSCORED, score=0.5)
    assert result.grader_errors == ()
    assert case_words(result) == "○ 0.50"


@pytest.mark.parametrize("score", ["9" * 400, "1e999", "NaN", "true", '"1"'])
async def test_a_score_that_is_no_number_is_a_crash_and_not_a_score(folder: Folder, score: str) -> None:
    folder.mock("hello")
    script = f"print('{{\"score\": {score}}}')"
    grader = json.dumps({"type": "code-grader", "name": "odd", "command": ["python3", "-c", script]})
    result = await folder.one(f"tests: [{{id: a, criteria: c, input: hi, assertions: [{grader}]}}]")
    assert [error.name for error in result.grader_errors] == ["odd"]
    assert result.verdict is not Verdict.PASSED
