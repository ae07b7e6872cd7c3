--- A stand-in for nvim-nio: tasks as coroutines, as much of its documented interface as adapters meet. An error in what was
--- wrapped is raised where it is waited for, a wrapped function refuses to be called outside a task, and whoever calls back
--- decides in which context the task goes on: after libuv's own callbacks that is one in which most of Neovim is forbidden.
local M = { control = {} }

local tasks = setmetatable({}, { __mode = 'k' })

local function running()
  local task, main = coroutine.running()
  return not main and task or nil
end

--- Begin a task; `done` gets whether it went well, and its results or what went wrong.
function M.run(work, done)
  local task = coroutine.create(work)
  local handle = { parent = tasks[running() or 0] }
  local cancelled = false
  local over = M.control.future()
  tasks[task] = handle

  local function finish(well, ...)
    tasks[task] = nil
    if well then
      over.set(...)
    else
      over.set_error((...))
      assert(done or cancelled, ...)
    end
    if done then
      done(well, ...)
    end
  end

  local function step(...)
    if cancelled then
      return finish(false, 'the task was cancelled')
    end
    local result = { coroutine.resume(task, ...) }
    if not result[1] then
      return finish(false, debug.traceback(task, tostring(result[2])))
    elseif coroutine.status(task) == 'dead' then
      return finish(true, unpack(result, 2, table.maxn(result)))
    end
    local count, work_to_wait_for, arguments = result[2], result[3], { unpack(result, 4, table.maxn(result)) }
    arguments[count] = step
    work_to_wait_for(unpack(arguments, 1, count))
  end

  function handle.cancel()
    if not cancelled and coroutine.status(task) ~= 'dead' then
      cancelled = true
      step()
    end
  end
  function handle.trace()
    return debug.traceback(task)
  end
  handle.wait = over.wait
  step()
  return handle
end

--- What calls back through its last of `count` arguments, as a function that waits for it.
function M.wrap(work, count, options)
  local function guarded(...)
    local arguments = { ... }
    local done = arguments[count]
    arguments[count] = function(...)
      done(true, ...)
    end
    local well, problem = pcall(work, unpack(arguments, 1, count))
    if not well then
      done(false, problem)
    end
  end
  return function(...)
    if not running() then
      assert(options and options.strict == false, 'an async function was called outside of a task')
      return work(...)
    end
    local result = { coroutine.yield(count, guarded, ...) }
    assert(result[1], result[2])
    return unpack(result, 2, table.maxn(result))
  end
end

function M.create(work, count)
  return function(...)
    if running() then
      return work(...)
    end
    local arguments = { ... }
    local done = #arguments > (count or 0) and table.remove(arguments) or nil
    return M.run(function()
      return work(unpack(arguments))
    end, done)
  end
end

--- One result for many who wait.
function M.control.future()
  local waiting, result = {}, nil
  local future = {}
  local function settle(...)
    assert(not result, 'a future has one result')
    result = { ... }
    for _, resume in ipairs(waiting) do
      resume()
    end
  end
  function future.set(...)
    settle(true, ...)
  end
  function future.set_error(problem)
    settle(false, problem)
  end
  function future.is_set()
    return result ~= nil
  end
  function future.wait()
    if not result then
      M.wrap(function(resume)
        table.insert(waiting, resume)
      end, 1)()
    end
    assert(result[1], result[2])
    return unpack(result, 2, table.maxn(result))
  end
  return future
end

--- What is put in comes out in order; `get` waits while there is nothing.
function M.control.queue()
  local items, waiting = {}, {}
  local queue = {}
  function queue.put(item)
    table.insert(items, { item })
    local resume = table.remove(waiting, 1)
    if resume then
      resume()
    end
  end
  queue.put_nowait = queue.put
  function queue.size()
    return #items
  end
  function queue.get()
    while #items == 0 do
      M.wrap(function(resume)
        table.insert(waiting, resume)
      end, 1)()
    end
    return table.remove(items, 1)[1]
  end
  return queue
end

--- Wait for all; the results in order.
function M.gather(works)
  local all, left, results = M.control.future(), #works, {}
  for number, work in ipairs(works) do
    M.run(work, function(well, ...)
      if not well then
        return not all.is_set() and all.set_error((...))
      end
      results[number], left = (...), left - 1
      if left == 0 and not all.is_set() then
        all.set()
      end
    end)
  end
  if #works > 0 then
    all.wait()
  end
  return results
end

M.scheduler = M.wrap(vim.schedule, 1)

--- Go on in a callback of libuv, as after each of nio's own file operations.
M.sleep = function(milliseconds)
  M.wrap(function(done)
    local timer = assert(vim.uv.new_timer())
    timer:start(milliseconds, 0, function()
      timer:close()
      done()
    end)
  end, 1)()
end

return M
