"""A person types a suite in Neovim, at the speed of a person: what flashes up meanwhile."""

import json
from itertools import groupby, pairwise
from typing import Any

import pytest
from every_key import each_key_once, typed
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


#: Types keys of YAML, each with a colon, and Enter when the server has had time to answer; the last line is left as it is.
TYPE_KEYS = """
function TypeEveryKey(keys, pause)
  local number, timer = 0, vim.uv.new_timer()
  Typing = true
  timer:start(0, pause, vim.schedule_wrap(function()
    number = number + 1
    if number <= #keys + 1 then
      vim.api.nvim_input((number > 1 and '<CR>' or '') .. (keys[number] and (number > 1 and '<C-d>' or '') .. keys[number] .. ':' or ''))
    elseif not timer:is_closing() then
      timer:close()
      Typing = false
    end
  end))
end
"""
#: The first suggestion is selected, and Enter accepts it.
EAGER = "vim.o.completeopt = 'menuone,noinsert'"
#: Milliseconds in which the server answers.
PAUSE = 60


def test_enter_after_every_key_is_a_new_line(nvim: Open, workspace: Any) -> None:
    """Nothing is put in, and the new line is indented, after each key of both families."""
    places = sorted(each_key_once(), key=lambda place: place.file)
    for file in {place.file for place in places}:
        (workspace / file).parent.mkdir(exist_ok=True)
        (workspace / file).write_text("", encoding="utf-8")
    editor, wrong = nvim(places[0].file, before=TYPE_KEYS, after=EAGER), []
    for file, group in groupby(places, key=lambda place: place.file):
        editor.keys(f"<Esc>:edit! {workspace / file}<CR>:setlocal filetype=yaml.eval<CR>")
        editor.open_for_use()
        for place in group:
            lines = json.dumps(place.lead.split("\n"))
            editor.keys("<Esc>")
            editor.lua(f"vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.json.decode([==[{lines}]==]))")
            editor.keys("G$a")
            until("Neovim inserts", lambda: editor.lua("return vim.fn.mode()") == "i")
            listed = ", ".join(f"[=[{key}]=]" for key in place.keys)
            editor.lua(f"TypeEveryKey({{ {listed} }}, {PAUSE})")
            until("everything is typed", lambda: editor.lua("return not Typing"))
            if (now := editor.lines()) != typed(place).split("\n"):
                wrong.append((place.dialect.name, place.lead, now))
    assert wrong == []
