"""`select-best` and `max-score`: rows compared with one another. What promptfoo makes of them: `tests/parity/promptfoo`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from suites import stored_cases

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, Event
from rubric_core.evaluation.engine.run import run_case
from rubric_core.evaluation.engine.schedule import Schedule, run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

NAME = "promptfooconfig.yaml"
JUDGE = """\
import pathlib, sys
pathlib.Path("asked").open("a").write(sys.argv[-3])
print(pathlib.Path("says").read_text())
"""
BEST = """\
prompts: [{raw: "{{q}}", label: plain}, {raw: "{{q}} {{q}}", label: twice}]
providers: [echo]
tests:
  - {description: t, vars: {q: hello}, options: {provider: "exec: python3 judge.py"}, assert: [{type: select-best, value: the longest}]}
"""
SCORES = """\
prompts: [{raw: "{{q}}", label: plain}, {raw: "{{q}} {{q}}", label: twice}]
providers: [echo]
tests:
  - {description: t, vars: {q: [a, b]}, assert: [{type: contains, value: "a a"}, {type: contains, value: a}, {type: max-score}]}
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.py").write_text(JUDGE, encoding="utf-8")
    (tmp_path / "says").write_text("1", encoding="utf-8")

    def written(text: str) -> Path:
        (tmp_path / NAME).write_text(text, encoding="utf-8")
        return tmp_path / NAME

    return written


def rows(path: Path, options: Options | None = None):
    return [each for case in load_suite(path, options=options or Options()).cases for each in variations(case)]


def told(result: CaseResult) -> tuple[str, float | None, str]:
    return result.verdict.value, result.score, result.reason


async def test_only_the_output_that_the_judge_selects_passes(write: Write, tmp_path: Path):
    first, second = await run_cases(rows(write(BEST)))
    assert told(first) == ("failed", 0.0, "the judge selected another output")
    assert (second.verdict, second.evaluators[0].hits) == (Verdict.PASSED, ("the judge selected it",))
    asked = (tmp_path / "asked").read_text()
    assert "the longest" in asked
    assert '<output number="1">\nhello hello\n</output>' in asked
    # What the judge was sent is told once.
    assert [len(each.evaluators[0].exchanges) for each in (first, second)] == [1, 0]
    assert [[u.role for u in each.usage] for each in (first, second)] == [["target", "judge"], ["target"]]


async def test_rows_with_the_same_values_are_compared(write: Write):
    results = {each.id: told(each) for each in await run_cases(rows(write(SCORES)))}
    assert results == {
        "t[plain,q=a]": ("failed", 0.0, ""),
        "t[twice,q=a]": ("passed", 1.0, ""),
        "t[plain,q=b]": ("failed", 0.0, ""),
        "t[twice,q=b]": ("failed", 0.0, ""),
    }


async def test_every_result_is_reported_once_and_compared(write: Write):
    told: list[Event] = []
    results = await run_cases(rows(write(SCORES)), on_event=told.append, workers=1)
    started = [each.case_id for each in told if isinstance(each, CaseStarted)]
    done = [each.result for each in told if isinstance(each, CaseDone)]
    assert sorted(started) == sorted(each.id for each in results)
    assert {each.id: each.verdict for each in done} == {each.id: each.verdict for each in results}
    assert len(done) == len(results)


async def test_all_are_unscored_when_one_is(write: Write):
    results = await run_cases(rows(write(BEST.replace("[echo]", "[echo, 'exec: false']"))))
    assert {each.verdict for each in results} == {Verdict.UNSCORED}
    words = "its output is compared with that of t[plain] (exec: false), which could not be scored"
    assert [each.reason == words for each in results] == [True, True, False, False]
    assert [list(each.details or {}) for each in results] == [["row"]] * 4


async def test_in_an_editor_the_rows_of_a_test_are_compared_too(write: Write):
    (result,) = await run_cases(load_suite(write(BEST)).cases)
    assert [each["verdict"] for each in (result.details or {})["variations"]] == ["failed", "passed"]


async def test_a_row_that_is_run_by_itself_is_unscored(write: Write):
    result = await run_case(rows(write(BEST))[0])
    assert told(result) == ("unscored", None, "its output was not compared with those of the other rows")


async def test_a_test_with_one_row_is_unscored(write: Write):
    path = write(BEST)
    options = Options(target="echo")
    one = BEST.replace(', {raw: "{{q}} {{q}}", label: twice}', "").replace("[echo]", "[echo, 'exec: echo']")
    for cases in (rows(write(one), options), load_suite(path, options=options).cases):
        (result,) = await run_cases(cases)
        assert "the test has none; promptfoo stops" in result.reason


def test_a_row_that_is_named_brings_those_that_it_is_compared_with(write: Write):
    write(SCORES)
    main(["run", f"{NAME}::t[twice,q=a]"])
    assert len(stored_cases(Path(NAME))) == 4


async def test_a_row_that_was_cancelled_leaves_the_others_unscored(write: Write):
    cases = rows(write(SCORES.replace("[a, b]", "a")))
    async with system_ports() as ports:
        schedule = Schedule(cases, ports, lambda _: None)
        schedule.cancel([cases[1].id])
        results = await schedule.run()
    assert [told(each) for each in results] == [
        ("unscored", None, "its output was not compared with those of the other rows")
    ]
    assert schedule.not_run == [cases[1]]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('provider: "exec: python3 judge.py"', "prefix: ''"), "no model grades"),
        (("value: the longest", "value: [1]"), "needs a text as `value`"),
        (("tests:", "evaluateOptions: {repeat: 2}\ntests:"), "rubric does not run `repeat` of tests whose outputs are compared"),
        (("type: select-best, value: the longest", "type: max-score"), "there are none"),
        (("type: select-best, value: the longest", "type: max-score, value: {weights: {contains: x}}"), "`weights` must be"),
        (("type: select-best, value: the longest", "type: max-score, value: {threshold: x}"), "`threshold` must be"),
    ],
)  # fmt: skip
async def test_what_cannot_be_compared_is_unscored(write: Write, change: tuple[str, str], reason: str):
    results = await run_cases(rows(write(BEST.replace(*change))))
    assert all(each.verdict is Verdict.UNSCORED for each in results)
    assert reason in results[0].reason


@pytest.mark.parametrize("reply", ["", "none", "7", "9" * 5000, "second"])
async def test_a_reply_that_names_no_output_leaves_all_unscored(write: Write, tmp_path: Path, reply: str):
    (tmp_path / "says").write_text(reply, encoding="utf-8")
    results = await run_cases(rows(write(BEST)))
    assert [each.verdict for each in results] == [Verdict.UNSCORED] * 2


def test_what_is_selected_is_recorded_and_replayed(write: Write, tmp_path: Path):
    write(BEST)
    main(["run", NAME, "--record"])
    (tmp_path / "judge.py").unlink()
    assert main(["run", NAME, "--replay"]) == 1
    verdicts = {each.id: each.summary.verdict.value for each in stored_cases(Path(NAME)).values()}
    assert verdicts == {"t[plain]": "failed", "t[twice]": "passed"}
    write(BEST.replace('raw: "{{q}}"', 'raw: "{{q}}!"'))
    assert main(["run", NAME, "--replay"]) == 3
