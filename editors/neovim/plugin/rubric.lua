--- Commands for running cases, and results kept fresh on the lines they belong to.
--- Without this file everything still works through code actions (gra) and code lenses.

if vim.g.loaded_rubric then
  return
end
vim.g.loaded_rubric = true

local function command(name, action, description)
  vim.api.nvim_create_user_command(name, function()
    require('rubric')[action]()
  end, { desc = description })
end

command('RubricRun', 'run_case', 'Run the case under the cursor')
command('RubricRunFile', 'run_file', 'Run every case of this file')
command('RubricCancel', 'cancel', 'Stop what is running in this file')
command('RubricClear', 'clear', 'Remove the results shown in this file')
command('RubricTrust', 'trust', 'Allow suites of this folder to execute programs and call models')

local group = vim.api.nvim_create_augroup('rubric', {})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Show code lenses and results in a suite',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'rubric' then
      require('rubric').show_results(event.buf, group)
    end
  end,
})

-- Neovim 0.10 has no `vim.lsp.enable`: start the server for the same files.
if not vim.lsp.enable then
  local config_file = vim.api.nvim_get_runtime_file('lsp/rubric.lua', false)[1]
  local config = dofile(config_file)
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = config.filetypes,
    desc = 'Start rubric-lsp',
    callback = function(event)
      config.root_dir(event.buf, function(root)
        local resolved = vim.tbl_extend('force', config, { name = 'rubric', root_dir = root })
        vim.lsp.start(resolved, { bufnr = event.buf })
      end)
    end,
  })
end
