--- A complete configuration in one file. Try it without touching your own:
---
---     nvim --clean -u editors/neovim/init-example.lua FILE.eval.yaml
---
--- With a plugin manager, add this folder as a plugin and keep the lines from "1." on.

-- 0. Find the files beside this one (a plugin manager does this for you).
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p')))
vim.opt.runtimepath:prepend(here)

local programs = vim.fs.normalize(here .. '/../../.venv/bin') -- the checkout's own server, where none is installed
if vim.fn.executable('rubric-lsp') == 0 and vim.fn.executable(programs .. '/rubric-lsp') == 1 then
  vim.env.PATH = programs .. ':' .. vim.env.PATH
end

-- 1. The plugin needs no setup. Settings of the server go here, such as:
-- vim.lsp.config('rubric', { settings = { rubric = { showPassed = true } } })

-- 2. Problems as text on their line (off by default since Neovim 0.11). <C-w>d shows what the window cuts.
vim.diagnostic.config({ severity_sort = true, virtual_text = { spacing = 2, prefix = '■' } })

vim.api.nvim_set_hl(0, 'LspInlayHint', { link = 'Comment' })
vim.api.nvim_set_hl(0, 'LspCodeLens', { link = 'Comment' })

-- 3. Keys. Neovim brings the others: K hover, gra code actions and fixes, grn rename, ]d [d problems.
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    local function map(keys, action, description)
      vim.keymap.set('n', keys, action, { buffer = event.buf, desc = description })
    end
    map('<leader>r', '<Plug>(RubricRun)', 'Run the case under the cursor')
    map('<leader>R', '<Plug>(RubricRunFile)', 'Run every case of this file')
    map('<leader>f', '<Plug>(RubricRunFailed)', 'Run the cases that failed')
    map('<leader>c', '<Plug>(RubricCancel)', 'Stop the run')
    map('<leader>p', '<Plug>(RubricReport)', 'Show the report of the case')
    map('<leader>q', '<Plug>(RubricFailures)', 'List the cases that did not pass')
    map('<leader>l', vim.lsp.codelens.run, 'Choose a code lens of this line')
    if vim.lsp.completion then
      vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true })
    end
  end,
})

-- 4. How the suite stands, in the status line.
vim.o.statusline = " %f %m%=%{v:lua.require'rubric'.statusline()}  %l:%c "
vim.o.completeopt = 'menuone,noselect,popup'
vim.o.signcolumn = 'yes'
