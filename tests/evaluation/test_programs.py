"""Programs of a suite: what they are told, what they may print, and that none of them outlives its time."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
from suites import Folder, context, evaluator
from waiting import PATIENCE, alive, seen

from rubric_core.adapters import OsProcesses, filtered, system_ports
from rubric_core.evaluation.evaluators.code import CodeEvaluator
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import GraderError
from rubric_core.ports import Answer, Program

ECHO = "import json, sys; d = json.load(sys.stdin); print(json.dumps({'score': 1, 'assertions': [], 'details': d}))"
posix = pytest.mark.skipif(sys.platform == "win32", reason="process groups and signals")


async def gone(pid: int) -> bool:
    return await seen(f"the end of {pid}", lambda: not alive(pid))


async def program(folder: Folder, script: str, **limits) -> object:
    folder.write("script.py", script)
    running = OsProcesses().run(Program((sys.executable, "script.py"), folder.path, **limits))
    return await asyncio.wait_for(running, PATIENCE)


async def test_a_program_that_ends(folder: Folder) -> None:
    finished = await program(
        folder, "import sys; print(sys.stdin.read()[::-1]); sys.stderr.write('err'); sys.exit(3)", stdin=b"abc"
    )
    assert (finished.exit_code, finished.stdout.strip(), finished.stderr, finished.stopped) == (3, b"cba", b"err", "")


async def test_a_program_that_reads_nothing_and_writes_much(folder: Folder) -> None:
    finished = await program(folder, "print('x' * 3_000_000)", stdin=b"y" * 5_000_000)
    assert (finished.exit_code, len(finished.stdout)) == (0, 3_000_001)


@posix
async def test_another_file_is_started_under_the_name_of_a_program(folder: Folder) -> None:
    other = Path(sys.executable).parent / "python3"
    asked = Program(
        ("no-such-program", "-c", "import sys; print(sys.orig_argv[0])"), folder.path, executable=str(other)
    )
    finished = await OsProcesses().run(asked)
    assert finished.stdout.strip() == b"no-such-program"


async def test_a_program_says_what_its_arguments_hide(folder: Folder) -> None:
    """Inline code, the function of a file, and the function of a module with the folder in which it is looked for."""
    graders = folder.write(
        "graders.py", "def get_assert(output, context): return True\ndef long(output, context): return True"
    )
    folder.write("bot.py", "def answer(prompt): return 'hello'")
    folder.targets({"name": "default", "provider": "python", "function": "bot:answer"})
    result = await folder.one(
        """
        prompts: ["{{ q }}"]
        tests:
          - id: a
            vars: {q: hi}
            assert:
              - {type: python, value: len(output) > 2}
              - {type: python, value: "file://graders.py"}
              - {type: python, value: "file://graders.py:long"}
        """,
        dialect="agentv-5",
    )
    assert result.verdict is Verdict.PASSED, result.reason
    assert sorted(program.says for program in folder.started) == sorted(
        [f"bot:answer from {folder.path}", "len(output) > 2", f"{graders}:get_assert", f"{graders}:long"]
    )


@posix
async def test_a_program_that_hangs_is_ended_with_its_children(folder: Folder) -> None:
    script = "import subprocess, sys, time\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nprint(p.pid, flush=True)\ntime.sleep(600)"
    finished = await program(folder, script, time_limit=0.7)
    assert finished.stopped == "time"
    assert await gone(int(finished.stdout))


@posix
async def test_children_do_not_outlive_a_program_that_ends(folder: Folder) -> None:
    script = "import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nprint(p.pid, flush=True)"
    finished = await program(folder, script)
    assert finished.exit_code == 0
    assert await gone(int(finished.stdout))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell")
@pytest.mark.parametrize("end", ["", "time.sleep(600)"])
async def test_daemons_do_not_outlive_a_program_either(folder: Folder, end: str) -> None:
    daemon = "os.fork() and os._exit(0); os.setsid(); open('pid', 'w').write(f'{os.getpid()} '); time.sleep(600)"
    script = f"""
import os, subprocess, sys, time
subprocess.Popen([sys.executable, '-c', {f"import os, time; {daemon}"!r}], start_new_session=True).wait()
while not os.path.exists('pid') or not open('pid').read().endswith(' '):
    time.sleep(0.01)
