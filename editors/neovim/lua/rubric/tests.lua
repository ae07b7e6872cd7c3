--- The tests that the server has reported: their items, their states, and running ones.
local client_of = require('rubric.client')
local marks = require('rubric.marks')

local M = {}

---@class rubric.Item a suite, a case or an evaluator, as the server describes it
---@field id string
---@field label string
---@field kind 'suite'|'case'|'evaluator'
---@field parent string?
---@field textDocument { uri: string } the file that has its text, which need not be the suite's
---@field range lsp.Range?

---@class rubric.State how a test stands
---@field verdict 'passed'|'borderline'|'failed'|'unscored'|nil of the last run
---@field stale boolean? whether the text has changed since
---@field running boolean? whether it is in a run, waiting or at work
---@field client integer? the client whose server said so
---@field score number? 0 to 1
---@field durationMs number?
---@field messages { message: string, severity: string?, location: lsp.Location? }[]?

---@class rubric.Run
---@field cases table<string, true> those that were begun
---@field total integer
---@field done integer
---@field client integer the client whose server runs it

local suites = {} ---@type table<string, rubric.Item[]> by the suite's URI
local known = {} ---@type table<string, rubric.Item> by id
local states = {} ---@type table<string, rubric.State> by id
local runs = {} ---@type table<string, rubric.Run> by id
local last_output = {} ---@type string[]
local due = {} ---@type table<string, true> files that wait to be drawn
local listeners = {} ---@type fun(event: rubric.Event, params: table)[]

---@alias rubric.Event 'began'|'state'|'output'|'ended'|'lost'

--- Listen to runs: a run began, a test changed its state, output, a run ended, the server was lost; each with
--- the server's message.
---@param listener fun(event: rubric.Event, params: table)
function M.listen(listener)
  table.insert(listeners, listener)
end

local function tell(event, params)
  for _, listener in ipairs(listeners) do
    listener(event, params)
  end
end

--- The tests of a suite, in the order of the text.
---@param uri string
---@param kind 'suite'|'case'|'evaluator'|nil
---@return rubric.Item[]
function M.items(uri, kind)
  return vim.tbl_filter(function(item)
    return not kind or item.kind == kind
  end, suites[uri] or {})
end

--- The id of a case of a suite, nil if there is none with that name.
---@return string?
function M.case_id(uri, name)
  for _, item in ipairs(M.items(uri, 'case')) do
    if item.label == name then
      return item.id
    end
  end
end

--- The state of a test; empty if it never ran.
---@return rubric.State
function M.state(id)
  return states[id] or {}
end

--- The URIs of all known suites.
---@return string[]
function M.suites()
  local uris = vim.tbl_keys(suites)
  table.sort(uris)
  return uris
end

--- The state of a test in one word, nil if it never ran.
---@param state rubric.State
---@return string?
function M.word(state)
  if state.running then
    return 'running'
  end
  return state.verdict and state.stale and 'stale' or state.verdict
end

--- The number of a suite's cases by state.
---@return table<string, integer>
function M.tally(uri)
  local counts = {}
  for _, item in ipairs(M.items(uri, 'case')) do
    local word = M.word(M.state(item.id))
    if word then
      counts[word] = (counts[word] or 0) + 1
    end
  end
  return counts
end

--- The progress of the runs: finished cases and all cases; nil if nothing runs.
---@return integer? done
---@return integer? total
function M.progress()
  local done, total = 0, 0
  for _, run in pairs(runs) do
    done, total = done + run.done, total + run.total
  end
  if total > 0 then
    return done, total
  end
end

--- The output of programs and judges of the last run.
---@return string[]
function M.output()
  return last_output
end

--- Draw the signs of a buffer.
---@param bufnr integer
function M.draw(bufnr)
  local uri, signs = vim.uri_from_bufnr(bufnr), {}
  for _, item in pairs(known) do
    local word = item.kind == 'case' and item.textDocument.uri == uri and M.word(M.state(item.id))
    if word and item.range then
      table.insert(signs, { line = item.range.start.line, verdict = word })
    end
  end
  marks.draw_signs(bufnr, signs)
