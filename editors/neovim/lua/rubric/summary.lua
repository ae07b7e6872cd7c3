--- The progress and the outcome of runs, in one line.
local options = require('rubric.options')
local tests = require('rubric.tests')
local text = require('rubric.text')
local verdict = require('rubric.verdict')

local M = {}

--- A line at the end of a run, short enough not to need <Enter>.
function M.show(ended)
  if not options.get('summary') then
    return
  end
  local chunks = { { 'rubric: ' } }
  for _, name in ipairs(verdict.order) do
    local count = ended[name]
    if count and count > 0 then
      table.insert(chunks, { ('%s %d  '):format(verdict.marks[name], count), verdict.groups[name] })
    end
  end
  if (ended.graderErrors or 0) > 0 then
    local graders = ended.graderErrors == 1 and 'grader' or 'graders'
    local words = ('%s %d %s failed  '):format(verdict.marks.errored, ended.graderErrors, graders)
    table.insert(chunks, { words, verdict.groups.errored })
  end
  if ended.cancelled and ended.cancelled ~= 0 then
    table.insert(chunks, { 'cancelled  ', 'RubricDetail' })
  end
  table.insert(chunks, { text.duration(ended.durationMs or 0), 'RubricDetail' })
  if ended.costUsd then
    table.insert(chunks, { ('  $%.4g'):format(ended.costUsd), 'RubricDetail' })
  end
  vim.api.nvim_echo(chunks, false, {})
end

--- For a status line: the progress of runs, else the results of the current buffer; empty if there is neither.
---@return string such as `⟳ 2/3` or `✔ 2 ✘ 1`
function M.statusline()
  local done, total = tests.progress()
  if done then
    return ('%s %d/%d'):format(verdict.marks.running, done, total)
  end
  local counts, parts = tests.tally(vim.uri_from_bufnr(vim.api.nvim_get_current_buf())), {}
  for _, name in ipairs(verdict.order) do
    if counts[name] then
      table.insert(parts, ('%s %d'):format(verdict.marks[name], counts[name]))
    end
  end
  return table.concat(parts, ' ')
end

return M
