--- As much of nio as an adapter uses: a task is a coroutine that yields what it waits for.
local M = {}

function M.wrap(work, count)
  return function(...)
    local arguments = { ... }
    return coroutine.yield(function(resume)
      arguments[count] = resume
      work(unpack(arguments, 1, count))
    end)
  end
end

function M.run(work, done)
  local task = coroutine.create(work)
  local function step(...)
    local result = { coroutine.resume(task, ...) }
    if not result[1] then
      return done(false, debug.traceback(task, result[2]))
    elseif coroutine.status(task) == 'dead' then
      return done(unpack(result))
    end
    result[2](step)
  end
  step()
end

return M
