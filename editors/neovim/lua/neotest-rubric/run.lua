--- A run of the language server as neotest knows it: a process with output, and results that come one by one.
local server = require('neotest-rubric.server')

local M = {}

local STATUS = { passed = 'passed', borderline = 'failed', failed = 'failed', unscored = 'skipped', skipped = 'skipped' }

local SEVERITIES = { error = 'ERROR', warning = 'WARN', information = 'INFO' }

local waiting = {} ---@type table<string, rubric.neotest.Run> by id
local early = {} ---@type table<string, { [1]: string, [2]: table }[]> what came before the answer with a run's id
local unanswered = 0

--- The neotest result of a case in `state`; neotest searches the line of an error in the file of the case.
local function outcome(state, uri)
  local errors, lines = {}, {}
  -- A case without a judge is skipped; a failed grader is an error.
  local status = (state.graderErrors or 0) > 0 and 'failed' or STATUS[state.state] or 'skipped'
  for _, message in ipairs(state.messages or {}) do
    local here = message.location and message.location.uri == uri and message.location.range or nil
    table.insert(lines, message.message)
    if status == 'failed' then
      table.insert(errors, {
        message = message.message,
        line = here and here.start.line,
        severity = message.severity and vim.diagnostic.severity[SEVERITIES[message.severity]] or nil,
      })
    end
  end
  local mark = require('rubric.verdict').marks[state.state] or ''
  local score = state.score and (' %.2f'):format(state.score) or ''
  local head = ('%s %s%s'):format(mark, state.state, score)
  return {
    status = status,
    short = table.concat(vim.list_extend({ head }, lines), '\n'),
    errors = #errors > 0 and errors or nil,
  }
end

--- A run in the server that looks like a process to neotest.
---@class rubric.neotest.Run
local Run = {}
Run.__index = Run

--- A run that reports these positions of a file.
---@param path string
---@param positions table<string, true>
function M.of(path, positions)
  local uri = vim.uri_from_fname(path)
  local empty = { results = {}, news = {}, pieces = {}, listeners = {}, over = false }
  return setmetatable(vim.tbl_extend('error', empty, { uri = uri, wanted = positions }), Run)
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
    self.results[params.testId] = outcome(params, self.uri)
    table.insert(self.news, params.testId)
  elseif event == 'output' then
    self:write(params.text)
  elseif event == 'ended' then
    -- The exit codes of `rubric run`.
    local unscored = params.unscored + (params.graderErrors or 0) > 0
    self:finish((unscored and 3) or (params.failed + params.borderline > 0 and 1) or 0)
  elseif event == 'lost' then
    self:write('the server has ended\n')
    self:finish(2)
  end
  self:wake()
end

function Run:write(text)
  self.file:write(text)
  table.insert(self.pieces, text)
end

function Run:finish(code)
  if not self.over then
    self.over, self.code = true, code
    waiting[self.id or ''] = nil
    self.file:close()
  end
end

--- Start; a run that is refused or not allowed by the user ends at once with the reason.
---@async
function Run:begin(path, request)
  require('nio').scheduler() -- neotest may come from a callback of libuv, in which most of Neovim is forbidden
  self.path = vim.fn.tempname()
  self.file = assert(io.open(self.path, 'w'))
  unanswered = unanswered + 1
  server.ask(path, 'rubric/runTests', request, function(error, begun, client_id)
    unanswered = unanswered - 1
    if error or begun.runId == '' then
      -- Without an id, the server asks the user first: if they allow the run, it is no longer neotest's.
      self:refuse(error or 'not run: the folder is not trusted yet (:RubricTrust allows it)')
    else
      self.id, self.client = begun.runId, client_id
      waiting[self.id] = self
      if self.unwanted then
        self:stop(path)
      end
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
  self:write(why .. '\n')
  self:finish(2)
  self:wake()
end

--- Cancel it in the server; a run without an id is cancelled when it gets one.
function Run:stop(path)
  self.unwanted = true
  if self.id then
    server.ask(path, 'rubric/cancelTests', { runId = self.id }, function() end)
  end
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
      self:stop(path)
    end,
    attach = function()
      vim.schedule(function()
        require('rubric.client').notify('a run in the server has no terminal: :RubricOutput shows what it writes')
      end)
    end,
    output_stream = function()
      local told = 0
      return function()
        self:await(function()
          return #self.pieces > told or self.over
        end)
        told = told + 1
        return self.pieces[told]
      end
    end,
  }
end

--- Stream the results as they arrive.
function Run:stream()
  return function()
    self:await(function()
      return #self.news > 0 or self.over
    end)
    local id = table.remove(self.news, 1)
    return id and { [id] = self.results[id] } or nil
  end
end

require('rubric.tests').listen(function(event, params)
  if event == 'lost' then
    for _, run in pairs(waiting) do
      if require('rubric.client').is_gone(run.client) then
        run:hear(event, params)
      end
    end
  elseif waiting[params.runId] then
    waiting[params.runId]:hear(event, params)
  elseif unanswered > 0 then
    early[params.runId] = early[params.runId] or {}
    table.insert(early[params.runId], { event, params })
  end
end)

return M
