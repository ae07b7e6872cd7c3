--- Signs and virtual text in a suite: a sign for each case, and results at the ends of their lines.
---
--- The texts are the server's inlay hints, as in every editor; here they get the colour of their verdict.
local options = require('rubric.options')
local verdict = require('rubric.verdict')

local M = {}

local SIGNS = vim.api.nvim_create_namespace('rubric.signs')
local TEXTS = vim.api.nvim_create_namespace('rubric.results')

local function words(hint)
  if type(hint.label) == 'string' then
    return vim.trim(hint.label)
  end
  local parts = {}
  for _, part in ipairs(hint.label) do
    table.insert(parts, part.value)
  end
  return vim.trim(table.concat(parts))
end

--- The full reason, which hints shorten: the tooltip continues where the text ends.
local function whole(text, tooltip)
  local cut = text:match('^(.*)…$')
  if not cut or type(tooltip) ~= 'string' then
    return text
  end
  for at in cut:gmatch('%s()%S') do
    if vim.startswith(tooltip, cut:sub(at)) then
      return cut:sub(1, at - 1) .. tooltip:match('^[^\n]*')
    end
  end
  return text
end

--- Mark and score in the colour of the verdict, the rest in the background.
local function chunks(text, name)
  local head, rest = text:match('^(.-)(%s%s.*)$')
  return { { ' ' }, { head or text, verdict.groups[name] }, { (rest or '') .. ' ', 'RubricDetail' } }
end

--- Separate the results among inlay hints, which are drawn here, from the others, which Neovim draws.
---@param hints lsp.InlayHint[]
---@return lsp.InlayHint[] others
---@return { line: integer, text: string, verdict: string }[] results
function M.divided(hints)
  local others, results = {}, {}
  for _, hint in ipairs(hints) do
    local text = whole(words(hint), hint.tooltip)
    local name = verdict.of_text(text)
    if name then
      table.insert(results, { line = hint.position.line, text = text, verdict = name })
    else
      table.insert(others, hint)
    end
  end
  return others, results
end

--- Redraw the results of a buffer.
function M.draw_texts(bufnr, results)
  vim.api.nvim_buf_clear_namespace(bufnr, TEXTS, 0, -1)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for _, result in ipairs(results) do
    if result.line <= last then
      vim.api.nvim_buf_set_extmark(bufnr, TEXTS, result.line, 0, {
        virt_text = chunks(result.text, result.verdict),
        virt_text_pos = 'eol',
        hl_mode = 'combine',
        priority = 50, -- before code lenses and diagnostics on the same line
      })
    end
  end
end

--- Redraw the signs of a buffer's cases.
---@param signs { line: integer, verdict: string }[]
function M.draw_signs(bufnr, signs)
  vim.api.nvim_buf_clear_namespace(bufnr, SIGNS, 0, -1)
  if not options.get('signs') then
    return
  end
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for _, sign in ipairs(signs) do
    if sign.line <= last then
      vim.api.nvim_buf_set_extmark(bufnr, SIGNS, sign.line, 0, {
        sign_text = verdict.marks[sign.verdict],
        sign_hl_group = verdict.groups[sign.verdict],
        priority = 20, -- over the signs of diagnostics
      })
    end
  end
end

--- No run is in progress: remove its marks, keep results. A mark of several cases may be a result that ends with the progress.
function M.stopped(bufnr)
  local results, running = {}, verdict.marks.running
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, TEXTS, 0, -1, { details = true })) do
    local text = ''
    for _, chunk in ipairs(mark[4].virt_text or {}) do
      text = text .. chunk[1]
    end
    text = vim.trim(text:gsub(running .. '.*$', ''))
    local name = verdict.of_text(text)
    if name then
      table.insert(results, { line = mark[2], text = text, verdict = name })
    end
  end
  M.draw_texts(bufnr, results)
end

return M
