"""Several runs of a case, and the cases of a suite among each other."""

import asyncio
import json
import sys
from dataclasses import replace

import pytest
from suites import Folder, Waits

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.evaluation.engine.case_order import with_dependencies
from rubric_core.evaluation.engine.events import CaseDone, CaseStarted, Event, Noted
from rubric_core.evaluation.engine.repeats import pass_at, pass_hat, share_interval
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

#: Says "yes" in the runs whose number is given, by counting in a file.
FLAKY = 'n=$(( $(cat n 2>/dev/null || echo 0) + 1 )); echo $n > n; case " {good} " in *" $n "*) echo yes;; *) echo no;; esac'


def trials(folder: Folder, good: str, settings: str) -> str:
    folder.targets({"name": "default", "provider": "cli", "command": FLAKY.replace("{good}", good)})
    return f"execution: {{trials: {settings}}}\ntests: [{{id: a, criteria: c, input: hi, assertions: [{{type: contains, value: 'yes'}}]}}]"


@pytest.mark.parametrize(
    ("good", "settings", "score", "verdict", "passed", "count"),
    [
        ("2 3", "{count: 3}", 1.0, "passed", 1, 2),
        ("", "{count: 3}", 0.0, "failed", 0, 3),
        ("2", "{count: 3, strategy: pass_at_k}", 1.0, "passed", 1, 2),
        ("1 3", "{count: 3, strategy: mean}", 2 / 3, "failed", 2, 3),
        ("1 2 3", "{count: 3, strategy: confidence_interval}", 1.0, "passed", 3, 3),
        # 0.9 - t * s / sqrt(n), with t = 2.262 for 9 degrees of freedom, as agentv 4.42.4 was seen to score it
        (
            "1 2 3 4 5 6 7 8 9",
            "{count: 10, strategy: confidence_interval}",
            0.9 - 2.262 * 0.1**0.5 / 10**0.5,
            "failed",
            9,
            10,
        ),
        ("1", "{count: 2, strategy: confidence_interval}", 0.0, "failed", 1, 2),
    ],
)
async def test_runs_become_one_result(
    folder: Folder, good: str, settings: str, score: float, verdict: str, passed: int, count: int
) -> None:
    result = await folder.one(trials(folder, good, settings))
    told = result.details["trials"]
    assert (result.score, result.verdict.value) == (pytest.approx(score), verdict)
    assert (told["passed"], told["count"], len(told["runs"])) == (passed, count, count)


HALVES = """
execution: {threshold: 0.5, trials: {count: 2, strategy: STRATEGY}}
tests:
  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: "no"}, {type: equals, value: "yes"}, {type: regex, value: "[ny]"}]}
"""


@pytest.mark.parametrize(("strategy", "score"), [("pass_at_k", 2 / 3), ("mean", 2 / 3), ("confidence_interval", 2 / 3)])
async def test_a_low_threshold_does_not_end_the_search_for_the_best_run(
    folder: Folder, strategy: str, score: float
) -> None:
    trials(folder, "2", "")
    result = await folder.one(HALVES.replace("STRATEGY", strategy))
    assert (result.score, result.verdict) == (pytest.approx(score), Verdict.PASSED)
    assert result.details["trials"]["count"] == 2


async def test_the_evaluators_have_the_scores_that_the_case_has(folder: Folder) -> None:
    mean = await folder.one(trials(folder, "2", "{count: 3, strategy: mean}"))
    assert mean.score == mean.evaluators[0].score == pytest.approx(1 / 3)
    assert (mean.evaluators[0].verdict, mean.evaluators[0].tally.words) == (Verdict.FAILED, "1/3")


async def test_the_evaluators_of_the_best_run_have_its_scores(folder: Folder) -> None:
    best = await folder.one(trials(folder, "2", "{count: 3, strategy: pass_at_k}"))
    assert (best.score, best.evaluators[0].score, best.evaluators[0].tally.words) == (1, 1, "1/2")


