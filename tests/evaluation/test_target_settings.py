"""Settings of targets are acted on, or it is said at their line that they are not; in the words of each dialect."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder, Waits, checks
from waiting import seen

from rubric_core.adapters import system_ports
from rubric_core.evaluation.engine.events import Answered
from rubric_core.evaluation.engine.rehearse import rehearsed
from rubric_core.evaluation.model.result import Verdict
from rubric_core.ports import ChatMessage, SentPayload

SUITE = "tests: [{id: a, criteria: c, input: hello, assertions: [{type: contains, value: ok}]}]"
RUBRIC = (
    "tests: [{id: a, criteria: c, input: hello, assertions: [{type: rubrics, criteria: [{id: x, outcome: It is so}]}]}]"
)


def many(count: int) -> str:
    return "tests:\n" + "".join(
        f"  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: contains, value: ok}}]}}\n"
        for n in range(count)
    )


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("- {name: default, provider: azure, settings: {endpoint: THE_URL, api_key: THE_KEY, model: m}}", "agentv-0.1"),
        ("version: 2.0\ntargets: [{name: default, provider: azure, settings: {endpoint: '${{ THE_URL }}', api_key: '${{ THE_KEY }}', model: m}}]", "agentv-0.5"),
        ("$schema: agentv-targets-v2.2\ntargets: [{name: default, provider: azure, endpoint: '${{ THE_URL }}', api_key: '${{ THE_KEY }}', model: m}]", "agentv-1"),
        ("targets: [{name: default, provider: openai, base_url: '${{ THE_URL }}/v1', api_key: '${{THE_KEY}}', model: m, subagent_mode_allowed: false}]", "agentv-3"),
        ("targets: [{id: default, provider: openai, config: {base_url: '{{ env.THE_URL }}/v1', api_key: '{{env.THE_KEY}}', model: m}}]", "agentv-5"),
        ("providers: [{id: openai, label: default, config: {base_url: '{{ env.THE_URL }}/v1', api_key: '{{ env.THE_KEY }}', model: m}}]", "agentv-5"),
        ("providers: [{'openai:m': {label: default, config: {base_url: '{{ env.THE_URL }}/v1', api_key: '{{ env.THE_KEY }}'}}}]", "agentv-5"),
        ("x-base: &b {base_url: '${{ THE_URL }}/v1', api_key: '${{ THE_KEY }}'}\ntargets: [{name: default, provider: openai, model: m, <<: *b}]", "agentv-3"),
        ("targets: [{id: base, provider: openai, config: {base_url: '${{ THE_URL }}/v1', api_key: '${{ THE_KEY }}', model: m}}, {id: default, extends: base}]", "agentv-5"),
    ],
)  # fmt: skip
async def test_the_same_target_in_the_words_of_every_dialect(
    folder: Folder, judge: JudgeServer, text: str, dialect: str
) -> None:
    folder.environment.update(THE_URL=judge.url.removesuffix("/v1"), THE_KEY="sk-very-secret")
    folder.write("targets.yaml", text)
    judge.replies = ["ok"]
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.PASSED, result.reason
    assert "sk-very-secret" in json.dumps(judge.headers)
    from rubric_core.adapters import DiskFiles
    from rubric_core.language.dialects import DIALECTS
    from rubric_core.loading.targets import read_targets

    assert read_targets(folder.path / "targets.yaml", DiskFiles()).home.dialect(DIALECTS).name == dialect


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("targets:\n  - name: default\n    provider: cli\n    command: x\n    timeout: 3\n", "timeout is not a setting of cli targets; did you mean timeout_seconds? (targets.yaml:5, timeout)"),
        ("targets:\n  - name: default\n    provider: cli\n    command_template: x\n    grader_target: y\n", "command_template is not read in agentv-3; write command (targets.yaml:4"),
        ("targets:\n  - name: default\n    provider: mock\n  - name: other\n    response: 'unclosed\n", "targets.yaml:5: "),
        ("targets:\n  - name: default\n    provider: openai\n    model: 5\n", "model is a non-empty string, found the number 5 (targets.yaml:4, model)"),
        ("targets:\n  - name: default\n    provider: openai\n    model: m\n    temperature: ${{ WARM }}\n", "temperature is a number from 0 to 2, found a string (targets.yaml:5, temperature)"),
        ("targets: [{name: default, provider: cli, command: x, healthcheck: {cwd: y}}]", "a health check needs `command` or `url`"),
        ("targets: [{id: default, extends: default}]", "target default extends itself: default → default (targets.yaml:1, extends)"),
        ("targets: [{id: default, extends: gone}]", "target default extends gone, which does not exist (targets.yaml:1, extends)"),
        ("providers:\n  - id: mock\n    label: default\n    transform: {x: 1}\n", "transform must be code, or a file with code (targets.yaml:4, transform)"),
        ("providers:\n  - id: mock\n    label: default\n    transform: x.y\n", "its answer cannot be transformed: the javascript code failed: ReferenceError: x is not defined (targets.yaml:4, transform)"),
        ("providers:\n  - id: mock\n    label: default\n    environment: {type: docker, workdir: /w, image: x}\n", "rubric does not run containers: use an environment of type host to run this case on this machine (targets.yaml:4)"),
        ("providers:\n  - id: mock\n    label: default\n    environment: file://gone.yaml\n", "the file file://gone.yaml of the workspace does not exist (targets.yaml:2)"),
        ("providers:\n  - id: mock\n    label: default\n    hooks: {before_all: {command: [sh, -c, 'echo no >&2; exit 3']}}\n", "the hook before_all ended with exit code 3: no (targets.yaml:4)"),
        ("providers:\n  - id: mock\n    label: default\n    runtime: {mode: sandbox}\n", "runtime sandbox is not supported by rubric, only host (targets.yaml:4, runtime)"),
        ("targets: [{name: default, provider: mock, workspace_template: ./x}]", "write `workspace: {template: …}` in the suite"),
        ("targets: [{name: default, provider: transcript}]", "kind transcript is not supported by rubric"),
        ("providers: [bedrock:x]", "no target is called default in targets.yaml; there are bedrock:x"),
        ("- {name: default, provider: azure, settings: {endpoint: 'http://x', api_key: NOT_SET, model: m}}", "the environment variable NOT_SET is not set (targets.yaml:1, api_key)"),
        ("targets: [{name: default, provider: replay, fixtures: a.jsonl}]", "replay targets need `source_target`"),
        ("targets: [{name: default, provider: replay, fixtures: gone.jsonl, source_target: bot}]", "the file gone.jsonl is not there (targets.yaml:1, fixtures)"),
        ("targets: [{name: default, provider: replay, source_target: bot}]", "replay targets need `fixtures` or `execution_traces` or `transcripts`"),
    ],
)  # fmt: skip
async def test_a_setting_that_cannot_be_acted_on(folder: Folder, text: str, words: str) -> None:
    folder.environment["WARM"] = "hot"
    folder.write("targets.yaml", text)
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason


async def test_variables_are_texts_where_texts_are_due(folder: Folder, judge: JudgeServer) -> None:
    folder.environment.update(KEY="12345678", WARM="0.5", TRIES="0")
    folder.targets(judge.target("default", api_key="${{ KEY }}", temperature="${{ WARM }}", max_retries="${{ TRIES }}"))
    judge.replies = ["ok"]
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert judge.bodies[0]["temperature"] == 0.5
    assert judge.headers[0]["authorization"] == "Bearer 12345678"


async def test_no_more_requests_at_once_than_workers(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(judge.target("default", workers=2))
    judge.replies = [Fault(delay=0.03, body=b'{"choices": [{"message": {"content": "ok"}}]}')]
    results = await folder.run(many(8), workers=8)
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}
    assert judge.most == 2


async def test_targets_that_point_to_one_share_its_limits(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(
        judge.target("real", workers=1),
        {"name": "default", "use_target": "real"},
        {"name": "other", "use_target": "real"},
    )
    judge.replies = [Fault(delay=0.02, body=b'{"choices": [{"message": {"content": "ok"}}]}')]
    suite = f"execution: {{targets: [default, other, real]}}\n{many(3)}"
    from rubric_core.evaluation.cases.variations import variations

    cases = [each for case in folder.cases(suite) for each in variations(case)]
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.schedule import run_cases

    async with system_ports({}) as ports:
        results = await run_cases(cases, ports, workers=9)
    assert [r.verdict for r in results] == [Verdict.PASSED] * 9
    assert judge.most == 1


async def test_a_pause_between_calls(folder: Folder) -> None:
    folder.clock = clock = Waits()
    folder.targets({"id": "default", "provider": "mock", "delay": 200, "config": {"response": "ok"}})
    await folder.run(many(4), workers=1)
    assert clock.waited == [0.2] * 3


async def test_the_pauses_before_retries_grow_up_to_a_limit(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = [Fault(503)] * 4 + ["ok"]
    folder.targets(judge.target("default", max_retries=4, retry_initial_delay_ms=100, retry_backoff_factor=3, retry_max_delay_ms=500))  # fmt: skip
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert clock.waited == [0.1, 0.3, 0.5, 0.5]


@pytest.mark.parametrize(
    ("header", "pause"),
    [("7", 7.0), ("0.2", 0.5), ("Sat, 21 Nov 2026 12:00:09 GMT", 9.0), ("Sat, 21 Nov 2020 12:00:00 GMT", 0.5), ("soon", 0.5), ("Fri, 31 Dec 999999999999 23:59:59 GMT", 0.5), ("60", 60.0)],
)  # fmt: skip
async def test_a_server_says_how_long_to_leave_it_alone(
    folder: Folder, judge: JudgeServer, header: str, pause: float
) -> None:
    folder.clock = clock = Waits()
    judge.replies = [Fault(429, b"{}", {"Retry-After": header}), "ok"]
    folder.targets(judge.target("default", retry_initial_delay_ms=500))
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert clock.waited == [pause]


async def test_a_server_that_asks_for_more_patience_than_a_run_has(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = [Fault(429, b"{}", {"Retry-After": "9999"}), "ok"]
    folder.targets(judge.target("default"))
    words = "the server asks to be left alone for 9999 s (429: {}); write retry_max_delay_ms to try earlier (targets.yaml:1)"
    assert (await folder.one(SUITE)).reason == f"target default: {words}"
    assert clock.waited == []
    judge.replies = [*["ok"] * len(judge.bodies), Fault(429, b"{}", {"Retry-After": "9999"}), "ok"]
    folder.targets(judge.target("default", retry_max_delay_ms=30_000))
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert clock.waited == [30.0]


async def test_a_server_that_asks_to_slow_down_is_left_alone_by_every_case(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = [Fault(429, b"{}", {"Retry-After": "20"}), "ok"]
    folder.targets(judge.target("default", max_retries=0))
    results = await folder.run(many(2), workers=1)
    first, second = results.values()
    assert "also after 0 retries" in first.reason
    assert second.verdict is Verdict.PASSED
    assert clock.waited == [], "the first gave up at once"
    judge.replies = ["ok"] * len(judge.bodies) + [Fault(429, b"{}", {"Retry-After": "20"}), "ok"]
    folder.targets(judge.target("default", max_retries=1))
    await folder.run(many(3), workers=1)
    assert clock.waited == [20.0]


async def test_only_the_statuses_that_are_named_are_tried_again(folder: Folder, judge: JudgeServer) -> None:
    folder.clock = clock = Waits()
    judge.replies = [Fault(503), "ok"]
    folder.targets(judge.target("default", retry_status_codes=[418]))
    assert "replied 503" in (await folder.one(SUITE)).reason
    judge.replies = ["ok", Fault(418), "ok"]
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert len(clock.waited) == 1


# Stand-ins


async def test_a_stand_in_answers_after_an_error(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault.error(401, "no")]
    folder.targets(
        judge.target("default", fallback_targets=["broken", "${{ BACKUP }}"]),
        {"name": "broken", "provider": "openai", "model": "m", "api_key": "${{ NOT_SET }}"},
        {"name": "backup", "provider": "mock", "response": "ok", "fallback_targets": ["default"]},
    )
    folder.environment["BACKUP"] = "backup"
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.PASSED
    assert (result.target, result.details) == ("default", {"target_used": "backup"})
    said = next(e.answer for e in folder.events if isinstance(e, Answered))
    assert said.stand_in == ("backup", "mock:backup")


async def test_every_reason_is_told_when_no_stand_in_answers(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault.error(401, "no")]
    folder.targets(
        judge.target("default", fallback_targets=["other", "gone"]),
        judge.target("other", base_url="http://127.0.0.1:9/v1", fallback_targets=["default"]),
    )
    reason = (await folder.one(SUITE)).reason
    for words in (
        "the server requires a key (401: no)",
        "other: connection to 127.0.0.1:9 refused",
        "gone: no target is called gone",
    ):
        assert words in reason
    assert len(judge.bodies) == 1, "stand-ins of stand-ins are not asked"


async def test_a_judge_has_stand_ins_too(folder: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault(500), checks(x=True)]
    folder.targets(
        {"name": "default", "provider": "mock", "response": "ok", "grader_target": "first"},
        judge.target("first", max_retries=0, fallback_targets=["second"]), judge.target("second", model="judge-2"),
    )  # fmt: skip
    from rubric_core.evaluation.engine.run import save_recordings

    cases = folder.cases(RUBRIC, mode="record")
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.schedule import run_cases

    async with system_ports({}) as ports:
        (result,) = await run_cases(cases, ports)
    assert result.verdict is Verdict.PASSED
    save_recordings(cases)
    assert "judge: openai:judge-2" in (folder.path / "suite.recordings.yaml").read_text()


# Which target judges


@pytest.mark.parametrize(
    ("written", "option", "judged_by"),
    [
        ("", None, "of-target"),
        ("target: of-evaluator, ", None, "of-evaluator"),
        ("", "of-command-line", "of-command-line"),
        ("target: of-evaluator, ", "of-command-line", "of-evaluator"),
    ],
)
async def test_who_judges(folder: Folder, written: str, option: str | None, judged_by: str) -> None:
    names = ("of-target", "of-evaluator", "of-command-line")
    judges = ({"name": n, "provider": "mock", "response": checks(x=n == judged_by)} for n in names)
    folder.targets({"name": "default", "use_target": "real"}, {"name": "real", "provider": "mock", "grader_target": "of-target"}, *judges)  # fmt: skip
    result = await folder.one(RUBRIC.replace("type: rubrics, ", f"type: rubrics, {written}"), grader_target=option)
    assert result.verdict is Verdict.PASSED, result.reason


async def test_an_agent_does_not_judge_its_own_answers(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": f"echo '{checks(x=True)}'"})
    result = await folder.one(RUBRIC)
    assert result.verdict is Verdict.UNSCORED
    assert "name one with `grader_target`" in result.reason


# Commands


def command(folder: Folder, script: str, **settings) -> None:
    folder.write("bot.py", script)
    folder.targets({"name": "default", "provider": "cli", "command": [sys.executable, "-IS", "bot.py", "{PROMPT}"], **settings})  # fmt: skip


HEALTHY = {"command": [sys.executable, "-IS", "-c", "open('checked', 'a').write('x')"]}


async def test_a_health_check_is_made_once(folder: Folder) -> None:
    command(folder, "print('ok')", healthcheck=HEALTHY)
    results = await folder.run(many(3))
    assert {r.verdict for r in results.values()} == {Verdict.PASSED}
    assert (folder.path / "checked").read_text() == "x"


async def test_a_health_check_is_of_no_case(folder: Folder) -> None:
    folder.write("template/x", "")
    command(folder, "print('ok')", healthcheck={"command": "echo {EVAL_ID} {PROMPT}{FILES}. > told"})
    suite = f"workspace: {{template: ./template}}\n{SUITE}"
    assert (await folder.one(suite)).verdict is Verdict.UNSCORED, "its command is not in the workspace"
    assert (folder.path / "told").read_text() == "healthcheck .\n"


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"command": "echo 'no gpu' >&2; exit 3"}, "ended with exit code 3: no gpu"),
        ({"command": "sleep 60", "timeout_seconds": 0.2}, "it took longer than 0.2 s"),
        ({"command": ["no-such-program"]}, "command not found: no-such-program"),
        ({"url": "http://127.0.0.1:9/health"}, "connection to 127.0.0.1:9 refused"),
        ({"url": "nonsense"}, "nonsense is not an HTTP address"),
    ],
)
async def test_a_target_that_is_not_healthy_is_not_asked(folder: Folder, check: dict, words: str) -> None:
    command(folder, "open('asked', 'w')", healthcheck=check)
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert "the health check failed, so it is not called" in result.reason
    assert words in result.reason
    assert "(targets.yaml:1, healthcheck)" in result.reason
    assert not (folder.path / "asked").exists()


async def test_a_health_check_over_http(folder: Folder, judge: JudgeServer) -> None:
    address = f"{judge.url}/health"
    command(folder, "print('ok')", healthcheck={"url": address})
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED
    assert judge.paths == ["/v1/health"]
    judge.replies = [Fault(503)]
    assert f"{address} replied 503" in (await folder.one(SUITE)).reason


async def test_a_command_for_batches_prints_a_line_for_each_case(folder: Folder) -> None:
    lines = '{"id": "b", "text": "no"}\\n{"id": "ID", "text": "ok", "cost_usd": 0.5}'
    command(folder, f"print('{lines.replace('ID', 'a')}')", provider_batching=True)
    result = await folder.one(SUITE)
    assert (result.verdict, result.cost_usd) == (Verdict.PASSED, 0.5)
    command(folder, f"print('{lines.replace('ID', 'c')}')", provider_batching=True)
    assert "its reply has no line with the id a (targets.yaml:1, provider_batching)" in (await folder.one(SUITE)).reason
    command(folder, "print('ok, in one line')", provider_batching=True)
    assert (await folder.one(SUITE)).answer == "ok, in one line"
    command(folder, f"print('{lines}')")
    assert (await folder.one(SUITE)).answer == lines.replace("\\n", "\n"), "without batches it is one answer"


async def test_temporary_files_are_kept_when_they_are_to_be(folder: Folder) -> None:
    for kept in (True, False):
        folder.write("bot.py", "import sys; print('ok', sys.argv[1])")
        folder.targets({"name": "default", "provider": "cli", "command": [sys.executable, "bot.py", "{PROMPT_FILE}"], "keep_temp_files": kept})  # fmt: skip
        path = Path((await folder.one(SUITE)).answer.removeprefix("ok "))
        assert path.exists() is kept
        if kept:
            assert path.read_text() == "hello"
            path.unlink()
            path.parent.rmdir()


async def test_what_is_taken_and_not_acted_on_is_said_at_its_line(folder: Folder) -> None:
    folder.write(
        "targets.yaml",
        "targets:\n  - name: default\n    provider: cli\n    command: echo ok\n    verbose: true\n    provider_batching: true\n    subagent_mode_allowed: false\n",
    )
    cases = folder.cases(SUITE)
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.attempt import targets_of
    from rubric_core.evaluation.engine.schedule import run_cases

    async with system_ports({"PATH": "/usr/bin:/bin"}) as ports:
        await run_cases(cases, ports)
        notes = targets_of(cases[0], ports).notes
    assert notes == (
        "targets.yaml:5, verbose: ignored; rubric shows the command's standard error only when it fails",
        "targets.yaml:6, provider_batching: ignored; rubric calls the target case by case",
    )


async def test_a_setting_that_the_dialect_refuses_and_that_changes_nothing_is_only_said(folder: Folder) -> None:
    folder.write(
        "targets.yaml",
        "providers:\n  - id: mock\n    label: default\n    provider_batching: true\n    config: {response: ok}\n",
    )
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.attempt import targets_of
    from rubric_core.evaluation.engine.schedule import run_cases

    cases = folder.cases(SUITE)
    async with system_ports({}) as ports:
        (result,) = await run_cases(cases, ports)
        assert targets_of(cases[0], ports).notes == (
            "targets.yaml:4, provider_batching: ignored; rubric calls the target case by case",
        )
    assert result.verdict is Verdict.PASSED, result.reason


# Replay

ROWS = [
    {"test_id": "a", "target": "bot", "output": "first", "token_usage": {"input": 1, "output": 2}, "cost_usd": 0.1},
    {"test_id": "a", "target": "other", "output": "not this"},
    {"eval_id": "a", "target": "bot", "candidate_answer": "second", "variant": "long"},
    {"id": "b", "target": "bot", "messages": [{"role": "assistant", "content": "third", "tool_calls": [{"tool": "Read"}]}]},
]  # fmt: skip


@pytest.mark.parametrize("source", ["fixtures", "execution_traces", "transcripts"])
async def test_recorded_answers_are_given_again(folder: Folder, source: str) -> None:
    folder.write("rows.jsonl", "\n".join(json.dumps(row) for row in ROWS) + "\n\n")
    folder.targets({"name": "default", "provider": "replay", "source_target": "bot", source: "rows.jsonl"})
    suite = "tests: [{id: a, criteria: c, input: x, assertions: [{type: contains, value: r}]}, {id: b, criteria: c, input: x, assertions: [{type: contains, value: third}]}, {id: c, criteria: c, input: x, assertions: [{type: contains, value: third}]}]"
    results = await folder.run(suite)
    assert [r.answer for r in results.values()] == ["first", "third", ""]
    assert results["a"].cost_usd == 0.1
    assert results["c"].reason == "target default: there is no recorded answer of bot for case c in rows.jsonl (targets.yaml:1, " + source + ")"  # fmt: skip
    said = {e.case_id: e.answer for e in folder.events if isinstance(e, Answered)}
    assert said["b"].tool_uses is not None
    assert [u.tool for u in said["b"].tool_uses] == ["Read"]


async def test_a_recording_of_one_variant_and_of_each_run(folder: Folder) -> None:
    folder.write("rows.json", json.dumps(ROWS))
    folder.targets({"name": "default", "provider": "replay", "source_target": "bot", "fixtures": "rows.json"})
    await folder.one(SUITE, repeat=3)
    assert [e.answer.text for e in folder.events if isinstance(e, Answered)] == ["first", "second", "second"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": "a"}\nnonsense', "rows.jsonl:2 is not a JSON object (targets.yaml:1, fixtures)"),
        (b"[{]", "rows.jsonl is not JSON"),
        (b"\xff", "rows.jsonl is not UTF-8 text"),
        (b'{"id": "a", "target": "bot"}', "the recording has no answer for case a"),
        (b"", "there is no recorded answer of bot"),
    ],
)
async def test_recorded_answers_that_cannot_be_read(folder: Folder, content: bytes, words: str) -> None:
    (folder.path / "rows.jsonl").write_bytes(content)
    folder.targets({"name": "default", "provider": "replay", "source_target": "bot", "fixtures": "rows.jsonl"})
    assert words in (await folder.one(SUITE)).reason


@pytest.mark.parametrize(
    ("transform", "answer"),
    [
        ("output.toUpperCase() + context.vars.q", "HELLO?"),
        ("file://shape.py", "hello for ?"),
        ("({said: output})", '{"said": "hello"}'),
    ],
)
async def test_an_answer_is_transformed_before_anybody_sees_it(folder: Folder, transform: str, answer: str) -> None:
    folder.write("shape.py", "def get_transform(output, context):\n    return output + ' for ' + context['prompt']\n")
    entry = {"id": "mock", "label": "bot", "transform": transform, "config": {"response": "hello"}}
    folder.write(".agentv/providers.yaml", json.dumps({"providers": [entry]}))
    suite = "prompts: ['{{ q }}']\nproviders: [bot]\ntests: [{vars: {q: '?'}, assert: [{type: contains, value: x}]}]"
    assert (await folder.one(suite, "agentv-5", target="bot")).answer == answer


# Secrets


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("api_key", True), ("OPENAI_API_KEY", True), ("APIKEY", True), ("KEY2", True), ("AWS_SECRET_ACCESS_KEY", True), ("github_token", True),
        ("GITHUB_PAT", True), ("DB_PASS", True), ("PGPASSWORD", True), ("BASIC_AUTH", True), ("AUTHORIZATION", True), ("CREDENTIALS", True),
        ("AUTHOR", False), ("max_output_tokens", False), ("TOKEN_USAGE", False), ("COMPASS", False), ("PATH", False), ("KEYBOARD", False), ("model", False),
    ],
)  # fmt: skip
def test_what_is_a_secret_by_its_name(name: str, secret: bool) -> None:
    from rubric_core.language.secret_names import looks_secret

    assert looks_secret(name) is secret


def test_a_password_in_an_address_is_known_in_all_its_forms() -> None:
    from rubric_core.evaluation.model.redaction import Redactor

    redact = Redactor.of([("base_url", "http://me:hunter%2022@host/v1")])
    assert redact("hunter%2022, hunter 22, Basic bWU6aHVudGVyIDIy") == "***, ***, Basic ***"


def test_a_record_without_secrets_is_not_copied() -> None:
    """Everything that is sent and answered comes by there, and hardly any of it holds one."""
    from rubric_core.evaluation.model.redaction import Redactor

    redact = Redactor(["hunter2222"])
    clean, leaking = (ChatMessage("user", text) for text in ("say hello", "say hunter2222"))
    assert redact.within(clean) is clean
    assert redact.within([clean, leaking]) == [clean, ChatMessage("user", "say ***")]
    sent = SentPayload("bot", (clean, leaking))
    assert redact.within(sent) == SentPayload("bot", (clean, ChatMessage("user", "say ***")))


@pytest.mark.parametrize("kept", range(0, 24, 3))
async def test_no_part_of_a_secret_is_left_where_a_message_is_cut_short(
    folder: Folder, judge: JudgeServer, kept: int
) -> None:
    key = "sk-0123456789-abcdefghij"
    folder.environment["KEY"] = key
    folder.targets(judge.target("default", api_key="${{ KEY }}", max_retries=0))
    judge.replies = [Fault.error(401, "x" * (300 - kept) + key)]
    assert key[: kept or 1] not in (await folder.one(SUITE)).reason.partition("401")[2].replace("(targets", "")
    said = f"import os, sys; sys.stderr.write(sys.argv[1] + 'x' * {400 - kept}); sys.exit(1)"
    folder.targets({"name": "default", "provider": "cli", "command": f'{sys.executable} -c "{said}" ${{{{ KEY }}}}'})
    assert (await folder.one(SUITE)).reason.count("x") > 300
    assert key[-kept:] not in (await folder.one(SUITE)).reason


async def test_a_secret_in_an_answer_goes_nowhere(folder: Folder, judge: JudgeServer) -> None:
    key = "sk-very-secret-key"
    folder.environment.update(BOT_KEY=key, DATABASE_URL="postgres://me:hunter22@db/x")
    folder.write("bot.py", "import sys; print('my key is', sys.argv[1], 'and', sys.argv[2])")
    folder.targets(
        {"name": "default", "provider": "cli", "command": f"{sys.executable} bot.py ${{{{ BOT_KEY }}}} ${{{{ DATABASE_URL }}}}", "grader_target": "judge"},
        judge.target(),
    )  # fmt: skip
    judge.replies = [checks(x=False)]
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.engine.run import save_recordings
    from rubric_core.evaluation.engine.schedule import run_cases

    cases = folder.cases(RUBRIC, mode="record")
    async with system_ports({"PATH": "/usr/bin:/bin", **folder.environment}) as ports:
        (result,) = await run_cases(cases, ports, folder.events.append)
    save_recordings(cases)
    everything = [repr(result), repr(folder.events), json.dumps(judge.bodies), (folder.path / "suite.recordings.yaml").read_text()]  # fmt: skip
    assert "my key is ***" in everything[3]
    for text in everything:
        assert key not in text
        assert "hunter22" not in text


async def test_many_cases_wait_for_one_stand_in_and_are_cancelled_together(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(judge.target("default", workers=1))
    judge.replies = [Fault(delay=60)]
    running = asyncio.ensure_future(folder.run(many(5), workers=5))
    await seen("a request", lambda: judge.bodies)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(judge.bodies) == 1


# Targets that stand in the suite, or in the configuration

INLINE = """
name: support-bot
defaults: {grader: judge}
tests:
  - id: a
    vars: {question: hello}
    assert: [{type: llm-rubric, value: [{id: x, outcome: It is so}]}]
