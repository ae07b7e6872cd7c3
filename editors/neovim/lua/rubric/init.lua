--- What the `:Rubric…` commands do. Each sends `workspace/executeCommand`; the server does the work.
local M = {}

local function notify(message, level)
  vim.notify('rubric: ' .. message, level or vim.log.levels.INFO)
end

local function client_of(bufnr)
  local client = vim.lsp.get_clients({ bufnr = bufnr, name = 'rubric' })[1]
  if not client then
    notify('not active in this buffer (see :checkhealth rubric)', vim.log.levels.WARN)
  end
  return client
end

--- The same call on 0.10 (a function) and on 0.11 and later (a method).
local function request(client, method, params, handler, bufnr)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, handler, bufnr)
  end
  return client.request(method, params, handler, bufnr)
end

local function execute(name, arguments, bufnr)
  local client = client_of(bufnr)
  if not client then
    return
  end
  local params = { command = name, arguments = arguments }
  request(client, 'workspace/executeCommand', params, function(error)
    if error then
      notify(error.message, vim.log.levels.ERROR)
    end
  end, bufnr)
end

local function uri_of(bufnr)
  return vim.uri_from_bufnr(bufnr)
end

--- Run the case under the cursor. The server knows where cases begin: it offers a code action for this one.
function M.run_case()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if not client then
    return
  end
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {}, only = { 'rubric.run' }, triggerKind = 1 }
  request(client, 'textDocument/codeAction', params, function(error, actions)
    for _, action in ipairs(actions or {}) do
      if action.command and action.command.command == 'rubric.runCase' then
        return execute('rubric.runCase', action.command.arguments, bufnr)
      end
    end
    notify(error and error.message or 'no case under the cursor', vim.log.levels.WARN)
  end, bufnr)
end

--- Run every case of the current file.
function M.run_file()
  execute('rubric.runFile', { uri_of(0) }, vim.api.nvim_get_current_buf())
end

--- Stop the runs of the current file.
function M.cancel()
  execute('rubric.cancel', { uri_of(0) }, vim.api.nvim_get_current_buf())
end

--- Remove the results shown in the current file.
function M.clear()
  execute('rubric.clearResults', { uri_of(0) }, vim.api.nvim_get_current_buf())
end

--- Trust the workspace folder of the current file.
function M.trust()
  local bufnr = vim.api.nvim_get_current_buf()
  local client = client_of(bufnr)
  if client then
    execute('rubric.trust', { vim.uri_from_fname(client.config.root_dir) }, bufnr)
  end
end

--- Turn on inlay hints and keep code lenses current in `bufnr`.
function M.show_results(bufnr, group)
  vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  if vim.lsp.codelens.enable then -- Neovim 0.12 refreshes by itself
    return vim.lsp.codelens.enable(true, { bufnr = bufnr })
  end
  vim.lsp.codelens.refresh({ bufnr = bufnr })
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = group,
    buffer = bufnr,
    desc = 'Refresh the code lenses of a suite',
    callback = function()
      vim.lsp.codelens.refresh({ bufnr = bufnr })
    end,
  })
end

return M
