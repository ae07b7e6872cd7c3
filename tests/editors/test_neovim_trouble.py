"""When something is missing, refused or killed: one message that says what to do, and nothing stays behind."""

import json
import os
import signal
import socket
from pathlib import Path

import pytest
from neovim import SERVER_FOLDER, Neovim, Open, ScreenNeovim, configured, server_of
from terminal import until
from waiting import alive

pytestmark = pytest.mark.editor


def heard(editor: Neovim) -> list[str]:
    """What the plugin has said."""
    return [line for line in editor.messages().splitlines() if "rubric" in line.lower()]


def config(command: str) -> str:
    return configured(f"cmd = {{ {json.dumps(command)}, '--stdio' }}")


def test_a_server_that_is_missing_empty_or_without_its_python(nvim: Open, tmp_path: Path) -> None:
    orphaned = tmp_path / "rubric-lsp"
    orphaned.write_text("#!/gone/bin/python\n", encoding="utf-8")
    orphaned.chmod(0o755)
    for command, words in [
        ("/nowhere/rubric-lsp", "/nowhere/rubric-lsp was not found"),
        ("", "the path of the server is empty"),
        (str(orphaned), f"{orphaned} does not start: its Python may be gone"),
    ]:
        editor = nvim("support.eval.yaml", before=config(command))
        (said,) = until("a message", lambda editor=editor: heard(editor))  # type: ignore[misc]
        assert words in said
        editor.command("checkhealth rubric")
        until("the report", lambda editor=editor: any("ERROR" in line for line in editor.lines()))  # type: ignore[misc]


def test_a_server_that_ends_at_once(nvim: Open, tmp_path: Path) -> None:
    broken = tmp_path / "rubric-lsp"
    broken.write_text("#!/bin/sh\necho 'ModuleNotFoundError: rubric_lsp' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(0o755)
    editor = nvim("support.eval.yaml", before=config(str(broken)))
    (said,) = until("a message", lambda: heard(editor))
    assert "the server has ended (exit code 1)" in said
    assert ":RubricLog says why" in said
    editor.command("RubricLog")
    until("the reason", lambda: any("ModuleNotFoundError: rubric_lsp" in line for line in editor.lines()))


def test_a_server_that_is_killed_in_a_run(screen: Open, workspace: Path) -> None:
    suite, hang, pid = workspace / "slow.eval.yaml", workspace / "hang", workspace / "pid"
    script = f"if [ -e {hang} ]; then echo $$ > {pid}; exec sleep 600; fi; echo Hello"
    targets = workspace / ".agentv" / "targets.yaml"
    targets.write_text(targets.read_text(encoding="utf-8").replace("sleep 600", json.dumps(script)), encoding="utf-8")
    quick = "  - id: quick\n    criteria: Says hello\n    input: Hello\n    assertions:\n      - {type: contains, value: Hello}\n"
    suite.write_text(suite.read_text(encoding="utf-8") + quick, encoding="utf-8")
    editor = screen("slow.eval.yaml")
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run 2 cases")
    editor.keys(":RubricRun quick<CR>")
    editor.sees("✔ 1.00")
    hang.touch()
    editor.keys(":RubricRun waits<CR>")
    editor.sees("⟳")
    program = until("the program", lambda: pid.is_file() and int(pid.read_text(encoding="utf-8").strip() or 0))
    os.kill(server_of(workspace), 9)
    seen = editor.sees("the server has ended (signal 9)")
    assert "Press ENTER" not in seen
    assert "Check log" not in seen
    until("nothing runs", lambda: "⟳" not in editor.screen())
    until("the program is gone", lambda: not alive(program))
    editor.keys(":RubricRestart<CR>")
    until("the result that was done is there again", lambda: editor.attached() and "✔ 1.00" in editor.screen())


def test_a_server_that_is_stopped_is_killed_and_started_again(nvim: Open, workspace: Path) -> None:
    """It hears no request to end, and no signal but the last one."""
    editor = nvim("support.eval.yaml")
    editor.open_for_use()
    stopped = server_of(workspace)
    os.kill(stopped, signal.SIGSTOP)
    editor.command("RubricRestart")
    until("it is gone", lambda: not alive(stopped))
    editor.open_for_use()
    editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'evalcases: []' })")
    until("the new one says what it finds", lambda: "unknown-key" in editor.codes() or editor.codes())
    assert server_of(workspace) != stopped
    assert not any("has ended" in line for line in heard(editor)), "it was the person who wanted that"


