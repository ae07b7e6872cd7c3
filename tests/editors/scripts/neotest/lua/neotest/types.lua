--- A stand-in for neotest.types: the whole interface of its tree.
local Tree = {}
Tree.__index = Tree

local function made(list, key, parent, nodes)
  local nested = vim.islist(list)
  local tree = setmetatable({ _children = {}, _key = key, _parent = parent, _nodes = nodes }, Tree)
  tree._data = nested and list[1] or list
  nodes[key(tree._data)] = tree
  for index = 2, nested and #list or 0 do
    table.insert(tree._children, made(list[index], key, tree, nodes))
  end
  return tree
end

--- From nested lists: the first of each is the data of a node, the others are its children.
function Tree.from_list(list, key)
  return made(list, key, nil, {})
end

function Tree:to_list()
  local list = { self._data }
  for _, child in ipairs(self._children) do
    table.insert(list, child:to_list())
  end
  return list
end

function Tree:data()
  return self._data
end

function Tree:children()
  return vim.list_slice(self._children)
end

function Tree:parent()
  return self._parent
end

function Tree:root()
  return self._parent and self._parent:root() or self
end

function Tree:get_key(key)
  return self._nodes[key]
end

function Tree:iter_parents()
  local node = self
  return function()
    node = node and node._parent
    return node
  end
end

function Tree:closest_node_with(attribute)
  if self._data[attribute] ~= nil then
    return self
  end
  return self._parent and self._parent:closest_node_with(attribute)
end

function Tree:closest_value_for(attribute)
  local node = self:closest_node_with(attribute)
  return node and node._data[attribute]
end

--- Each node with its number, the parents first.
function Tree:iter_nodes(options)
  local all = {}
  local function collect(tree)
    table.insert(all, tree)
    if not (options and options.continue) or options.continue(tree) then
      vim.tbl_map(collect, tree._children)
    end
  end
  collect(self)
  local number = 0
  return function()
    number = number + 1
    if all[number] then
      return number, all[number]
    end
  end
end

function Tree:iter(options)
  local nodes = self:iter_nodes(options)
  return function()
    local number, node = nodes()
    if number then
      return number, node:data()
    end
  end
end

return {
  Tree = Tree,
  PositionType = { dir = 'dir', file = 'file', namespace = 'namespace', test = 'test' },
  ResultStatus = { passed = 'passed', failed = 'failed', skipped = 'skipped' },
}
