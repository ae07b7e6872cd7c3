"""Open, see, complete, fix, run: what a person does in Neovim, with the plugin's own files."""

from functools import partial
from pathlib import Path

import pytest
from neovim import Neovim, Open, configured
from terminal import until

pytestmark = pytest.mark.editor


def opened(editor: Neovim) -> Neovim:
    editor.open_for_use()
    return editor


def checked(editor: Neovim) -> Neovim:
    until("diagnostics", opened(editor).diagnostics)
    return editor


def ran(editor: Neovim, case: str) -> str:
    """The result on the line of `case`."""
    line = editor.line_of(f"id: {case}")
    return until(f"a result on the line of {case}", lambda: result(editor, line))


def result(editor: Neovim, line: int) -> str:
    text = editor.results().get(line, "")
    return text if any(mark in text for mark in "✔✘○◐") else ""


def shows(editor: Neovim, name: str) -> bool:
    return bool(editor.lua("return vim.fn.expand('%:t')") == name)


def test_only_suites_start_the_server(nvim: Open, workspace: Path) -> None:
    names = [
        "a.eval.yaml",
        "b.eval.yml",
        "dataset-1.yaml",
        "x-eval.yaml",
        "eval.yaml",
        "suite.yaml",
        "c.test.yaml",
    ]
    others = ["settings.yaml", "evaluation.yaml", "mysuite.yaml", "dataset.json", "dataset.grader-scores.yaml"]
    for name in [*names, *others]:
        (workspace / name).write_text("name: x\ntests: []\n", encoding="utf-8")
    editor = nvim("settings.yaml")
    for name in [*names, ".agentv/targets.yaml", "evals/any/name.yaml"]:
        editor.command(f"edit {workspace / name}")
        until(f"attached to {name}", editor.attached)
    for name in others:
        editor.command(f"edit {workspace / name}")
        until(f"{name} is open", partial(shows, editor, name))
        assert not editor.attached(), name


@pytest.mark.parametrize("name", ["dataset.yaml", "suite.yaml", "c.test.yaml"])
def test_a_name_that_others_use_is_a_suite_by_its_content(nvim: Open, workspace: Path, name: str) -> None:
    """Ansible, helm-unittest and YOLO have files of these names: the server says nothing of them."""
    other = workspace / "other" / name
    other.parent.mkdir()
    other.write_text("path: coco\ntrain: images\nval: images\nnames: {0: person}\n", encoding="utf-8")
    (workspace / name).write_text("name: x\ntests:\n  - {id: a, input: Hi, criteia: Greets}\n", encoding="utf-8")
    editor = opened(nvim(f"other/{name}"))
    editor.command(f"edit {workspace / name}")
    until("its problem", lambda: "unknown-key" in editor.codes())
    editor.command("edit #")
    until("back", lambda: str(editor.lua("return vim.fn.expand('%:p:h:t')")) == "other")
    assert editor.lua("return vim.bo.filetype") == "yaml"
    assert editor.diagnostics() == []
    assert editor.lenses() == {}


def test_a_file_in_evals_may_have_any_name(nvim: Open, workspace: Path) -> None:
    """Early releases of agentv named no suite `*.eval.yaml`: the command line, and so the Testing view, know them by their content."""
    suite = workspace / "evals" / "composite-example.yaml"
    suite.parent.mkdir()
    suite.write_text("evalcases:\n  - {id: a, input: Hi, expected_outcome: Greets}\n", encoding="utf-8")
    editor = opened(nvim("evals/composite-example.yaml"))
    until("its lens", lambda: "Run 1 case" in editor.lenses().get(0, ""))


def test_a_first_line_comment_makes_any_yaml_a_suite(nvim: Open, workspace: Path) -> None:
    (workspace / "odd.yaml").write_text("# rubric: dialect=agentv-3\nname: x\n", encoding="utf-8")
    opened(nvim("odd.yaml"))


