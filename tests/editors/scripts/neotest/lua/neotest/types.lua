--- As much of neotest's tree as an adapter uses.
local Tree = {}
Tree.__index = Tree

function Tree.from_list(list, key)
  local tree = setmetatable({ _data = list[1], _children = {}, _key = key }, Tree)
  for index = 2, #list do
    local child = Tree.from_list(vim.islist(list[index]) and list[index] or { list[index] }, key)
    child._parent = tree
    table.insert(tree._children, child)
  end
  return tree
end

function Tree:data()
  return self._data
end

function Tree:children()
  return self._children
end

function Tree:parent()
  return self._parent
end

function Tree:iter()
  local all = {}
  local function collect(tree)
    table.insert(all, tree:data())
    for _, child in ipairs(tree:children()) do
      collect(child)
    end
  end
  collect(self)
  local index = 0
  return function()
    index = index + 1
    if all[index] then
      return index, all[index]
    end
  end
end

return { Tree = Tree }
