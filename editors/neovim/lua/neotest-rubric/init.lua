--- neotest adapter: `require('neotest').setup({ adapters = { require('neotest-rubric') } })`.
---
--- Cases are found and run by the language server, so that neotest, the signs and every other view show the same run:
--- trust is asked for as always, unsaved text is run as it stands, and stopping stops the programs.
local M = { name = 'neotest-rubric' }

local SUITES = { '%.eval%.ya?ml$', '%-eval%.ya?ml$', '/eval%.ya?ml$' }
local SKIPPED_FOLDERS = { node_modules = true, ['.venv'] = true, ['.git'] = true, ['.rubric'] = true, __pycache__ = true }
local STATUS = { passed = 'passed', borderline = 'failed', failed = 'failed', unscored = 'skipped', skipped = 'skipped' }

local waiting = {} ---@type table<string, rubric.neotest.Run> by id
local early = {} ---@type table<string, { [1]: string, [2]: table }[]> what came before the answer with a run's id
local unanswered = 0

--- The folder that holds the suites' targets, else the repository.
---@param dir string
---@return string?
function M.root(dir)
  return vim.fs.root(dir, '.agentv') or vim.fs.root(dir, '.git')
end

---@param name string of a folder
---@return boolean
function M.filter_dir(name)
  return not SKIPPED_FOLDERS[name]
end

---@param path string
---@return boolean
function M.is_test_file(path)
  local lower = '/' .. path:lower()
  for _, pattern in ipairs(SUITES) do
    if lower:match(pattern) then
      return true
    end
  end
  return false
end

--- The client for a file: one that runs, else one that is started for the file's folder.
local function client_for(path)
  local uri = vim.uri_from_fname(path)
  local root = M.root(vim.fs.dirname(path)) or vim.fs.dirname(path)
  local running = vim.lsp.get_clients({ name = 'rubric' })
  for _, client in ipairs(running) do
    local folder = client.config.root_dir
    if folder and vim.startswith(uri, vim.uri_from_fname(folder)) then
      return client
    end
  end
  local start = require('rubric.start')
  local config = start.configuration()
  local obstacle = start.obstacle(config)
  if obstacle then
    return nil, (obstacle:gsub('^rubric: ', ''))
  end
  local id = vim.lsp.start(vim.tbl_extend('force', config, { name = 'rubric', root_dir = root }), { attach = false })
  return id and vim.lsp.get_client_by_id(id), 'the server does not start'
end

--- Ask the server, once it is ready; `done` gets the error or nil, and what it said.
local function ask(path, method, params, done)
  vim.schedule(function()
    local client, why = client_for(path)
    if not client then
      return done(why)
    end
    local timer = assert(vim.uv.new_timer())
    timer:start(
      0,
      20,
      vim.schedule_wrap(function()
        if timer:is_closing() or not (client.initialized or client:is_stopped()) then
          return
        end
        timer:close()
        if client:is_stopped() then
          return done('the server has ended')
        end
        require('rubric.client').request(client, method, params, function(error, result)
          done(error and error.message, result)
        end)
      end)
    )
  end)
end

--- The same for a coroutine of nio, which neotest brings along.
local function asked(path, method, params)
  local error, result = require('nio').wrap(ask, 4)(path, method, params)
  if error then
    require('rubric.client').notify(error, vim.log.levels.ERROR)
  end
  return result
end

local function position(item, path)
  local range = item.range
  return {
    id = item.id,
    type = 'test',
    name = item.label,
    path = path,
    range = { range.start.line, range.start.character, range['end'].line, range['end'].character },
  }
end

local function lines_of(path)
  local file = io.open(path, 'r')
  if not file then
    return 0
  end
  local count = select(2, file:read('*a'):gsub('\n', '\n'))
  file:close()
  return count
end

--- The file with its cases.
---@async
---@param path string
function M.discover_positions(path)
  local uri = vim.uri_from_fname(path)
  local found = asked(path, 'rubric/discoverTests', { textDocument = { uri = uri } })
  if not found then
    return nil
  end
  local list = { { id = path, type = 'file', name = vim.fs.basename(path), path = path, range = { 0, 0, lines_of(path), 0 } } }
  for _, item in ipairs(found.tests) do
    if item.kind == 'case' and item.range and item.textDocument.uri == uri then
      table.insert(list, { position(item, path) })
    end
  end
  return require('neotest.types').Tree.from_list(list, function(each)
    return each.id
  end)
end

--- What neotest shows for a case that stands at `state`.
local function outcome(state)
  local errors, lines = {}, {}
  for _, message in ipairs(state.messages or {}) do
    local range = message.location and message.location.range
    table.insert(lines, message.message)
    if STATUS[state.state] == 'failed' then
      table.insert(errors, { message = message.message, line = range and range.start.line, severity = nil })
    end
  end
  local mark = require('rubric.verdict').marks[state.state] or ''
  local score = state.score and (' %.2f'):format(state.score) or ''
  local head = ('%s %s%s'):format(mark, state.state, score)
  return {
    status = STATUS[state.state] or 'skipped',
    short = table.concat(vim.list_extend({ head }, lines), '\n'),
    errors = #errors > 0 and errors or nil,
  }