async def test_a_case_that_passes_sometimes_is_called_flaky(folder: Folder) -> None:
    told = (await folder.one(trials(folder, "1 3", "{count: 4, strategy: mean}"))).details["trials"]
    assert (told["flaky"], told["mean"], told["pass_at_k"], told["pass_hat_k"]) == (True, 0.5, 1.0, 0.0)
    assert told["pass_rate_interval"] == [pytest.approx(0.15, abs=0.001), pytest.approx(0.85, abs=0.001)]
    assert told["mean_interval"] == [0.0, 1.0]


async def test_a_run_without_a_score_leaves_the_mean_without_one(folder: Folder) -> None:
    folder.targets(
        {
            "name": "default",
            "provider": "cli",
            "command": "n=$(( $(cat n 2>/dev/null || echo 0) + 1 )); echo $n > n; [ $n != 2 ] && echo yes",
        }
    )
    suite = "execution: {trials: {count: 3, strategy: STRATEGY}}\ntests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: 'yes'}]}]"
    result = await folder.one(suite.replace("STRATEGY", "mean"))
    assert result.verdict is Verdict.UNSCORED
    assert result.reason.startswith("run 2 of 3: target default: the command ended with exit code 1")
    (folder.path / "n").unlink()
    assert (await folder.one(suite.replace("STRATEGY", "pass_at_k"))).verdict is Verdict.PASSED


async def test_repeats_from_the_command_line(folder: Folder) -> None:
    folder.mock("yes")
    result = await folder.one(
        "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: 'yes'}]}]", repeat=5
    )
    assert (result.details["trials"]["passed"], result.details["trials"]["count"]) == (5, 5)


def test_chances() -> None:
    assert pass_at(1, 4, 1) == 0.25
    assert pass_at(2, 4, 2) == pytest.approx(5 / 6)
    assert pass_hat(2, 4, 2) == pytest.approx(1 / 6)
    assert (pass_at(0, 3, 3), pass_at(3, 3, 3), pass_hat(3, 3, 3), pass_hat(2, 3, 3)) == (0.0, 1.0, 1.0, 0.0)
    low, high = share_interval(52, 60)
    assert (round(low, 2), round(high, 2)) == (0.76, 0.93)
    assert share_interval(0, 0) == (0.0, 1.0)


# Among each other

CHAIN = """
tests:
  - {id: last, criteria: c, input: hi, depends_on: [middle], assertions: [{type: contains, value: x}]}
  - {id: middle, criteria: c, input: hi, depends_on: [first], FAILURE assertions: [{type: contains, value: x}]}
  - {id: first, criteria: c, input: hi, assertions: [CHECK]}
"""
JUDGED = "{type: rubrics, criteria: [Is good]}"


def chain(check: str, failure: str = "") -> str:
    return CHAIN.replace("CHECK", check).replace("FAILURE", failure)


def contains(value: str) -> str:
    return f"{{type: contains, value: {value}}}"


async def test_cases_wait_for_those_that_they_depend_on(folder: Folder) -> None:
    folder.mock("x")
    results = await folder.run(chain(contains("x")))
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}
    assert [e.case_id for e in folder.events if isinstance(e, CaseStarted)] == ["first", "middle", "last"]
    assert list(results) == ["last", "middle", "first"]


@pytest.mark.parametrize(
    ("failure", "middle", "last"),
    [
        ("", "unscored", "unscored"),
        ("on_dependency_failure: skip,", "unscored", "unscored"),
        ("on_dependency_failure: fail,", "failed", "unscored"),
        ("on_dependency_failure: run,", "passed", "passed"),
    ],
)
async def test_a_dependency_without_a_score(folder: Folder, failure: str, middle: str, last: str) -> None:
    folder.mock("x")
    results = await folder.run(chain(JUDGED, failure))
    assert (results["first"].verdict.value, results["middle"].verdict.value, results["last"].verdict.value) == (
        "unscored",
        middle,
        last,
    )
    if middle != "passed":
        assert results["middle"].reason == "not run: first, which it depends on, could not be scored"
    if middle != "passed":
        assert results["last"].reason == "not run: middle, which it depends on, was not run"
    assert len([e for e in folder.events if isinstance(e, CaseDone)]) == 3


