--- Handlers for messages of the server, in addition to Neovim's own.
local M = {}

local function for_each_buffer(context, action)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    action(bufnr)
  end
  return vim.NIL
end

--- A question ends with its question mark: Neovim adds a colon.
local function show_message_request(error, params, context)
  if params then
    params = vim.tbl_extend('force', params, { message = (params.message:gsub('%.$', '')) })
  end
  return vim.lsp.handlers['window/showMessageRequest'](error, params, context)
end

--- Messages without the prefix that Neovim puts before them.
local function show_message(error, params, context)
  local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO }
  if error or not levels[params.type] then
    return vim.lsp.handlers['window/showMessage'](error, params, context)
  end
  vim.notify(params.message, levels[params.type])
  return vim.NIL
end

local function inlay_hints(error, hints, context, config)
  local bufnr = context.bufnr
  if hints and bufnr and require('rubric.options').get('texts') and vim.api.nvim_buf_is_loaded(bufnr) then
    local marks = require('rubric.marks')
    local others, results = marks.divided(hints)
    if not context.version or vim.lsp.util.buf_versions[bufnr] == context.version then
      marks.draw_texts(bufnr, results)
    end
    hints = others
  end
  return vim.lsp.handlers['textDocument/inlayHint'](error, hints, context, config)
end

local function published(error, params, context, config)
  if params then
    local others = require('rubric.problems').take(params.diagnostics, params.uri, context.client_id)
    params = vim.tbl_extend('force', params, { diagnostics = others })
  end
  return vim.lsp.handlers['textDocument/publishDiagnostics'](error, params, context, config)
end

local function pulled(error, report, context, config)
  if report and report.kind == 'full' then
    local uri = context.params.textDocument.uri
    local others = require('rubric.problems').take(report.items, uri, context.client_id)
    report = vim.tbl_extend('force', report, { items = others })
  end
  return vim.lsp.handlers['textDocument/diagnostic'](error, report, context, config)
end

local function heard(name)
  return function(_, params, context)
    require('rubric.tests')[name](params, context.client_id)
  end
end

local function run_ended(_, params)
  require('rubric.tests').run_ended(params)
  require('rubric.summary').show(params)
end

local function handlers()
  return {
    ['rubric/discoveredTests'] = heard('discovered'),
    ['rubric/runBegan'] = heard('run_began'),
    ['rubric/testState'] = heard('test_state'),
    ['rubric/testOutput'] = heard('test_output'),
    ['rubric/runEnded'] = run_ended,
    ['window/showMessage'] = show_message,
    ['window/showMessageRequest'] = show_message_request,
    ['textDocument/inlayHint'] = inlay_hints,
    ['textDocument/publishDiagnostics'] = published,
    ['textDocument/diagnostic'] = pulled,
    -- Neovim 0.11 requests new hints, but keeps the old ones on lines that are drawn before the response.
    ['workspace/inlayHint/refresh'] = function(_, _, context)
      return for_each_buffer(context, function(bufnr)
        if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
          vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
        end
      end)
    end,
  }
end

--- Commands of actions and lenses that the plugin executes itself.
local function commands()
  local own = { ['rubric.openReport'] = 'report', ['rubric.copyCommand'] = 'copy', ['rubric.diffAnswer'] = 'diff' }
  local table = {}
  for command, action in pairs(own) do
    table[command] = function(params, context)
      local uri, case = unpack(params.arguments)
      require('rubric.actions')[action](context.bufnr or vim.api.nvim_get_current_buf(), uri, case)
    end
  end
  table['rubric.showReferences'] = function(params, context)
    local client = assert(vim.lsp.get_client_by_id(context.client_id))
    local items = vim.lsp.util.locations_to_items(params.arguments[3], client.offset_encoding)
    vim.fn.setqflist({}, ' ', { title = params.title, items = items })
    vim.cmd('botright copen')
  end
  return table
end

--- The additions to the client's configuration.
function M.extension()
  local extension = {
    capabilities = { experimental = { rubricTests = true, rubricReferences = true } },
    handlers = handlers(),
    commands = commands(),
    cmd = require('rubric.start').launcher({ 'rubric-lsp', '--stdio' }), -- as in lsp/rubric.lua
  }
  -- Neovim 0.11 shows code lenses, but does not support their refresh. Later versions do.
  if not vim.lsp.handlers['workspace/codeLens/refresh'] then
    extension.capabilities.workspace = { codeLens = { refreshSupport = true } }
    extension.handlers['workspace/codeLens/refresh'] = function(_, _, context)
      return for_each_buffer(context, require('rubric.lenses').refresh)
    end
  end
  return extension
end

return M
