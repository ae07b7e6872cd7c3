--- rubric for Neovim: what may be called from a configuration. See |rubric.txt|.
local M = {}

--- For a status line: `⟳ 2/3` while something runs, else `✔ 2 ✘ 1` of the current suite, else nothing.
---@return string
function M.statusline()
  -- Asked for in every buffer, many times a second: load nothing before there is a suite.
  return package.loaded['rubric.tests'] and require('rubric.summary').statusline() or ''
end

--- How the cases of a suite stand, by id.
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

--- The server serves a buffer from now on: turn on inlay hints, keep code lenses current, draw what is known.
---@param bufnr integer
---@param group integer
function M.attached(bufnr, group)
  require('rubric.verdict').define()
  require('rubric.tests').draw(bufnr)
  vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  if vim.lsp.codelens.enable then -- Neovim 0.12 refreshes by itself
    return vim.lsp.codelens.enable(true, { bufnr = bufnr })
  end
  vim.lsp.codelens.refresh({ bufnr = bufnr })
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = bufnr,
    desc = 'Refresh the code lenses of a suite',
    callback = function()
      vim.lsp.codelens.refresh({ bufnr = bufnr })
    end,
  })
end

return M
