--- The report of a case in a floating window, and its answer beside the expected output.
local text = require('rubric.text')

local M = {}

local BORDER = 'rounded'
local HIGHLIGHTS = vim.api.nvim_create_namespace('rubric.report')

--- A buffer that is wiped with its window.
local function buffer(name, lines, filetype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = 'wipe'
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].filetype = filetype
  pcall(vim.api.nvim_buf_set_name, bufnr, name)
  return bufnr
end

local function key(bufnr, keys, action, description)
  for _, each in ipairs(type(keys) == 'table' and keys or { keys }) do
    vim.keymap.set('n', each, action, { buffer = bufnr, nowait = true, desc = description })
  end
end

local function size(lines)
  local columns, rows = vim.o.columns, vim.o.lines - vim.o.cmdheight - 2
  local width = math.min(text.width(lines) + 1, 96, columns - 6)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  height = math.max(1, math.min(height, rows - 2))
  return {
    width = width,
    height = height,
    row = math.max(0, math.floor((rows - height) / 2) - 1),
    col = math.floor((columns - width) / 2),
  }
end

local function float(bufnr, lines, title)
  local window = vim.api.nvim_open_win(
    bufnr,
    true,
    vim.tbl_extend('error', size(lines), {
      relative = 'editor',
      style = 'minimal',
      border = BORDER,
      title = (' %s '):format(title),
      title_pos = 'left',
      footer = { { ' q close  r run again  a answer  d diff  y copy command ', 'RubricDetail' } },
      footer_pos = 'right',
    })
  )
  vim.wo[window].wrap = true
  vim.wo[window].linebreak = true
  vim.wo[window].breakindent = true
  vim.wo[window].scrolloff = 0
  return window
end

local function keys(bufnr, window, report, from)
  local function close()
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
  end
  local function closing(action)
    return function()
      close()
      require('rubric.actions')[action](from, report.suite.uri, report.caseId)
    end
  end
  key(bufnr, { 'q', '<Esc>' }, close, 'Close the report')
  key(bufnr, 'r', closing('run_case'), 'Run the case again')
  key(bufnr, 'a', closing('answer'), 'Open the answer')
  key(bufnr, 'p', closing('prompt'), 'Open the prompt')
  key(bufnr, 'd', closing('diff'), 'Compare the answer with the expected output')
  key(bufnr, 'y', function()
    require('rubric.actions').copy(from, report.suite.uri, report.caseId)
  end, 'Copy the command line')
end

--- Show a report; `from` is the buffer in which it was requested.
---@param report table as `rubric/report` gives it
---@param from integer
function M.open(report, from)
  require('rubric.verdict').define()
  local page = require('rubric.page').of(report)
  local lines = text.lines(page)
  local bufnr = buffer('rubric://report/' .. report.caseId, lines, 'rubric-report')
  text.paint(bufnr, HIGHLIGHTS, page)
  local window = float(bufnr, lines, report.caseId)
  keys(bufnr, window, report, from)
end

--- Show lines in a window of their own, closed by `q`.
---@param filetype string
function M.scratch(name, lines, filetype)
  vim.cmd('botright split')
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer(name, lines, filetype))
  key(vim.api.nvim_win_get_buf(window), 'q', '<Cmd>close<CR>', 'Close')
end

--- The answer on the left, the expected output on the right, in a tab of their own.
function M.diff(report)
  vim.cmd.tabnew()
  local sides = { { 'answer', report.answer or '' }, { 'expected', report.expectedOutput } }
  for number, side in ipairs(sides) do
    if number == 2 then
      vim.cmd('rightbelow vsplit')
    end
    local name = ('rubric://%s/%s'):format(side[1], report.caseId)
    vim.api.nvim_win_set_buf(0, buffer(name, vim.split(side[2], '\n'), ''))
    vim.wo.wrap = true
    vim.wo.winbar = ' ' .. side[1] .. ' of ' .. report.caseId:gsub('%%', '%%%%')
    key(0, 'q', '<Cmd>tabclose<CR>', 'Close the comparison')
    vim.cmd.diffthis()
  end
  vim.cmd.wincmd('h')
end

return M
