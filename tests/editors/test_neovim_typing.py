"""A person types a suite in Neovim, at the speed of a person: what flashes up meanwhile."""

from itertools import pairwise
from typing import Any

import pytest
from neovim import Neovim, Open
from terminal import until
from thorough import only_thorough

pytestmark = pytest.mark.editor

SUITE = """\
name: support
assertions:
  - name: polite
    type: llm-grader
    prompt: Is the answer polite? {{output}}
tests:
  - id: refund
    criteria: Says how to get a refund
    input: I want my money back
    assertions:
      - type: contains
        value: "14 days"
      - type: rubrics
        criteria:
          - id: tone
            outcome: Is friendly
            required: true
"""
#: Milliseconds between two keys.
SPEED = 110
#: Keeps every publication, and types a text key by key; both with the time, in milliseconds.
LUA = """
Published, Typed = {}, {}
local show = vim.lsp.handlers['textDocument/publishDiagnostics']
vim.lsp.handlers['textDocument/publishDiagnostics'] = function(err, result, ...)
  local found = {}
  for _, d in ipairs(result.diagnostics) do
    table.insert(found, d.severity .. ' ' .. d.code .. ': ' .. d.message)
  end
  table.insert(Published, { uri = result.uri, at = vim.uv.hrtime() / 1e6, version = result.version, found = found })
  return show(err, result, ...)
end
function TypeKeys(keys, pause)
  local number, timer = 0, vim.uv.new_timer()
  timer:start(0, pause, vim.schedule_wrap(function()
    number = number + 1
    if keys[number] then
      vim.api.nvim_input(keys[number])
      table.insert(Typed, vim.uv.hrtime() / 1e6)
    elseif not timer:is_closing() then
      timer:close()
    end
  end))
end
"""


def keys(text: str) -> list[str]:
    """The text as keys, in Neovim's notation."""
    return ["<CR>" if char == "\n" else "<lt>" if char == "<" else char for char in text]


def type_text(editor: Neovim, text: str) -> None:
    pressed = keys(text)
    listed = ", ".join(f"[=[{key}]=]" for key in pressed)
    editor.lua(f"TypeKeys({{ {listed} }}, {SPEED})")
    until("it is typed", lambda: editor.lua("return #Typed") == len(pressed))


def published(editor: Neovim) -> list[dict[str, Any]]:
    """What was sent about the file in sight; others are checked meanwhile, too."""
    found: list[dict[str, Any]] = editor.lua(
        "return vim.tbl_filter(function(p) return p.uri == vim.uri_from_bufnr(0) end, Published)"
    )
    return found


def flashes(log: list[dict[str, Any]]) -> list[str]:
    """The findings that came and went; what is wrong with an empty file was there before anything was typed."""
    live = there = set(log[0]["found"])
    gone: list[str] = []
    for each in log:
        gone += live - set(each["found"]) - there
        live = set(each["found"])
    return gone


@only_thorough
def test_a_correct_suite_is_typed_in_peace(nvim: Open, workspace: Any) -> None:
    (workspace / "typed.eval.yaml").write_text("", encoding="utf-8")
    editor = nvim("typed.eval.yaml", before=LUA, trusted=False)
    editor.open_for_use()
    until("the empty file is looked at", lambda: published(editor))
    editor.keys(":setlocal noautoindent indentexpr=<CR>i")
    type_text(editor, SUITE.rstrip("\n"))
    until("the text", lambda: editor.lines() == SUITE.splitlines())
    times = editor.lua("return Typed")
    stalls = sum(later - earlier > 2 * SPEED for earlier, later in pairwise(times))
    seen = flashes(published(editor))
    assert len(seen) <= stalls, "more than what a loaded machine explains"
    assert len(published(editor)) > len(SUITE) / 20, "it was looked at meanwhile"
    until("nothing is wrong", lambda: editor.diagnostics() == [])


def test_a_mistake_is_shown_when_the_person_pauses(nvim: Open) -> None:
    editor = nvim("support.eval.yaml", before=LUA, trusted=False)
    editor.open_for_use()
    until("it was looked at", lambda: published(editor))
    editor.put_cursor("- id: ")
    editor.keys("o")
    type_text(editor, "expectd")
    until("the mistake", lambda: "syntax-error" in editor.codes())
    last = published(editor)[-1]
    assert last["at"] - editor.lua("return Typed[#Typed]") > 300, "not while the word was typed"
    assert published(editor)[-2]["version"] == last["version"], "the rest comes for the same version"