open('ready', 'w')
{end}
"""
    running = asyncio.ensure_future(program(folder, script))
    await seen("a daemon", (folder.path / "ready").exists)
    if end:
        running.cancel()
    await asyncio.wait([running])
    assert await gone(int((folder.path / "pid").read_text()))


async def test_a_program_that_never_stops_writing(folder: Folder) -> None:
    finished = await program(folder, "while True: print('x' * 10_000)", output_limit=1_000_000)
    assert (finished.stopped, len(finished.stdout)) == ("output", 1_000_000)


async def test_output_of_exactly_the_limit_is_fine(folder: Folder) -> None:
    finished = await program(folder, "import sys; sys.stdout.write('x' * 1000)", output_limit=1000)
    assert (finished.stopped, len(finished.stdout)) == ("", 1000)


@posix
async def test_cancelling_kills_the_whole_group_at_once(folder: Folder) -> None:
    script = "import os, subprocess, sys, time\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\nopen('pids', 'w').write(f'{os.getpid()} {p.pid}')\ntime.sleep(600)"
    running = asyncio.ensure_future(program(folder, script))
    await seen("a program", lambda: (folder.path / "pids").exists() and (folder.path / "pids").read_text())
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for pid in (folder.path / "pids").read_text().split():
        assert await gone(int(pid))


async def test_a_cancellation_is_never_lost(folder: Folder) -> None:
    folder.write("script.py", "pass")
    for step in range(25):
        running = asyncio.ensure_future(
            OsProcesses().run(Program((sys.executable, "-I", "-S", "script.py"), folder.path))
        )
        await asyncio.sleep(0.002 * step)
        if running.cancel():
            with pytest.raises(asyncio.CancelledError):
                await running


async def test_many_programs_at_once(folder: Folder) -> None:
    results = await asyncio.gather(*(program(folder, "print(1)") for _ in range(30)))
    assert all(r.stdout.strip() == b"1" for r in results)


async def test_secrets_do_not_reach_programs(folder: Folder) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "OPENAI_API_KEY": "sk-1",
        "AWS_SECRET_ACCESS_KEY": "x",
        "LC_ALL": "C",
        "GITHUB_TOKEN": "y",
    }
    assert filtered(environment) == {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    folder.write("script.py", "import os; print(sorted(os.environ))")
    finished = await OsProcesses(environment).run(
        Program((sys.executable, "script.py"), folder.path, environment={"WANTED": "1"})
    )
    names = finished.stdout.decode()
    assert "WANTED" in names
    assert "KEY" not in names
    assert "TOKEN" not in names


# Code evaluators


async def _no_members(*_: object) -> NoReturn:
    """What makes a context one of a run."""
    raise AssertionError


async def grade(folder: Folder, script: str, dialect: str = "agentv-3", answer: Answer | str = "the answer", **options):
    folder.write("check.py", script)
    async with system_ports() as ports:
        return await CodeEvaluator(script=[sys.executable, "check.py"], **options).evaluate(
            context(None, answer, ports, dialect, directory=folder.path, grade=_no_members)
        )


async def test_settings_of_a_code_evaluator(folder: Folder) -> None:
    folder.mock("x")
    folder.write("check.py", ECHO)
    result = await folder.one(
        f"""
        tests:
          - id: a
            criteria: c
            input: hi
            assertions:
              - {{type: code-grader, command: [{sys.executable}, check.py], config: {{strict: true}}, limits: [1, {{deep: 2}}]}}
        """
    )
    assert result.evaluators[0].details["config"] == {"strict": True, "limits": [1, {"deep": 2}]}


async def test_a_long_answer_is_handed_over_in_a_file(folder: Folder) -> None:
    script = "import json, sys; d = json.load(sys.stdin); print(json.dumps({'score': 1.0 if d['output'] is None and len(json.load(open(d['output_path']))) == 60000 else 0.0}))"
    assert (await grade(folder, script, answer="x" * 60_000)).score == 1


@pytest.mark.parametrize(
    ("dialect", "script", "score", "hits", "misses"),
    [
        ("agentv-1", """print('{"score": 0.5, "hits": ["a", 1], "misses": ["b"]}')""", 0.5, ("a",), ("b",)),
        (
            "agentv-3",
            """print('{"score": 0.5, "assertions": [{"text": "a", "passed": true}, {"text": "b", "passed": false}]}')""",
            0.5,
            ("a",),
            ("b",),
        ),
        (
            "agentv-3",
            """print('{"assertions": [{"text": "a", "passed": true}, {"text": "b", "passed": false}, {"text": "c", "passed": false}]}')""",
            1 / 3,
            ("a",),
            ("b", "c"),
        ),
        ("agentv-1", """print('{"score": 7}')""", 1.0, (), ()),
        ("agentv-1", """print('{"score": -7}')""", 0.0, (), ()),
        ("agentv-3", "print('all good')", 1.0, ("all good",), ()),
        ("agentv-3", "print('too long'); raise SystemExit(1)", 0.0, (), ("too long",)),
        ("agentv-3", "pass", 1.0, ("exit code 0",), ()),
        (
            "agentv-5",
            """print('{"checks": [{"text": "a", "pass": true, "reason": "r"}, {"text": "b", "pass": false}]}')""",
            0.5,
            ("a",),
            ("b",),
        ),
        ("agentv-5", """print('{"pass": true, "reason": "fine"}')""", 1.0, (), ()),
        (
            "agentv-5",
            """print('{"checks": [{"text": "a", "pass": true, "score": 0.25, "reason": "r"}, {"text": "b", "pass": false, "reason": "r"}]}')""",
            0.125,
            ("a",),
            ("b",),
        ),
        (
            "agentv-5",
            """print('{"pass": true, "checks": [{"text": "a", "pass": true, "score": 0.2, "reason": "r"}, {"text": "b", "pass": true, "score": 7, "reason": "r"}]}')""",
            0.6,
            ("a", "b"),
            (),
        ),
        (
            "agentv-3",
            """print('{"score": "0.9", "assertions": [{"text": "a", "passed": true}, {"text": "b", "passed": false}]}')""",
            0.5,
            ("a",),
            ("b",),
        ),
        (
            "agentv-5",
            """print('{"pass": false, "checks": [{"text": "a", "pass": true, "reason": "r"}], "score": 0.9}')""",
            0.9,
            ("a",),
            (),
        ),
        ("agentv-5", """print('{"pass": true, "checks": [{"text": "a", "pass": true}]}')""", 1.0, (), ()),
    ],
)
async def test_what_a_code_evaluator_may_print(
    folder: Folder, dialect: str, script: str, score: float, hits: tuple, misses: tuple
) -> None:
    found = await grade(folder, script, dialect)
    assert (found.score, found.hits, found.misses) == (pytest.approx(score), hits, misses)
    assert not found.crashed


@pytest.mark.parametrize(
    "reply",
    [
        '{"checks": [{"text": "a", "pass": true}]}',
        '{"checks": [{"text": "a", "pass": "true", "reason": "r"}, 1]}',
        '{"assertions": [{"text": "a", "passed": true}]}',
    ],
)
async def test_what_agentv_5_takes_for_no_check_makes_nothing_pass(folder: Folder, reply: str) -> None:
    found = await grade(folder, f"print({reply!r})", "agentv-5")
    assert found.score == 0


@pytest.mark.parametrize("reply", ['{"pass": true}', '{"checks": [{"text": "a", "pass": true}]}', '{"score": "1"}'])
async def test_keys_of_later_releases_give_no_score(folder: Folder, reply: str) -> None:
    found = await grade(folder, f"print({reply!r})", "agentv-3")
    assert (found.score, found.crashed) == (0, True)
    assert found.misses[0].endswith("its reply has neither a numeric `score` nor `assertions`")


async def test_pass_decides_the_verdict_beside_checks(folder: Folder) -> None:
    reply = {"pass": False, "checks": [{"text": "a", "pass": True, "reason": "r"}]}
    found = await grade(folder, f"print({json.dumps(reply)!r})", "agentv-5")
    assert (found.score, found.verdict) == (1, Verdict.FAILED)


async def test_a_score_outside_of_0_and_1_is_kept_within_and_said(folder: Folder) -> None:
    assert (await grade(folder, "print('{\"score\": 85}')", "agentv-1")).details == {"score_given": 85}


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("import time; time.sleep(600)", "longer than 0.5 s"),
        ("while True: print('x' * 100_000)", "more than 4,000,000 bytes"),
        ("import sys; print('{\"score\": 1}'); sys.stderr.write('bad'); sys.exit(1)", "bad"),
        ("import sys; print('bad'); sys.stderr.write('worse'); sys.exit(2)", "worse"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "was ended by SIGTERM"),
        # As graders report that are made with an SDK: in JSON on standard output.
        (
            """print('{"score": 0, "assertions": [{"text": "fine", "passed": true}, {"text": "Evaluation failed: no config", "passed": false}]}'); raise SystemExit(1)""",
            "check.py: ended with exit code 1: Evaluation failed: no config",
        ),
        (
            """import json; issues = [{"code": "invalid_type", "path": ["trace", 0], "message": "Expected string"}]