prompts: ["{{ question }}"]
providers:
  - id: mock
    label: bot
    config: {response: ok}
  - id: mock
    label: judge
    config:
      response: REPLY
      frobnicate: 1
"""


async def test_targets_stand_in_a_suite_too(folder: Folder) -> None:
    said = json.dumps(checks(x=True))
    from rubric_core.adapters import DiskFiles
    from rubric_core.evaluation.cases.target_choice import targets_for

    (case,) = folder.cases(INLINE.replace("REPLY", said).replace("      frobnicate: 1\n", ""))
    targets = targets_for(case, DiskFiles())
    assert targets.file is not None
    assert [e.name for e in targets.file.entries] == ["bot", "judge"]
    assert targets.default_judge() == "judge"
    (broken,) = folder.cases(INLINE.replace("REPLY", said))
    from rubric_core.adapters import system_ports
    from rubric_core.evaluation.model.unscored import Unscored

    async with system_ports({}) as ports:
        assert targets.provider("bot", ports)[0].kind == "mock"
        with pytest.raises(
            Unscored, match=r"frobnicate is not a setting of mock targets \(suite.eval.yaml:17, frobnicate\)"
        ):
            targets_for(broken, DiskFiles()).provider("judge", ports)


async def test_a_defaults_block_names_who_answers_and_who_judges(folder: Folder) -> None:
    folder.write(
        ".agentv/providers.yaml",
        f"""
        defaults: {{provider: bot, grader: judge}}
        providers:
          - {{id: mock, label: bot, config: {{response: ok}}}}
          - {{id: mock, label: judge, config: {{response: {json.dumps(checks(x=True))}}}}}
        """,
    )
    result = await folder.one(RUBRIC)
    assert (result.verdict, result.target) == (Verdict.PASSED, "bot"), result.reason


@pytest.mark.parametrize("home", [".agentv", ".agentevo"])
async def test_targets_of_the_configuration_come_last(folder: Folder, home: str) -> None:
    folder.write(f"{home}/config.yaml", "providers: [{id: mock, label: default, config: {response: no}}, {id: mock, label: bot, config: {response: ok}}]")  # fmt: skip
    assert (await folder.one(SUITE, target="bot")).verdict is Verdict.PASSED
    folder.mock("ok, from the file")
    assert (await folder.one(SUITE)).answer == "ok, from the file"
    assert (await folder.one(SUITE, target="bot")).verdict is Verdict.PASSED


async def asked(folder: Folder, text: str, dialect: str | None = None) -> tuple[str, ...]:
    """The plan of a suite, line by line."""
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        plan = await rehearsed(folder.cases(text, dialect), ports)
    assert not plan.unknown
    return tuple(line.replace(f"{folder.path}/", "") for line in plan.words(folder.path))


@pytest.mark.parametrize("name", ["my-bot.py", "my-bot"])
async def test_a_kind_of_ones_own_is_a_program(folder: Folder, name: str) -> None:
    path = folder.write(
        f".agentv/providers/{name}", f"#!{sys.executable} -IS\nimport sys, os; print('ok', sys.argv[1], os.getcwd())\n"
    )
    path.chmod(0o755)
    folder.targets({"name": "default", "provider": "my-bot", "cwd": ".agentv", "grader_target": "x"})
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.PASSED, result.reason
    assert result.answer == f"ok hello {folder.path / '.agentv'}"
    folder.targets({"name": "default", "provider": "my-bot", "timeout": 3})
    assert "timeout is not a setting of cli targets; did you mean timeout_seconds?" in (await folder.one(SUITE)).reason
    folder.targets({"name": "default", "provider": "my-bot", "grader_target": "x"})
    (line,) = await asked(folder, SUITE)
    assert line.endswith(f" .agentv/providers/{name} {{prompt}}")


async def test_a_configuration_names_files_with_targets(folder: Folder) -> None:
    folder.write(
        ".agentv/config.yaml", "providers: [file://more.yaml, {id: mock, label: default, config: {response: own}}]"
    )
    folder.write(".agentv/more.yaml", "providers: [{id: mock, label: bot, config: {response: ok}}]")
    assert (await folder.one(SUITE, target="bot")).verdict is Verdict.PASSED
    assert (await folder.one(SUITE)).answer == "own"


async def test_a_person_is_told_what_agents_and_health_checks_run(folder: Folder) -> None:
    folder.write("claude.sh", "").chmod(0o755)
    folder.targets(
        {"name": "default", "provider": "cli", "command": "ask {PROMPT}", "healthcheck": {"command": "ask --version"}, "grader_target": "j", "fallback_targets": ["c"]},
        {"name": "j", "provider": "claude-cli", "executable": "./claude.sh"}, {"name": "c", "provider": "codex-cli"},
        {"name": "unused", "provider": "copilot-cli"},
    )  # fmt: skip
    names = [each.removeprefix("execute: ").split()[0] for each in await asked(folder, RUBRIC)]
    assert list(dict.fromkeys(names)) == ["ask", "codex", "./claude.sh"]


async def test_a_person_is_told_of_code_that_transforms_answers(folder: Folder) -> None:
    entry = {"id": "mock", "label": "default", "config": {"response": "x"}, "transform": "file://target.py"}
    folder.write("target.py", "")
    folder.write(".agentv/providers.yaml", json.dumps({"providers": [entry]}))
    check = "{type: contains, value: x, transform: output.check}"
    lines = await asked(
        folder,
        f"prompts: [hi]\nproviders: [default]\ntests: [{{assert: [{check}], options: {{transform: output.case}}}}]",
        "agentv-5",
    )
    assert lines == (
        "execute: python3: target.py:get_transform",
        "execute: node: output.case",
        "execute: node: output.check",
    )
