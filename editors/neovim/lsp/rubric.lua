--- Neovim's description of the server, read by `vim.lsp.enable('rubric')`.
--- This file is complete in itself: it may also be copied to ~/.config/nvim/lsp/rubric.lua.

local ROOT_MARKERS = { '.agentv', '.git' }

--- Names that hold a suite, or the targets and settings beside one. Other YAML files are left alone.
local SUITE_NAMES = {
  '%.eval%.ya?ml$',
  '%-eval%.ya?ml$',
  '%.test%.ya?ml$',
  '/eval%.ya?ml$',
  '/suite%.ya?ml$',
  '/dataset[^/]*%.ya?ml$',
  '/%.agentv/[^/]+%.ya?ml$',
}

local function is_suite(bufnr)
  if vim.bo[bufnr].filetype ~= 'yaml' then
    return true -- `yaml.eval` and `eval-yaml` are set for suites only
  end
  local path = '/' .. vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr)):lower()
  for _, pattern in ipairs(SUITE_NAMES) do
    if path:match(pattern) then
      return true
    end
  end
  local first = vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] or ''
  return first:match('^#%s*rubric:') ~= nil
end

local config = {
  cmd = { 'rubric-lsp', '--stdio' },
  filetypes = { 'yaml', 'yaml.eval', 'eval-yaml' },
  root_dir = function(bufnr, on_dir)
    if is_suite(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      on_dir(vim.fs.root(bufnr, ROOT_MARKERS) or (name ~= '' and vim.fs.dirname(name)) or vim.uv.cwd())
    end
  end,
  get_language_id = function()
    return 'eval-yaml'
  end,
}

local function for_each_buffer(context, action)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    action(bufnr)
  end
  return vim.NIL
end

-- Results arrive while the text stays the same, which Neovim 0.11 does not quite expect. Later versions do.
if not vim.lsp.handlers['workspace/codeLens/refresh'] then
  config.capabilities = { workspace = { codeLens = { refreshSupport = true } } }
  config.handlers = {
    -- It shows code lenses, but does not let a server ask for new ones.
    ['workspace/codeLens/refresh'] = function(_, _, context)
      return for_each_buffer(context, function(bufnr)
        vim.lsp.codelens.refresh({ bufnr = bufnr })
      end)
    end,
    -- It asks for new hints, but keeps the old ones on lines that are drawn before the answer comes.
    ['workspace/inlayHint/refresh'] = function(_, _, context)
      return for_each_buffer(context, function(bufnr)
        if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
          vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
        end
      end)
    end,
  }
end

return config
