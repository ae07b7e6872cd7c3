--- Code lenses before Neovim 0.12. Its own `vim.lsp.codelens.refresh` does nothing while a request is pending: after two
--- quick changes, or at the end of a run, lenses would be outdated.
local client_of = require('rubric.client')

local M = {}

local latest = {} -- by buffer, the number of its latest request

--- Request the lenses of a buffer, and draw them if they are for its current text.
---@param bufnr integer
function M.refresh(bufnr)
  local client = client_of.of(bufnr)
  if not client then
    return
  end
  local number = (latest[bufnr] or 0) + 1
  latest[bufnr] = number
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  client_of.request(client, 'textDocument/codeLens', params, function(error, lenses, context)
    if latest[bufnr] ~= number or not vim.api.nvim_buf_is_loaded(bufnr) then
      return
    elseif vim.api.nvim_buf_get_changedtick(bufnr) ~= tick then
      M.refresh(bufnr)
    elseif not error then
      vim.lsp.codelens.on_codelens(nil, lenses, context)
    end
  end, bufnr)
end

return M
