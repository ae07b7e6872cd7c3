--- The indentation of a new line: what opens a block indents, keys of an item stand below its first key.
local M = {}

--- After the first colon with a space behind it nothing is written but an anchor, a tag, the sign of a block scalar, a comment.
local function opens_block(text)
  local rest = text:match('^"[^"]*"%s*:(.*)$') or text:match("^'[^']*'%s*:(.*)$")
  if not rest and not text:match('^[#%[%]{},&*!|>%%@`"\':]') then
    local colon = text:find(':%s') or text:find(':$')
    rest = colon and not text:sub(1, colon):find('%s#') and text:sub(colon + 1) or nil
  end
  if not rest then
    return text:match('^[|>][%-+%d]*%s*$') ~= nil
  end
  rest = rest:gsub('%s#.*$', '')
  rest = rest:gsub('^%s+[&!]%S+', ''):gsub('^%s+[&!]%S+', '')
  return rest:match('^%s*$') ~= nil or rest:match('^%s+[|>][%-+%d]*%s*$') ~= nil
end

--- Whether a line belongs to a block scalar: lines that contain it, by their indentation, begin one.
local function in_block_scalar(number)
  local margin = vim.fn.indent(number)
  for above = number - 1, 1, -1 do
    local line = vim.fn.getline(above)
    if line:match('%S') and vim.fn.indent(above) < margin then
      if line:match('[:%-]%s+[|>][%-+%d]*%s*$') or line:match('[:%-]%s+[|>][%-+%d]*%s+#') then
        return true
      end
      margin = vim.fn.indent(above)
    end
  end
  return false
end

--- The value of 'indentexpr'.
---@return integer
function M.expr()
  local number = vim.v.lnum
  if vim.fn.getline(number):match('%S') and not vim.fn.mode():match('^[iR]') then
    return -1 -- `=` moves no line: indentation is meaning
  end
  local above = vim.fn.prevnonblank(number - 1)
  if above == 0 then
    return 0
  end
  local margin, line = vim.fn.indent(above), vim.trim(vim.fn.getline(above))
  if line:match('^#') or in_block_scalar(above) then
    return margin
  end
  local dashes = line:match('^%-%s+') or ''
  local text = line:sub(#dashes + 1)
  local step = vim.bo.filetype:match('^yaml') and vim.fn.shiftwidth() or 2
  if opens_block(text) then
    return margin + (text:match('^[|>]') and 0 or #dashes) + step
  elseif text:match('[%[{]$') then
    return margin + step
  elseif dashes ~= '' and (text:match('^[%w_$][%w_.$-]*:%s') or text:match('^"[^"]*":%s') or text:match("^'[^']*':%s")) then
    return margin + #dashes
  end
  return margin
end

--- Indent the lines of a suite in this way.
---@param bufnr integer
function M.attach(bufnr)
  if not vim.bo[bufnr].filetype:match('yaml') then
    return -- tables and JSON with the cases of a configuration
  end
  vim.bo[bufnr].indentexpr = "v:lua.require'rubric.indent'.expr()"
  vim.bo[bufnr].indentkeys = '!^F,o,O'
end

return M
