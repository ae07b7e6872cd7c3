--- Completion as nvim-cmp (with cmp-nvim-lsp) and blink.cmp do it, without 'omnifunc': what they say that they can do, how they
--- narrow down a list, ask for the documentation of what is selected, and put an item into the text.
local M = {}

local DEFAULTS = { 'commitCharacters', 'editRange', 'insertTextFormat', 'insertTextMode', 'data' }

local function capabilities(item)
  local common = {
    snippetSupport = true,
    deprecatedSupport = true,
    tagSupport = { valueSet = { 1 } },
    insertReplaceSupport = true,
    labelDetailsSupport = true,
  }
  return {
    textDocument = {
      completion = {
        dynamicRegistration = false,
        completionItem = vim.tbl_extend('error', common, item),
        completionList = { itemDefaults = DEFAULTS },
        contextSupport = true,
        insertTextMode = 1,
      },
    },
  }
end

local CAPABILITIES = {
  cmp = capabilities({
    commitCharactersSupport = true,
    preselectSupport = true,
    insertTextModeSupport = { valueSet = { 1, 2 } },
    resolveSupport = {
      properties = { 'documentation', 'additionalTextEdits', 'insertTextFormat', 'insertTextMode', 'command' },
    },
  }),
  blink = capabilities({
    commitCharactersSupport = false,
    preselectSupport = false,
    documentationFormat = { 'markdown', 'plaintext' },
    insertTextModeSupport = { valueSet = { 1 } },
    resolveSupport = { properties = { 'documentation', 'detail', 'additionalTextEdits', 'command', 'data' } },
  }),
}

--- What a configuration gives to `vim.lsp.config('*', …)`.
function M.capabilities(style)
  return vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), CAPABILITIES[style])
end

local function client()
  return vim.lsp.get_clients({ bufnr = 0, name = 'rubric' })[1]
end

local function ask(method, params)
  -- By its number: with 0 for this buffer, Neovim sends what was edited last only after the request.
  local answer = assert(client():request_sync(method, params, 60000, vim.api.nvim_get_current_buf()))
  assert(not answer.err, vim.inspect(answer.err))
  return answer.result
end

local function range_of(edit)
  return edit.range or edit.insert
end

--- The text that is typed already, from where the edit of an item begins: nvim-cmp holds `filterText` against that. blink.cmp
--- takes the keyword at the cursor alone.
local function typed(style, item)
  local column = vim.api.nvim_win_get_cursor(0)[2]
  local before = vim.api.nvim_get_current_line():sub(1, column)
  local keyword = before:match('[%w_%-]*$')
  if style == 'blink' or not item.textEdit then
    return keyword
  end
  local start = range_of(item.textEdit).start.character
  local from = vim.str_byteindex(vim.api.nvim_get_current_line(), client().offset_encoding, start, false)
  return before:sub(from + 1)
end

local function with_defaults(item, defaults)
  for name, value in pairs(defaults or {}) do
    if name == 'editRange' and not item.textEdit then
      local range = value.start and { range = value } or value
      item.textEdit = vim.tbl_extend('error', { newText = item.textEditText or item.label }, range)
    elseif name ~= 'editRange' and item[name] == nil then
      item[name] = value
    end
  end
  return item
end

--- The items that stay in the list.
function M.items(style)
  local params = vim.lsp.util.make_position_params(0, client().offset_encoding)
  params.context = { triggerKind = 1 }
  local result = ask('textDocument/completion', params)
  local items = vim.tbl_map(function(item)
    return with_defaults(item, result.itemDefaults)
  end, result.items or result)
  return vim.tbl_filter(function(item)
    local words, filter = typed(style, item):lower(), (item.filterText or item.label):lower()
    if style == 'cmp' then
      return vim.startswith(filter, words)
    end
    -- blink.cmp takes what has the letters in this order.
    return filter:find((words:gsub('%W', '%%%0'):gsub('[%w_]', '%0.-'))) ~= nil
  end, items)
end

--- What is shown beside a selected item.
function M.resolved(item)
  return ask('completionItem/resolve', item)
end

--- Put an item into the text, as far as it was typed on since.
function M.accept(style, item)
  item = M.resolved(item)
  local encoding = client().offset_encoding
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local range = vim.deepcopy(range_of(item.textEdit))
  assert(range.start.line == row - 1 and range['end'].line == row - 1, 'an edit is on the line of the cursor')
  range['end'].character = math.max(range['end'].character, vim.str_utfindex(line, encoding, column, false))
  if item.insertTextFormat == 2 then
    vim.lsp.util.apply_text_edits({ { range = range, newText = '' } }, vim.api.nvim_get_current_buf(), encoding)
    local at = vim.str_byteindex(line, encoding, range.start.character, false)
    vim.api.nvim_win_set_cursor(0, { row, at })
    vim.snippet.expand(item.textEdit.newText)
  else
    vim.lsp.util.apply_text_edits({ { range = range, newText = item.textEdit.newText } }, vim.api.nvim_get_current_buf(), encoding)
  end
  vim.lsp.util.apply_text_edits(item.additionalTextEdits or {}, vim.api.nvim_get_current_buf(), encoding)
  if item.command then
    client():exec_cmd(item.command)
  end
end

--- Everything at once: the labels in the list, and the item of that label before and after it was resolved.
function M.play(style, label)
  local items = M.items(style)
  local labels, chosen = {}, nil
  for _, item in ipairs(items) do
    table.insert(labels, item.label)
    chosen = item.label == label and item or chosen
  end
  assert(chosen, label .. ' is none of ' .. table.concat(labels, ', '))
  local resolved = M.resolved(chosen)
  M.accept(style, chosen)
  return { labels = labels, before = chosen, resolved = resolved }
end

return M
