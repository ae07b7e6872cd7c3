--- Verdicts and other states: their marks, and their colours.
local M = {}

--- In the order in which they are counted.
M.order = { 'passed', 'borderline', 'failed', 'unscored', 'stale' }

M.marks = {
  passed = '✔',
  borderline = '◐',
  failed = '✘',
  unscored = '○',
  stale = '◌',
  running = '⟳',
}

M.groups = {
  passed = 'RubricPassed',
  borderline = 'RubricBorderline',
  failed = 'RubricFailed',
  unscored = 'RubricUnscored',
  stale = 'RubricStale',
  running = 'RubricRunning',
}

local links = {
  RubricPassed = 'DiagnosticOk',
  RubricBorderline = 'DiagnosticWarn',
  RubricFailed = 'DiagnosticError',
  RubricUnscored = 'DiagnosticWarn',
  RubricStale = 'Comment',
  RubricRunning = 'DiagnosticInfo',
  RubricDetail = 'Comment',
  RubricTitle = 'Title',
}

--- Make the highlight groups; those that a colour scheme has stay as they are.
function M.define()
  for group, link in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = link, default = true })
  end
end

--- The verdict that a text begins with, nil for a text without a mark.
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