def test_a_server_that_never_answers_is_killed_and_started_again(nvim: Open, workspace: Path, tmp_path: Path) -> None:
    """Neovim does not list a client that has not answered yet, and would take it for the new one."""
    pid = tmp_path / "pid"
    hanging = tmp_path / "rubric-lsp"
    hanging.write_text(
        f"#!/bin/sh\nif [ -e {pid} ]; then exec {SERVER_FOLDER}/rubric-lsp --stdio; fi\necho $$ > {pid}\nkill -STOP $$\n",
        encoding="utf-8",
    )
    hanging.chmod(0o755)
    editor = nvim("support.eval.yaml", before=config(str(hanging)))
    stopped = until("it hangs", lambda: pid.is_file() and int(pid.read_text(encoding="utf-8").strip() or 0))
    assert not editor.attached()
    editor.command("RubricRestart")
    until("it is gone", lambda: not alive(stopped))
    editor.open_for_use()
    assert server_of(workspace) != stopped


def test_a_server_that_is_killed_before_its_tests_are_known(nvim: Open, workspace: Path) -> None:
    """The marks of a run come with the inlay hints, which may be there before the first tests are discovered."""
    (workspace / "slow.eval.yaml").write_text(
        """\
# rubric: dialect=agentv-3
execution: {target: canned, workers: 1}
assertions:
  - {type: contains, value: refund}
tests:
  - {id: quick, criteria: Helps, input: Hello}
  - id: waits
    criteria: Helps
    input: Hello
    assertions:
      - {type: code-grader, command: [sleep, "600"]}
""",
        encoding="utf-8",
    )
    editor = nvim("slow.eval.yaml", before=configured("handlers = { ['rubric/discoveredTests'] = function() end }"))
    editor.open_for_use()
    editor.command("RubricRunFile")
    until("one has ended, one runs", lambda: editor.results().get(3) == "✔ 1/1 cases  ⟳ 1 running")
    assert editor.results()[6].startswith("⟳")
    os.kill(server_of(workspace), 9)
    until("the message", lambda: any("has ended" in line for line in heard(editor)))
    left = editor.results()
    assert left[3] == "✔ 1/1 cases"
    assert "⟳" not in "".join(left.values())


def test_a_judge_that_is_gone(nvim: Open, workspace: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    targets = workspace / ".agentv" / "targets.yaml"
    judge = f"\n  - {{name: judge, provider: openai, base_url: 'http://127.0.0.1:{port}/v1', model: m, api_key: k}}\n"
    text = targets.read_text(encoding="utf-8").replace("full refund.", "full refund.\n    grader_target: judge", 1)
    targets.write_text(text + judge, encoding="utf-8")
    suite = workspace / "support.eval.yaml"
    rubric = "      - {type: rubrics, criteria: [{id: tone, outcome: Friendly}]}\n"
    suite.write_text(
        suite.read_text(encoding="utf-8").replace("      - type: contains\n        value: sorry\n", rubric),
        encoding="utf-8",
    )
    editor = nvim("support.eval.yaml")
    editor.open_for_use()
    line = editor.put_cursor("id: late-order")
    editor.command("RubricRun")
    until("it is unscored", lambda: "○" in editor.results().get(line, ""))
    until("the reason", lambda: "case-unscored" in editor.codes())
    (reason,) = [d["message"] for d in editor.diagnostics() if d["code"] == "case-unscored"]
    assert f"127.0.0.1:{port} refused" in reason
