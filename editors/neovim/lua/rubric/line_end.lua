--- The virtual text of a diagnostic. Neovim cuts it at the edge of the window: then the fix comes first.
--- Everything else, also whether there is virtual text, is the user's configuration.
local M = {}

local FIX = 'fix: '
--- The sign before the text and the blanks around it.
local AROUND = 6

--- The columns left on a line in the narrowest window that shows it.
local function room(bufnr, lnum)
  local line = vim.api.nvim_buf_get_lines(bufnr, lnum, lnum + 1, false)[1] or ''
  local least = math.huge
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local shown = vim.fn.getwininfo(window)[1]
    least = math.min(least, shown.width - shown.textoff)
  end
  return least - vim.fn.strdisplaywidth(line) - AROUND
end

local function format(diagnostic)
  local lines = vim.split(diagnostic.message, '\n')
  local whole = table.concat(lines, '  ')
  if vim.fn.strdisplaywidth(whole) <= room(diagnostic.bufnr, diagnostic.lnum) then
    return whole
  end
  for number, line in ipairs(lines) do
    if vim.startswith(line, FIX) then
      table.insert(lines, 1, table.remove(lines, number))
    end
  end
  return table.concat(lines, '  ')
end

local function virtual_text(namespace, bufnr)
  local set = vim.diagnostic.config().virtual_text
  if type(set) == 'function' then
    set = set(namespace, bufnr)
  end
  if not set then
    return false
  end
  return vim.tbl_extend('keep', type(set) == 'table' and set or {}, { format = format })
end

--- Format the diagnostics of a client this way.
---@param client_id integer
function M.define(client_id)
  for _, pulled in ipairs({ false, true }) do
    local namespace = vim.lsp.diagnostic.get_namespace(client_id, pulled)
    vim.diagnostic.config({ virtual_text = virtual_text }, namespace)
  end
end

return M