@pytest.mark.parametrize("failure", ["", "on_dependency_failure: fail,"])
async def test_a_dependency_that_was_run_and_failed_is_no_reason_not_to_run(folder: Folder, failure: str) -> None:
    folder.mock("x")
    results = await folder.run(chain(contains("y"), failure))
    assert [r.verdict.value for r in results.values()] == ["passed", "passed", "failed"]


async def test_what_is_kept_of_a_result_is_enough_for_those_that_depend_on_it(folder: Folder) -> None:
    folder.mock("x")
    async with system_ports({}) as ports:
        results = await run_cases(
            folder.cases(chain(contains("y"))), ports, keep=lambda r: CaseResult(id=r.id, verdict=r.verdict)
        )
    assert [r.verdict.value for r in results] == ["passed", "passed", "failed"]


async def test_cases_that_wait_for_one_another_do_not_wait_for_ever(folder: Folder) -> None:
    folder.mock("x")
    text = chain(contains("x")).replace(
        "{id: first, criteria: c, input: hi,", "{id: first, criteria: c, input: hi, depends_on: [last],"
    )
    cases = list(folder.cases(text))
    async with system_ports({}) as ports:
        results = await asyncio.wait_for(run_cases(cases, ports), 10)
    assert {r.verdict for r in results} == {Verdict.UNSCORED}


async def test_cases_that_share_an_id_are_waited_for_together(folder: Folder) -> None:
    folder.mock("x")
    text = "tests:\n  - {id: a, criteria: c, input: hi, depends_on: [b]}\n" + "".join(
        f"  - {{id: b, criteria: c, input: hi, depends_on: [{name}]}}\n" for name in ("a", "none")
    )
    async with system_ports({}) as ports:
        results = await asyncio.wait_for(run_cases(folder.cases(text), ports), 10)
    assert [r.verdict for r in results] == [Verdict.UNSCORED] * 3


async def test_a_listener_that_fails_ends_the_run_at_once(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "test {EVAL_ID} = first || sleep 60"})

    def heard(event: Event) -> None:
        if isinstance(event, CaseDone):
            raise BrokenPipeError

    cases = folder.cases(
        "tests:\n"
        + "".join(
            f"  - {{id: {n}, criteria: c, input: hi, assertions: [{{type: equals, value: x}}]}}\n"
            for n in ("first", "other")
        )
    )
    async with system_ports() as ports:
        with pytest.raises(BrokenPipeError):
            await asyncio.wait_for(run_cases(cases, ports, heard), 10)


def test_a_chosen_case_brings_its_dependencies(folder: Folder) -> None:
    cases = folder.cases(chain("x"))
    assert [c.id for c in with_dependencies(cases[1:2], cases)] == ["middle", "first"]


COSTLY = {"name": "default", "provider": "cli", "command": 'echo \'{"text": "x", "cost_usd": 0.6}\''}
THREE = "".join(
    f"  - {{id: c{n}, criteria: c, input: hi, assertions: [{{type: contains, value: x}}]}}\n" for n in range(3)
)


async def test_a_budget_that_is_spent_starts_no_further_case(folder: Folder) -> None:
    folder.targets(COSTLY)
    results = await folder.run(f"execution: {{budget_usd: 1, workers: 1}}\ntests:\n{THREE}")
    assert [r.verdict.value for r in results.values()] == ["passed", "passed", "unscored"]
    assert results["c2"].reason == "not run: the budget of $1 is spent"
    assert results["c0"].cost_usd == 0.6


async def test_fail_on_error_ends_the_run(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "exit 1"})
    results = await folder.run(f"execution: {{fail_on_error: true, workers: 1}}\ntests:\n{THREE}")
    assert [r.reason.partition(":")[0] for r in results.values()] == ["target default", "not run", "not run"]


