--- Does with an adapter what neotest's client and runner do, as its documentation and types say: everything but `build_spec` in a
--- task; the functions begin where file operations have ended, which is no place for most of Neovim's functions.
local nio = require('nio')
local M = { log = {} }

local STATUSES = require('neotest.types').ResultStatus

local function after_a_file_operation()
  nio.sleep(0)
  assert(vim.in_fast_event())
end

local function check_position(position)
  local types = require('neotest.types').PositionType
  assert(types[position.type] and type(position.id) == 'string' and type(position.name) == 'string')
  assert(vim.startswith(position.path, '/'), 'a path is absolute')
  if position.type ~= 'dir' then
    assert(#position.range == 4, 'a range has four numbers')
  end
end

local function check_result(id, result, tree)
  assert(tree:get_key(id), ('%s is not a position'):format(id))
  assert(STATUSES[result.status], ('%s is not a status'):format(result.status))
  assert(result.short == nil or type(result.short) == 'string')
  assert(result.output == nil or vim.uv.fs_stat(result.output), 'the output is the path of a file')
  for _, error in ipairs(result.errors or {}) do
    assert(type(error.message) == 'string' and (error.line == nil or error.line >= 0))
    assert(error.severity == nil or error.severity >= 1 and error.severity <= 4)
  end
end

--- Lines, where the output of a process comes in pieces.
local function lines_of(pieces)
  local queue = nio.control.queue()
  nio.run(function()
    local rest = ''
    for piece in pieces do
      local lines = vim.split(rest .. piece, '\r?\n')
      rest = table.remove(lines)
      queue.put(lines)
    end
  end, function(ok, problem)
    M.output_ended = ok and true or problem
  end)
  return queue.get
end

local function run_spec(adapter, spec, tree, streamed)
  assert(type(spec.command) == 'table' and type(spec.command[1]) == 'string')
  assert(type(spec.strategy) == 'function', 'this adapter starts its runs itself')
  after_a_file_operation()
  local process = spec.strategy(spec, { position = tree:data(), adapter = adapter })
  for _, name in ipairs({ 'is_complete', 'output', 'result', 'attach', 'stop', 'output_stream' }) do
    assert(type(process[name]) == 'function', name)
  end
  M.process = process
  local lines = lines_of(process.output_stream())
  nio.run(function()
    for results in spec.stream(lines) do
      for id, result in pairs(results) do
        check_result(id, result, tree)
        table.insert(streamed, id)
      end
    end
  end, function(ok, problem)
    M.stream_ended = ok and true or problem
  end)
  local code = process.result()
  assert(process.is_complete())
  after_a_file_operation()
  local output = process.output()
  local results = adapter.results(spec, { code = code, output = output }, tree)
  for id, result in pairs(results) do
    check_result(id, result, tree)
  end
  return results, code, output
end

local function run_tree(adapter, tree, streamed)
  local spec = adapter.build_spec({ tree = tree, strategy = 'integrated', extra_args = {} })
  assert(spec, 'only folders are taken apart')
  return spec, run_spec(adapter, spec[1] or spec, tree, streamed)
end

local function found(adapter, path)
  local root = assert(adapter.root(vim.fs.dirname(path)))
  after_a_file_operation()
  local folder = vim.fs.dirname(path)
  while folder ~= root and #folder > #root do
    assert(adapter.filter_dir(vim.fs.basename(folder), folder:sub(#root + 2), root), folder)
    folder = vim.fs.dirname(folder)
  end
  assert(adapter.is_test_file(path))
  after_a_file_operation()
  return assert(adapter.discover_positions(path), 'nothing was found')
end

--- Begin; `M.outcome` has what came of it, once there is something.
function M.start(path, name)
  M.outcome, M.stream_ended, M.output_ended = nil, nil, nil
  nio.run(function()
    local adapter = require('neotest-rubric')
    assert(type(adapter.name) == 'string')
    local tree = found(adapter, path)
    local positions, streamed = {}, {}
    for _, position in tree:iter() do
      check_position(position)
      table.insert(positions, position)
    end
    assert(tree:data().id == path and tree:data().type == 'file', 'the root of a file is the file')
    assert(adapter.build_spec({ tree = require('neotest.types').Tree.from_list({
      { id = '/x', type = 'dir', name = 'x', path = '/x' },
    }, function(each)
      return each.id
    end), strategy = 'integrated' }) == nil, 'a folder is taken apart by neotest')
    for _, child in ipairs(tree:children()) do
      if child:data().name == name then
        tree = child
      end
    end
    local spec, results, code, output = run_tree(adapter, tree, streamed)
    nio.scheduler()
    return {
      positions = positions,
      results = results,
      streamed = streamed,
      code = code,
      output = table.concat(vim.fn.readfile(output), '\n'),
      command = spec.command,
    }
  end, function(ok, result)
    M.outcome = ok and result or { error = result }
  end)
end

return M
