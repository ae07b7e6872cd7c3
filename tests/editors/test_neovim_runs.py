"""What the plugin adds to the server's work: signs, reports, lists, the status line, tests for neotest."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from neovim import Neovim, Open, server_of
from terminal import until

pytestmark = pytest.mark.editor

STAND_IN = Path(__file__).parent / "scripts" / "neotest"
RUBRICS = """\
# rubric: dialect=agentv-3
name: judged
execution:
  target: canned
tests:
  - id: refund
    criteria: Explains the refund window
    input: Can I return this?
    expected_output: You can return it.
    assertions:
      - type: rubrics
        criteria:
          - id: tone
            outcome: Friendly in tone
            score_ranges: {0: rude, 4: curt, 8: warm}
"""


def completed_and_documented(editor: Neovim) -> None:
    """Ids are completed; everything that a person can name has its place in the help."""
    assert editor.lua("return vim.fn.getcompletion('RubricRun l', 'cmdline')") == ["late-order"]
    mine = editor.lua("""
        local function ours(name) return name:find('Rubric', 1, true) ~= nil end
        local help = vim.api.nvim_get_runtime_file('doc/rubric.txt', false)[1]
        local text = table.concat(vim.fn.readfile(help), '\\n')
        local tags = {}
        for tag in text:gmatch('%*([^%s*|]+)%*') do tags[tag] = true end
        local plugs = vim.tbl_map(function(m) return m.lhs end, vim.api.nvim_get_keymap('n'))
        return {
          tags = vim.tbl_keys(tags),
          commands = vim.tbl_filter(ours, vim.tbl_keys(vim.api.nvim_get_commands({}))),
          plugs = vim.tbl_filter(ours, plugs),
          groups = vim.tbl_filter(ours, vim.fn.getcompletion('Rubric', 'highlight')),
          functions = vim.tbl_keys(require('rubric')),
          options = require('rubric.options').names(),
        }""")
    names = {name: set(found) for name, found in mine.items()}
    assert names["plugs"] == {f"<Plug>({name})" for name in names["commands"]}
    wanted = {
        *(f":{name}" for name in names["commands"]),
        *names["plugs"],
        *(f"hl-{name}" for name in names["groups"]),
        *(f"rubric.{name}()" for name in names["functions"]),
        *(f"g:rubric.{name}" for name in names["options"]),
    }
    assert min(len(found) for found in names.values()) > 1
    assert wanted - names["tags"] == set()
    kinds = (":Rubric", "<Plug>", "hl-", "rubric.", "g:rubric.")
    there = {tag for tag in names["tags"] if tag.startswith(kinds)} - {"rubric.txt", "rubric.nvim"}
    assert there - wanted == set(), "the help names nothing that is gone"
    editor.lua(
        "local doc = vim.fn.fnamemodify(vim.api.nvim_get_runtime_file('doc/rubric.txt', false)[1], ':h')"
        " vim.cmd.helptags(doc)"
    )
    assert "rubric.statusline()" in editor.lua("return vim.fn.getcompletion('rubric', 'help')")


@pytest.fixture
def ready(nvim: Open) -> Neovim:
    """The suite of three cases, trusted, with its tests known."""
    editor = nvim("support.eval.yaml")
    editor.open_for_use()
    until("the tests are known", lambda: cases(editor))
    return editor


def cases(editor: Neovim) -> list[str]:
    return list(
        editor.lua(
            "return vim.tbl_map(function(i) return i.label end, require('rubric.tests').items(vim.uri_from_bufnr(0), 'case'))"
        )
    )


def signs(editor: Neovim) -> dict[int, str]:
    """Line → its sign."""
    found = editor.lua("""
        local ns = vim.api.nvim_get_namespaces()['rubric.signs']
        return vim.tbl_map(function(m) return { m[2], vim.trim(m[4].sign_text), m[4].sign_hl_group } end,
          vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true }))""")
    assert all(group == GROUPS[sign] for _, sign, group in found)
    return {line: sign for line, sign, _ in found}


GROUPS = {
    "✔": "RubricPassed",
    "✘": "RubricFailed",
    "◌": "RubricStale",
    "⟳": "RubricRunning",
    "○": "RubricUnscored",
}


def run_file(editor: Neovim) -> None:
    """Run the suite to its end: the last case has its sign before that, and what comes next would take this end for its."""
    assert ended(editor, "RubricRunFile")["failed"] == 1
    has_signs(editor, ["✔", "✘", "✔"])


def has_signs(editor: Neovim, wanted: list[str]) -> None:
    """Wait for the signs of the cases, from top to bottom."""
    until("signs", lambda: [sign for _, sign in sorted(signs(editor).items())] == wanted)


def status(editor: Neovim) -> str:
    return str(editor.lua("return require('rubric').statusline()"))


def float_lines(editor: Neovim) -> list[str]:
    return list(
        editor.lua("""
            for _, w in ipairs(vim.api.nvim_list_wins()) do
              if vim.api.nvim_win_get_config(w).relative ~= "" then
                return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false) end
            end
            return {}""")
    )


def test_signs_status_and_failures(ready: Neovim) -> None:
    assert cases(ready) == ["refund", "late-order", "exact"]
    assert status(ready) == ""
    completed_and_documented(ready)
    run_file(ready)
    assert set(signs(ready)) == {ready.line_of(f"- id: {case}") for case in cases(ready)}
    assert status(ready) == "✔ 2 ✘ 1"
    # The failure is told once: a diagnostic that can be jumped to, but is written and underlined nowhere.
    until("the failure among the diagnostics", lambda: "case-failed" in ready.codes())
    assert ready.line_of("id: late-order") not in ready.virtual_texts("diagnostic")
    failed = ready.line_of("id: late-order")
    until("the text", lambda: "✘ 0.50" in ready.results().get(failed, ""))

    criterion = ready.line_of("value: sorry")
    ready.command("RubricFailures")
    until("the quickfix window", lambda: ready.lua("return vim.bo.buftype") == "quickfix")
    ((name, kind, line, text),) = rows(ready)
    assert (name, kind, line) == ("support.eval.yaml", "E", failed + 1), "one row for the one case that failed"
    assert text.startswith("▸ ✘ late-order: ")
    ready.keys("zo")
    until("its criteria", lambda: len(rows(ready)) == 2)
    (_, _, _, text), (_, kind, line, why) = rows(ready)
    assert text.startswith("▾ ✘ late-order: ")
    assert (kind, line) == ("E", criterion), "at its own place"
    assert "sorry" in why
    ready.keys("jzc")
    until("they are folded", lambda: len(rows(ready)) == 1)
    ready.command("RubricFailures!")
    until("all of them", lambda: len(rows(ready)) == 2)
    ready.lua("vim.fn.setqflist({ { filename = 'a', lnum = 1, text = 'of somebody else' } })")
    ready.keys("zazR")
    ready.command("cclose")
    assert [text for *_, text in rows(ready)] == ["of somebody else"]


def rows(editor: Neovim) -> list[list[Any]]:
    """The quickfix list: file, kind, line and text of each row."""
    return list(
        editor.lua("""return vim.tbl_map(function(e)
            return { vim.fs.basename(vim.api.nvim_buf_get_name(e.bufnr)), e.type, e.lnum, e.text } end, vim.fn.getqflist())""")
    )


def ended(editor: Neovim, command: str) -> dict[str, Any]:
    """How the run that a command begins has ended."""
    editor.lua("""_G.ended = nil
        vim.api.nvim_create_autocmd("User", { pattern = "RubricRunEnded", once = true,
          callback = function(event) _G.ended = event.data end })""")
    editor.command(command)
    return dict(until(f"the end of {command}", lambda: editor.lua("return _G.ended or false")))


def test_every_way_to_run(ready: Neovim, nvim: Open) -> None:
    alone = ready.put_cursor("value: sorry") - 1
    assert ended(ready, "RubricRunEvaluator")["failed"] == 1
    until("its own result", lambda: "✘" in ready.results().get(alone, ""))
    assert set(ready.results()) == {alone}, "the case has no result by that"
    assert ended(ready, "RubricRunFile")["passed"] == 2
    only_failed = ended(ready, "RubricRunFailed")
    assert (only_failed["passed"], only_failed["failed"]) == (0, 1)
    assert ended(ready, "RubricAgain")["failed"] == 1
    assert ended(ready, "3RubricRepeat late-order")["failed"] == 1
    line = ready.put_cursor("late-order")
    until("how many passed", lambda: "0/3" in ready.results().get(line, ""))
    ready.command("lua vim.lsp.buf.hover()")
    report = "\n".join(until("the report", lambda: float_lines(ready)))
    assert "Last runs ▂▂▂▂  0 of 4 passed" in report
    ready.keys("<Esc>")
    ready.command("RubricTrace")
    until("the trace", lambda: '"verdict": "failed"' in "\n".join(ready.lines()))
    assert ready.lua("return vim.bo.readonly")
    ready.command("edit # | RubricOutput")
    until("what was written", lambda: any("late-order  failed" in each for each in ready.lines()))
    # Results outlive the editor, and are not those of another user.
    for home, shown in ((ready.home, ["✔", "✘", "✔"]), (None, ["◌", "◌", "◌"])):
        again = nvim(ready.file.name, home=home)
        again.open_for_use()
        has_signs(again, shown)


def test_the_last_two_runs_are_compared(ready: Neovim) -> None:
    ready.command("RubricCompare")
    until("why there is nothing", lambda: "has not been run yet" in ready.lua("return vim.fn.execute('messages')"))
    run_file(ready)
    run_file(ready)
    ready.command("RubricCompare")
    until("the comparison", lambda: "the same: every score is what it was (3 cases)" in ready.lines())
    assert not ready.lua("return vim.bo.modifiable")
    ready.keys("q")
    until("the suite is back", lambda: ready.lua("return vim.fn.expand('%:t')") == "support.eval.yaml")


def test_an_edit_makes_a_result_stale_and_undo_brings_it_back(ready: Neovim) -> None:
    run_file(ready)
    line = ready.put_cursor("Can I return this?")
    ready.keys("A!<Esc>")
    until("the sign is stale", lambda: signs(ready).get(line - 2) == "◌")
    until("the text is stale", lambda: "stale" in ready.results().get(line - 2, ""))
    assert status(ready) == "✔ 1 ✘ 1 ◌ 1"
    ready.keys("u")
    until("it holds again", lambda: signs(ready).get(line - 2) == "✔")
    ready.command("RubricClear")
    until("nothing is left", lambda: not signs(ready) and not ready.results() and status(ready) == "")


BROKEN = """\
# rubric: dialect=agentv-3
name: broken
execution:
  target: canned