async def test_as_many_at_once_as_the_suite_says(folder: Folder) -> None:
    folder.write(
        "bot.py",
        "import os, time\nopen(f'in-{os.getpid()}', 'w').close()\ntime.sleep(0.3)\nprint(len([f for f in os.listdir('.') if f.startswith('in-')]))\nos.remove(f'in-{os.getpid()}')",
    )
    folder.targets({"name": "default", "provider": "cli", "command": f"{sys.executable} bot.py"})
    results = await folder.run(f"execution: {{workers: 1}}\ntests:\n{THREE}")
    assert {r.answer for r in results.values()} == {"1"}
    results = await folder.run(f"execution: {{workers: 3}}\ntests:\n{THREE}")
    assert max(int(r.answer) for r in results.values()) > 1


@pytest.mark.parametrize(
    ("suite", "run", "words"),
    [
        ("timeout_seconds: 0.2", "", "longer than 0.2 s (`timeout_seconds`)"),
        ("evaluate_options: {timeout_ms: 200}", "", "longer than 0.2 s (`timeout_ms`)"),
        ("timeout_seconds: 60", ", run: {timeout_seconds: 0.1}", "longer than 0.1 s (`timeout_seconds` of the case)"),
    ],
)
async def test_a_case_that_takes_too_long_is_stopped(folder: Folder, suite: str, run: str, words: str) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "sleep 60"})
    text = f"prompts: [hi]\n{suite}\ntests: [{{id: a, assert: [{{type: contains, value: x}}]{run}}}]"
    result = await folder.one(text, "agentv-5")
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason, result.reason


@pytest.mark.parametrize(
    ("suite", "case"),
    [("evaluate_options: {repeat: 3}", ""), ("default_test: {options: {repeat: 3}}", ""), ("", ", options: {repeat: 3}"), ("repeat: {count: 3, strategy: mean}", "")],
)  # fmt: skip
async def test_repeats_in_agentv_5(folder: Folder, suite: str, case: str) -> None:
    folder.mock("x")
    text = f"prompts: [hi]\n{suite}\ntests: [{{id: a, assert: [{{type: contains, value: x}}]{case}}}]"
    result = await folder.one(text, "agentv-5")
    assert result.details["trials"]["count"] == 3, result.reason


async def test_of_results_only_what_is_asked_for_is_kept(folder: Folder) -> None:
    folder.mock("hello")
    rows = "".join(
        f"  - {{id: c{n}, input: hi, criteria: c, assertions: [{{type: contains, value: hello}}]}}\n" for n in range(9)
    )
    cases = folder.cases(f"tests:\n{rows}")
    async with system_ports({}) as ports:
        kept = await run_cases(cases, ports, folder.events.append, keep=lambda r: replace(r, evaluators=(), answer=""))
    assert [(r.id, r.verdict, r.evaluators) for r in kept] == [(f"c{n}", Verdict.PASSED, ()) for n in range(9)]
    told = [event.result for event in folder.events if isinstance(event, CaseDone)]
    assert all(r.evaluators and r.answer == "hello" for r in told)
    assert not any("evaluators" in vars(case) or "borrowed" in vars(case) for case in cases), "what a run put together"


def test_a_long_run_tells_at_its_end_what_did_not_pass(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.path)
    folder.mock("hello")
    rows = "".join(
        f"  - id: c{n}\n    input: hi\n    criteria: c\n    assertions: [{{type: contains, value: {'x' if n == 7 else 'h'}}}]\n"
        for n in range(70)
    )
    folder.suite(f"tests:\n{rows}")
    assert main(["run", "suite.eval.yaml"]) == 1
    out = capsys.readouterr().out
    assert "suite.eval.yaml:30 c7 failed 0.00, needs 0.80\n    contains-x: does not contain" in out
    assert "69 passed, 1 failed · target default" in out


PROMPTED = "prompts: ['{{ q }}']\nproviders: [default]\nevaluate_options: {%s}\ntests:\n%s"
FOUR = "".join(f"  - {{id: c{n}, vars: {{q: hi}}, assert: [{{type: contains, value: hello}}]}}\n" for n in range(4))


