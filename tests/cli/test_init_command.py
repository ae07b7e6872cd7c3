"""`rubric init`: everything that it writes is valid, runs offline, and leaves existing files alone."""

import os
import shutil
import sys
from itertools import product
from pathlib import Path

import pytest
from command import Run, write

sys.path.insert(0, str(Path(__file__).parents[1] / "editors"))
from terminal import Terminal

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluation"))
from endpoint_server import EndpointServer, Reply
from thorough import sample

FUNCTION = "def answer(question):\n    return 'Good morning! Within 30 days.'\n"
ASYNC = "async def answer(question):\n    return 'Good morning! Within 30 days.'\n"
TESTED = {
    "example": [],
    "command": ["--command", "python3 app/bot.py"],
    "python": ["--function", "app.bot:answer"],
    "http": ["--url", "http://127.0.0.1:9/chat", "--key-variable", "MY_KEY", "--output", "a.b"],
    "openai": ["--model", "gpt-5-mini", "--base-url", "http://127.0.0.1:9/v1", "--key-variable", "MY_KEY"],
}
MINE = "# Ours.\ntargets:\n  - name: theirs   # first of all\n    provider: mock\n\n# The end.\n"
TARGETS = Path(".agentv/targets.yaml")
SUITE = Path("evals/first.eval.yaml")


def files() -> set[str]:
    """What is here, without what a run keeps."""
    found = (path for path in Path().rglob("*") if path.is_file())
    return {path.as_posix() for path in found if not {".rubric", "__pycache__"} & set(path.parts)}


@pytest.mark.parametrize(
    ("test", "ci", "targets"), sample([*product(TESTED, ("none", "github", "gitlab"), ("", MINE))], 7)
)
def test_every_combination_is_sound_and_runs_offline(rubric: Run, test: str, ci: str, targets: str) -> None:
    if targets:
        write(TARGETS, targets)
    done = rubric("init", "--yes", *TESTED[test], "--ci", ci)
    assert (done.code, done.err) == (0, "")
    checked = rubric("check", "--strict", "--format", "json")
    # Who keeps several targets to choose from with --target gets a hint for those that no suite names.
    unused = [row for row in checked.json if row["code"] == "unused-target" and row["severity"] == "hint"]
    assert (checked.code, checked.json) == (0, unused if targets else [])
    ran = rubric("run", "--replay", "--no-store")
    assert ran.code == 0
    assert "3 passed" in ran.out
    written = TARGETS.read_text(encoding="utf-8")
    kept = [line for line in written.splitlines() if line in targets.splitlines()]
    assert [line for line in kept if line] == [line for line in targets.splitlines() if line]


@pytest.mark.parametrize("text", [FUNCTION, ASYNC])
def test_a_function_is_called_for_each_case(rubric: Run, text: str) -> None:
    write("app/bot.py", text)
    assert rubric("init", "--function", "app.bot:answer", "--target", "mine").code == 0
    ran = rubric("run", f"{SUITE}::greeting", "--target", "mine")
    assert (ran.code, "1 passed · target mine" in ran.out) == (0, True)


