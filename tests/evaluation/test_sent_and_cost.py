"""What a run sent, word for word, and what it took: shown, stored, and counted."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from judge_server import Fault, JudgeServer, Rerouted
from suites import Folder, checks, stored_cases

from rubric_core.analysis import Language, analyze
from rubric_core.evaluation.engine.grade import run_evaluators_for_case
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.exchanges import Usage
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.rows import case_row, request_row
from rubric_core.evaluation.reporting.transcript import requests_of, transcript, usage_words
from rubric_core.evaluation.results.result_reader import case_result_of
from rubric_core.evaluation.results.stored_rows import result_in, stored_row
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.providers import Anthropic
from rubric_core.language.schema import json_schema
from rubric_core.ports import Tokens

KEY = "sk-very-secret-key"
SUITE = """
tests:
  - id: refund
    criteria: Explains the refund window
    input:
      - {role: system, content: You are terse}
      - {role: user, content: Can I return this?}
    assertions:
      - {type: rubrics, name: quality, criteria: [{id: window, outcome: Names the 30 days}]}
"""
GOOD = checks(window=True)


def judged(judge: JudgeServer, **settings: object) -> list[dict[str, object]]:
    """A canned answer and a judge behind HTTP."""
    canned = {"name": "default", "provider": "mock", "response": "You have 30 days.", "grader_target": "judge"}
    return [canned, judge.target(api_key="${{ THE_KEY }}", **settings)]


@pytest.fixture
def suite(folder: Folder, judge: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder.targets(*judged(judge))
    folder.environment["THE_KEY"] = KEY
    monkeypatch.setenv("THE_KEY", KEY)
    monkeypatch.chdir(folder.path)
    return folder


def lines(result: CaseResult) -> list[str]:
    return list(transcript(result))


# What was sent


async def test_the_messages_are_those_that_the_server_got(suite: Folder, judge: JudgeServer) -> None:
    suite.targets(judge.target("default"))
    judge.replies = ["You have 30 days.", GOOD]
    result = await suite.one(SUITE)
    sent = list(requests_of(result))
    assert [(s.exchange.role, s.exchange.to, s.evaluator) for s in sent] == [
        ("target", "default", ""),
        ("judge", "default", "quality"),
    ]
    for request, body in zip(sent, judge.bodies, strict=True):
        assert [{"role": m.role, "content": m.content} for m in request.exchange.messages] == body["messages"]


@pytest.mark.parametrize("kind", ["anthropic", "gemini"])
async def test_messages_that_are_joined_are_shown_as_they_leave(suite: Folder, judge: JudgeServer, kind: str) -> None:
    suite.targets({"name": "default", "provider": kind, "model": "m", "api_key": "${{ THE_KEY }}"})
    suite.network = lambda http: Rerouted(http, judge.url)
    judge.replies = ["You have 30 days.", GOOD]
    text = SUITE.replace("      - {role: user,", "      - {role: user, content: Hello}\n      - {role: user,")
    result = await suite.one(text)
    (target, *_) = requests_of(result)
    assert [(m.role, m.content) for m in target.exchange.messages] == [
        ("system", "You are terse"),
        ("user", "Hello\n\nCan I return this?"),
    ]
    assert "Hello\\n\\nCan I return this?" in json.dumps(judge.bodies[0])


async def test_tries_and_what_is_sent_again(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault.error(429, "slow down"), "not JSON", Fault.error(400, "response_format is unknown"), GOOD]
    said = lines(await suite.one(SUITE))
    heads = [line for line in said if line.startswith("  judge ")]
    assert heads == [
        "  judge judge (openai, judge-1-2026) for quality",
        "  judge judge (openai, judge-1-2026) for quality, try 2: the reply contains no JSON object",
    ]
    first, second = said.index(heads[0]), said.index(heads[1])
    assert "    sent again: 429: slow down" in said[first:second]
    assert "    the 2 messages of the first try, and then" in said[second:]
    assert said[second + 2 : second + 5] == ["    [assistant]", "      not JSON", "    [user]"]
    assert "    sent again: without a JSON Schema; 400: response_format is unknown" in said[second:]
    assert len(judge.bodies) == 4


async def test_what_had_no_reply_is_shown(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault.error(400, "no thanks")]
    result = await suite.one(SUITE)
    assert any(line.startswith("    no reply: the server replied 400: no thanks") for line in lines(result))
    suite.targets(judge.target("default"))
    result = await suite.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert "    [user]\n      Can I return this?\n" in "\n".join(lines(result))


async def test_programs_with_what_they_read(suite: Folder, judge: JudgeServer) -> None:
    suite.write("bot.py", "import sys; print(open(sys.argv[1]).read())")
    suite.write("check.py", "import json, sys; told = json.load(sys.stdin); print(json.dumps({'score': 1}))")
    suite.write("prompt.py", "print('Is it fair?')")
    suite.targets(
        {"name": "default", "provider": "cli", "command": "python3 bot.py {PROMPT_FILE}", "grader_target": "judge"},
        judge.target(),
    )
    judge.replies = ['{"score": 1}']
    graders = (
        "      - {type: code-grader, name: check, command: [python3, check.py]}\n"
        "      - {type: llm-grader, name: fair, prompt: {command: [python3, prompt.py]}}\n"
    )
    result = await suite.one(SUITE.split("      - {type: rubrics", maxsplit=1)[0] + graders)
    target, check, prompt, fair = (each.exchange for each in requests_of(result))
    assert target.argv[:2] == ("sh", "-c")
    assert target.argv[2].startswith("python3 bot.py ")
    assert target.files == (("{PROMPT_FILE}", "@[System]:\nYou are terse\n\n@[User]:\nCan I return this?"),)
    assert (check.role, check.argv) == ("program", ("python3", "check.py"))
    assert "Can I return this?" in check.payload["input"][-1]["content"]
    assert (prompt.role, prompt.argv, fair.role) == ("program", ("python3", "prompt.py"), "judge")
    assert "    $ python3 check.py" in lines(result)


async def test_code_and_servers(suite: Folder, judge: JudgeServer) -> None:
    suite.mock("hello")
    judge.replies = ['{"pass": true}']
    text = (
        "prompts: ['{{ q }}']\ntests:\n  - id: a\n    vars: {q: hi}\n    assert:\n"
        "      - {type: python, metric: code, value: len(output) == 5}\n"
        f"      - {{type: webhook, metric: hook, value: '{judge.url}'}}\n"
    )
    result = await suite.one(text)
    _, code, hook = requests_of(result)
    assert (code.evaluator, code.exchange.files) == ("code", (("code", "len(output) == 5"),))
    assert (hook.exchange.role, hook.exchange.to) == ("server", judge.url)
    assert hook.exchange.payload["output"] == code.exchange.payload["output"] == "hello"
    assert judge.bodies[0]["output"] == "hello"


async def test_members_turns_and_runs(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = ['{"score": 1}']
    turn = {"input": "one", "assertions": [{"type": "llm-grader", "name": "fair", "prompt": "Is it fair?"}]}
    case = {
        "id": "a",
        "mode": "conversation",
        "criteria": "c",
        "input": "hi",
        "turns": [turn, {**turn, "input": "two"}],
    }
    result = await suite.one(json.dumps({"tests": [case]}))
    assert [(r.exchange.role, r.exchange.turn, r.evaluator) for r in requests_of(result)] == [
        ("target", 1, ""), ("judge", 0, "turn-1 / fair"), ("target", 2, ""), ("judge", 0, "turn-2 / fair"),
    ]  # fmt: skip
    judge.replies = ['{"score": 1, "assertions": [], "hits": [], "misses": []}']
    member = "{type: llm-grader, name: fair, prompt: Is it fair}"
    whole = f"      - {{type: composite, name: both, aggregator: {{type: llm-grader}}, assertions: [{member}]}}\n"
    result = await suite.one(SUITE.split("      - {type: rubrics", maxsplit=1)[0] + whole, repeat=2)
    assert [(r.run, r.evaluator) for r in requests_of(result)] == [
        (1, ""), (1, "both / fair"), (1, "both"), (2, ""), (2, "both / fair"), (2, "both"),
    ]  # fmt: skip
    assert "  judge judge (openai, judge-1-2026) for both / fair, run 2" in lines(result)
    assert "Is it fair" not in json.dumps(request_row(list(requests_of(result))[2]).get("argv"))


async def test_aggregators_are_told_nothing_of_what_was_sent(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = ['{"score": 1}']
    suite.write("sum.py", "import json, sys; print(json.dumps({'score': 1, 'reasoning': sys.stdin.read()}))")
    member = "{type: llm-grader, name: fair, prompt: Is it fair}"
    aggregator = "{type: code-grader, path: python3 sum.py}"
    whole = f"      - {{type: composite, name: both, aggregator: {aggregator}, assertions: [{member}]}}\n"
    result = await suite.one(SUITE.split("      - {type: rubrics", maxsplit=1)[0] + whole)
    told = json.loads(result.evaluators[0].reasoning)["results"]["fair"]
    assert told["score"] == 1
    assert not {"exchanges", "error"} & told.keys()


async def test_targets_that_programs_ask_while_they_grade(suite: Folder, judge: JudgeServer) -> None:
    suite.write(
        "ask.py",
        "import json, os, urllib.request as r\n"
        "body = json.dumps({'question': 'Is 7 prime?', 'systemPrompt': 'Be brief.'}).encode()\n"
        "key = os.environ['AGENTV_TARGET_PROXY_TOKEN']\n"
        "url = os.environ['AGENTV_TARGET_PROXY_URL'] + '/invoke'\n"
        "r.urlopen(r.Request(url, body, {'Authorization': f'Bearer {key}'})).read()\n"
        "print('{\"score\": 1}')\n",
    )
    judge.replies = ["yes"]
    grader = "      - {type: code-grader, name: ask, target: true, command: [python3, ask.py]}\n"
    result = await suite.one(SUITE.split("      - {type: rubrics", maxsplit=1)[0] + grader)
    asked = [r.exchange for r in requests_of(result) if r.evaluator == "ask" and r.exchange.role == "judge"]
    assert [[m.content for m in each.messages] for each in asked] == [["Be brief.", "Is 7 prime?"]]
    assert result.evaluators[0].tokens == Tokens(60, 20, 40)


async def test_secrets_are_taken_out(suite: Folder, judge: JudgeServer) -> None:
    suite.targets(
        {"name": "default", "provider": "cli", "command": "echo key ${{ THE_KEY }} {PROMPT}", "grader_target": "judge"},
        judge.target(),
    )
    judge.replies = [GOOD]
    grader = "      - {type: code-grader, command: [cat, '${{ THE_KEY }}']}\n"
    result = await suite.one(SUITE.replace("Can I return this?", "'My key is ${{ THE_KEY }}'") + grader)
    told = "\n".join(lines(result))
    assert KEY not in told
    assert KEY not in json.dumps(stored_row(result), default=str)
    assert "***" in told


async def test_a_health_check_is_no_part_of_it(suite: Folder) -> None:
    entry = {"name": "default", "provider": "cli", "command": "echo {PROMPT}", "healthcheck": {"command": ["true"]}}
    suite.targets(entry)
    result = await suite.one(SUITE)
    assert [r.exchange.argv[:2] for r in requests_of(result)] == [("sh", "-c")]


async def test_recordings_and_mocks_send_nothing(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = [GOOD]
    cases = suite.cases(SUITE, mode="record")
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.schedule import run_cases

    async with system_ports({**suite.environment}) as ports:
        await run_cases(cases, ports)
    save_recordings(cases)
    result = await suite.one(SUITE, mode="replay")
    told = lines(result)
    assert (
        "    nothing was sent: mock targets answer by themselves; this would have been sent to another target" in told
    )
    assert "    nothing was sent: a recording replied, at no cost; this would have been sent to the judge" in told
    (mock, recorded) = result.usage
    assert (mock.calls, mock.tokens, mock.cost_usd) == (1, None, None)
    assert (recorded.role, recorded.calls, recorded.recorded, recorded.cost_usd) == ("judge", 0, 1, 0.0)
    assert usage_words(recorded).endswith(": 1 recording, at no cost")
    assert case_row(result)["evaluators"][0]["cost_usd"] == 0.0
    assert len(judge.bodies) == 1


async def test_a_script_of_its_own_gets_it_too(suite: Folder, judge: JudgeServer) -> None:
    from suites import Scripted, context, evaluator

    scripted = Scripted(["no", '{"score": 1}'])
    registry = {"llm_judge": LlmJudgeEvaluator(resolve_judge_provider=lambda _: scripted)}
    config = evaluator("type: llm-grader\nprompt: Is it fair?")
    graded = await run_evaluators_for_case(context(config, "hello"), registry, [config])
    assert [(e.attempt, len(e.messages)) for e in graded.results[0].exchanges] == [(1, 2), (2, 4)]


# The store


async def test_results_are_stored_with_it_and_read_again(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = ["no", GOOD]
    suite.write("check.py", "print('{\"score\": 1}')")
    text = SUITE + "      - {type: code-grader, command: [python3, check.py]}\n"
    result = await suite.one(text)
    again = result_in(json.loads(json.dumps(stored_row(result), default=str)))
    assert list(requests_of(again)) == list(requests_of(result))
    assert (again.usage, again.evaluators) == (result.usage, result.evaluators)
    older = jsonable(result)
    for row in (older, *older["evaluators"]):
        row.pop("exchanges", None)
    assert case_result_of(older).evaluators[0].exchanges == ()


async def test_a_text_that_is_sent_often_is_stored_once_and_long_ones_are_cut(
    suite: Folder, judge: JudgeServer
) -> None:
    judge.replies = [GOOD]
    suite.write("check.py", "print('{\"score\": 1}')")
    often = "".join("      - {type: code-grader, command: [python3, check.py]}\n" for _ in range(5))
    question = "Can I return this? " + "x" * 4000
    result = await suite.one(SUITE.replace("Can I return this?", question) + often)
    row = stored_row(result)
    assert sum(text == question for text in row["sent_texts"]) == 1
    assert question not in json.dumps({**row, "sent_texts": [], "evaluators": []})
    whole = len(json.dumps(jsonable(result)))
    assert len(json.dumps(row)) < whole / 2
    long = await suite.one(SUITE.replace("Can I return this?", "y" * 60_000))
    (text,) = {t for t in stored_row(long)["sent_texts"] if t.startswith("yyy")}
    assert text.endswith("\n… and 10,000 more characters")


# What it took


async def test_tokens_and_costs_by_case_judge_and_evaluator(suite: Folder, judge: JudgeServer) -> None:
    suite.targets(judge.target("default", grader_target="judge"), judge.target())
    judge.replies = ["You have 30 days.", "not JSON", GOOD]
    result = await suite.one(SUITE)
    target, grader = result.usage
    assert (target.role, target.name, target.calls, target.tokens) == ("target", "default", 1, Tokens(60, 20, 40))
    assert (grader.role, grader.name, grader.model) == ("judge", "judge", "judge-1-2026")
    assert (grader.calls, grader.tokens, grader.cost_usd) == (2, Tokens(120, 40, 80), 0.002)
    assert (result.evaluators[0].tokens, result.evaluators[0].cost_usd) == (Tokens(120, 40, 80), 0.002)
    assert result.tokens == Tokens(60, 20, 40)
    assert result.cost_usd == pytest.approx(0.003)
    row = case_row(result)
    assert row["usage"][1] == {
        "role": "judge", "name": "judge", "model": "judge-1-2026", "calls": 2, "recorded": 0, "cost_usd": 0.002,
        "token_usage": {"input": 120, "output": 40, "cached": 80, "reasoning": 0},
    }  # fmt: skip
    assert row["evaluators"][0]["token_usage"]["input"] == 120
    assert usage_words(grader) == (
        "judge judge (judge-1-2026): 2 calls, 200 tokens read (80 of them cached), 40 written, $0.0020"
    )


async def test_a_judge_that_is_of_no_use_costs_all_the_same(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = ["no"]
    result = await suite.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert [(u.name, u.calls, u.cost_usd) for u in result.usage] == [("default", 1, None), ("judge", 3, 0.003)]
    assert result.evaluators[0].cost_usd == 0.003


async def test_prices(suite: Folder, judge: JudgeServer) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 400}, "completion_tokens_details": {"reasoning_tokens": 60}}  # fmt: skip
    choice = {"message": {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}
    body = json.dumps({"model": "judge-1", "choices": [choice], "usage": usage}).encode()
    judge.replies = [Fault(body=body)]
    for prices, cost in (
        ({"input": 2, "output": 10}, 0.002 + 0.001),
        ({"input": 2, "cached_input": 1, "output": 10}, 0.0012 + 0.0004 + 0.001),
        (None, None),
    ):
        suite.targets(*judged(judge, **({"prices": prices} if prices else {})))
        result = await suite.one(SUITE)
        assert result.usage[1].tokens == Tokens(600, 100, 400, 60)
        assert result.cost_usd == (None if cost is None else pytest.approx(cost))


async def test_what_the_server_says_counts_more_than_prices(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = [GOOD]
    suite.targets(*judged(judge, prices={"input": 1000, "output": 1000}))
    assert (await suite.one(SUITE)).cost_usd == 0.001


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ({"input": 1}, "a price list needs `output`"),
        ({"input": -1, "output": 1}, "input is a number of at least 0"),
        ({"input": 1, "outptu": 1}, "outptu is not a setting of openai targets; did you mean output"),
    ],
)
async def test_prices_that_mean_nothing(
    suite: Folder, judge: JudgeServer, prices: dict[str, float], words: str
) -> None:
    suite.targets(*judged(judge, prices=prices))
    assert words in (await suite.one(SUITE)).reason


async def test_a_change_of_prices_makes_no_result_stale(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = [GOOD]
    prints = []
    for prices in ({"input": 1, "output": 1}, {"input": 2, "output": 2}):
        suite.targets(*judged(judge, prices=prices))
        prints.append((await suite.one(SUITE)).fingerprint)
    assert prints[0] == prints[1]


async def test_repeats_cost_what_all_runs_cost(suite: Folder, judge: JudgeServer) -> None:
    judge.replies = [GOOD]
    result = await suite.one(SUITE, repeat=3)
    assert result.usage[1].calls == 3
    assert result.usage[1].tokens == Tokens(180, 60, 120)
    assert result.cost_usd == pytest.approx(0.003)


def test_usage_adds_up() -> None:
    one = Usage(role="judge", name="j", calls=1, tokens=Tokens(1, 2), cost_usd=0.5)
    other = Usage(role="judge", name="j", model="m", calls=2)
    assert one + other == Usage(role="judge", name="j", model="m", calls=3, tokens=Tokens(1, 2), cost_usd=0.5)


# The command line


async def run(suite: Folder, *arguments: str) -> tuple[int | None, str]:
    """`rubric run`, beside the judge of this process."""
    command = (sys.executable, "-m", "rubric_core.cli", "run", *arguments)
    process = await asyncio.create_subprocess_exec(*command, cwd=suite.path, stdout=PIPE, stderr=PIPE)
    out, _ = await process.communicate()
    return process.returncode, out.decode()


async def test_show_prompts(suite: Folder, judge: JudgeServer) -> None:
    suite.suite(SUITE)
    suite.suite(SUITE, "other.eval.yaml")
    judge.replies = [GOOD]
    code, out = await run(suite, "suite.eval.yaml", "--show-prompts")
    assert code == 0
    assert "\nrefund\n  target default (mock)\n" in out
    assert (
        "      - window: Names the 30 days\n    took 100 tokens read (40 of them cached), 20 written, $0.0010\n" in out
    )
    assert (
        out.rstrip()
        .splitlines()[-1]
        .startswith("1 passed · target default · judge: judge-1-2026 · 120 tokens · $0.0010")
    )
    _, several = await run(suite, "suite.eval.yaml", "other.eval.yaml", "--show-prompts")
    assert several.count("  judge judge (openai, judge-1-2026) for quality\n") == 2
    assert "240 tokens · $0.0020" in several
    _, plain = await run(suite, "suite.eval.yaml")
    assert "Names the 30 days\n" not in plain.replace(SUITE, "")
    assert "    [system]" not in plain


async def test_json_with_prompts(suite: Folder, judge: JudgeServer) -> None:
    suite.suite(SUITE)
    judge.replies = [GOOD]
    _, out = await run(suite, "suite.eval.yaml", "--format", "json", "--show-prompts")
    told = json.loads(out)
    (case,) = told["cases"]
    assert [r["role"] for r in case["requests"]] == ["target", "judge"]
    assert case["requests"][1]["messages"] == judge.bodies[0]["messages"]
    assert case["requests"][1]["token_usage"]["input"] == 60
    assert [u["name"] for u in told["usage"]] == ["default", "judge"]
    _, out = await run(suite, "suite.eval.yaml", "--format", "jsonl")
    row = json.loads(out)
    assert "requests" not in row
    assert row["usage"][1]["calls"] == 1


async def test_a_replayed_run_says_that_it_cost_nothing(suite: Folder, judge: JudgeServer) -> None:
    suite.suite(SUITE)
    judge.replies = [GOOD]
    await run(suite, "suite.eval.yaml", "--record")
    _, out = await run(suite, "suite.eval.yaml", "--replay")
    assert " · recordings cost nothing · " in out
    assert "tokens" not in out.rstrip().splitlines()[-1]


async def test_what_is_stored_is_what_the_next_reader_finds(suite: Folder, judge: JudgeServer) -> None:
    path: Path = suite.suite(SUITE)
    judge.replies = [GOOD]
    await run(suite, "suite.eval.yaml")
    stored = stored_cases(path)["refund"].result
    assert [r.exchange.role for r in requests_of(stored)] == ["target", "judge"]
    assert stored.usage[1].tokens == Tokens(60, 20, 40)


@pytest.mark.parametrize("dialect", [d.name for d in DIALECTS if d.name != "agentv-0.1"])
def test_every_dialect_knows_prices_as_rubrics_own(folder: Folder, dialect: str) -> None:
    settings = "    model: m\n    api_key: ${{ KEY }}\n    prices: {input: 1, cached_input: 0.5, output: 2}\n"
    entry = f"targets:\n  - name: judge\n    provider: anthropic\n{settings}"
    path = folder.write(".agentv/targets.yaml", f"# rubric: dialect={dialect}\n{entry}")
    found = analyze(Language().document(path.read_text(), path), Language(), path=path)
    assert [d for d in found.diagnostics if "price" in d.message] == []
    assert Anthropic.keys["prices"].extension
    (own,) = (d for d in DIALECTS if d.name == dialect)
    assert "Rubric's own: AgentV ignores it." in json.dumps(json_schema(own, "targets"))
