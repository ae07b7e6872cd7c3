"""Target files: where they are found, what in them is wrong, and targets that are commands."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from suites import Folder
from waiting import alive, seen

from rubric_core.adapters import DiskFiles
from rubric_core.evaluation.cases.roles import variables_of
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.targets.resolve import load_targets
from rubric_core.loading.target_files import find_targets, unusable_targets
from rubric_core.loading.targets import read_targets
from rubric_core.ports import Tokens

SUITE = "tests: [{id: a, criteria: c, input: hello there, assertions: [{type: contains, value: ok}]}]"


@pytest.mark.parametrize("name", ["targets.yaml", "targets.yml", ".agentv/targets.yaml", ".agentv/targets.yml"])
def test_a_target_file_is_found_beside_the_suite_and_above(folder: Folder, name: str) -> None:
    folder.write("repo/.git/HEAD", "ref")
    found = folder.write(f"repo/{name}", "targets: []")
    folder.write("targets.yaml", "targets: []")
    (folder.path / "repo/evals/deep").mkdir(parents=True)
    assert find_targets(folder.path / "repo/evals/deep", DiskFiles()) == found


def test_the_search_ends_at_the_root_of_the_repository(folder: Folder) -> None:
    folder.write("targets.yaml", "targets: []")
    folder.write("repo/.git/HEAD", "ref")
    assert find_targets(folder.path / "repo", DiskFiles()) is None
    assert find_targets(folder.path / "repo", DiskFiles(), folder.path) == folder.path / "targets.yaml"


def test_the_current_directory_may_be_gone(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server goes on where somebody has removed the folder in which it was started."""
    gone = folder.path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    found = folder.write("repo/targets.yaml", "targets: [{name: a, provider: mock}]")
    assert load_targets(found.parent, DiskFiles()).file.path == found


def test_entries_with_lines_and_settings(folder: Folder) -> None:
    path = folder.write(
        "targets.yaml", "targets:\n  - name: a\n    provider: openai\n    model: m\n  - {name: b, use_target: a}\n"
    )
    file = read_targets(path, DiskFiles())
    assert [(e.name, e.kind, dict(e.settings)) for e in file.entries] == [
        ("a", "openai", {"model": "m"}),
        ("b", "", {"use_target": "a"}),
    ]
    assert file.entries[0].where("model") == "targets.yaml:4, model"


def test_the_first_releases_wrote_a_bare_list_with_settings(folder: Folder) -> None:
    path = folder.write(
        "targets.yaml", "- name: a\n  provider: azure\n  settings: {endpoint: X, model: m}\n  judge_target: j\n"
    )
    (entry,) = read_targets(path, DiskFiles()).entries
    assert dict(entry.settings) == {"judge_target": "j", "endpoint": "X", "model": "m"}


def test_a_string_is_a_provider_only_among_the_providers(folder: Folder) -> None:
    bare = read_targets(folder.write("targets.yaml", "- openai:small\n- {name: a, provider: mock}\n"), DiskFiles())
    assert [(entry.name, entry.as_provider) for entry in bare.entries] == [("a", False)]
    assert [words for _, words in bare.problems] == ["a target needs a `name`"]
    listed = read_targets(folder.write("providers.yaml", "providers: [openai:small]\n"), DiskFiles())
    assert [(entry.name, entry.as_provider) for entry in listed.entries] == [("openai:small", True)]


async def test_no_target_file_is_said_with_what_to_write(folder: Folder) -> None:
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert "no targets.yaml in" in result.reason
    assert "provider: openai" in result.reason


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and links in folders")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: os.mkfifo(path), "this is a named pipe, not a file"),  # noqa: PLW0108  # Windows has none
        (os.mkdir, "Is a directory"),
        (lambda path: path.symlink_to("nowhere"), "this link points to nothing"),
        (lambda path: path.symlink_to("targets.yaml"), "Too many levels of symbolic links"),
    ],
)
async def test_what_is_called_like_a_target_file_and_is_none_is_named(
    make: Callable[[Path], object], words: str, folder: Folder
) -> None:
    make(folder.path / "targets.yaml")
    assert (await folder.one(SUITE)).reason == f"targets.yaml cannot be read: {words}"


