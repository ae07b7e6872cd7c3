"""Beside the plugins that people have: completion menus, and plugin managers that load this one late."""

import json
from pathlib import Path
from typing import Any

import pytest
from neovim import PLUGIN, Neovim, Open
from terminal import until

pytestmark = pytest.mark.editor

MENUS = Path(__file__).parent / "scripts" / "menus"
SUITE = """\
# rubric: dialect=agentv-3
name: menus
tests:
  - id: a
    input: Hi
    criteria: Greets
    exp
    assertions:
      - rub
"""


def written(text: str) -> str:
    return json.dumps(text)


@pytest.fixture(params=["cmp", "blink"])
def menu(request: pytest.FixtureRequest, nvim: Open, workspace: Path) -> tuple[str, Neovim]:
    """A Neovim with the capabilities of a plugin for completion, and without any `omnifunc`."""
    (workspace / "menus.eval.yaml").write_text(SUITE, encoding="utf-8")
    style = str(request.param)
    before = (
        f"vim.opt.runtimepath:append({written(str(MENUS))})\n"
        f"vim.lsp.config('*', {{ capabilities = require('menu').capabilities('{style}') }})"
    )
    editor = nvim("menus.eval.yaml", before=f"if vim.lsp.config then {before} end")
    if not editor.lua("return vim.lsp.config ~= nil"):
        pytest.skip("what is played here needs the functions of Neovim 0.11")
    editor.open_for_use()
    until("it is looked at", editor.codes)
    editor.lua("vim.bo.omnifunc = ''; vim.bo.indentexpr = ''")
    return style, editor


def play(menu: tuple[str, Neovim], typed: str, label: str) -> dict[str, Any]:
    """Choose `label` after the typed text."""
    style, editor = menu
    line = editor.line_of(typed)
    editor.keys(f":{line + 1}<CR>A")
    until("insert mode", lambda: editor.lua("return vim.api.nvim_get_mode().mode") == "i")
    outcome = dict(editor.lua(f"return require('menu').play('{style}', {written(label)})"))
    editor.keys("<Esc><Esc>")
    return outcome


def test_a_key_is_completed_and_explained_when_it_is_selected(menu: tuple[str, Neovim]) -> None:
    outcome = play(menu, "    exp", "expected_output")
    assert all(label.startswith("exp") for label in outcome["labels"])
    assert "documentation" not in outcome["before"], "asked for when it is selected"
    assert outcome["resolved"]["documentation"]["value"]
    assert outcome["resolved"]["label"] == outcome["before"]["label"]
    line = menu[1].lines()[6]
    assert line.startswith("    expected_output:")


def test_an_evaluator_is_put_in_with_its_lines_in_order(menu: tuple[str, Neovim]) -> None:
    _, editor = menu
    editor.lua("vim.api.nvim_buf_set_lines(0, 6, 7, true, {})")
    editor.lua("vim.api.nvim_buf_set_lines(0, -2, -1, true, { '      - type: rub' })")
    play(menu, "type: rub", "rubrics")
    below = editor.lines()[7:]
    assert below[0] == "      - type: rubrics", below
    assert below[1].startswith("        criteria:"), below
    assert all(line.startswith("        ") for line in below[1:] if line.strip()), below
    until("it is looked at", editor.lenses)
    assert {code for code in editor.codes() if code in ("syntax-error", "unknown-key")} == set()


def test_a_suite_that_was_open_before_the_plugin_was_loaded(nvim: Open) -> None:
    """As by a plugin manager that loads it for the filetype `yaml`: its part for filetypes comes too late for this buffer."""
    without = f"vim.opt.runtimepath:remove({written(str(PLUGIN))})"
    off = "vim.g.loaded_rubric = true"
    editor = nvim("support.eval.yaml", before=off, after=f"{without}; vim.g.loaded_rubric = nil")
    until("it is open", lambda: editor.lua("return vim.bo.filetype ~= ''"))
    editor.lua("vim.bo.filetype = 'yaml'")
    assert not editor.attached()
    editor.lua(
        f"vim.opt.runtimepath:prepend({written(str(PLUGIN))})"
        f" vim.cmd.source({written(str(PLUGIN / 'ftdetect/rubric.lua'))})"
        f" vim.cmd.source({written(str(PLUGIN / 'plugin/rubric.lua'))})"
    )
    editor.open_for_use()
    assert editor.lua("return vim.bo.filetype") == "yaml.eval"
    assert editor.lua("return #vim.lsp.get_clients({ name = 'rubric' })") == 1
    until("its lenses", editor.lenses)


def test_the_plain_configuration_is_enough_with_vim_lsp_enable(nvim: Open, workspace: Path) -> None:
    """`lsp/rubric.lua` alone, as nvim-lspconfig would have it."""
    folder = workspace / "plain" / "lsp"
    folder.mkdir(parents=True)
    (folder / "rubric.lua").write_text((PLUGIN / "lsp" / "rubric.lua").read_text(encoding="utf-8"), encoding="utf-8")
    away = f"vim.opt.runtimepath:remove({written(str(PLUGIN))}); vim.g.loaded_rubric = true"
    enabled = f"{away}; vim.opt.runtimepath:append({written(str(folder.parent))}); vim.lsp.enable('rubric')"
    editor = nvim("broken.eval.yaml", after=f"if vim.lsp.enable then {enabled} end")
    if not editor.lua("return vim.lsp.enable ~= nil"):
        pytest.skip("Neovim 0.10 has no vim.lsp.enable")
    editor.open_for_use()
    until("problems", lambda: "overlapping-bands" in editor.codes())
    assert editor.lua("return package.loaded['rubric.start'] == nil"), "without the plugin"
