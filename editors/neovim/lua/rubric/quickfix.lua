--- Failures as a quickfix list: a row for each case, which unfolds to its criteria with their reasons.
local tests = require('rubric.tests')
local verdict = require('rubric.verdict')

local M = {}

local TITLE = 'rubric: cases that did not pass'
local TYPES = { failed = 'E', borderline = 'W', unscored = 'W' }
local BY_SEVERITY = { error = 'E', warning = 'W', information = 'I' }
local FOLDED, UNFOLDED, LEAF = '▸', '▾', ' '
local ROWS = 10

--- The fold keys of Neovim, in the quickfix window: the new state for an unfolded or folded case.
local KEYS = {
  za = function(unfolded)
    return not unfolded
  end,
  zo = function()
    return true
  end,
  zc = function()
    return false
  end,
}

local function place(uri, range)
  local start = range and range.start or { line = 0, character = 0 }
  return { filename = vim.uri_to_fname(uri), lnum = start.line + 1, col = start.character + 1 }
end

--- A message without the mark of its verdict, which precedes it already.
local function one_line(message)
  for _, mark in pairs(verdict.marks) do
    if vim.startswith(message, mark) then
      message = message:sub(#mark + 1):gsub('^:?%s*', '')
    end
  end
  return (message:gsub('%s*\n%s*', ' · '))
end

local function row(item, state, message, text)
  local at = message and message.location or { uri = item.textDocument.uri, range = item.range }
  return vim.tbl_extend('force', place(at.uri, at.range), {
    type = message and BY_SEVERITY[message.severity] or TYPES[state.verdict],
    text = text,
    user_data = { case = item.id },
  })
end

--- The row of a case, and those of its criteria when it is unfolded.
local function of_case(item, state, unfolded)
  local messages = state.messages or {}
  local short, rest = messages[1], vim.list_slice(messages, 2)
  local sign = #rest == 0 and LEAF or unfolded and UNFOLDED or FOLDED
  local score = state.score and (' %.2f'):format(state.score) or ''
  local why = short and one_line(short.message) or (state.verdict .. score)
  local head = ('%s %s %s: %s'):format(sign, verdict.marks[state.verdict], item.label, why)
  local rows = { row(item, state, short, head) }
  for _, message in ipairs(unfolded and rest or {}) do
    table.insert(rows, row(item, state, message, '    ' .. one_line(message.message)))
  end
  return rows
end

--- A row for each case that did not pass; stale results are left out.
---@param unfolded table<string, true> ids of cases whose criteria are listed below them
function M.entries(unfolded)
  local entries = {}
  for _, uri in ipairs(tests.suites()) do
    for _, item in ipairs(tests.items(uri, 'case')) do
      local state = tests.state(item.id)
      if TYPES[state.verdict] and not state.stale then
        vim.list_extend(entries, of_case(item, state, unfolded[item.id]))
      end
    end
  end
  return entries
end

local function cases(entries)
  local ids = {}
  for _, entry in ipairs(entries) do
    ids[entry.user_data.case] = true
  end
  return ids
end

--- The unfolded ids in the list of the window; nil for a foreign list.
local function unfolded_now()
  local list = vim.fn.getqflist({ title = true, context = true })
  return list.title == TITLE and type(list.context) == 'table' and list.context.unfolded or nil
end

--- Replace the rows of the list, and keep the cursor on its case.
local function replace(unfolded, case)
  local entries = M.entries(unfolded)
  vim.fn.setqflist({}, 'r', { title = TITLE, items = entries, context = { unfolded = unfolded } })
  for number, entry in ipairs(entries) do
    if entry.user_data.case == case then
      return vim.api.nvim_win_set_cursor(0, { number, 0 })
    end
  end
end

local function case_at_cursor()
  local entry = vim.fn.getqflist()[vim.fn.line('.')]
  return entry and type(entry.user_data) == 'table' and entry.user_data.case or nil
end

--- Neovim uses one buffer for every list: in foreign lists, the keys keep their meaning.
local function key(keys, action)
  vim.keymap.set('n', keys, function()
    local unfolded = unfolded_now()
    if not unfolded then
      return pcall(vim.cmd.normal, { keys, bang = true })
    end
    local case = case_at_cursor()
    replace(action(unfolded, case), case)
  end, { buffer = true, desc = 'Criteria of the cases that did not pass' })
end

local function map_keys()
  for keys, wanted in pairs(KEYS) do
    key(keys, function(unfolded, case)
      if case then
        unfolded[case] = wanted(unfolded[case]) or nil
      end
      return unfolded
    end)
  end
  key('zR', function()
    return cases(M.entries({}))
  end)
  key('zM', function()
    return {}
  end)
end

--- Open the list; with every case unfolded if `all` is set.
---@param all boolean?
---@return boolean found whether there is something in it
function M.open(all)
  local entries = M.entries({})
  local unfolded = all and cases(entries) or {}
  entries = all and M.entries(unfolded) or entries
  vim.fn.setqflist({}, ' ', { title = TITLE, items = entries, context = { unfolded = unfolded } })
  if #entries == 0 then
    return false
  end
  vim.cmd(('botright copen %d'):format(math.min(#entries, ROWS)))
  map_keys()
  return true
end

return M
