--- Commands, and the server started for suites. Everything else is loaded when the first suite is opened.

if vim.g.loaded_rubric or vim.fn.has('nvim-0.10') == 0 then
  return
end
vim.g.loaded_rubric = true

-- Additions to the server's configuration are in `after`, which only plugin managers put on the runtime path.
local after = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h:h') .. '/after'
if not vim.tbl_contains(vim.opt.runtimepath:get(), after) then
  vim.opt.runtimepath:append(after)
end

require('rubric.commands').define()

local group = vim.api.nvim_create_augroup('rubric', {})

local FILETYPES = { 'yaml', 'yaml.eval', 'eval-yaml', 'json', 'jsonl', 'csv' }

--- Suites that were open before this plugin was loaded, as by `:packadd` or by a plugin manager for a filetype.
local function serve_open_buffers()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local loaded = vim.api.nvim_buf_is_loaded(bufnr) and vim.tbl_contains(FILETYPES, vim.bo[bufnr].filetype)
    if loaded and vim.bo[bufnr].filetype == 'yaml' and vim.filetype.match({ buf = bufnr }) == 'yaml.eval' then
      vim.bo[bufnr].filetype = 'yaml.eval'
    elseif loaded then
      require('rubric.start').buffer(bufnr)
    end
  end
end

if vim.v.vim_did_enter == 1 then
  vim.schedule(serve_open_buffers)
end

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = FILETYPES,
  desc = 'Start rubric-lsp for suites',
  callback = function(event)
    if vim.v.vim_did_enter == 1 then
      return require('rubric.start').buffer(event.buf)
    end
    vim.api.nvim_create_autocmd('VimEnter', {
      group = group,
      once = true,
      callback = function()
        require('rubric.start').buffer(event.buf)
      end,
    })
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = group,
  desc = 'Show code lenses and results in a suite',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and client.name == 'rubric' then
      require('rubric.start').attached(event.buf, group, client.id)
    end
  end,
})

vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  desc = 'Tell the server of prompts, programs and data that suites refer to',
  callback = function(event)
    if package.loaded['rubric.start'] and vim.bo[event.buf].buftype == '' then
      require('rubric.client').file_written(event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('BufReadPost', {
  group = group,
  pattern = '*/rubric/texts/*/*',
  desc = 'Answers, prompts and replies are there to be read',
  callback = function(event)
    vim.bo[event.buf].readonly = true
    vim.bo[event.buf].modifiable = false
  end,
})
