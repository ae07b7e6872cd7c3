--- Does with an adapter what neotest's runner does; everything in a task of nio.
local nio = require('nio')
local M = { log = {} }

--- Begin; `M.outcome` has what came of it, once there is something.
function M.start(path, name)
  M.outcome, M.stream_ended = nil, nil
  nio.run(function()
    local adapter = require('neotest-rubric')
    local tree = adapter.discover_positions(path)
    local positions = {}
    for _, position in tree:iter() do
      table.insert(positions, position)
    end
    for _, child in ipairs(tree:children()) do
      if child:data().name == name then
        tree = child
      end
    end
    local spec = adapter.build_spec({ tree = tree, strategy = 'integrated' })
    local process = spec.strategy(spec, { position = tree:data(), adapter = adapter })
    M.process = process
    local streamed = {}
    nio.run(function()
      for results in spec.stream(process.output_stream()) do
        vim.list_extend(streamed, vim.tbl_keys(results))
      end
    end, function(ok, problem)
      M.stream_ended = ok and true or problem
    end)
    local code = process.result()
    local output = table.concat(vim.fn.readfile(process.output()), '\n')
    local results = adapter.results(spec, { code = code, output = process.output() }, tree)
    return { positions = positions, results = results, streamed = streamed, code = code, output = output, command = spec.command }
  end, function(ok, result)
    M.outcome = ok and result or { error = result }
  end)
end

return M