async def test_a_folder_called_like_a_target_file_above_the_one_that_counts_is_none_of_our_business(
    folder: Folder,
) -> None:
    folder.write("deep/targets.yaml", "targets: [{name: default, provider: mock, response: hello}]")
    (folder.path / "targets.yaml").mkdir()
    assert unusable_targets(folder.path / "deep", DiskFiles()) is None
    assert unusable_targets(folder.path, DiskFiles()) == ("targets.yaml", "Is a directory")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("targets: [{name: other, provider: mock}]", "no target is called default in targets.yaml; there are other"),
        ("targets: [{name: defualt, provider: mock}]", "did you mean defualt?"),
        (
            "targets: [{name: default, provider: vscode}]",
            "target default: kind vscode is not supported by rubric; it runs openai, azure, anthropic, gemini, openrouter, cli, http, python, claude-cli, codex-cli, copilot-cli, mock, replay (targets.yaml:1, provider)",
        ),
        ("targets: [{name: default}]", "a target needs a `provider`"),
        ("targets:\n  - name: default\n    provider: openai\n", "openai targets need `model` (targets.yaml:2)"),
        (
            "targets:\n  - name: default\n    provider: openai\n    model: m\n    base-url: x\n",
            "base-url is not a setting of openai targets; did you mean base_url? (targets.yaml:5, base-url)",
        ),
        ("targets:\n  - {name: default, provider: openai, model: m, temperature: hot}\n", "temperature"),
        (
            "targets:\n  - {name: default, provider: openai, model: m,\n     api_key: '${{ NO_SUCH_KEY }}'}\n",
            "the environment variable NO_SUCH_KEY is not set (targets.yaml:3, api_key)",
        ),
        ("targets: [{name: default, provider: cli, command: 'x {PROMT}'}]", "{PROMT} is not a placeholder"),
        ("targets: [{name: default, provider: cli}]", "cli targets need `command`"),
        (
            "targets: [{name: default, use_target: b}, {name: b, use_target: default}]",
            "points to itself: default → b → default",
        ),
        ("targets: [{name: default, use_target: gone}]", "no target is called gone"),
        ("targets: 5", "targets.yaml:1: a target file has a list under `targets`"),
        ("targets: [{provider: mock}]", "targets.yaml:1: a target needs a `name`"),
        ("- - -\n  : [", "targets.yaml:"),
    ],
)
async def test_what_is_wrong_with_a_target_names_file_line_and_remedy(folder: Folder, text: str, words: str) -> None:
    folder.write("targets.yaml", text)
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason


async def test_a_target_file_that_is_no_text(folder: Folder) -> None:
    (folder.path / "targets.yaml").write_bytes(b"targets: \xff")
    assert "targets.yaml is not UTF-8 text: byte 9" in (await folder.one(SUITE)).reason


async def test_only_the_variables_of_the_target_in_use_are_needed(folder: Folder) -> None:
    folder.targets(
        {"name": "default", "provider": "mock", "response": "ok"},
        {"name": "x", "provider": "openai", "model": "m", "api_key": "${{ UNSET }}"},
    )
    assert (await folder.one(SUITE)).verdict is Verdict.PASSED


async def test_variables_are_filled_in(folder: Folder) -> None:
    folder.environment.update(SAID="ok", WHICH="real")
    folder.targets(
        {"name": "default", "use_target": "${{ WHICH }}"},
        {"name": "real", "provider": "mock", "response": "all ${{ SAID }}"},
    )
    assert (await folder.one(SUITE)).answer == "all ok"


def test_variables_can_be_told_before_anything_is_run(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "x ${{ A }} ${{ B }}", "cwd": "${{A}}"})
    targets = load_targets(folder.path, DiskFiles())
    assert variables_of(targets.entry("default")) == ("A", "B")


@pytest.mark.parametrize(
    ("suite", "option", "answer"),
    [
        ("", None, "default"),
        ("target: b\n", None, "b"),
        ("target: b\nexecution: {target: c}\n", None, "c"),
        ("target: b\n", "c", "c"),
        ("target: b\n", "default", "b"),
    ],
)
async def test_which_target_answers(folder: Folder, suite: str, option: str | None, answer: str) -> None:
    folder.targets(*({"name": n, "provider": "mock", "response": n} for n in ("default", "b", "c")))
    result = await folder.one("# rubric: dialect=agentv-3\n" + suite + SUITE, target=option)
    assert result.answer == answer


async def test_a_file_that_the_user_names(folder: Folder) -> None:
    folder.mock("no")
    path = folder.write("other.yaml", "targets: [{name: default, provider: mock, response: ok}]")
    assert (await folder.one(SUITE, targets_file=path)).verdict is Verdict.PASSED


# Commands


def cli(folder: Folder, script: str, arguments: str = "{PROMPT}", **settings) -> None:
    folder.write("bot.py", script)
    folder.targets(
        {"name": "default", "provider": "cli", "command": f"{sys.executable} bot.py {arguments}", **settings}
    )


NASTY = 'it\'s "$(touch pwned)" `touch pwned`; touch pwned & {FILES} ünï\n$HOME'