end

local function draw_soon(uri)
  if next(due) == nil then
    vim.schedule(function()
      local uris = due
      due = {}
      for each in pairs(uris) do
        local bufnr = client_of.buffer(each)
        if bufnr then
          M.draw(bufnr)
        end
      end
      vim.cmd.redrawstatus({ bang = true })
    end)
  end
  due[uri] = true
end

--- The suite that an item is in: the item itself, or that of its parent.
local function suite_of(item, among)
  while item.parent and among[item.parent] do
    item = among[item.parent]
  end
  return item.parent or item.id
end

--- Tests were discovered; the states of removed tests are dropped.
function M.discovered(params)
  local before = {}
  for _, uri in ipairs(params.scope or {}) do
    for _, item in ipairs(suites[uri] or {}) do
      before[item.id], known[item.id] = true, nil
      draw_soon(item.textDocument.uri)
    end
    suites[uri] = nil
  end
  for _, item in ipairs(params.tests or {}) do
    known[item.id] = item
  end
  for _, item in ipairs(params.tests or {}) do
    local uri = suite_of(item, known)
    suites[uri] = suites[uri] or {}
    table.insert(suites[uri], item)
    before[item.id] = nil
    draw_soon(item.textDocument.uri)
  end
  for id in pairs(before) do
    states[id] = nil
  end
end

---@param client integer
function M.run_began(params, client)
  runs[params.runId] = { cases = {}, total = 0, done = 0, client = client }
  last_output = {}
  tell('began', params)
end

local function count(run, id, word)
  if word == 'enqueued' or word == 'started' then
    run.total = run.total + (run.cases[id] and 0 or 1)
    run.cases[id] = true
  elseif run.cases[id] and word ~= 'outdated' and word ~= 'fresh' then
    run.done = math.min(run.done + 1, run.total)
  end
end

--- The state of a test in `state` after `params`.
---@return rubric.State
local function after(state, params)
  local word = params.state
  if word == 'enqueued' or word == 'started' then
    return vim.tbl_extend('force', state, { running = true })
  elseif word == 'outdated' or word == 'fresh' then
    return vim.tbl_extend('force', state, { stale = word == 'outdated' })
  elseif word == 'skipped' or word == 'cancelled' then
    return vim.tbl_extend('force', state, { running = false })
  end
  return { verdict = word, score = params.score, durationMs = params.durationMs, messages = params.messages }
end

--- A test has changed its state.
---@param client integer
function M.test_state(params, client)
  local id = params.testId
  states[id] = vim.tbl_extend('force', after(M.state(id), params), { client = client })
  local item = known[id]
  if item and item.kind == 'case' then
    if runs[params.runId] then
      count(runs[params.runId], id, params.state)
    end
    draw_soon(item.textDocument.uri)
  end
  tell('state', params)
end

function M.test_output(params)
  vim.list_extend(last_output, vim.split(params.text:gsub('\r\n', '\n'):gsub('\n$', ''), '\n'))
  tell('output', params)
end

function M.run_ended(params)
  runs[params.runId] = nil
  tell('ended', params)
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds('User', { pattern = 'RubricRunEnded', data = params, modeline = false })
end

--- A server has gone: of what it had begun nothing runs any more. What had finished stays. A buffer may show that something
--- runs before its tests were discovered.
function M.server_ended()
  for id, run in pairs(runs) do
    runs[id] = not client_of.is_gone(run.client) and run or nil
  end
  tell('lost', {})
  for id, state in pairs(states) do
    if state.running and client_of.is_gone(state.client) then
      state.running = nil
      if known[id] then
        draw_soon(known[id].textDocument.uri)
      end
    end
  end
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and not client_of.of(bufnr) then
      marks.stopped(bufnr)
    end
  end
  vim.cmd.redrawstatus({ bang = true })
end

return M
