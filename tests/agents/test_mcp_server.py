"""`rubric mcp`, asked by the client of the official SDK over standard input and output."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from thorough import only_thorough
from waiting import until

from rubric_core.cli import main
from rubric_core.language.dialect_reference import dialect_reference
from rubric_core.language.dialects import DIALECTS, dialect_named

mcp = pytest.importorskip("mcp")

MISSPELT = """\
# rubric: dialect=agentv-3
tests:
  - id: greeting
    input: Good morning!
    criteria: Greets the customer
    assertions:
      - {type: icontains, value: morning, wieght: 2}
"""
WITH_CODE = """\
# rubric: dialect=agentv-5
extensions: ['file://setup.py:beforeEach']
prompts: ['{{ question }}']
tests:
  - id: greeting
    vars: {question: Good morning!}
    assert:
      - {type: icontains, value: morning}
"""
TARGETS = 'targets:\n  - {name: default, provider: cli, command: "%s"}\n'
ECHO = "touch answered; echo Good morning"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a suite, next to a file that must stay out of reach."""
    made = tmp_path / "repository"
    (made / ".git").mkdir(parents=True)
    (made / ".agentv").mkdir()
    (made / ".agentv/targets.yaml").write_text(TARGETS % ECHO)
    (made / "a.eval.yaml").write_text(MISSPELT)
    (tmp_path / "outside.eval.yaml").write_text(MISSPELT)
    return made


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "XDG_STATE_HOME": str(folder.parent / "state"),
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
    }


def command(folder: Path, *arguments: str) -> str:
    line = [sys.executable, "-m", "rubric_core", *arguments]
    return subprocess.run(
        line, cwd=folder, env=environment(folder), check=True, capture_output=True, text=True, timeout=60
    ).stdout


def trust(folder: Path) -> None:
    command(folder, "trust", ".")


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Any]:
    arguments = ["-m", "rubric_core", "mcp", str(folder)]
    server = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=environment(folder))
    async with mcp.Client(server, read_timeout_seconds=60) as client:
        yield client


