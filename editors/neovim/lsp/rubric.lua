---@brief
---
--- The language server for LLM evaluation suites in YAML: diagnostics, completion, fixes, and runs with their results.
---
--- Install it from a checkout of rubric: `pipx install /path/to/rubric` or `uv tool install /path/to/rubric`.
---
--- It attaches to files of the filetypes `yaml.eval` and `eval-yaml`, and to `yaml` files that are in a folder `evals` or
--- whose name or first line says that they hold a suite. It also attaches to `yaml`, `json`, `jsonl` and `csv` files below a
--- configuration of promptfoo, which may hold its cases:
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

--- Whether a configuration of promptfoo is in the folder of a file, or above it: the file may hold its cases.
local function is_below_promptfoo(path)
  local function is_configuration(name)
    return name:match('^promptfooconfig[^/]*%.ya?ml$') ~= nil
  end
  return #vim.fs.find(is_configuration, { upward = true, path = vim.fs.dirname(path), type = 'file', limit = 1 }) > 0
end

local function is_suite(bufnr)
  local filetype, path = vim.bo[bufnr].filetype, vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  if filetype:match('eval') then
    return true -- `yaml.eval` and `eval-yaml` are set for suites only
  end
  for _, pattern in ipairs(filetype == 'yaml' and suite_names or {}) do
    if ('/' .. path:lower()):match(pattern) then
      return true
    end
  end
  local first = vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] or ''
  return first:match('^#%s*rubric:') ~= nil or (path ~= '' and is_below_promptfoo(path))
end

---@type vim.lsp.Config
return {
  cmd = { 'rubric-lsp', '--stdio' },
  filetypes = { 'yaml', 'yaml.eval', 'eval-yaml', 'json', 'jsonl', 'csv' },
  root_dir = function(bufnr, on_dir)
    if is_suite(bufnr) then
      local name = vim.api.nvim_buf_get_name(bufnr)
      on_dir(vim.fs.root(bufnr, { '.agentv', '.git' }) or (name ~= '' and vim.fs.dirname(name)) or vim.uv.cwd())
    end
  end,
  -- Other programs use these names, too: the server decides by its content whether a `yaml` file is a suite.
  get_language_id = function(_, filetype)
    return filetype:match('eval') and 'eval-yaml' or filetype
  end,
  -- Results of runs are inlay hints, which Neovim leaves out unless they are turned on.
  on_attach = function(_, bufnr)
    if vim.lsp.inlay_hint then
      vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    end
  end,
}