print(json.dumps({"assertions": [{"text": "Evaluation failed: " + json.dumps(issues, indent=2), "passed": False}]})); raise SystemExit(1)""",
            "exit code 1: Evaluation failed: trace.0: Expected string",
        ),
        ('print(\'{"error": {"message": "no key"}}\'); raise SystemExit(\'Traceback\')', "1: no key; Traceback"),
        ("print('[1, 2]'); raise SystemExit(1)", "exit code 1: [1, 2]"),
    ],
)
async def test_a_program_that_misbehaves_scores_0_and_says_so(folder: Folder, script: str, words: str) -> None:
    limit = 500 if "sleep" in script else 30_000
    found = await grade(folder, script, agent_timeout_ms=limit)
    assert (found.score, found.crashed, len(found.misses)) == (0, True, 1)
    assert words in found.misses[0]


@pytest.mark.parametrize(
    ("script", "cwd", "words"),
    [
        (["no-such-program-here"], None, "command not found: no-such-program-here"),
        (["./plain.txt"], None, "./plain.txt: ./plain.txt is not executable; use `chmod +x`"),
        (["./no-first-line"], None, "./no-first-line is not a program; a script begins with a line such as #!/bin/sh"),
        (["./no-such"], None, "command not found: ./no-such"),
        (["./windows"], None, "./windows has Windows line breaks, so the interpreter in its first line is not found"),
        (["./other"], None, "./other cannot be started: it needs /no/such/shell, which is not there"),
        (["./folder"], None, "./folder is a folder, not a program"),
        ([sys.executable, "x.py"], "nowhere", "does not exist"),
        (["a\0b"], None, "no argument may have a NUL character"),
    ],
)
async def test_a_program_that_does_not_start_has_no_score_and_says_why(
    folder: Folder, script: list[str], cwd: str | None, words: str
) -> None:
    folder.write("plain.txt", "no program")
    for name, text in (("no-first-line", "no program"), ("windows", "#!/bin/sh\r\n"), ("other", "#!/no/such/shell\n")):
        folder.write(name, "").write_bytes(text.encode())
        (folder.path / name).chmod(0o700)
    (folder.path / "folder").mkdir()
    async with system_ports() as ports:
        with pytest.raises(GraderError) as error:
            await CodeEvaluator(script=script, cwd=cwd).evaluate(
                context(None, "x", ports, directory=folder.path, grade=_no_members)
            )
    assert words in error.value.reason


@posix
async def test_a_string_is_run_by_a_shell(folder: Folder) -> None:
    folder.mock("x")
    folder.write("check.sh", 'echo "{\\"score\\": $1}"')
    command = "sh check.sh 0.25 | cat && true"
    result = await folder.one(
        f"tests: [{{id: a, criteria: c, input: hi, assertions: [{{type: code-grader, command: '{command}'}}]}}]"
    )
    assert result.score == 0.25


async def test_a_code_evaluator_without_a_command_is_unscored(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one("tests: [{id: a, criteria: c, input: hi, assertions: [{type: code-grader, name: n}]}]")
    assert result.verdict is Verdict.UNSCORED


async def test_the_payload_is_one_json_object_in_utf8(folder: Folder) -> None:
    found = await grade(
        folder,
        "import sys, json; raw = sys.stdin.buffer.read(); print(json.dumps({'score': 1, 'hits': [json.loads(raw.decode('utf-8'))['output']]}))",
        answer="ünï \u2028 😀",
    )
    assert found.hits == ("ünï \u2028 😀",)


def test_configs_are_read_from_yaml() -> None:
    assert vars(evaluator("{type: code-grader, command: [a, b]}"))["command"] == ["a", "b"]
    assert json.dumps(["a"]) == '["a"]'


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell what left its group")
@pytest.mark.parametrize("moment", ["before it is watched", "while it works"])
async def test_programs_end_with_one_who_is_killed(folder: Folder, moment: str) -> None:
    """No process remains that could end them: a program's children are ended, too, including those that left its group."""
    then = "watch" if moment == "while it works" else "kill"
    folder.write(
        "starter.py",
        f"""
        import asyncio, os
        from pathlib import Path
        from rubric_core.adapters import OsProcesses
        from rubric_core.ports import Program

        def kill(group):
            Path("pids").write_text(f"{{group}}\\n")
            os.kill(os.getpid(), 9)

        async def main():
            processes = OsProcesses()
            watch = processes._guard.watch
            processes._guard.watch = {then}
            script = "sleep 60 & echo $! > pids; setsid sh -c 'echo $$ >> pids; touch ready; sleep 60' & wait"
            task = asyncio.ensure_future(processes.run(Program(("sh", "-c", script), Path.cwd())))
            while not Path("ready").exists():
                await asyncio.sleep(0.01)
            os.kill(os.getpid(), 9)

        asyncio.run(main())
        """,
    )
    starter = await asyncio.create_subprocess_exec(sys.executable, "starter.py", cwd=folder.path)
    assert await starter.wait() == -9
    for pid in (folder.path / "pids").read_text().split():
        assert await gone(int(pid))


