--- rubric for Neovim: the functions for configurations. See |rubric.txt|.
local M = {}

--- For a status line: `⟳ 2/3` while something runs, else `✔ 2 ✘ 1` of the current suite, else nothing.
---@return string
function M.statusline()
  -- Called in every buffer, many times a second: load nothing before there is a suite.
  return package.loaded['rubric.tests'] and require('rubric.summary').statusline() or ''
end

--- The results of a suite's cases, by id.
---@param bufnr integer? the current buffer when not given
---@return table<string, rubric.State>
function M.results(bufnr)
  local tests = require('rubric.tests')
  local found = {}
  for _, item in ipairs(tests.items(vim.uri_from_bufnr(bufnr or 0), 'case')) do
    found[item.label] = tests.state(item.id)
  end
  return found
end

return M
