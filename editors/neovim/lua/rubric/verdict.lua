--- Verdicts and other states: their marks, and their colours.
local M = {}

--- Each state with its mark, its highlight group, and the group's default link.
local states = {
  { 'passed', '✔', 'RubricPassed', 'DiagnosticOk' },
  { 'borderline', '◐', 'RubricBorderline', 'DiagnosticWarn' },
  { 'failed', '✘', 'RubricFailed', 'DiagnosticError' },
  { 'unscored', '○', 'RubricUnscored', 'DiagnosticWarn' },
  { 'stale', '◌', 'RubricStale', 'Comment' },
  { 'running', '⟳', 'RubricRunning', 'DiagnosticInfo' },
  { 'errored', '⚠', 'RubricErrored', 'DiagnosticError' }, -- a grader that could not run or crashed
}

local uncounted = { running = true, errored = true }

--- The states that are counted, in this order.
M.order = {} ---@type string[]
M.marks = {} ---@type table<string, string>
M.groups = {} ---@type table<string, string>

local links = { RubricDetail = 'Comment', RubricTitle = 'Title' }

for _, state in ipairs(states) do
  local name, mark, group, link = unpack(state)
  M.marks[name], M.groups[name], links[group] = mark, group, link
  if not uncounted[name] then
    table.insert(M.order, name)
  end
end

--- Define the highlight groups that the colour scheme does not define.
function M.define()
  for group, link in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

--- The verdict of the mark at the start of a text, nil without one.
---@param text string
---@return string?
function M.of_text(text)
  for verdict, mark in pairs(M.marks) do
    if vim.startswith(text, mark) then
      return verdict
    end
  end
end

return M
