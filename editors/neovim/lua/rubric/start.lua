--- Starting the server for suites, and saying once why it cannot be.
local client_of = require('rubric.client')
local options = require('rubric.options')

local M = {}

local told = {} ---@type table<string, true>

--- The server's configuration as it stands: the plugin's, and what the person has changed of it.
---@return vim.lsp.Config
function M.configuration()
  if vim.lsp.enable then
    return vim.lsp.config.rubric
  end
  local config = { name = 'rubric', capabilities = vim.lsp.protocol.make_client_capabilities() }
  for _, file in ipairs(vim.api.nvim_get_runtime_file('lsp/rubric.lua', true)) do
    config = vim.tbl_deep_extend('force', config, dofile(file))
  end
  return vim.tbl_deep_extend('force', config, options.get('server'))
end

--- The server's program, nil when a function starts it or none is named.
---@return string?
function M.program(config)
  return type(config.cmd) == 'table' and config.cmd[1] or nil
end

--- Why the server cannot be started, nil when it can.
---@return string?
function M.obstacle(config)
  local program = M.program(config)
  if type(config.cmd) == 'function' or (program and vim.fn.executable(program) == 1) then
    return nil
  end
  if not program or program == '' then
    return "the path of the server is empty: vim.lsp.config('rubric', { cmd = { 'rubric-lsp', '--stdio' } })"
  end
  return ('%s was not found. Install it with `pipx install rubric-lsp`, or name it in vim.lsp.config; :checkhealth rubric'):format(
    program
  )
end

--- Start the server for a buffer, if it holds a suite.
---@param bufnr integer
function M.buffer(bufnr)
  local config = M.configuration()
  if vim.bo[bufnr].buftype ~= '' or not vim.tbl_contains(config.filetypes, vim.bo[bufnr].filetype) then
    return
  end
  config.root_dir(bufnr, function(root)
    local obstacle = M.obstacle(config)
    if obstacle then
      if not told[obstacle] then
        told[obstacle] = true
        client_of.notify(obstacle, vim.log.levels.WARN)
      end
    elseif not vim.lsp.enable then
      vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }), { bufnr = bufnr })
    end
  end)
  if vim.lsp.enable and options.get('enable') then
    vim.lsp.enable('rubric')
  end
end

return M
