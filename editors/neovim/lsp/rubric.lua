---@brief
---
--- The language server for LLM evaluation suites in YAML: diagnostics, completion, fixes, and runs with their results.
---
--- Install it from a checkout of rubric: `pipx install /path/to/rubric` or `uv tool install /path/to/rubric`.
---
--- It attaches to files of the filetypes `yaml.eval` and `eval-yaml`, and to `yaml` files that are in a folder `evals` or
--- whose name or first line says that they hold a suite:
---
--- ```lua
--- vim.filetype.add({ pattern = { ['.*%.eval%.ya?ml'] = 'yaml.eval' } })
--- ```
---
--- Suites run only in folders that you have trusted, by `rubric trust FOLDER` or by
--- `vim.lsp.config('rubric', { init_options = { trusted = true } })`.

--- Names that hold a suite, or the targets and settings beside one. Other YAML files are left alone.
local suite_names = {
  '%.eval%.ya?ml$',
  '%-eval%.ya?ml$',
  '%.test%.ya?ml$',
  '/eval%.ya?ml$',
  '/suite%.ya?ml$',
  '/dataset[%w_-]*%.ya?ml$',
  'promptfoo[^/]*%.ya?ml$', -- a workflow may be called so, too
  '/%.agentv/[^/]+%.ya?ml$',
  '/evals/.*%.ya?ml$', -- of these the server says by their content what they are
}

local function is_suite(bufnr)
  if vim.bo[bufnr].filetype ~= 'yaml' then
    return true -- `yaml.eval` and `eval-yaml` are set for suites only
  end
  local path = '/' .. vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr)):lower()
  for _, pattern in ipairs(suite_names) do
    if path:match(pattern) then
      return true
    end
  end
  local first = vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] or ''
  return first:match('^#%s*rubric:') ~= nil
end

---@type vim.lsp.Config
return {
  cmd = { 'rubric-lsp', '--stdio' },
  filetypes = { 'yaml', 'yaml.eval', 'eval-yaml' },
  root_dir = function(bufnr, on_dir)
    if is_suite(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      on_dir(vim.fs.root(bufnr, { '.agentv', '.git' }) or (name ~= '' and vim.fs.dirname(name)) or vim.uv.cwd())
    end
  end,
  -- Other programs use these names, too: the server decides by its content whether a `yaml` file is a suite.
  get_language_id = function(_, filetype)
    return filetype == 'yaml' and 'yaml' or 'eval-yaml'
  end,
  -- Results of runs are inlay hints, which Neovim leaves out unless they are turned on.
  on_attach = function(_, bufnr)
    if vim.lsp.inlay_hint then
      vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    end
  end,
}
