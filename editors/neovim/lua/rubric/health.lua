--- `:checkhealth rubric`
local M = {}

local function version_of(program)
  local done = vim.system({ program, '--version' }, { text = true, timeout = 10000 }):wait()
  return done.code == 0, vim.trim((done.code == 0 and done.stdout or done.stderr) or '')
end

local function check_server(config)
  local start = require('rubric.start')
  local obstacle = start.obstacle(config)
  if obstacle then
    return vim.health.error((obstacle:gsub('^rubric: ', '')), {
      'Install it: ' .. require('rubric.install').command(),
      "Or say where it is: vim.lsp.config('rubric', { cmd = { '/path/to/rubric-lsp', '--stdio' } })",
    })
  end
  local command = start.command(config)
  if not command then
    return vim.health.info('server: started by a function')
  end
  local program = command[1]
  local well, said = version_of(program)
  if well then
    vim.health.ok(('server: %s (%s)'):format(vim.fn.exepath(program), said))
  else
    local last = said:match('[^\n]*$')
    vim.health.error(('%s does not start: %s'):format(vim.fn.exepath(program), last), {
      'Its Python may be gone. Install it again: ' .. require('rubric.install').command(),
    })
  end
end

local function check_clients()
  local clients = vim.lsp.get_clients({ name = 'rubric' })
  for _, client in ipairs(clients) do
    vim.health.ok(('running for %s'):format(client.config.root_dir))
    if not vim.tbl_get(client.server_capabilities, 'experimental', 'rubricTests') then
      vim.health.warn('the server is older than this plugin: there are no signs and no reports', {
        'Install it again: ' .. require('rubric.install').command(),
      })
    end
  end
  if #clients == 0 then
    vim.health.info('not running: open a suite, such as *.eval.yaml')
  end
end

local function check_options()
  local unknown = require('rubric.options').unknown()
  if #unknown > 0 then
    vim.health.warn(('vim.g.rubric has names that mean nothing: %s'):format(table.concat(unknown, ', ')), {
      'See :help rubric-options',
    })
  end
end

local function check_neotest()
  if pcall(require, 'neotest') then
    vim.health.ok("neotest is there: adapters = { require('neotest-rubric') }")
  else
    vim.health.info('neotest is not installed: it is optional')
  end
end

function M.check()
  vim.health.start('rubric')
  if vim.fn.has('nvim-0.10') == 0 then
    return vim.health.error('Neovim 0.10 or later is needed')
  end
  check_server(require('rubric.start').configuration())
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('rubric') and not require('rubric.options').get('enable') then
    vim.health.warn('not enabled', { "Add to your init.lua: vim.lsp.enable('rubric')" })
  end
  check_clients()
  check_options()
  check_neotest()
end

return M
