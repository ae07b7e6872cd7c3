--- The actions of the commands. Each takes a buffer, and if it concerns one case, the suite's URI and the case's id: without
--- them, the case under the cursor. The server does the work.
local client_of = require('rubric.client')
local tests = require('rubric.tests')

local M = {}

local function uri_of(bufnr)
  return vim.uri_from_bufnr(bufnr)
end

--- Find the case: the named one, else the one under the cursor.
local function with_case(bufnr, uri, case, use)
  if case and case ~= '' then
    return use(uri or uri_of(bufnr), case)
  end
  client_of.at_cursor(bufnr, function(commands)
    for _, command in ipairs(commands) do
      if command.command == 'rubric.runCase' then
        return use(command.arguments[1], command.arguments[2])
      end
    end
    client_of.notify('no case under the cursor', vim.log.levels.WARN)
  end)
end

local function on_case(command, use)
  return function(bufnr, uri, case)
    with_case(bufnr, uri, case, function(suite, id)
      client_of.execute(command, { suite, id }, bufnr, use)
    end)
  end
end

local function on_file(command)
  return function(bufnr)
    client_of.execute(command, { uri_of(bufnr) }, bufnr)
  end
end

M.run_case = on_case('rubric.runCase')
M.record = on_case('rubric.record')
M.prompt = on_case('rubric.openPrompt')
M.answer = on_case('rubric.openAnswer')
M.reply = on_case('rubric.openReply')
M.trace = on_case('rubric.openTrace')
M.run_file = on_file('rubric.runFile')
M.run_failed = on_file('rubric.runFailed')
M.run_unscored = on_file('rubric.runUnscored')
M.again = on_file('rubric.runAgain')
M.cancel = on_file('rubric.cancel')
M.clear = on_file('rubric.clearResults')

--- Run one case several times.
---@param count integer
function M.run_repeatedly(bufnr, count, case)
  with_case(bufnr, nil, case, function(suite, id)
    client_of.execute('rubric.repeat', { suite, id, count }, bufnr)
  end)
end

--- Run one evaluator: the named one, else the one under the cursor.
function M.run_evaluator(bufnr, name)
  client_of.at_cursor(bufnr, function(commands)
    local case
    for _, command in ipairs(commands) do
      local arguments = command.arguments
      if command.command == 'rubric.runEvaluator' and (not name or name == '' or arguments[3] == name) then
        return client_of.execute('rubric.runEvaluator', arguments, bufnr)
      elseif command.command == 'rubric.runCase' then
        case = arguments
      end
    end
    if case and name and name ~= '' then
      return client_of.execute('rubric.runEvaluator', { case[1], case[2], name }, bufnr)
    end
    client_of.notify('no evaluator under the cursor', vim.log.levels.WARN)
  end)
end

--- Trust the workspace folder of a file. In other buffers, such as the description of a run, that of the only server.
function M.trust(bufnr)
  local running = vim.lsp.get_clients({ name = 'rubric' })
  local client = client_of.of(bufnr) or (#running == 1 and running[1]) or client_of.wanted(bufnr)
  if client then
    local command = { command = 'rubric.trust', arguments = { vim.uri_from_fname(client.config.root_dir) } }
    client_of.ask(client, 'workspace/executeCommand', command)
  end
end

--- Copy the command line that runs a case into the registers, including the system clipboard if there is one.
function M.copy(bufnr, uri, case)
  with_case(bufnr, uri, case, function(suite, id)
    client_of.execute('rubric.copyCommand', { suite, id }, bufnr, function(line)
      if type(line) ~= 'string' then
        return
      end
      vim.fn.setreg('"', line)
      if vim.fn.has('clipboard') == 1 then
        vim.fn.setreg('+', line)
      end
      client_of.notify('copied: ' .. line)
    end)
  end)
end

--- Request the report of a case; a message is shown if there is none.
---@param use fun(report: table)
function M.with_report(bufnr, uri, case, use)
  local client = client_of.wanted(bufnr)
  if not client then
    return
  end
  with_case(bufnr, uri, case, function(suite, id)
    local test = tests.case_id(suite, id)
    if not test then
      return client_of.notify(('there is no case %s'):format(id), vim.log.levels.WARN)
    end
    client_of.ask(client, 'rubric/report', { testId = test }, function(report)
      if report then
        use(report)
      else
        client_of.notify(('%s has not been run (:RubricRun)'):format(id), vim.log.levels.WARN)
      end
    end, bufnr)
  end)
end

--- Show the report of a case.
function M.report(bufnr, uri, case)
  M.with_report(bufnr, uri, case, function(report)
    require('rubric.report').open(report, bufnr)
  end)
end

--- Compare the answer of a case with its expected output, in a tab of its own.
function M.diff(bufnr, uri, case)
  M.with_report(bufnr, uri, case, function(report)
    if not report.expectedOutput then
      return client_of.notify(('%s has no expected_output'):format(report.caseId), vim.log.levels.WARN)
    end
    require('rubric.report').diff(report)
  end)
end

--- Show the comparison of a suite's last two runs, as text in a window. Nothing is run.
function M.compare(bufnr)
  local client = client_of.wanted(bufnr)
  if not client then
    return
  end
  client_of.ask(client, 'rubric/compareRuns', { textDocument = { uri = uri_of(bufnr) } }, function(found)
    if found.trouble then
      return client_of.notify(found.trouble, vim.log.levels.WARN)
    end
    require('rubric.report').scratch('rubric://comparison', vim.split(found.text, '\n'), '')
  end, bufnr)
end

--- List every case of all known suites that did not pass in the quickfix window.
---@param all boolean? whether their criteria are listed, too
function M.failures(all)
  if not require('rubric.quickfix').open(all) then
    client_of.notify('no case has failed')
  end
end

--- Show the output of programs and judges of the last run.
function M.output()
  local written = tests.output()
  if #written == 0 then
    return client_of.notify('the last run has written nothing')
  end
  require('rubric.report').scratch('rubric://output', written, '')
end

--- Open the log, which has the server's standard error.
function M.log()
  vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.get_log_path and vim.lsp.get_log_path() or vim.lsp.log.get_filename()))
  vim.cmd('normal! G')
end

--- Restart the server. If it does not end within a second, it is killed.
function M.restart()
  local start = require('rubric.start')
  local servers = start.alive()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'rubric' })) do
    vim.lsp.stop_client(client.id)
  end
  local function when_gone(patience)
    local stays = #vim.lsp.get_clients({ name = 'rubric' }) > 0
    for server in pairs(start.alive()) do
      stays = stays or servers[server]
    end
    if stays and patience > 0 then
      if patience == 80 then
        start.kill(servers)
      end
      return vim.defer_fn(function()
        when_gone(patience - 1)
      end, 50)
    end
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if vim.api.nvim_buf_is_loaded(bufnr) then
        start.buffer(bufnr)
      end
    end
  end
  when_gone(100)
end

return M