ASKS = """
import json, os, sys, urllib.error, urllib.request
sys.stdin.read()
url, key = os.environ["AGENTV_TARGET_PROXY_URL"], os.environ["AGENTV_TARGET_PROXY_TOKEN"]
def ask(path, body=None, key=key):
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + path, data, {"Authorization": f"Bearer {key}"})) as reply:
            return json.load(reply)
    except urllib.error.HTTPError as error:
        return [error.code, json.load(error)["error"]]
said = {
    "info": ask("/info"), "usual": ask("/invoke", {"question": "q"}), "named": ask("/invoke", {"question": "q", "target": "other"}),
    "key": ask("/info", key="wrong"), "path": ask("/nowhere"), "body": ask("/invoke", b"{"), "empty": ask("/invoke", {"question": " "}),
    "unknown": ask("/invoke", {"question": "q", "target": "nobody"}), "many": ask("/invokeBatch", {"requests": [{"question": "q"}] * 9}),
    "batch": ask("/invokeBatch", {"requests": [{"question": "q"}]}), "enough": ask("/invoke", {"question": "q"}),
    "same": url == os.environ["AGENTV_PROVIDER_PROXY_URL"], "url": url,
}
print(json.dumps({"score": 1, "details": said}))
"""


async def test_a_program_asks_targets_while_it_grades(folder: Folder) -> None:
    folder.write("asks.py", ASKS)
    folder.targets(
        {"name": "default", "provider": "mock", "response": "x", "grader_target": "judge"},
        {"name": "judge", "provider": "mock", "response": "of the judge"},
        {"name": "other", "provider": "mock", "response": "of another"},
    )
    case = "{id: a, input: hi, assertions: [{type: code-grader, command: [python3, asks.py], target: {max_calls: 4}}]}"
    result = await folder.one(f"tests: [{case}]")
    said = dict((result.evaluators[0].details or {}) if result.evaluators else {})
    assert result.verdict is Verdict.PASSED, result.evaluators[0].misses
    assert said["info"] == {
        "targetName": "judge", "maxCalls": 4, "callCount": 0, "availableTargets": ["default", "judge", "other"],
    }  # fmt: skip
    assert said["usual"]["rawText"] == "of the judge"
    assert said["named"] == {
        "target": "other", "rawText": "of another", "output": [{"role": "assistant", "content": "of another"}],
    }  # fmt: skip
    assert [said[name][0] for name in ("key", "path", "body", "empty", "unknown", "many", "enough")] == [
        401, 404, 400, 400, 400, 429, 429,
    ]  # fmt: skip
    assert "nobody" in said["unknown"][1]
    assert said["enough"][1].startswith("4 of 4 calls were made")
    assert [each["rawText"] for each in said["batch"]["responses"]] == ["of the judge"]
    assert said["same"]
    with pytest.raises(OSError, match="refused"):  # it ended with the program
        socket.create_connection(("127.0.0.1", int(said["url"].rpartition(":")[2])), 5)


