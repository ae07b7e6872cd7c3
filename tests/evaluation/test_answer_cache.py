"""`--cache`: targets are asked only what they have not been asked before, and an answer that is kept claims nothing anew."""

import asyncio
import json
import os
import stat
import sys
import time
from pathlib import Path

import pytest
from judge_server import Fault, JudgeServer
from suites import Folder

from rubric_core.cli import main
from rubric_core.cli.answer_cache_files import prune

SUITE = """
tests:
  - {id: a, criteria: c, input: hi a, assertions: [{type: contains, value: hello}]}
  - {id: b, criteria: c, input: hi b, assertions: [{type: contains, value: hello}]}
"""
#: Each time that it is called, it counts.
COUNTS = {"name": "default", "provider": "cli", "command": "echo x >> calls; echo hello {EVAL_ID} {PROMPT}"}


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    folder = Folder(tmp_path / "project")
    folder.targets(COUNTS)
    folder.suite(SUITE)
    monkeypatch.chdir(folder.path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["run", "suite.eval.yaml", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def calls(folder: Folder) -> int:
    file = folder.path / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def entries(folder: Folder) -> list[Path]:
    return sorted((folder.path / ".rubric/cache/answers").rglob("*.json"))


def test_the_second_run_asks_nobody(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--cache")[0] == 0
    code, out, _ = run(capsys, "--cache")
    assert (code, calls(project)) == (0, 2)
    assert "2 answers from the cache" in out
    assert "cached" in out.splitlines()[2]


def test_without_the_option_everybody_is_asked(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys)
    run(capsys, "--cache")
    run(capsys, "--no-cache")
    run(capsys, "--cache", "--no-cache")
    assert calls(project) == 8
    run(capsys, "--cache")
    assert calls(project) == 8


def test_the_result_says_that_it_is_an_earlier_answer(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--cache")
    row = json.loads(run(capsys, "--cache", "--format", "jsonl", "--show-prompts")[1].splitlines()[0])
    assert row["details"]["cached_answer"].startswith("20")
    assert row["usage"][0]["recorded"] == 1
    assert (row["usage"][0]["calls"], row["usage"][0]["token_usage"], row["cost_usd"]) == (0, None, 0.0)
    assert row["requests"][0]["recorded"] is True


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.suite(SUITE.replace("input: hi", "input: hey")),
        lambda f: f.targets({**COUNTS, "command": f"{COUNTS['command']} again"}),
        lambda f: f.targets({**COUNTS, "timeout_seconds": 50}),
        lambda f: f.suite(SUITE.replace("id: a", "id: x").replace("id: b", "id: y")),
    ],
    ids=["the question", "the command", "a setting", "the id, which a program is told"],
)
def test_what_is_sent_or_to_whom_is_different(project: Folder, capsys: pytest.CaptureFixture[str], change) -> None:
    run(capsys, "--cache")
    change(project)
    run(capsys, "--cache")
    assert calls(project) == 4


def test_other_evaluators_and_limits_ask_nobody(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--cache")
    project.suite(SUITE.replace("value: hello", "value: ell"))
    project.targets({**COUNTS, "requests_per_minute": 1000})
    run(capsys, "--cache", "--threshold", "0.5")
    assert calls(project) == 2


def test_a_script_that_changes_is_asked_again(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    script = project.write("bot.py", "open('calls', 'a').write('x\\n'); print('hello')")
    project.targets(
        {"name": "default", "provider": "cli", "command": f"{sys.executable} bot.py", "cwd": str(project.path)}
    )
    run(capsys, "--cache")
    run(capsys, "--cache")
    assert calls(project) == 2
    script.write_text(script.read_text() + "  # another")
    run(capsys, "--cache")
    assert calls(project) == 4


@pytest.mark.parametrize(
    ("change", "asked"), [(("value: Hi", "value: H"), 1), (("tier: 1", "tier: 2"), 2), (("Hi {{q}}", "Hi {{ q }}"), 2)]
)
def test_a_program_of_promptfoo_is_asked_again_for_another_row_but_not_for_other_assertions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], asked: int
) -> None:
    """It receives the test and the prompt before it is filled in: all but the assertions is part of the key."""
    monkeypatch.chdir(tmp_path)
    Path("answer.py").write_text(
        "def call_api(prompt, options, context):\n    open('calls', 'a').write('x\\n')\n    return {'output': prompt}\n"
    )
    text = "prompts: ['Hi {{q}}']\nproviders: ['file://answer.py']\ntests: [{vars: {q: Ann}, metadata: {tier: 1}, assert: [{type: contains, value: Hi}]}]\n"
    for each in (text, text.replace(*change)):
        Path("promptfooconfig.yaml").write_text(each)
        assert main(["run", "promptfooconfig.yaml", "--cache", "--no-store"]) == 0
    assert Path("calls").read_text().count("x") == asked


def test_each_repetition_is_a_question_of_its_own(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--cache", "--repeat", "3")
    assert calls(project) == 6
    run(capsys, "--cache", "--repeat", "3")
    assert calls(project) == 6


def test_entries_are_private_and_not_in_git(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--cache")
    assert len(entries(project)) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in entries(project)} == {0o600}
    assert (project.path / ".rubric/.gitignore").read_text() == "*\n"


def test_an_entry_of_somebody_else_is_none(project: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    run(capsys, "--cache")
    for file in entries(project):
        file.write_text(file.read_text().replace("hello", "hello, all is well"))
    run(capsys, "--cache")
    assert calls(project) == 4
    for file in entries(project):
        file.write_bytes(b"\xff\x00")
    assert run(capsys, "--cache")[0] == 0
    assert calls(project) == 6
    monkeypatch.setenv("XDG_STATE_HOME", str(project.path / "another user"))
    run(capsys, "--cache")
    assert calls(project) == 8


def test_a_folder_that_cannot_be_written_is_said_once(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    project.write(".rubric/cache/answers", "a file where a folder should be")
    code, _, err = run(capsys, "--cache")
    assert code == 0
    assert err.count("answers cannot be kept") == 1


async def outside(folder: Folder, *arguments: str) -> tuple[int, str]:
    """A run in a process of its own, while the server of the test answers."""
    command = [
        sys.executable,
        "-m",
        "rubric_core.cli",
        "run",
        "suite.eval.yaml",
        "--cache",
        "--format",
        "jsonl",
        *arguments,
    ]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, cwd=folder.path, stdout=pipe, stderr=pipe)
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


async def test_no_secret_is_kept(project: Folder, judge: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sk-very-secret-key")
    judge.replies = ["hello, your key is sk-very-secret-key"]
    project.targets(judge.target("default", api_key="${{ JUDGE_KEY }}"))
    await outside(project)
    assert len(entries(project)) == 2
    assert all(b"very-secret" not in file.read_bytes() for file in entries(project))
    monkeypatch.setenv("JUDGE_KEY", "sk-another-secret-key")  # the same server and the same question
    code, out = await outside(project)
    assert (code, len(judge.bodies)) == (0, 2)
    row = json.loads(out.splitlines()[0])
    assert (row["token_usage"], row["cost_usd"]) == (None, 0.0)


async def test_a_model_is_asked_the_same_once_whatever_the_case_is_called(project: Folder, judge: JudgeServer) -> None:
    judge.replies = ["hello"]
    project.targets(judge.target("default"))
    await outside(project)
    project.suite(SUITE.replace("id: a", "id: x"))
    await outside(project)
    assert len(judge.bodies) == 2
    project.targets(judge.target("default", temperature=1))
    await outside(project)
    assert len(judge.bodies) == 4


async def test_an_error_is_not_kept(project: Folder, judge: JudgeServer) -> None:
    judge.replies = [Fault.error(400, "no")]
    project.targets(judge.target("default"))
    assert (await outside(project))[0] == 3
    assert entries(project) == []


def aged(path: Path, days: float) -> None:
    """As if it had been used so long ago."""
    at = time.time() - days * 24 * 3600
    os.utime(path, (at, at))


def test_answers_that_nobody_uses_are_removed(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--cache")
    first, second = entries(project)
    draft = first.with_name(f".{first.name}.0123456789ab")
    others = [first.with_name("notes.json"), project.path / ".rubric/cache/answers/notes" / first.name]
    for each in (draft, *others):
        each.parent.mkdir(exist_ok=True)
        each.write_text("x")
    for each in (first, second, draft, *others):
        aged(each, 31)
    # Another case is asked for, so something is kept: what was used by that run stays.
    project.suite(SUITE.replace("id: b, criteria: c, input: hi b", "id: c, criteria: c, input: hi c"))
    run(capsys, "--cache")
    assert calls(project) == 3
    left = entries(project)
    assert len([each for each in left if each not in others]) == 2
    assert len({first, second} & set(left)) == 1, "one was of use, the other was not"
    assert not draft.exists()
    assert all(each.exists() for each in others), "these are no answers"


def test_a_run_that_keeps_nothing_removes_nothing(project: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "--cache")
    for each in entries(project):
        aged(each, 300)
    run(capsys, "--cache")
    assert calls(project) == len(entries(project)) == 2


def test_of_too_many_answers_those_that_were_used_last_stay(tmp_path: Path) -> None:
    names = [tmp_path / "answers" / f"{n:02x}" / f"{n:040x}.json" for n in range(10)]
    for age, path in enumerate(names):
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(100))
        aged(path, age)
    prune(tmp_path / "answers", time.time(), most_bytes=350)
    assert [path.exists() for path in names] == [True] * 3 + [False] * 7
    prune(tmp_path / "answers", time.time() - 40 * 24 * 3600)  # a clock that was set back
    assert sum(path.exists() for path in names) == 3


@pytest.mark.parametrize("link", ["answers", "answers/00"])
def test_nothing_behind_a_link_is_removed(tmp_path: Path, link: str) -> None:
    theirs = tmp_path / "theirs" / ("00" if link == "answers" else "") / f"{0:040x}.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("x")
    aged(theirs, 300)
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(tmp_path / "theirs", target_is_directory=True)
    prune(tmp_path / "answers", time.time())
    assert theirs.exists()