def test_an_endpoint_is_asked(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret-1")
    with EndpointServer(Reply({"a": {"b": "Good morning!"}})) as server:
        arguments = ["--url", f"{server.url}/chat", "--output", "a.b", "--key-variable", "MY_KEY", "--target", "mine"]
        assert rubric("init", *arguments).code == 0
        assert rubric("run", f"{SUITE}::greeting", "--target", "mine").code == 0
        (asked,) = server.asked
    assert (asked.json, asked.headers["authorization"]) == ({"prompt": "Good morning!"}, "Bearer secret-1")


def test_a_command_starts_in_the_folder_it_was_given_for(rubric: Run) -> None:
    write("app/bot.py", "import sys\nprint('Good morning!', sys.argv[1])\n")
    assert rubric("init", "--command", "python3 app/bot.py", "--target", "mine").code == 0
    assert rubric("run", f"{SUITE}::greeting", "--target", "mine").code == 0


def test_the_targets_of_a_repository_are_used(rubric: Run) -> None:
    write(TARGETS, MINE)
    done = rubric("init", "--test", "existing")
    assert done.code == 0
    assert done.out.endswith("run\n  rubric run evals/first.eval.yaml --target theirs\n")


def test_an_empty_folder_gets_these_files_and_no_other(rubric: Run) -> None:
    done = rubric("init", "new", "--yes")
    assert done.code == 0
    assert files() == {
        "new/.agentv/targets.yaml", "new/evals/bot.py", "new/evals/first.eval.yaml", "new/evals/first.recordings.yaml",
    }  # fmt: skip


@pytest.mark.parametrize("existing", ["evals/first.eval.yaml", "evals/bot.py", ".github/workflows/rubric.yml"])
def test_nothing_is_overwritten_and_then_nothing_written(rubric: Run, existing: str) -> None:
    write(existing, "mine\n")
    done = rubric("init", "--yes", "--ci", "github")
    assert (done.code, done.out) == (2, "")
    assert (
        done.err == f"rubric: {existing} exists already; nothing was written. Move it away, or choose another FOLDER\n"
    )
    assert files() == {existing}
    assert Path(existing).read_text(encoding="utf-8") == "mine\n"


def test_a_link_to_nowhere_is_not_written_through(rubric: Run, tmp_path: Path) -> None:
    Path("evals").mkdir()
    SUITE.symlink_to(tmp_path / "elsewhere.yaml")
    assert rubric("init", "--yes").code == 2
    assert not (tmp_path / "elsewhere.yaml").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "there is no terminal to ask on; pass --yes for the example, or --test with its options"),
        (["--test", "command"], "--test command needs --command"),
        (["--test", "openai", "--model", "m"], "--test openai needs --base-url"),
        (["--test", "python", "--command", "x"], "--command is not for --test python"),
        (["--command", "x", "--model", "m"], "--command and --model exclude each other"),
        (["--url", "localhost:80"], "--url localhost:80 is not an HTTP address, such as http://localhost:8000/chat"),
        (["--test", "http"], "--test http needs --url"),
        (["--function", "bot"], "--function bot is not MODULE:NAME, such as app.bot:answer"),
        (["--function", "bot:a;b"], "--function bot:a;b is not MODULE:NAME, such as app.bot:answer"),
        (["--command", "x", "--target", "a: b"], "--target a: b is not a name of letters, digits, - and _"),
        (["--model", "m", "--base-url", "u", "--key-variable", "a-b"], "--key-variable a-b is not the name of an environment variable"),
        (["--test", "existing"], ". has no targets file; --test command, python, http or openai writes one"),
    ],
)  # fmt: skip
def test_wrong_use_is_explained(rubric: Run, arguments: list[str], words: str) -> None:
    done = rubric("init", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"rubric: {words}\n")
    assert files() == set()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("targets: [{name: a, provider: mock}]\n", "targets.yaml:1 is not a list with one target after another"),
        ("targets: [\n", "targets.yaml is not YAML: rubric check .agentv/targets.yaml shows where"),
        ("targets: {}\n", "targets.yaml has no list of targets"),
        ("targets:\n  - {name: my-bot, provider: mock}\n", "targets.yaml has a target my-bot already; choose another name with --target"),
    ],
)  # fmt: skip
def test_a_targets_file_that_cannot_take_more_is_left_alone(rubric: Run, text: str, words: str) -> None:
    write(TARGETS, text)
    done = rubric("init", "--command", "x")
    assert (done.code, done.out, done.err) == (2, "", f"rubric: .agentv/{words}\n")
    assert files() == {str(TARGETS)}
    assert TARGETS.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("targets:\n- name: a\n  provider: mock", "targets:\n- name: a\n  provider: mock\n\n# An"),
        ("targets:\n  - name: a\n    provider: mock\n# last\nother: 1\n", "targets:\n  - name: a\n    provider: mock\n\n  # An"),
        ("targets:\r\n  - name: a\r\n    provider: mock\r\n", "targets:\r\n  - name: a\r\n    provider: mock\r\n\r\n  # An"),
    ],
)  # fmt: skip
def test_targets_are_added_at_the_end_of_the_list(rubric: Run, before: str, after: str) -> None:
    TARGETS.parent.mkdir()
    TARGETS.write_bytes(before.encode())
    assert rubric("init", "--yes").code == 0
    assert TARGETS.read_bytes().decode().startswith(after)


def test_who_is_asked_gets_what_was_answered(here: Path) -> None:
    if shutil.which("tmux") is None:
        pytest.skip("no tmux here")
    command = f"{sys.executable} -m rubric_core.cli init; read stays"
    screen = Terminal(["sh", "-c", command], here, {**os.environ, "TERM": "xterm"})
    try:
        screen.sees("What do you test?")
        screen.keys("9", "Enter")
        screen.sees("Please answer with a number from 1 to 5.")
        screen.keys("2", "Enter")
        screen.sees("The command, with {PROMPT} for the question:")
        screen.keys("python3 bot.py {PROMPT}", "Enter")
        screen.sees("A job for a CI server?")
        screen.keys("Enter")
        screen.sees("--target my-bot")
    finally:
        screen.close()
    assert 'command: "python3 bot.py {PROMPT}"' in (here / TARGETS).read_text(encoding="utf-8")


def test_a_repository_of_promptfoo_needs_nothing(rubric: Run) -> None:
    write("evals/promptfooconfig.yaml", "prompts: [hi]\nproviders: [echo]\ntests:\n  - asserts: []\n")
    done = rubric("init", "--yes")
    assert (done.code, done.err) == (0, "")
    assert "nothing was written" in done.out
    assert "unknown-key" in done.out
    assert "rubric run evals/promptfooconfig.yaml" in done.out
    assert files() == {"evals/promptfooconfig.yaml"}
    assert rubric("init", "--test", "example").code == 0, "a suite of AgentV is written where one is asked for"
    assert SUITE.as_posix() in files()


def test_a_first_configuration_of_promptfoo_runs_offline(rubric: Run) -> None:
    done = rubric("init", "--promptfoo", "sub")
    assert (done.code, done.err) == (0, "")
    assert files() == {"sub/promptfooconfig.yaml"}
    assert "no findings" in done.out
    assert "1 passed" in done.out
    again = rubric("init", "--promptfoo", "sub")
    assert again.code == 2
    assert "exists already" in again.err