async def test_a_run_ends_in_the_time_that_the_suite_gives_it(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "sh -c 'echo $$ >> pids; sleep 600'"})
    results = await folder.run(PROMPTED % ("max_eval_time_ms: 700, max_concurrency: 2", FOUR), "agentv-5")
    words = "the run took longer than 700 ms (`max_eval_time_ms`)"
    assert {r.verdict for r in results.values()} == {Verdict.UNSCORED}
    assert (results["c0"].reason, results["c3"].reason) == (f"stopped, {words}", f"not run: {words}")
    assert sum(isinstance(e, CaseDone) for e in folder.events) == 4


@pytest.mark.parametrize(
    ("written", "ids"), [("[1, 3]", ["c1", "c2"]), ("'0:2'", ["c0", "c1"]), ("[2, 9]", ["c2", "c3"])]
)
def test_a_range_leaves_some_of_the_cases(
    folder: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, written: str, ids: list[str]
) -> None:
    monkeypatch.chdir(folder.path)
    folder.mock("hello")
    folder.suite(f"# rubric: dialect=agentv-5\n{PROMPTED % (f'filter_range: {written}', FOUR)}")
    assert main(["run", "suite.eval.yaml", "--format", "jsonl"]) == 0
    said = capsys.readouterr()
    assert [json.loads(line)["id"] for line in said.out.splitlines()] == ids
    assert "`filter_range` leaves 2 of 4 cases" in said.err
    assert main(["run", "suite.eval.yaml::c3", "--format", "jsonl"]) == 0  # who is named runs
    folder.suite(f"# rubric: dialect=agentv-5\n{PROMPTED % ('filter_range: [3, 1]', FOUR)}")
    assert main(["run", "suite.eval.yaml"]) == 2
    assert (
        "suite.eval.yaml:4: `filter_range` is `[first, end]`, counted from 0, found [3, 1]" in capsys.readouterr().err
    )


async def test_a_pause_between_calls(folder: Folder) -> None:
    folder.mock("hello")
    folder.clock = clock = Waits()
    await folder.run(PROMPTED % ("delay: 1500", FOUR), "agentv-5", workers=1)
    assert clock.waited == [1.5, 1.5, 1.5]


async def test_what_is_not_acted_on_is_said_once_with_its_line(folder: Folder) -> None:
    folder.mock("hello")
    text = PROMPTED % (
        "cache: true, generate_suggestions: false",
        FOUR.replace("id: c1,", "id: c1, options: {prefix: x, transform: output},"),
    )
    results = await folder.run(text, "agentv-5")
    said = [event.message for event in folder.events if isinstance(event, Noted)]
    assert said == [
        "suite.eval.yaml:3: `cache` is not supported by rubric run: every case calls its target again, unless the run is told to cache answers",
        "suite.eval.yaml:6: `options.prefix` is not supported by rubric run: of the options these are: repeat, rubric_prompt, transform",
    ]
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}


@pytest.mark.parametrize("where", ["run: {budget_usd: 0.01}", "execution: {budget_usd: 0.01}"])
async def test_a_case_that_has_spent_its_budget_asks_nobody_more(folder: Folder, where: str) -> None:
    folder.write("answer.json", json.dumps({"text": "hello", "cost_usd": 0.02}))
    folder.write("judge.json", json.dumps({"text": "not called", "cost_usd": 0.02}))
    folder.targets(
        {"name": "default", "provider": "cli", "command": "echo x >> asked; cat answer.json", "grader_target": "judge"},
        {"name": "judge", "provider": "cli", "command": "echo x >> asked; cat judge.json"},
    )
    case = f"{{id: a, vars: {{q: hi}}, {where}, assert: [{{type: contains, value: hello}}, {{type: llm-rubric, value: Is kind}}]}}"
    result = await folder.one(PROMPTED % ("repeat: 5", f"  - {case}"), "agentv-5")
    assert "the case has spent its budget of $0.01" in result.reason
    assert result.verdict is Verdict.UNSCORED
    assert (folder.path / "asked").read_text() == "x\n"