async def test_a_program_that_may_not_ask_has_no_way_to(folder: Folder) -> None:
    folder.mock("x")
    show = "import json, os; print(json.dumps({'score': 1, 'reasoning': ' '.join(k for k in os.environ if 'PROXY_' in k)}))"
    case = {"id": "a", "input": "hi", "assertions": [{"type": "code-grader", "command": ["python3", "-c", show]}]}
    result = await folder.one(json.dumps({"tests": [case]}))
    assert result.evaluators[0].reasoning == ""
    case["assertions"][0]["target"] = {"max_calls": -1}
    wrong = await folder.one(json.dumps({"tests": [case]}))
    assert "`max_calls` cannot be -1" in wrong.reason


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_program_that_removes_the_folder_of_the_run_is_no_mistake_of_ours(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    (folder / "targets.yaml").write_text(
        "targets: [{name: default, provider: cli, command: 'rm -rf $PWD; echo hello'}]"
    )
    (folder / "s.eval.yaml").write_text(
        "tests: [{id: a, input: hi, criteria: x, assertions: [{type: contains, value: hello}]}]"
    )
    command = [sys.executable, "-m", "rubric_core.cli", "run", "s.eval.yaml"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 3
    assert "the current folder is gone" in ran.stdout
    assert "mistake" not in ran.stdout + ran.stderr


async def test_a_program_that_serves_many_replies_to_each_and_ends_with_the_ports(
    folder: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    script = "import sys, os\nprint('ready', flush=True)\nfor line in sys.stdin:\n    print(os.getpid(), line.strip(), flush=True)"
    folder.write("script.py", script)
    processes = OsProcesses()

    async def said(message: bytes, **more: Any) -> list[str]:
        argv = (sys.executable, "script.py")
        finished = await processes.serve(Program(argv, folder.path, stdin=message, **more))
        return finished.stdout.decode().split()

    (first, one), (second, two) = [await said(b"one\n"), await said(b"two\n")]
    assert (first == second, one, two) == (True, "one", "two")
    (other, _) = await said(b"three\n", environment={"A": "b"})
    assert other != first, "another environment is another program"
    os.kill(int(first), 9)
    waiting = [watch for each in processes._idle.values() for _, watch in each]
    await seen("its end", lambda: any(watch.exited for watch in waiting))
    assert (await said(b"four\n"))[1:] == ["four"], "one that has ended is not asked again"
    await processes.close()
    assert await gone(int(other))
    assert not caplog.records


async def test_a_message_without_a_reply_in_time_ends_the_program(folder: Folder) -> None:
    folder.write("script.py", "import time\nprint('ready', flush=True)\ntime.sleep(600)")
    processes = OsProcesses()
    asked = Program((sys.executable, "script.py"), folder.path, stdin=b"x\n", time_limit=0.2)
    finished = await processes.serve(asked)
    assert (finished.stopped, finished.stdout) == ("time", b"")
    folder.write("script.py", "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\nsys.exit(3)")
    finished = await processes.serve(asked)
    assert (finished.exit_code, finished.stopped) == (3, "")
    folder.write("script.py", "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\nprint('x' * 5000)")
    finished = await processes.serve(Program(asked.argv, asked.cwd, stdin=b"x\n", output_limit=1000))
    assert finished.stopped == "output"
    await processes.close()
