--- Requests to the language server about files that need not be open.
local M = {}

local asked = {} ---@type table<fun(why: string), integer> who waits for an answer, with the client that is asked

--- Whether a server has ended.
require('rubric.tests').listen(function(event)
  if event == 'lost' then
    for refuse, client_id in pairs(asked) do
      if require('rubric.client').is_gone(client_id) then
        asked[refuse] = nil
        refuse('the server has ended')
      end
    end
  end
end)

--- Send a request to a ready client; `done` is also called when the client ends.
local function send(client, method, params, done)
  local function refuse(why)
    done(why)
  end
  asked[refuse] = client.id
  require('rubric.client').request(client, method, params, function(error, result)
    if asked[refuse] then
      asked[refuse] = nil
      done(error and error.message, result, client.id)
    end
  end)
end

--- The client for a file: one that runs, else one that is started for the file's folder.
local function client_for(path)
  local uri = vim.uri_from_fname(path)
  local folder = vim.fs.dirname(path)
  local root = vim.fs.root(folder, { '.agentv', '.git' }) or folder
  local running = vim.lsp.get_clients({ name = 'rubric' })
  for _, client in ipairs(running) do
    local open = client.config.root_dir
    if open and vim.startswith(uri, vim.uri_from_fname(open) .. '/') then
      return client
    end
  end
  local start = require('rubric.start')
  local config = start.configuration()
  local obstacle = start.obstacle(config)
  if obstacle then
    return nil, (obstacle:gsub('^rubric: ', ''))
  end
  local id = vim.lsp.start(vim.tbl_extend('force', config, { name = 'rubric', root_dir = root }), { attach = false })
  return id and vim.lsp.get_client_by_id(id), 'the server does not start'
end

--- Send a request once the server is ready; `done` gets the error or nil, the result, and the id of the client.
function M.ask(path, method, params, done)
  vim.schedule(function()
    local client, why = client_for(path)
    if not client then
      return done(why)
    end
    local timer = assert(vim.uv.new_timer())
    timer:start(
      0,
      20,
      vim.schedule_wrap(function()
        if timer:is_closing() or not (client.initialized or client:is_stopped()) then
          return
        end
        timer:close()
        if client:is_stopped() then
          return done('the server has ended')
        end
        send(client, method, params, done)
      end)
    )
  end)
end

return M