async def test_the_prompt_reaches_a_command_as_it_is(folder: Folder) -> None:
    cli(folder, "import sys; print('ok', sys.argv[1])")
    suite = f"tests: [{{id: a, criteria: c, input: {json.dumps(NASTY)}, assertions: [{{type: contains, value: ok}}]}}]"
    result = await folder.one(suite)
    assert result.answer == f"ok {NASTY}"
    assert not (folder.path / "pwned").exists()


async def test_every_placeholder(folder: Folder) -> None:
    folder.write("data/order.json", '{"id": 1}')
    cli(
        folder,
        "import sys, json\np, f, e, a, o, *files = sys.argv[1:]\nopen(o, 'w').write(json.dumps([p == open(f).read(), e, a, files]))",
        "{PROMPT} {PROMPT_FILE} {EVAL_ID} {ATTEMPT} {OUTPUT_FILE} {FILES}",
        files_format="--file {path} {basename}",
    )
    result = await folder.one(
        "tests: [{id: the case, criteria: c, input: hi, input_files: [data/order.json], assertions: [{type: is-json}]}]"
    )
    assert json.loads(result.answer) == [
        True,
        "the case",
        "0",
        ["--file", str(folder.path / "data/order.json"), "order.json"],
    ]


async def test_a_command_as_a_list_needs_no_shell(folder: Folder) -> None:
    folder.write("bot.py", "import sys; print(sys.argv[1:])")
    folder.targets(
        {
            "name": "default",
            "provider": "cli",
            "command": [sys.executable, "bot.py", "{PROMPT}", "id={EVAL_ID}", "$HOME"],
        }
    )
    assert (await folder.one(SUITE)).answer == "['hello there', 'id=a', '$HOME']"


async def test_variables_of_the_shell_are_the_shells(folder: Folder) -> None:
    cli(folder, "import sys; print(sys.argv[1:])", '"${PATH:+set}" ${NOTHING}')
    assert (await folder.one(SUITE)).answer == "['set']"


@pytest.mark.parametrize(
    ("printed", "answer"),
    [
        (
            {"text": "hi", "token_usage": {"input": 1, "output": 2, "cached": 3}, "cost_usd": 0.5, "duration_ms": 12},
            "hi",
        ),
        # Messages count before a text beside them.
        ({"text": "no", "output": [{"role": "assistant", "content": "hi"}]}, "hi"),
        ({"text": "no", "output_messages": [{"role": "assistant", "content": "hi"}]}, "hi"),
        ({"text": "hi", "output": []}, "hi"),
        ({"output": [{"role": "assistant", "content": "hi"}, {"role": "user", "content": "no"}]}, "hi"),
        ({"output": [{"role": "assistant", "content": "hi"}, {"role": "assistant", "tool_calls": []}]}, "hi"),
        (
            {
                "output": [
                    {"role": "assistant", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
                ]
            },
            "a\nb",
        ),
        ({"text": 42}, "42"),
        (
            {
                "output": [
                    {"role": "user", "content": "q"},
                    {
                        "role": "assistant",
                        "content": "hi",
                        "tool_calls": [{"tool": "Read", "input": {"path": "a"}, "duration_ms": 3}],
                    },
                ]
            },
            "hi",
        ),
        ({"answer": "hi"}, '{"answer": "hi"}'),
    ],
)
async def test_what_a_command_may_print(folder: Folder, printed: dict, answer: str) -> None:
    from rubric_core.evaluation.engine.events import Answered

    cli(folder, f"import json; print(json.dumps({printed!r}))", "")
    assert (await folder.one(SUITE)).answer == answer
    said = next(e.answer for e in folder.events if isinstance(e, Answered))
    if "token_usage" in printed:
        assert said.tokens is not None
        assert (said.tokens.total, said.cost_usd, said.duration_ms) == (6, 0.5, 12)
    uses = [("Read", {"path": "a"}, 3)] if "Read" in str(printed) else []
    assert [(u.tool, u.input, u.duration_ms) for u in said.tool_uses or ()] == uses
    assert said.tool_uses is not None, "a reply without calls made none"
    assert said.llm_calls == (str(printed).count("'assistant'") or 1)
    assert not said.note


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ({"output": "hi"}, "`output` is not a list"),
        ({"output": [{"content": "hi"}]}, "`output[0].role` is missing"),
        (
            {"output": [{"role": "assistant", "tool_calls": [{"name": "a"}]}]},
            "`output[0].tool_calls[0].tool` is missing",
        ),
        ({"text": "hi", "token_usage": {"input": "12", "output": 3}}, "`token_usage.input` is not a number"),
        ({"text": "hi", "token_usage": {"input": 12}}, "`token_usage.output` is missing"),
        ({"text": "hi", "cost_usd": None}, "`cost_usd` is not a number"),
    ],
)
async def test_json_in_another_form_is_a_text_and_its_author_hears_why(
    folder: Folder, printed: dict, said: str
) -> None:
    from rubric_core.evaluation.engine.events import Noted

    cli(folder, f"import json; print(json.dumps({printed!r}))", "")
    assert json.loads((await folder.one(SUITE)).answer) == printed
    assert [e.message for e in folder.events if isinstance(e, Noted)] == [
        f"a: the target's reply is treated as plain text: it is JSON, and {said}"
    ]


