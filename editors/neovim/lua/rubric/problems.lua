--- Results among the diagnostics. They have a namespace of their own, because they are already drawn as signs and texts:
--- they can be jumped to (]d) and listed, but are not written on their lines a second time.
local client_of = require('rubric.client')

local M = {}

--- The source of diagnostics that are results.
local SOURCE = 'rubric run'

M.namespace = vim.api.nvim_create_namespace('rubric.problems')
vim.diagnostic.config({
  virtual_text = false,
  virtual_lines = false,
  signs = false,
  underline = false,
}, M.namespace)

local function converted(bufnr, found, client)
  local from, to = found.range.start, found.range['end']
  return {
    lnum = from.line,
    col = client_of.column(bufnr, from, client.offset_encoding),
    end_lnum = to.line,
    end_col = client_of.column(bufnr, to, client.offset_encoding),
    severity = found.severity,
    message = found.message,
    source = found.source,
    code = found.code,
    user_data = { lsp = found },
  }
end

--- Remove the results from a list of diagnostics and show them; the others are Neovim's.
---@param found lsp.Diagnostic[]
---@return lsp.Diagnostic[] others
function M.take(found, uri, client_id)
  local others, results = {}, {}
  for _, each in ipairs(found) do
    table.insert(each.source == SOURCE and results or others, each)
  end
  local client = vim.lsp.get_client_by_id(client_id)
  local bufnr = client_of.buffer(uri)
  if client and bufnr then
    local shown = {}
    for _, each in ipairs(results) do
      table.insert(shown, converted(bufnr, each, client))
    end
    vim.diagnostic.set(M.namespace, bufnr, shown)
  end
  return others
end

return M