def test_a_configuration_of_promptfoo_is_checked_in_its_own_dialect(nvim: Open, workspace: Path) -> None:
    """Its mistakes are found and mended, and its `defaultTest` stays."""
    text = "prompts: [hi]\nproviders: [echo]\ndefaultTest: {}\ntests:\n  - asserts: [{type: contains, value: hi}]\n"
    (workspace / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    editor = checked(nvim("promptfooconfig.yaml"))
    until(
        "its mistake",
        lambda: {str(each["code"]): each["lnum"] for each in editor.diagnostics()} == {"promptfoo/unknown-key": 4},
    )
    editor.put_cursor("asserts")
    editor.lua("""vim.schedule(function()
        vim.lsp.buf.code_action({
          apply = true,
          context = { only = { "quickfix" } },
          filter = function(a) return a.title:find("`assert`", 1, true) ~= nil end,
        }) end)""")
    until("the key is right", lambda: editor.lines() == text.replace("asserts", "assert").splitlines())
    until("nothing is wrong", lambda: not editor.diagnostics())


def test_mistakes_in_files_of_promptfoo_stand_there_and_go_when_they_are_mended(nvim: Open, workspace: Path) -> None:
    """In a prompt that is no YAML, so that the server does not have it open."""
    text = "prompts: [file://ask.txt]\nproviders: [echo]\ntests: file://more.yaml\n"
    (workspace / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    (workspace / "ask.txt").write_text("Say\n{{wrod}}\n", encoding="utf-8")
    (workspace / "more.yaml").write_text("- vars: {word: ho}\n", encoding="utf-8")
    editor = opened(nvim("promptfooconfig.yaml"))

    def found() -> list[str]:
        diagnostics = editor.lua(
            "return vim.tbl_map(function(d) return {vim.fs.basename(vim.api.nvim_buf_get_name(d.bufnr)), d.lnum, d.message} end,"
            " vim.diagnostic.get())"
        )
        files = ("ask.txt", "more.yaml", "promptfooconfig.yaml")
        return [f"{name}:{line}: {message.splitlines()[0]}" for name, line, message in diagnostics if name in files]

    expected = "ask.txt:1: no case has a value for `wrod`; did you mean `word`?"
    until("the mistake in the prompt", lambda: found() == [expected])
    editor.command("edit ask.txt")
    until("it is there", lambda: [d["lnum"] for d in editor.diagnostics()] == [1])
    editor.command("%s/wrod/word/")
    editor.command("write")
    until("nothing is wrong", lambda: not found())


def test_names_of_promptfoo_are_followed_and_renamed_in_other_files(nvim: Open, workspace: Path) -> None:
    """A label in a configuration and in its file of cases; a variable in its prompt; the outline; completion of labels."""
    text = (
        "prompts: [file://ask.txt]\nproviders: [{id: echo, label: small}]\ntests:\n  - vars: {word: hi}\n    providers: [small]\n"
        "  - file://more.yaml\n"
    )
    (workspace / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    (workspace / "ask.txt").write_text("Say {{word}}\n", encoding="utf-8")
    (workspace / "more.yaml").write_text("- vars: {word: ho}\n  providers: [small]\n", encoding="utf-8")
    editor = opened(nvim("promptfooconfig.yaml"))
    editor.put_cursor("[small]")
    editor.keys("l")
    editor.lua("vim.schedule(function() vim.lsp.buf.definition() end)")
    until("its definition", lambda: editor.lua("return vim.fn.line('.')") == 2)
    editor.lua("vim.schedule(function() vim.lsp.buf.rename('tiny') end)")
    until("it is renamed here", lambda: "    providers: [tiny]" in editor.lines())
    editor.lua("vim.schedule(function() vim.cmd('silent! wall') end)")
    until("and in the other file", lambda: "[tiny]" in (workspace / "more.yaml").read_text(encoding="utf-8"))
    editor.put_cursor("word: hi")
    editor.lua("vim.schedule(function() vim.lsp.buf.rename('name') end)")
    until("the variable is renamed", lambda: "  - vars: {name: hi}" in editor.lines())
    editor.lua("vim.schedule(function() vim.cmd('silent! wall') end)")
    until("in the prompt", lambda: "{{name}}" in (workspace / "ask.txt").read_text(encoding="utf-8"))
    symbols = editor.lua("""
        local found = vim.lsp.buf_request_sync(0, 'textDocument/documentSymbol', vim.lsp.util.make_text_document_params and
            { textDocument = vim.lsp.util.make_text_document_params() }, 60000)
        local names = {}
        for _, answer in pairs(found) do
          for _, each in ipairs(answer.result or {}) do table.insert(names, each.name) end
        end
        return names""")
    assert symbols == ["prompts", "providers", "name: hi"]


def test_suites_have_a_filetype_of_their_own(nvim: Open) -> None:
    assert nvim("support.eval.yaml").lua("return vim.bo.filetype") == "yaml.eval"


def test_the_server_starts_without_vim_lsp_enable(nvim: Open) -> None:
    """Neovim 0.10 has none."""
    opened(nvim("support.eval.yaml", before="vim.lsp.enable = nil", trusted=False))


def test_problems_stand_on_their_lines(nvim: Open) -> None:
    editor = opened(nvim("broken.eval.yaml"))
    until("both problems", lambda: {"overlapping-bands", "renamed-key"} <= editor.codes())
    found = {str(each["code"]): each for each in editor.diagnostics()}
    assert found["overlapping-bands"]["lnum"] == editor.line_of("[5, 10]")
    assert found["renamed-key"]["lnum"] == editor.line_of("expected_outcome")
    shown = editor.virtual_texts("diagnostic")
    assert "two bands" in shown[editor.line_of("[5, 10]")]


def test_a_clean_suite_has_no_problems(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    until("code lenses", editor.lenses)
    assert editor.diagnostics() == []


def test_completion_offers_keys(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    line = editor.line_of("criteria: Says")
    editor.lua(f"vim.api.nvim_buf_set_lines(0, {line}, {line}, true, {{ '    exp' }})")
    editor.put_cursor("    exp")
    editor.keys("A<C-x><C-o>")
    words = until(
        "the completion menu",
        lambda: editor.lua("return vim.tbl_map(function(i) return i.word end, vim.fn.complete_info().items)"),
    )
    assert "expected_output" in " ".join(words)
    assert all(word.strip().startswith("exp") for word in words), "narrowed down by what was typed"


def test_a_quick_fix_is_applied(nvim: Open) -> None:
    editor = checked(nvim("broken.eval.yaml"))
    editor.put_cursor("expected_outcome")
    editor.lua("""vim.schedule(function()
        vim.lsp.buf.code_action({
          apply = true,
          context = { only = { "quickfix" } },
          filter = function(a) return a.edit ~= nil and a.title:find("criteria", 1, true) ~= nil end,
        }) end)""")
    until("the key is renamed", lambda: "    criteria: Says hello" in editor.lines())
    until("the problem is gone", lambda: "renamed-key" not in editor.codes())


def test_actions_of_the_line_are_offered_from_its_first_column(nvim: Open) -> None:
    """What `gra` does, which Neovim has had since 0.11."""
    editor = opened(nvim("broken.eval.yaml"))
    until("both problems", lambda: {"overlapping-bands", "renamed-key"} <= editor.codes())
    editor.lua("vim.ui.select = function(items, options) _G.offered = vim.tbl_map(options.format_item, items) end")
    key = "gra" if editor.lua("return vim.fn.maparg('gra', 'n') ~= ''") else ":lua vim.lsp.buf.code_action()<CR>"
    for text, fix in [("[5, 10]", "Start this band at 6"), ("expected_outcome", "Rename it to `criteria`")]:
        for column in "0$":
            editor.put_cursor(text)
            editor.keys(f"{column}:lua _G.offered = false<CR>{key}")
            offered = until("the actions", lambda: editor.lua("return _G.offered or false"))
            assert fix in str(offered[0]), (text, column)


def test_code_lenses_are_shown(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    shown = until("code lenses", editor.lenses)
    assert shown[editor.line_of("id: refund")] == "▶ Run Run 5×"


def test_lenses_follow_two_changes_in_one_breath(nvim: Open) -> None:
    """Neovim 0.11 asks for no lenses while it waits for others: they would stay where they were between the two."""
    editor = opened(nvim("support.eval.yaml"))
    until("code lenses", editor.lenses)
    change = 'vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# more" }); vim.api.nvim_exec_autocmds("TextChanged", { buffer = 0 })'
    editor.lua(f"{change}; {change}; {change}")
    line = editor.line_of("id: refund")
    until("the lens is at its case", lambda: editor.lenses().get(line) == "▶ Run Run 5×")


def test_running_the_case_under_the_cursor(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    editor.put_cursor("value: sorry")
    editor.command("RubricRun")
    assert "✘" in ran(editor, "late-order")
    until("the failure is a diagnostic", lambda: "case-failed" in editor.codes())
    assert "criterion-failed" in editor.codes()
    assert editor.line_of("id: refund") not in editor.results(), "the neighbour was not asked for"


def test_running_by_code_lens(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    until("code lenses", editor.lenses)
    line = editor.put_cursor("- id: refund")
    editor.lua(f"""
        local lens = vim.iter(vim.lsp.codelens.get(0)):find(function(l)
          return l.range.start.line == {line} and l.command.command == "rubric.runCase" end)
        local client = vim.lsp.get_clients({{bufnr=0}})[1]
        if client.exec_cmd then client:exec_cmd(lens.command) else client:_exec_cmd(lens.command) end""")
    assert "✔" in ran(editor, "refund")
    # The result is not in the lens: the text on the same line has it.
    until("the lens offers another run", lambda: editor.lenses().get(line) == "▶ Run Run 5× Report")


def test_running_the_file_and_clearing(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    editor.command("RubricRunFile")
    assert ["✔" in ran(editor, case) for case in ("refund", "late-order", "exact")] == [True, False, True]
    editor.command("RubricClear")
    until("no results", lambda: not editor.results() and not editor.diagnostics())


def test_a_trusted_folder_runs_without_a_question(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml", trusted=False))
    editor.command("RubricTrust")
    until("trust is given", lambda: "trust" in editor.messages().lower())
    editor.put_cursor("- id: refund")
    editor.command("RubricRun")
    assert "✔" in ran(editor, "refund")


def test_a_run_can_be_cancelled(nvim: Open) -> None:
    editor = opened(nvim("slow.eval.yaml"))
    editor.lua("""_G.kinds = {}
        vim.api.nvim_create_autocmd("LspProgress", { callback = function(e)
          table.insert(_G.kinds, e.data.params.value.kind) end })""")
    editor.put_cursor("- id: waits")
    editor.command("RubricRun")
    until("it has begun", lambda: "begin" in editor.lua("return _G.kinds"))
    editor.command("RubricCancel")
    until("it has ended", lambda: "end" in editor.lua("return _G.kinds"))


def test_hover_on_the_id_is_the_report(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    editor.put_cursor("refund")
    editor.command("RubricRun")
    ran(editor, "refund")
    editor.command("lua vim.lsp.buf.hover()")
    text = until(
        "a hover window",
        lambda: editor.lua("""
            for _, w in ipairs(vim.api.nvim_list_wins()) do
              if vim.api.nvim_win_get_config(w).relative ~= "" then
                return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false) end
            end"""),
    )
    assert "refund" in "\n".join(text)


def test_commands_explain_themselves_elsewhere(nvim: Open) -> None:
    editor = nvim("settings.yaml")
    editor.command("RubricRun")
    until("the message", lambda: "not active in this buffer" in editor.messages())


def test_checkhealth_is_well(nvim: Open) -> None:
    editor = opened(nvim("support.eval.yaml"))
    editor.command("checkhealth rubric")
    until("the report", lambda: any("server:" in line for line in editor.lines()))
    report = "\n".join(editor.lines())
    assert "ERROR" not in report
    assert "WARNING" not in report


def test_a_document_and_a_range_are_formatted(nvim: Open, workspace: Path) -> None:
    text = "name:  tidy\ntests:\n  - id:  a\n    input:   Hello\n    criteria:  Greets\n"
    (workspace / "untidy.eval.yaml").write_text(text, encoding="utf-8")
    editor = opened(nvim("untidy.eval.yaml"))
    editor.lua("vim.lsp.buf.format({ timeout_ms = 60000, range = { start = { 4, 0 }, ['end'] = { 4, 8 } } })")
    assert editor.lines() == [*text.splitlines()[:3], "    input: Hello", "    criteria:  Greets"]
    editor.lua("vim.lsp.buf.format({ timeout_ms = 60000 })")
    assert editor.lines() == ["name: tidy", "tests:", "  - id: a", "    input: Hello", "    criteria: Greets"]
    editor.command("undo | undo | write")  # returns before the file has its content again
    until(
        "the file is written",
        lambda: not editor.lua("return vim.bo.modified") and (workspace / "untidy.eval.yaml").stat().st_size,
    )
    assert (workspace / "untidy.eval.yaml").read_text(encoding="utf-8") == text, "nothing is formatted on save"


def test_references_follow_a_file_as_plugins_ask_for_it(nvim: Open, workspace: Path) -> None:
    """Neovim itself has no way to rename a file; file managers for it send what is sent here."""
    (workspace / "tone.md").write_text("{{ output }}\n", encoding="utf-8")
    text = "tests:\n  - id: a\n    input: Hi\n    criteria: c\n    assertions:\n      - {type: llm-grader, prompt: ./tone.md}\n"
    (workspace / "moved.eval.yaml").write_text(text, encoding="utf-8")
    editor = opened(nvim("moved.eval.yaml"))
    files = (
        f"{{ oldUri = '{(workspace / 'tone.md').as_uri()}', newUri = '{(workspace / 'judges' / 'tone.md').as_uri()}' }}"
    )
    editor.lua(
        "local client = vim.lsp.get_clients({ name = 'rubric' })[1]\n"
        f"local found = client.request_sync('workspace/willRenameFiles', {{ files = {{ {files} }} }}, 5000, 0)\n"
        "vim.lsp.util.apply_workspace_edit(found.result, client.offset_encoding)"
    )
    assert editor.lines()[-1] == "      - {type: llm-grader, prompt: ./judges/tone.md}"


def test_references_are_counted_and_listed(nvim: Open, workspace: Path) -> None:
    text = (
        "tests:\n  - {id: first, input: Hi, criteria: c}\n  - {id: next, depends_on: [first], input: Hi, criteria: c}\n"
    )
    (workspace / "counted.eval.yaml").write_text(text, encoding="utf-8")
    wanted = configured("settings = { rubric = { referenceLenses = true, codeLenses = false } }")
    editor = opened(nvim("counted.eval.yaml", before=wanted))
    until("the lens", lambda: editor.lenses() == {1: "1 reference"})
    editor.put_cursor("first")
    editor.lua("vim.lsp.codelens.run()")
    listed = "return vim.tbl_map(function(i) return { i.lnum, i.col } end, vim.fn.getqflist())"
    assert until("the list", lambda: editor.lua(listed)) == [[3, 29]]