async def test_a_content_that_is_neither_a_text_nor_parts_is_not_read(folder: Folder) -> None:
    from rubric_core.evaluation.engine.events import Noted

    printed = {"output": [{"role": "assistant", "content": {"a": 1}}]}
    cli(folder, f"import json; print(json.dumps({printed!r}))", "")
    assert (await folder.one(SUITE)).answer == ""
    assert (
        "neither a string nor a list of parts; it is ignored"
        in next(e for e in folder.events if isinstance(e, Noted)).message
    )


async def test_the_text_in_an_output_file_is_taken_as_it_is(folder: Folder) -> None:
    cli(folder, "import sys; open(sys.argv[1], 'w', newline='').write(' ok\\r\\n\\n')", "{OUTPUT_FILE}")
    assert (await folder.one(SUITE)).answer == " ok\n\n"


@pytest.mark.parametrize("impossible", [-1, float("inf"), float("nan"), 10**400, True, "1", None])
def test_what_nothing_can_measure_was_not_measured(impossible: object) -> None:
    from rubric_core.evaluation.targets.providers.answer_reader import read_answer

    answer = read_answer(
        {"text": "hi", "cost_usd": impossible, "duration_ms": impossible, "token_usage": {"input": impossible}}
    )
    assert answer is not None
    assert (answer.cost_usd, answer.duration_ms, answer.tokens) == (None, None, Tokens())


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            "import sys; sys.stderr.write('bad key sk-secret-1'); sys.exit(3)",
            "the command ended with exit code 3: bad key *** (targets.yaml:1, command)",
        ),
        ("import time; time.sleep(60)", "it took longer than 0.5 s (targets.yaml:1, timeout_seconds)"),
        ("import os, signal; os.kill(os.getppid() if False else os.getpid(), signal.SIGTERM)", "the command"),
    ],
)
async def test_a_command_that_fails(folder: Folder, script: str, words: str) -> None:
    folder.environment["API_KEY"] = "sk-secret-1"
    cli(folder, script, "${{ API_KEY }}", timeout_seconds=0.5 if "sleep" in script else 20)
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason
    assert "sk-secret-1" not in repr(result)


async def test_a_command_that_writes_no_output_file(folder: Folder) -> None:
    cli(folder, "print('hi')", "{OUTPUT_FILE}")
    assert "did not write {OUTPUT_FILE}" in (await folder.one(SUITE)).reason


async def test_a_prompt_that_is_too_long_for_a_command_line(folder: Folder) -> None:
    cli(folder, "import sys; print('ok', len(sys.argv[1]))")
    long = "x" * 200_000
    suite = f"tests: [{{id: a, criteria: c, input: {long}, assertions: [{{type: contains, value: ok}}]}}]"
    assert "use {PROMPT_FILE}" in (await folder.one(suite)).reason
    cli(folder, "import sys; print('ok', len(open(sys.argv[1]).read()))", "{PROMPT_FILE}")
    assert (await folder.one(suite)).answer == "ok 200000"


async def test_a_command_in_a_folder_that_is_not_there(folder: Folder) -> None:
    cli(folder, "print('ok')", cwd="nowhere")
    assert "does not exist" in (await folder.one(SUITE)).reason


async def test_cancelling_a_run_kills_its_commands(folder: Folder) -> None:
    cli(folder, "import os, time; open(f'pid-{os.getpid()}', 'w'); time.sleep(60)", "")
    cases = "".join(f"  - {{id: c{n}, criteria: c, input: hi, assertions: [{{type: is-json}}]}}\n" for n in range(3))
    running = asyncio.ensure_future(folder.run(f"tests:\n{cases}"))
    await seen("three commands", lambda: len(list(folder.path.glob("pid-*"))) == 3)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    pids = [int(p.name.partition("-")[2]) for p in folder.path.glob("pid-*")]
    await seen("the end of all three", lambda: not any(map(alive, pids)))
    assert os.getpid() not in pids
