--- A complete configuration in one file. Try it without touching your own:
---
---     nvim --clean -u editors/neovim/init-example.lua FILE.eval.yaml
---
--- With a plugin manager, add this folder as a plugin and keep the lines from "1." on.

-- 0. Find the files beside this one (a plugin manager does this for you).
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.runtimepath:prepend(vim.fn.fnamemodify(here, ':p'))

local programs = vim.fs.joinpath(here, '../../.venv/bin') -- the checkout's own server, where none is installed
if vim.fn.executable('rubric-lsp') == 0 and vim.fn.executable(programs .. '/rubric-lsp') == 1 then
  vim.env.PATH = vim.fs.normalize(programs) .. ':' .. vim.env.PATH
end

-- 1. The server. Settings of your own go into vim.lsp.config('rubric', { … }) before this line.
if vim.lsp.enable then
  vim.lsp.enable('rubric')
end

-- 2. Problems and results as text on their line (off by default since Neovim 0.11): what is wrong.
--    <C-w>d shows the rest: what comes of it, and what to do.
vim.diagnostic.config({
  severity_sort = true,
  virtual_text = {
    spacing = 2,
    prefix = '■',
    format = function(diagnostic)
      return diagnostic.message:match('^[^\n]*')
    end,
  },
})

vim.api.nvim_set_hl(0, 'LspInlayHint', { link = 'Comment' })
vim.api.nvim_set_hl(0, 'LspCodeLens', { link = 'Comment' })

-- 3. Keys. Neovim brings the others: K hover, gra code actions and fixes, grn rename, ]d [d problems.
vim.api.nvim_create_autocmd('LspAttach', {
  callback = function(event)
    local function map(keys, action, description)
      vim.keymap.set('n', keys, action, { buffer = event.buf, desc = description })
    end
    map('<leader>r', '<Cmd>RubricRun<CR>', 'Run the case under the cursor')
    map('<leader>R', '<Cmd>RubricRunFile<CR>', 'Run every case of this file')
    map('<leader>c', '<Cmd>RubricCancel<CR>', 'Stop the run')
    map('<leader>l', vim.lsp.codelens.run, 'Choose a code lens of this line')
    if vim.lsp.completion then
      vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true })
    end
  end,
})

-- 4. What is running, in the status line.
local running = ''
vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(event)
    local value = event.data.params.value
    running = value.kind == 'end' and '' or vim.trim((value.title or '') .. ' ' .. (value.message or ''))
    vim.cmd.redrawstatus()
  end,
})
function _G.rubric_status()
  return running
end
vim.o.statusline = ' %f %m%=%{v:lua.rubric_status()}  %l:%c '
vim.o.completeopt = 'menuone,noselect,popup'
vim.o.signcolumn = 'yes'
