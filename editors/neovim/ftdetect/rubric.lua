-- A compound filetype: YAML's syntax and settings, but not the servers that attach to every `yaml`.
vim.filetype.add({
  pattern = {
    ['.*%.eval%.ya?ml'] = 'yaml.eval',
    ['.*%.EVAL%.ya?ml'] = 'yaml.eval',
  },
})
