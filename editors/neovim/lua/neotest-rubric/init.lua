--- neotest adapter: `require('neotest').setup({ adapters = { require('neotest-rubric') } })`.
---
--- Cases are found and run by the language server, so that neotest, the signs and every other view show the same run:
--- trust is requested as usual, unsaved text is run, and stopping also stops the programs.
local runs = require('neotest-rubric.run')
local server = require('neotest-rubric.server')

local M = { name = 'neotest-rubric' }

local SUITES = { '%.eval%.ya?ml$', '%-eval%.ya?ml$', '/eval%.ya?ml$' }
local SKIPPED_FOLDERS = { node_modules = true, ['.venv'] = true, ['.git'] = true, ['.rubric'] = true, __pycache__ = true }

--- The folder that holds the suites' targets, else the repository.
---@param dir string
---@return string?
function M.root(dir)
  return vim.fs.root(dir, '.agentv') or vim.fs.root(dir, '.git')
end

---@param name string of a folder
---@return boolean
function M.filter_dir(name)
  return not SKIPPED_FOLDERS[name]
end

---@param path string
---@return boolean
function M.is_test_file(path)
  local lower = '/' .. path:lower()
  for _, pattern in ipairs(SUITES) do
    if lower:match(pattern) then
      return true
    end
  end
  return false
end

--- The server's response, for a coroutine of nio, which comes with neotest; nil after an error, which is shown to the user.
local function asked(path, method, params)
  local error, result = require('nio').wrap(server.ask, 4)(path, method, params)
  if error then
    require('rubric.client').notify(error, vim.log.levels.ERROR)
  end
  return result
end

local function position(item, path)
  local range = item.range
  return {
    id = item.id,
    type = 'test',
    name = item.label,
    path = path,
    range = { range.start.line, range.start.character, range['end'].line, range['end'].character },
  }
end

local function lines_of(path)
  local file = io.open(path, 'r')
  if not file then
    return 0
  end
  local count = select(2, file:read('*a'):gsub('\n', '\n'))
  file:close()
  return count
end

--- The file with its cases.
---@async
---@param path string
function M.discover_positions(path)
  local uri = vim.uri_from_fname(path)
  local found = asked(path, 'rubric/discoverTests', { textDocument = { uri = uri } })
  if not found then
    return nil
  end
  require('rubric.tests').discovered(found) -- the server tells a client nothing twice
  local name = vim.fs.basename(path)
  local list = { { id = path, type = 'file', name = name, path = path, range = { 0, 0, lines_of(path), 0 } } }
  for _, item in ipairs(found.tests) do
    if item.kind == 'case' and item.range and item.textDocument.uri == uri then
      table.insert(list, { position(item, path) })
    end
  end
  return require('neotest.types').Tree.from_list(list, function(each)
    return each.id
  end)
end

--- The run specification of a position: a file or a case. neotest splits folders into files.
---@param args { tree: neotest.Tree }
function M.build_spec(args)
  local chosen = args.tree:data()
  if chosen.type == 'dir' then
    return nil
  end
  local cases = {}
  for _, each in args.tree:iter() do
    if each.type == 'test' then
      cases[each.id] = true
    end
  end
  local run = runs.of(chosen.path, cases)
  return {
    command = { 'rubric', 'run', chosen.type == 'file' and chosen.path or ('%s::%s'):format(chosen.path, chosen.name) },
    context = { run = run },
    strategy = function()
      run:begin(chosen.path, { include = vim.tbl_keys(cases) })
      return run:process(chosen.path)
    end,
    stream = function()
      return run:stream()
    end,
  }
end

--- The results of a run; cases that it did not reach are skipped.
---@async
---@param spec neotest.RunSpec
function M.results(spec)
  local run, results = spec.context.run, {}
  for id in pairs(run.wanted) do
    results[id] = run.results[id] or { status = 'skipped', short = 'not run' }
  end
  return results
end

return M
