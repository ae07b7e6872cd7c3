--- The options in `vim.g.rubric`; there is no setup call.
local M = {}

local defaults = {
  enable = true, -- start the server for suites
  signs = true, -- the last verdict of a case in the sign column
  texts = true, -- results at the end of the lines they belong to, in the colour of their verdict
  summary = true, -- a line when a run has ended
  server = {}, -- Neovim 0.10 only: cmd, settings, init_options. Later: vim.lsp.config('rubric', { … })
}

--- The value of an option.
---@param name 'enable'|'signs'|'texts'|'summary'|'server'
function M.get(name)
  local set = type(vim.g.rubric) == 'table' and vim.g.rubric or {}
  if set[name] == nil then
    return defaults[name]
  end
  return set[name]
end

--- The names of all options.
---@return string[]
function M.names()
  return vim.tbl_keys(defaults)
end

--- The unknown names in `vim.g.rubric`.
---@return string[]
function M.unknown()
  local names = {}
  for name in pairs(type(vim.g.rubric) == 'table' and vim.g.rubric or {}) do
    if defaults[name] == nil then
      table.insert(names, tostring(name))
    end
  end
  table.sort(names)
  return names
end

return M
