-- nvim --headless --clean -c 'luafile plain_neovim.lua': a Neovim as old as 0.7 on BROKEN and SUITE, without the plugin.
-- SNIPPET is what editors/README.md says to put into init.lua. Prints one JSON object.
local out = {}
local patience = 120000 -- a loaded machine may need long

local function wait(what, look)
  if not vim.wait(patience, look, 10) then
    error('not seen: ' .. what)
  end
end

local function codes()
  local found = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    local code = each.code or (each.user_data and each.user_data.lsp and each.user_data.lsp.code)
    table.insert(found, code)
  end
  return found
end

local function shows(code)
  return vim.tbl_contains(codes(), code)
end

local function client()
  return vim.lsp.get_client_by_id(next(vim.lsp.buf_get_clients(0)) or -1)
end

local function put_cursor(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(text, 1, true)
    if column then
      return vim.api.nvim_win_set_cursor(0, { number, column - 1 })
    end
  end
  error('no ' .. text)
end

-- Choose in every menu the first entry that begins with one of these words.
local wanted = {}
vim.ui.select = function(items, options, done)
  local titles = {}
  for _, item in ipairs(items) do
    local title = options.format_item and options.format_item(item) or tostring(item)
    table.insert(titles, title)
    for _, words in ipairs(wanted) do
      if title:find(words, 1, true) then
        out.asked = words == 'Run once' and options.prompt or out.asked
        return done(item)
      end
    end
  end
  error('none of them: ' .. vim.inspect(titles))
end
vim.fn.inputlist = function(entries)
  for number, entry in ipairs(entries) do
    if entry:find('Run once', 1, true) then
      out.asked = entries[1]
      return number - 1
    end
  end
  return 0
end

local function has_line(line)
  return vim.tbl_contains(vim.api.nvim_buf_get_lines(0, 0, -1, false), line)
end

local ok, problem = xpcall(function()
  local version = vim.version()
  out.version = ('%d.%d'):format(version.major, version.minor)
  dofile(vim.env.SNIPPET)
  vim.cmd('edit ' .. vim.env.BROKEN)
  wait('the server', function()
    return client() ~= nil
  end)
  wait('the problem', function()
    return shows('overlapping-bands')
  end)
  out.problems = codes()

  put_cursor('expected_outcome')
  wanted = { 'criteria' }
  vim.lsp.buf.code_action()
  wait('the fix', function()
    return has_line('    criteria: Says hello')
  end)
  wait('one problem fewer', function()
    return not shows('renamed-key')
  end)

  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_buf_set_lines(0, last, last, false, { '  - id: third', '    exp' })
  vim.api.nvim_win_set_cursor(0, { last + 2, 7 })
  local params = vim.lsp.util.make_position_params()
  params.position.character = 7
  local answer = vim.lsp.buf_request_sync(0, 'textDocument/completion', params, patience)
  local result = answer[client().id].result
  out.completion = vim.tbl_map(function(item)
    return item.label
  end, result.items or result)

  vim.cmd('edit! ' .. vim.env.SUITE)
  wait('the server', function()
    return client() ~= nil
  end)
  put_cursor('late-order')
  wanted = { 'Run case', 'Run once' } -- later Neovims ask in a menu, too
  vim.lsp.buf.code_action()
  wait('the result', function()
    return shows('case-failed')
  end)
  out.results = codes()
end, debug.traceback)
out.error = not ok and problem or nil
io.stdout:write('\n' .. vim.json.encode(out) .. '\n')
vim.cmd('qall!')
