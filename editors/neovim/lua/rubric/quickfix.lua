--- Failures as a quickfix list.
local tests = require('rubric.tests')
local verdict = require('rubric.verdict')

local M = {}

local TYPES = { failed = 'E', borderline = 'W', unscored = 'W' }
local BY_SEVERITY = { error = 'E', warning = 'W', information = 'I' }

local function place(uri, range)
  local start = range and range.start or { line = 0, character = 0 }
  return { filename = vim.uri_to_fname(uri), lnum = start.line + 1, col = start.character + 1 }
end

--- A message without the mark of its verdict, which stands before it already.
local function one_line(message)
  for _, mark in pairs(verdict.marks) do
    if vim.startswith(message, mark) then
      message = message:sub(#mark + 1):gsub('^:?%s*', '')
    end
  end
  return (message:gsub('%s*\n%s*', ' · '))
end

local function of_case(item, state)
  local uri = item.textDocument.uri
  local head = ('%s %s'):format(verdict.marks[state.verdict], item.label)
  local score = state.score and (' %.2f'):format(state.score) or ''
  local entries = {}
  for _, message in ipairs(state.messages or {}) do
    local at = message.location or { uri = uri, range = item.range }
    table.insert(entries, vim.tbl_extend('force', place(at.uri, at.range), {
      type = BY_SEVERITY[message.severity] or TYPES[state.verdict],
      text = ('%s: %s'):format(head, one_line(message.message)),
    }))
  end
  if #entries == 0 then
    local entry = place(uri, item.range)
    table.insert(entries, vim.tbl_extend('force', entry, { type = TYPES[state.verdict], text = head .. score }))
  end
  return entries
end

--- One entry for each message of each case that did not pass; results that are stale are left out.
function M.entries()
  local entries = {}
  for _, uri in ipairs(tests.suites()) do
    for _, item in ipairs(tests.items(uri, 'case')) do
      local state = tests.state(item.id)
      if TYPES[state.verdict] and not state.stale then
        vim.list_extend(entries, of_case(item, state))
      end
    end
  end
  return entries
end

return M
