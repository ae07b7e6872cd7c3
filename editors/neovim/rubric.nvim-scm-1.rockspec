-- luarocks make, in this folder. Plugin managers that know rocks (rocks.nvim, lazy.nvim) install it with its runtime files.
rockspec_format = '3.0'
package = 'rubric.nvim'
version = 'scm-1'

source = { url = '.' }

description = {
  summary = 'LLM evaluation suites in YAML: checked, completed, run',
  labels = { 'neovim' },
  license = 'MIT',
}

dependencies = { 'lua >= 5.1' }

build = {
  type = 'builtin',
  copy_directories = { 'after', 'doc', 'ftdetect', 'lsp', 'plugin' },
}