async def ask(client: Any, tool: str, **arguments: Any) -> Any:
    """The answer of a tool; lists are under `result`."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    return answer.structured_content


async def refusal(client: Any, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error, answer.content
    return str(answer.content[0].text)


async def test_the_tools_are_listed_with_what_they_change(folder: Path) -> None:
    async with served(folder) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"check", "fix", "complete_at", "explain", "schema", "run_case", "results", "compare"}
    writing = {name for name, tool in tools.items() if not tool.annotations.read_only_hint}
    assert writing == {"fix", "run_case"}
    assert all(tool.description for tool in tools.values())


async def test_check_finds_in_a_file_what_it_finds_in_its_text(folder: Path) -> None:
    async with served(folder) as client:
        of_file = await ask(client, "check", path="a.eval.yaml")
        of_text = await ask(client, "check", path="a.eval.yaml", text=MISSPELT)
        of_folder = await ask(client, "check")
        nameless = await ask(client, "check", text=MISSPELT.replace("agentv-3", "agentv-5"))
        clean = await ask(client, "check", text=MISSPELT.replace("wieght", "weight"))
    (line,) = of_file["lines"]
    assert line == (
        "a.eval.yaml:7:43 warning[unknown-key] an icontains check has no key `wieght`; did you mean `weight`? "
        "| agentv silently ignores it | fix (safe): change it to `weight`"
    )
    (finding,) = of_file["findings"]
    assert finding["fixes"][0]["edits"][0]["newText"] == "weight"
    assert of_text["findings"] == of_folder["findings"] == of_file["findings"]
    assert clean["findings"] == []
    assert [each["path"] for each in nameless["findings"]] == ["-"] * len(nameless["findings"])
    assert nameless["findings"]


@only_thorough
async def test_check_agrees_with_the_command_line(folder: Path) -> None:
    printed = command(folder, "check", "--format", "json", "a.eval.yaml")
    async with served(folder) as client:
        assert (await ask(client, "check", path="a.eval.yaml"))["findings"] == json.loads(printed)


async def test_fix_writes_a_file_and_only_returns_a_text(folder: Path) -> None:
    fixed = MISSPELT.replace("wieght", "weight")
    async with served(folder) as client:
        answer = await ask(client, "fix", text=MISSPELT)
        assert answer["text"] == fixed
        assert answer["changed"] == []
        assert (folder / "a.eval.yaml").read_text() == MISSPELT
        answer = await ask(client, "fix", path="a.eval.yaml")
    assert answer["changed"] == ["a.eval.yaml"]
    assert answer["lines"] == []
    assert (folder / "a.eval.yaml").read_text() == fixed


async def test_paths_stay_inside_the_folder(folder: Path) -> None:
    (folder / "link.eval.yaml").symlink_to(folder.parent / "outside.eval.yaml")
    outside = ["../outside.eval.yaml", str(folder.parent / "outside.eval.yaml"), "link.eval.yaml", "..", "a/../../x"]
    async with served(folder) as client:
        for path in outside:
            for tool, more in (("check", {}), ("fix", {}), ("complete_at", {"line": 0, "character": 0})):
                assert "is outside of" in await refusal(client, tool, path=path, **more), (tool, path)
            assert "is outside of" in await refusal(client, "check", path=path, text=MISSPELT)
            assert "is outside of" in await refusal(client, "run_case", suite=path, case="greeting")
        await ask(client, "fix", path=".")
        found = await ask(client, "check", path=".")
    assert (folder.parent / "outside.eval.yaml").read_text() == MISSPELT
    assert "outside.eval.yaml" not in json.dumps(found)


@only_thorough
async def test_the_stream_of_the_protocol_is_no_suite(folder: Path) -> None:
    async with served(folder) as client:
        for tool in ("check", "fix"):
            for path in ("-", "./-"):
                assert "standard input of this server" in await refusal(client, tool, path=path)


@only_thorough
async def test_completion_offers_the_keys_of_the_place(folder: Path) -> None:
    line = MISSPELT.splitlines()[6]
    async with served(folder) as client:
        offers = (await ask(client, "complete_at", path="a.eval.yaml", line=6, character=line.index("wieght")))[
            "result"
        ]
        types = (await ask(client, "complete_at", text=MISSPELT, line=6, character=line.index("icontains")))["result"]
    assert {"weight", "required", "negate"} <= {each["label"] for each in offers}
    assert {"contains", "regex", "is-json"} <= {each["label"] for each in types}


@only_thorough
async def test_the_language_is_explained_by_tools_and_resources(folder: Path) -> None:
    async with served(folder) as client:
        page = await ask(client, "explain", code="unknown-key")
        assert page["result"].startswith("# unknown-key")
        assert "did you mean unknown-key?" in await refusal(client, "explain", code="unknwon-key")
        assert "either a code or a dialect" in await refusal(client, "explain")
        schema = await ask(client, "schema", dialect="agentv-3", kind="targets")
        assert schema["title"] == "agentv-3 targets"
        assert "agentv-9" in await refusal(client, "schema", dialect="agentv-9")
        listed = [str(each.uri) for each in (await client.list_resources()).resources]
        assert listed == [f"rubric://language/{dialect.name}" for dialect in DIALECTS]
        read = await client.read_resource("rubric://language/agentv-3")
        of_tool = await ask(client, "explain", dialect="agentv-3")
    assert read.contents[0].text == of_tool["result"] == dialect_reference(dialect_named("agentv-3"))
    assert read.contents[0].mime_type == "text/markdown"


async def test_nothing_runs_without_trust(folder: Path) -> None:
    async with served(folder) as client:
        said = await refusal(client, "run_case", suite="a.eval.yaml", case="greeting")
        assert "a.eval.yaml is not in a trusted folder: nothing was run" in said
        assert f"rubric trust {folder}" in said
        assert not (folder / "answered").exists()
        trust(folder)
        done = await ask(client, "run_case", suite="a.eval.yaml", case="greeting")
        assert (folder / "answered").exists()
        assert [(each["id"], each["verdict"]) for each in done["cases"]] == [("greeting", "passed")]
        assert done["cases"][0]["answer"].strip() == "Good morning"
        assert done["notes"] == []


async def test_a_changed_command_needs_to_be_allowed_again(folder: Path) -> None:
    trust(folder)
    async with served(folder) as client:
        await ask(client, "run_case", suite="a.eval.yaml", case="greeting")
        (folder / ".agentv/targets.yaml").write_text(TARGETS % "touch stolen; echo Good morning")
        said = await refusal(client, "run_case", suite="a.eval.yaml", case="greeting")
        assert "would do what was not allowed before:\n- touch stolen; echo Good morning" in said
        assert not (folder / "stolen").exists()
        trust(folder)
        await ask(client, "run_case", suite="a.eval.yaml", case="greeting")
    assert (folder / "stolen").exists()


@only_thorough
async def test_results_are_stored_and_compared(folder: Path) -> None:
    trust(folder)
    async with served(folder) as client:
        await ask(client, "run_case", suite="a.eval.yaml", case="greeting")
        ((first, passed),) = [(run["id"], run["counts"]["passed"]) for run in (await ask(client, "results"))["runs"]]
        assert passed == 1
        (folder / "a.eval.yaml").write_text(MISSPELT.replace("value: morning", "value: evening"))
        failed = await ask(client, "run_case", suite="a.eval.yaml", case="greet*")
        assert failed["cases"][0]["verdict"] == "failed"
        assert "did you mean greeting?" in await refusal(client, "run_case", suite="a.eval.yaml", case="greting")
        # Named by their ids: both may have begun within one second.
        (second,) = [run["id"] for run in (await ask(client, "results"))["runs"] if run["id"] != first]
        one = await ask(client, "results", run=first)
        assert [(case["id"], case["verdict"]) for case in one["cases"]] == [("greeting", "passed")]
        whole = await ask(client, "results", run=second, case="greeting")
        assert "evening" in "\n".join(whole["cases"][0]["explanation"])
        assert "no case nobody" in await refusal(client, "results", case="nobody")
        compared = await ask(client, "compare", before=first, after=second)
    assert (compared["before"], compared["after"]) == (first, second)


@only_thorough
async def test_code_that_prints_does_not_disturb_the_protocol(folder: Path) -> None:
    (folder / "setup.py").write_text("def beforeEach(context):\n    print('noise', flush=True)\n    return context\n")
    (folder / "a.eval.yaml").write_text(WITH_CODE)
    trust(folder)
    async with served(folder) as client:
        for _ in range(2):
            done = await ask(client, "run_case", suite="a.eval.yaml", case="greeting")
            assert done["cases"][0]["verdict"] == "passed", done


@only_thorough
def test_every_message_is_answered(folder: Path) -> None:
    """Also one with half a character in it, which programs write that cut a text in the middle of one, and what is no message."""
    named = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    call = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{}}}'
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": named}),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        *(call % (1 + at, text) for at, text in enumerate((r"\ud800", r"\ude00\ud83d", r"\\ud800", r"\ud83d\ude00"))),
        "no message",
        '{"jsonrpc":"2.0","id":6}',
        *(f'{{"jsonrpc":"2.0","id":{number},"method":"ping"}}' for number in ("1.5", "NaN", "null", "true", "[7]")),
        '{"jsonrpc":"2.0","method":"ping"}',
    ]
    arguments = [sys.executable, "-m", "rubric_core", "mcp", str(folder)]
    with subprocess.Popen(
        arguments, env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write("".join(f"{line}\n" for line in lines))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(len(lines) - 1)]
        server.stdin.close()
        assert server.wait(60) == 0
    said = {each["id"]: each["result"]["content"][0]["text"] for each in answers if each["id"]}
    unknown = {1: "\ufffd", 2: "\ufffd\ufffd", 3: r"\ud800", 4: "\U0001f600"}
    assert said == {number: f"Unknown tool: {name}" for number, name in unknown.items()}
    assert [each["error"]["code"] for each in answers if each["id"] is None] == [-32700, -32700, *[-32600] * 6]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_it_although_the_client_says_nothing(folder: Path) -> None:
    """And what it runs."""
    (folder / ".agentv/targets.yaml").write_text(TARGETS % "touch begun; sleep 86399")
    trust(folder)
    named = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    run = {"name": "run_case", "arguments": {"suite": "a.eval.yaml", "case": "greeting"}}
    messages = (
        {"id": 0, "method": "initialize", "params": named},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/call", "params": run},
    )
    # A shell without job control, as in a script, has it ignored by what it starts in the background.
    heard = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from rubric_core.cli import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", heard, "mcp", str(folder)],
        env=environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        assert server.stdin
        assert server.stderr
        server.stdin.write("".join(f"{json.dumps({'jsonrpc': '2.0', **each})}\n" for each in messages))
        server.stdin.flush()
        until("the program of the case", (folder / "begun").exists)
        server.send_signal(signal.SIGINT)
        try:
            assert server.wait(30) == -signal.SIGINT
        finally:
            server.kill()
        assert server.stderr.read() == ""
    until("the end of the program", lambda: b"sleep\x0086399" not in _command_lines())


def _command_lines() -> bytes:
    found = b""
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += each.read_bytes()
    return found


def test_without_the_extra_one_sentence_says_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rubric_core.cli.mcp.find_spec", lambda _: None)
    assert main(["mcp", str(folder)]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "rubric: `rubric mcp` needs the package mcp: pip install 'mcp>=2'\n")


def test_a_folder_that_is_none_is_wrong_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(folder / ".git")
    assert main(["mcp", str(folder / ".git")]) == 2
    assert capsys.readouterr().err == f"rubric: {folder / '.git'} is not a folder\n"
