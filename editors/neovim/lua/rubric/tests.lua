--- What the server has told of tests: which there are, how they stand, and what is running.
local client_of = require('rubric.client')
local marks = require('rubric.marks')

local M = {}

---@class rubric.Item a suite, a case or an evaluator, as the server describes it
---@field id string
---@field label string
---@field kind 'suite'|'case'|'evaluator'
---@field parent string?
---@field textDocument { uri: string }
---@field range lsp.Range?

---@class rubric.State how a test stands
---@field verdict 'passed'|'borderline'|'failed'|'unscored'|nil of the last run
---@field stale boolean? whether the text has changed since
---@field running boolean? whether it is in a run, waiting or at work
---@field score number? 0 to 1
---@field durationMs number?
---@field messages { message: string, severity: string?, location: lsp.Location? }[]?

local suites = {} ---@type table<string, rubric.Item[]> by the suite's URI
local states = {} ---@type table<string, rubric.State> by id
local runs = {} ---@type table<string, { tests: table<string, true>, total: integer, done: integer, text: string[] }>
local last_output = {} ---@type string[]
local due = {} ---@type table<string, true> suites that wait to be drawn

local listeners = {} ---@type (fun(event: 'began'|'state'|'output'|'ended'|'lost', params: table))[]

--- Hear of runs: what began, how tests stand, what was written, what ended, that the server was lost; each
--- with what the server said.
---@param listener fun(event: 'began'|'state'|'output'|'ended'|'lost', params: table)
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

--- How a test stands; empty for one that never ran.
---@return rubric.State
function M.state(id)
  return states[id] or {}
end

--- The URIs of all suites that are known.
---@return string[]
function M.suites()
  local uris = vim.tbl_keys(suites)
  table.sort(uris)
  return uris
end

--- One word for how a test stands, nil for one that never ran.
---@param state rubric.State
---@return string?
function M.word(state)
  if state.running then
    return 'running'
  end
  return state.verdict and state.stale and 'stale' or state.verdict
end

--- How many cases of a suite stand at each word.
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

--- How far the runs are: cases done and cases in all; nil when nothing runs.
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

--- What the programs and judges of the last run have written.
---@return string[]
function M.output()
  return last_output
end

--- Draw the signs of a buffer.
---@param bufnr integer
function M.draw(bufnr)
  local signs = {}
  for _, item in ipairs(M.items(vim.uri_from_bufnr(bufnr), 'case')) do
    local word = M.word(M.state(item.id))
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

local function suite_of(id)
  return (id:gsub('::.*$', ''))
end

--- Tests were found, or found anew.
function M.discovered(params)
  for _, uri in ipairs(params.scope or {}) do
    suites[uri] = nil
    draw_soon(uri)
  end
  for _, item in ipairs(params.tests or {}) do
    local uri = item.textDocument.uri
    suites[uri] = suites[uri] or {}
    table.insert(suites[uri], item)
    draw_soon(uri)
  end
end

function M.run_began(params)
  runs[params.runId] = { tests = {}, total = 0, done = 0, text = {} }
  last_output = {}
  tell('began', params)
end

local function count(run, params, case)
  if not case then
    return
  elseif params.state == 'enqueued' or params.state == 'started' then
    if not run.tests[params.testId] then
      run.tests[params.testId] = true
      run.total = run.total + 1
    end
  elseif params.state ~= 'outdated' and params.state ~= 'fresh' then
    run.done = math.min(run.done + 1, run.total)
  end
end

local function is_case(id)
  for _, item in ipairs(suites[suite_of(id)] or {}) do
    if item.id == id then
      return item.kind == 'case'
    end
  end
  return false
end

--- A test stands differently now.
function M.test_state(params)
  local id, word = params.testId, params.state
  local state = states[id] or {}
  if word == 'enqueued' or word == 'started' then
    state.running = true
  elseif word == 'outdated' or word == 'fresh' then
    state.stale = word == 'outdated'
  elseif word == 'skipped' then
    state.running = nil
  else
    state = {
      verdict = word,
      score = params.score,
      durationMs = params.durationMs,
      messages = params.messages,
    }
  end
  states[id] = state
  if runs[params.runId] then
    count(runs[params.runId], params, is_case(id))
  end
  draw_soon(suite_of(id))
  tell('state', params)
end

function M.test_output(params)
  vim.list_extend(last_output, vim.split(params.text:gsub('\n$', ''), '\n'))
  tell('output', params)
end

function M.run_ended(params)
  runs[params.runId] = nil
  tell('ended', params)
  vim.cmd.redrawstatus({ bang = true })
  vim.api.nvim_exec_autocmds('User', { pattern = 'RubricRunEnded', data = params, modeline = false })
end

--- Results of a suite are not shown any more.
function M.forget(uri)
  for id in pairs(states) do
    if suite_of(id) == uri then
      states[id] = nil
    end
  end
  draw_soon(uri)
end

--- The server has gone: nothing runs any more. What had finished stays.
function M.server_ended()
  runs = {}
  tell('lost', {})
  for id, state in pairs(states) do
    if state.running then
      state.running = nil
      draw_soon(suite_of(id))
    end
  end
  for uri in pairs(suites) do
    local bufnr = client_of.buffer(uri)
    if bufnr then
      marks.stopped(bufnr)
    end
  end
end

return M