tests:
  - id: crash
    criteria: c
    input: Can I return this?
    assertions:
      - {type: contains, value: return, weight: 9}
      - {type: code-grader, name: check, command: [python3, -c, "raise SystemExit('boo')"]}
  - id: gone
    criteria: c
    input: Can I return this?
    assertions:
      - {type: code-grader, name: check, command: [no-such-program]}
"""


def test_a_grader_that_failed_is_never_a_green_sign(nvim: Open, workspace: Path) -> None:
    (workspace / "broken.eval.yaml").write_text(BROKEN, encoding="utf-8")
    editor = nvim("broken.eval.yaml")
    editor.open_for_use()
    until("the tests are known", lambda: cases(editor))
    over = ended(editor, "RubricRunFile")
    assert (over["passed"], over["unscored"], over["graderErrors"]) == (0, 2, 2)
    until("signs", lambda: list(signs(editor).values()) == ["○", "○"])
    crash, check = editor.line_of("id: crash"), editor.line_of("raise SystemExit")
    until("the case", lambda: "○ 0.90  ⚠ 1 grader failed: check" in editor.results().get(crash, ""))
    until("the grader", lambda: "⚠ failed: python3 -c " in editor.results().get(check, ""))
    until("a diagnostic", lambda: "grader-failed" in editor.codes())
    editor.keys(":RubricReport crash<CR>")
    page = "\n".join(until("the report", lambda: float_lines(editor)))
    for words in ("○ unscored with 0.90", "⚠ 1 grader failed: check", "⚠ check", "ended with exit code 1: boo"):
        assert words in page, page
    sent = page.partition(" Sent\n")[2]
    assert "target canned (mock)" in sent
    assert "    [user]\n       Can I return this?\n" in sent
    assert "program for check\n" in sent
    assert "    [standard input]\n" in sent


def test_the_report_is_a_window_that_q_closes(nvim: Open, workspace: Path) -> None:
    (workspace / "judged.eval.yaml").write_text(RUBRICS, encoding="utf-8")
    reply = {
        "checks": [{"id": "tone", "score": 5, "reasoning": "curt, no apology"}],
        "overall_reasoning": "It is curt.",
    }
    targets = workspace / ".agentv" / "targets.yaml"
    judge = f"\n  - name: judge\n    provider: mock\n    response: '{json.dumps(reply)}'\n"
    text = targets.read_text(encoding="utf-8").replace("full refund.", "full refund.\n    grader_target: judge", 1)
    targets.write_text(text + judge, encoding="utf-8")
    editor = nvim("judged.eval.yaml")
    editor.open_for_use()
    until("the tests are known", lambda: cases(editor))
    editor.put_cursor("refund")
    editor.command("RubricReport")
    until("it says that there is none", lambda: "refund has not been run" in editor.messages())
    editor.command("RubricRun")
    until("a sign", lambda: list(signs(editor).values()) == ["✘"])
    editor.keys(":RubricReport ref<Tab><CR>")
    page = "\n".join(until("the report", lambda: float_lines(editor)))
    for words in (
        "✘ failed with 0.50",
        "5/10 → 0.50",
        "▸ 4–7",
        "curt, no apology",
        "You can return it.",
        "rubric run judged.eval.yaml::refund",
    ):
        assert words in page, page
    editor.keys("q")
    until("it is closed", lambda: not float_lines(editor))

    editor.keys(":RubricDiff<CR>")
    until(
        "two windows",
        lambda: (
            editor.lua("return #vim.tbl_filter(function(w) return vim.wo[w].diff end, vim.api.nvim_list_wins())") == 2
        ),
    )
    editor.keys("q")
    until("back in the suite", lambda: editor.lua("return vim.fn.expand('%:t')") == "judged.eval.yaml")
    editor.command("RubricAnswer")
    until(
        "the answer",
        lambda: "within 30 days" in editor.lines()[0] and not editor.lua("return vim.bo.modifiable"),
    )
    editor.command("edit #")
    until("back in the suite", lambda: editor.lua("return vim.fn.expand('%:t')") == "judged.eval.yaml")
    editor.command("RubricCopy")
    until("it is copied", lambda: "judged.eval.yaml::refund" in editor.lua("return vim.fn.getreg('\"')"))
    assert ended(editor, "RubricRecord")["failed"] == 1
    text = targets.read_text(encoding="utf-8")
    targets.write_text(text.replace("within 30 days", "within 40 days"), encoding="utf-8")
    assert ended(editor, "RubricRun refund")["failed"] == 1
    editor.command("RubricAnswer")
    until("the new answer", lambda: "within 40 days" in editor.lines()[0])
    editor.command("edit #")
    until("back in the suite", lambda: editor.lua("return vim.fn.expand('%:t')") == "judged.eval.yaml")
    assert "curt, no apology" in (workspace / "judged.recordings.yaml").read_text(encoding="utf-8")
    editor.command("RubricReply")
    until("the judge's reply", lambda: any("curt, no apology" in line for line in editor.lines()))


def begin_neotest(editor: Neovim, name: str = "") -> None:
    """Run a case, or the file, through the adapter."""
    path = json.dumps(str(editor.file))
    editor.lua(
        f"vim.opt.runtimepath:append({json.dumps(str(STAND_IN))}); require('neotest_driver').start({path}, {json.dumps(name)})"
    )


def neotest(editor: Neovim, name: str = "") -> dict[str, Any]:
    """What came of running a case, or the file, through the adapter."""
    begin_neotest(editor, name)
    return neotest_outcome(editor)


def neotest_outcome(editor: Neovim) -> dict[str, Any]:
    outcome = until(
        "the run's outcome",
        lambda: editor.lua(
            "local d = require('neotest_driver'); local over = d.stream_ended and d.output_ended"
            " return d.outcome and (d.outcome.error or over) and d.outcome or false"
        ),
    )
    assert "error" not in outcome, outcome["error"]
    ended = editor.lua("local d = require('neotest_driver'); return { d.stream_ended, d.output_ended }")
    assert ended == [True, True]
    return dict(outcome)


def test_neotest_finds_runs_and_streams(ready: Neovim) -> None:
    adapter = "require('neotest-rubric')"
    assert ready.lua(
        f"return {adapter}.is_test_file('/x/a.eval.yaml') and not {adapter}.is_test_file('/x/values.yaml')"
    )
    assert ready.lua(f"return {adapter}.root('{ready.file.parent}')") == str(ready.file.parent)
    assert not ready.lua(f"return {adapter}.filter_dir('node_modules', 'node_modules', '/x')")

    outcome = neotest(ready)
    kinds = [(p["type"], p["name"]) for p in outcome["positions"]]
    assert kinds == [("file", "support.eval.yaml"), ("test", "refund"), ("test", "late-order"), ("test", "exact")]
    assert outcome["positions"][1]["range"][0] == ready.line_of("- id: refund")
    by_name = {test.rpartition("::")[2]: result for test, result in outcome["results"].items()}
    assert {name: result["status"] for name, result in by_name.items()} == {
        "refund": "passed",
        "late-order": "failed",
        "exact": "passed",
    }
    (error,) = [e for e in by_name["late-order"]["errors"] if "sorry" in e["message"]]
    assert error["line"] == ready.line_of("value: sorry") - 1
    assert error["severity"] == 1
    assert "late-order" in outcome["output"]
    assert sorted(outcome["streamed"]) == sorted(outcome["results"])
    assert outcome["code"] == 1
    has_signs(ready, ["✔", "✘", "✔"])  # of the same run

    outcome = neotest(ready, "exact")
    assert [r["status"] for r in outcome["results"].values()] == ["passed"]
    assert outcome["command"][2].endswith("support.eval.yaml::exact")


def test_neotest_runs_files_that_are_not_open_and_asks_for_trust(nvim: Open, workspace: Path) -> None:
    editor = nvim("settings.yaml", trusted=False)
    editor.file = workspace / "support.eval.yaml"
    editor.lua("vim.ui.select = function(items, _, done) done(nil) end")
    outcome = neotest(editor, "exact")
    assert [r["status"] for r in outcome["results"].values()] == ["skipped"]
    assert ":RubricTrust" in outcome["output"]


def test_neotest_stops_a_run(nvim: Open) -> None:
    editor = nvim("slow.eval.yaml")
    editor.open_for_use()
    begin_neotest(editor, "waits")
    until("it runs", lambda: list(signs(editor).values()) == ["⟳"])
    editor.lua("local driver = require('neotest_driver'); driver.process.stop(); driver.process.attach()")
    outcome = neotest_outcome(editor)
    assert [r["status"] for r in outcome["results"].values()] == ["skipped"]
    until("nothing runs", lambda: not signs(editor))


def test_neotest_hears_of_the_end_of_a_server_that_has_not_answered(nvim: Open, workspace: Path) -> None:
    editor = nvim("slow.eval.yaml")
    editor.open_for_use()
    server = server_of(workspace)
    os.kill(server, signal.SIGSTOP)
    begin_neotest(editor, "waits")
    asked = "vim.inspect(vim.lsp.get_clients()[1].requests):find('rubric/discoverTests', 1, true) ~= nil"
    until("it is asked", lambda: editor.lua(f"return {asked}"))
    os.kill(server, signal.SIGKILL)
    problem = until("an answer", lambda: editor.lua("return (require('neotest_driver').outcome or {}).error or false"))
    assert "nothing was found" in problem
    assert "the server has ended" in editor.messages()
