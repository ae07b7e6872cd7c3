--- `:checkhealth rubric`
local M = {}

local function check_server()
  local config = vim.lsp.config and vim.lsp.config.rubric
  local program = config and config.cmd and config.cmd[1] or 'rubric-lsp'
  if vim.fn.executable(program) == 0 then
    return vim.health.error(('`%s` not found'):format(program), {
      'Install it: pipx install rubric-lsp (or: uv tool install rubric-lsp)',
      "Or say where it is: vim.lsp.config('rubric', { cmd = { '/path/to/rubric-lsp', '--stdio' } })",
    })
  end
  vim.health.ok(('server: %s'):format(vim.fn.exepath(program)))
end

local function check_enabled()
  if not vim.lsp.is_enabled then
    return
  end
  if vim.lsp.is_enabled('rubric') then
    vim.health.ok('enabled')
  else
    vim.health.warn('not enabled', { "Add to your init.lua: vim.lsp.enable('rubric')" })
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'rubric' })
  for _, client in ipairs(clients) do
    vim.health.ok(('running for %s'):format(client.config.root_dir))
  end
  if #clients == 0 then
    vim.health.info('not running: open a suite, such as *.eval.yaml')
  end
end

function M.check()
  vim.health.start('rubric')
  if vim.fn.has('nvim-0.10') == 0 then
    return vim.health.error('Neovim 0.10 or later is needed')
  end
  check_server()
  check_enabled()
  check_clients()
end

return M
