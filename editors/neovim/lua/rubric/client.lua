--- The client of a buffer.
local M = {}

--- Show a message.
---@param message string
---@param level integer? of `vim.log.levels`; information when not given
function M.notify(message, level)
  vim.notify('rubric: ' .. message, level or vim.log.levels.INFO)
end

--- The client of `bufnr`, nil if there is none.
---@param bufnr integer
---@return vim.lsp.Client?
function M.of(bufnr)
  return vim.lsp.get_clients({ bufnr = bufnr, name = 'rubric' })[1]
end

--- Whether the server of a client has ended.
---@param client_id integer
---@return boolean
function M.is_gone(client_id)
  return vim.lsp.get_client_by_id(client_id) == nil
end

--- The same, with a message if there is none.
---@param bufnr integer
---@return vim.lsp.Client?
function M.wanted(bufnr)
  local client = M.of(bufnr)
  if not client then
    M.notify('not active in this buffer (see :checkhealth rubric)', vim.log.levels.WARN)
  end
  return client
end

--- The same call on 0.10 (a function) and on 0.11 and later (a method).
---@param client vim.lsp.Client
---@param handler fun(error: lsp.ResponseError?, result: any)
function M.request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

--- Tell servers of a file that was written and that they do not have open: suites may refer to it, and Neovim watches no files by
--- itself.
---@param bufnr integer
function M.file_written(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  for _, client in ipairs(vim.lsp.get_clients({ name = 'rubric' })) do
    local root = client.config.root_dir
    local is_inside = type(root) == 'string' and vim.startswith(name, root .. '/')
    if is_inside and not vim.lsp.buf_is_attached(bufnr, client.id) then
      local params = { changes = { { uri = vim.uri_from_bufnr(bufnr), type = 2 } } }
      if vim.fn.has('nvim-0.11') == 1 then
        client:notify('workspace/didChangeWatchedFiles', params)
      else
        client.notify('workspace/didChangeWatchedFiles', params)
      end
    end
  end
end

--- Send a request; `use` gets the result, and an error is shown.
---@param client vim.lsp.Client
---@param use fun(result: any)?
function M.ask(client, method, params, use, bufnr)
  M.request(client, method, params, function(error, result)
    if error then
      M.notify(error.message, vim.log.levels.ERROR)
    elseif use then
      use(result ~= vim.NIL and result or nil)
    end
  end, bufnr)
end

--- Let the server execute one of its commands.
---@param command string such as `rubric.runCase`
---@param arguments any[]
---@param bufnr integer
---@param use fun(result: any)?
function M.execute(command, arguments, bufnr, use)
  local client = M.wanted(bufnr)
  if client then
    M.ask(client, 'workspace/executeCommand', { command = command, arguments = arguments }, use, bufnr)
  end
end

--- The commands that the server offers at the cursor, as `{ command, arguments }`.
---@param bufnr integer
---@param use fun(commands: lsp.Command[])
function M.at_cursor(bufnr, use)
  local client = M.wanted(bufnr)
  if not client then
    return
  end
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {}, only = { 'rubric.run' }, triggerKind = 1 }
  M.ask(client, 'textDocument/codeAction', params, function(actions)
    local commands = {}
    for _, action in ipairs(actions or {}) do
      if type(action.command) == 'table' then
        table.insert(commands, action.command)
      end
    end
    use(commands)
  end, bufnr)
end

--- The loaded buffer of a file, nil if there is none.
---@param uri string
---@return integer?
function M.buffer(uri)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.uri_from_bufnr(bufnr) == uri then
      return bufnr
    end
  end
end

--- The byte column of a position from the server.
---@param bufnr integer
---@param position lsp.Position
---@param encoding string
---@return integer
function M.column(bufnr, position, encoding)
  local line = vim.api.nvim_buf_get_lines(bufnr, position.line, position.line + 1, false)[1] or ''
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, encoding, position.character, false)
  end
  if encoding == 'utf-8' then
    return math.min(position.character, #line)
  end
  local ok, column = pcall(vim.str_byteindex, line, position.character, encoding == 'utf-16')
  return ok and column or #line
end

return M