end

--- A run in the server that looks like a process to neotest.
---@class rubric.neotest.Run
local Run = {}
Run.__index = Run

local function run_of(positions)
  return setmetatable({ wanted = positions, results = {}, news = {}, listeners = {}, over = false }, Run)
end

function Run:wake()
  local listeners = self.listeners
  self.listeners = {}
  for _, listener in ipairs(listeners) do
    listener()
  end
end

function Run:hear(event, params)
  if event == 'state' and STATUS[params.state] and self.wanted[params.testId] then
    self.results[params.testId] = outcome(params)
    table.insert(self.news, params.testId)
  elseif event == 'output' then
    self.file:write(params.text)
  elseif event == 'ended' then
    self:finish(params.failed > 0 and 1 or 0)
  elseif event == 'lost' then
    self.file:write('the server has ended\n')
    self:finish(2)
  end
  self:wake()
end

function Run:finish(code)
  if not self.over then
    self.over, self.code = true, code
    waiting[self.id or ''] = nil
    self.file:close()
  end
end

--- Begin; a run that is refused, or that the person does not allow, ends at once and leaves its reason.
function Run:begin(path, request)
  self.path = vim.fn.tempname()
  self.file = assert(io.open(self.path, 'w'))
  unanswered = unanswered + 1
  ask(path, 'rubric/runTests', request, function(error, begun)
    unanswered = unanswered - 1
    if error or begun.runId == '' then
      -- Without an id, the server is asking the person first: a run that they allow is not neotest's any more.
      self:refuse(error or 'not run: the folder is not trusted yet (:RubricTrust allows it)')
    else
      self.id = begun.runId
      waiting[self.id] = self
      for _, each in ipairs(early[self.id] or {}) do
        self:hear(each[1], each[2])
      end
    end
    if unanswered == 0 then
      early = {}
    end
  end)
end

function Run:refuse(why)
  require('rubric.client').notify(why, vim.log.levels.WARN)
  self.file:write(why .. '\n')
  self:finish(2)
  self:wake()
end

function Run:await(condition)
  local nio = require('nio')
  while not condition() do
    nio.wrap(function(done)
      table.insert(self.listeners, done)
    end, 1)()
  end
end

function Run:process(path)
  return {
    is_complete = function()
      return self.over
    end,
    output = function()
      return self.path
    end,
    result = function()
      self:await(function()
        return self.over
      end)
      return self.code
    end,
    stop = function()
      if self.id then
        ask(path, 'rubric/cancelTests', { runId = self.id }, function() end)
      end
    end,
    attach = function()
      require('rubric.client').notify('a run in the server has no terminal: :RubricOutput shows what it writes')
    end,
    output_stream = function()
      return function()
        self:await(function()
          return self.over
        end)
      end
    end,
  }
end

--- Results one after the other, as they come.
function Run:stream()
  return function()
    self:await(function()
      return #self.news > 0 or self.over
    end)
    local id = table.remove(self.news, 1)
    return id and { [id] = self.results[id] } or nil
  end
end

--- What runs a position: a file or a case. Folders are left to neotest, which takes them apart.
---@param args { tree: neotest.Tree }
function M.build_spec(args)
  local chosen = args.tree:data()
  if chosen.type == 'dir' then
    return nil
  end
  local cases = {}
  for _, each in args.tree:iter() do
    if each.type == 'test' then
      cases[each.id] = true
    end
  end
  local run = run_of(cases)
  return {
    command = { 'rubric', 'run', chosen.type == 'file' and chosen.path or ('%s::%s'):format(chosen.path, chosen.name) },
    context = { run = run },
    strategy = function()
      run:begin(chosen.path, { include = vim.tbl_keys(cases) })
      return run:process(chosen.path)
    end,
    stream = function()
      return run:stream()
    end,
  }
end

--- What came of a run; cases that it did not get to are skipped.
---@async
---@param spec neotest.RunSpec
function M.results(spec)
  local run, results = spec.context.run, {}
  for id in pairs(run.wanted) do
    results[id] = run.results[id] or { status = 'skipped', short = 'not run' }
  end
  return results
end

require('rubric.tests').listen(function(event, params)
  if event == 'lost' then
    for _, run in pairs(waiting) do
      run:hear(event, params)
    end
  elseif waiting[params.runId] then
    waiting[params.runId]:hear(event, params)
  elseif unanswered > 0 then
    early[params.runId] = early[params.runId] or {}
    table.insert(early[params.runId], { event, params })
  end
end)

return M
