--- The commands, each declared once. One without an argument is a `<Plug>(Name)` mapping too.
local M = {}

local function cases()
  return vim.tbl_map(function(item)
    return item.label
  end, require('rubric.tests').items(vim.uri_from_bufnr(0), 'case'))
end

local function evaluators()
  return vim.tbl_map(function(item)
    return item.label
  end, require('rubric.tests').items(vim.uri_from_bufnr(0), 'evaluator'))
end

local function on_case(action)
  return function(given)
    require('rubric.actions')[action](vim.api.nvim_get_current_buf(), nil, given.args)
  end
end

local function plain(action)
  return function()
    require('rubric.actions')[action](vim.api.nvim_get_current_buf())
  end
end

---@class rubric.Command
---@field name string
---@field desc string
---@field run fun(given: { args: string, count: integer, bang: boolean })
---@field bang boolean? whether it takes a !
---@field count integer? the count when none is given; nil for a command without one
---@field words (fun(): string[])? what an argument is completed from; nil for a command without one

---@type rubric.Command[]
M.all = {
  {
    name = 'RubricRun',
    desc = 'Run the case under the cursor, or the one named',
    run = on_case('run_case'),
    words = cases,
  },
  { name = 'RubricRunFile', desc = 'Run every case of this file', run = plain('run_file') },
  { name = 'RubricRunFailed', desc = 'Run the cases of this file that failed', run = plain('run_failed') },
  { name = 'RubricRunUnscored', desc = 'Run the cases of this file without a verdict', run = plain('run_unscored') },
  { name = 'RubricAgain', desc = 'Run again what ran last', run = plain('again') },
  {
    name = 'RubricRunEvaluator',
    desc = 'Run one evaluator of the case under the cursor',
    run = function(given)
      require('rubric.actions').run_evaluator(vim.api.nvim_get_current_buf(), given.args)
    end,
    words = evaluators,
  },
  {
    name = 'RubricRepeat',
    desc = 'Run the case under the cursor several times (5, or the count)',
    run = function(given)
      local count = given.count > 0 and given.count or 5
      require('rubric.actions').run_repeatedly(vim.api.nvim_get_current_buf(), count, given.args)
    end,
    words = cases,
    count = 0,
  },
  { name = 'RubricRecord', desc = 'Run the case and keep what the judge says', run = on_case('record'), words = cases },
  { name = 'RubricCancel', desc = 'Stop what is running in this file', run = plain('cancel') },
  { name = 'RubricClear', desc = 'Remove the results shown in this file', run = plain('clear') },
  {
    name = 'RubricReport',
    desc = 'Show the report of the case under the cursor',
    run = on_case('report'),
    words = cases,
  },
  { name = 'RubricCompare', desc = 'Compare the last two runs of this file', run = plain('compare') },
  {
    name = 'RubricFailures',
    desc = 'List the cases that did not pass in the quickfix window; with ! their criteria, too',
    run = function(given)
      require('rubric.actions').failures(given.bang)
    end,
    bang = true,
  },
  { name = 'RubricCopy', desc = 'Copy the command line that runs the case', run = on_case('copy'), words = cases },
  { name = 'RubricAnswer', desc = 'Open the answer of the case', run = on_case('answer'), words = cases },
  { name = 'RubricPrompt', desc = 'Open the prompt of the case', run = on_case('prompt'), words = cases },
  { name = 'RubricReply', desc = "Open the judge's reply", run = on_case('reply'), words = cases },
  { name = 'RubricTrace', desc = 'Open the trace of the target for the case', run = on_case('trace'), words = cases },
  { name = 'RubricDiff', desc = 'Compare the answer with the expected output', run = on_case('diff'), words = cases },
  { name = 'RubricOutput', desc = 'Show what the last run has written', run = plain('output') },
  {
    name = 'RubricTrust',
    desc = 'Allow suites of this folder to execute programs and call models',
    run = plain('trust'),
  },
  { name = 'RubricRestart', desc = 'Start the server again', run = plain('restart') },
  { name = 'RubricLog', desc = 'Open the log', run = plain('log') },
}

local function completion(words)
  return function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words())
  end
end

--- Make the commands and the mappings.
function M.define()
  for _, command in ipairs(M.all) do
    vim.api.nvim_create_user_command(command.name, function(given)
      command.run(given)
    end, {
      desc = command.desc,
      nargs = command.words and '?' or 0,
      complete = command.words and completion(command.words) or nil,
      count = command.count,
      bang = command.bang,
    })
    local call = command.count and ('<Cmd>execute v:count .. "%s"<CR>') or '<Cmd>%s<CR>'
    vim.keymap.set('n', ('<Plug>(%s)'):format(command.name), call:format(command.name), { desc = command.desc })
  end
end

return M
