--- Starts the server for suites, and reports once why it cannot be started.
local client_of = require('rubric.client')
local options = require('rubric.options')

local M = {}

local told = {} ---@type table<string, true>
--- The program that each launcher starts.
local commands = setmetatable({}, { __mode = 'k' }) ---@type table<function, string[]>
--- The process ids of running servers by their RPC client. Neovim has no API for them.
local processes = setmetatable({}, { __mode = 'k' }) ---@type table<vim.lsp.rpc.PublicClient, integer>
--- The servers that `M.kill` has killed: their exit is not a failure.
local killed = setmetatable({}, { __mode = 'k' }) ---@type table<vim.lsp.rpc.PublicClient, true>

--- The processes that this Neovim has started and that have not ended.
---@return table<integer, true>
local function children()
  local found, listed = {}, {}
  pcall(function()
    listed = vim.api.nvim_get_proc_children(vim.fn.getpid())
  end)
  for _, process in ipairs(listed) do
    found[process] = true
  end
  return found
end

--- Wraps a command, so that its exit is reported with what to do. Neovim's own message names its log, and is
--- so long that it needs <Enter>.
---@param command string[]
---@param spawn { cwd: string?, env: table?, detached: boolean? }?
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.launcher(command, spawn)
  local function launch(dispatchers)
    local obstacle = M.obstacle({ cmd = command })
    if obstacle then
      error(obstacle, 0)
    end
    local told_neovim, server = dispatchers.on_exit, nil
    dispatchers.on_exit = function(code, signal)
      told_neovim(0, 0)
      if server then
        processes[server] = nil
      end
      if server and killed[server] then
        code, signal = 0, 0
      end
      M.ended(code, signal)
    end
    local before = children()
    local started, rpc = pcall(vim.lsp.rpc.start, command, dispatchers, spawn or {})
    if not started then
      local why = 'rubric: %s does not start: its Python may be gone. %s; :checkhealth rubric'
      error(why:format(command[1], require('rubric.install').command()), 0)
    end
    server = rpc
    for process in pairs(children()) do
      processes[rpc] = processes[rpc] or not before[process] and process or nil
    end
    return rpc
  end
  commands[launch] = command
  return launch
end

--- The RPC clients of running servers, including those that have not answered `initialize` yet.
---@return table<vim.lsp.rpc.PublicClient, true>
function M.alive()
  local found = {}
  for server in pairs(processes) do
    found[server] = true
  end
  return found
end

--- Kill the servers that still run: a suspended one reacts to neither a request nor SIGTERM.
---@param servers table<vim.lsp.rpc.PublicClient, true>
---@return boolean whether there are any
function M.kill(servers)
  local any = false
  for server in pairs(servers) do
    local process = processes[server]
    if process then
      any = true
      killed[server] = true
      -- A wrapper script may have started it: kill its process group or, if it leads none, the process alone.
      if vim.uv.kill(-process, 'sigkill') ~= 0 then
        vim.uv.kill(process, 'sigkill')
      end
    end
  end
  return any
end

--- The server has ended. Neovim ends it by `shutdown`, or by signal 15.
function M.ended(code, signal)
  vim.schedule(function()
    require('rubric.tests').server_ended()
    if (code == 0 and (signal == 0 or signal == 15)) or vim.v.exiting ~= vim.NIL then
      return
    end
    local how = signal ~= 0 and ('signal %d'):format(signal) or ('exit code %d'):format(code)
    local message = 'the server has ended (%s). :RubricRestart starts it again, :RubricLog says why'
    client_of.notify(message:format(how), vim.log.levels.WARN)
  end)
end

--- The server's configuration: the plugin's, merged with the user's.
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

--- The server's command, nil if a foreign function starts it.
---@return string[]?
function M.command(config)
  return type(config.cmd) == 'table' and config.cmd or commands[config.cmd]
end

--- Why the server cannot be started, nil if it can.
---@return string?
function M.obstacle(config)
  local command = M.command(config)
  local program = command and command[1]
  if not command or (program and vim.fn.executable(program) == 1) then
    return nil
  end
  if not program or program == '' then
    return "rubric: the path of the server is empty: vim.lsp.config('rubric', { cmd = { 'rubric-lsp', '--stdio' } })"
  end
  local message = 'rubric: %s was not found: %s, or name it in vim.lsp.config (:checkhealth rubric)'
  return message:format(program, require('rubric.install').command())
end

--- Start the user's command by a launcher, too.
local function wrap(config)
  if type(config.cmd) == 'table' then
    local spawn = { cwd = config.cmd_cwd, env = config.cmd_env, detached = config.detached }
    config.cmd = M.launcher(config.cmd, spawn)
    if vim.lsp.enable then
      vim.lsp.config('rubric', { cmd = config.cmd })
    end
  end
end

--- Start the server for a buffer with a suite; the reason of a failure is reported once.
---@param bufnr integer
function M.buffer(bufnr)
  local config = M.configuration()
  if vim.bo[bufnr].buftype ~= '' or not vim.tbl_contains(config.filetypes, vim.bo[bufnr].filetype) then
    return
  end
  local obstacle = M.obstacle(config)
  config.root_dir(bufnr, function(root)
    if obstacle then
      if not told[obstacle] then
        told[obstacle] = true
        vim.notify(obstacle, vim.log.levels.WARN)
      end
      return
    end
    wrap(config)
    if not options.get('enable') then
      return
    elseif vim.lsp.enable then
      vim.lsp.enable('rubric')
    else
      vim.lsp.start(vim.tbl_extend('force', config, { root_dir = root }), { bufnr = bufnr })
    end
  end)
end

--- The server is attached to a buffer: indent new lines, enable inlay hints, keep code lenses up to date, draw known results.
---@param bufnr integer
---@param group integer
---@param client_id integer
function M.attached(bufnr, group, client_id)
  require('rubric.indent').attach(bufnr)
  if vim.lsp.on_type_formatting then -- Neovim 0.12: the next item of a list
    vim.lsp.on_type_formatting.enable(true, { client_id = client_id })
  end
  require('rubric.line_end').define(client_id)
  require('rubric.verdict').define()
  require('rubric.tests').draw(bufnr)
  vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  if vim.lsp.codelens.enable then -- Neovim 0.12 refreshes by itself
    return vim.lsp.codelens.enable(true, { bufnr = bufnr })
  end
  local lenses = require('rubric.lenses')
  lenses.refresh(bufnr)
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = bufnr,
    desc = 'Refresh the code lenses of a suite',
    callback = function()
      lenses.refresh(bufnr)
    end,
  })
end

return M
