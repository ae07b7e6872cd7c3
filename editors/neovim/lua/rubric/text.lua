--- Text with colours before it is in a buffer: a page is a list of lines, a line a list of `{ text, group? }`.
local M = {}

---@alias rubric.Chunk { [1]: string, [2]: string? }

--- The lines of a page as plain text.
---@param page rubric.Chunk[][]
---@return string[]
function M.lines(page)
  return vim.tbl_map(function(line)
    local words = {}
    for _, chunk in ipairs(line) do
      table.insert(words, chunk[1])
    end
    return (table.concat(words):gsub('%s+$', ''))
  end, page)
end

--- The width of the widest line, in cells.
---@param lines string[]
function M.width(lines)
  local widest = 0
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line))
  end
  return widest
end

--- Highlight a buffer that holds the text of a page.
---@param page rubric.Chunk[][]
function M.paint(bufnr, namespace, page)
  for number, line in ipairs(page) do
    local column = 0
    for _, chunk in ipairs(line) do
      local length = #vim.api.nvim_buf_get_lines(bufnr, number - 1, number, false)[1]
      local to = math.min(column + #chunk[1], length)
      if chunk[2] and to > column then
        vim.api.nvim_buf_set_extmark(bufnr, namespace, number - 1, column, { end_col = to, hl_group = chunk[2] })
      end
      column = column + #chunk[1]
    end
  end
end

--- `words` filled with spaces up to `width` cells.
function M.padded(words, width)
  return words .. (' '):rep(width - vim.fn.strdisplaywidth(words))
end

--- 40 ms, 1.4 s.
function M.duration(milliseconds)
  return milliseconds < 1000 and ('%d ms'):format(milliseconds) or ('%.1f s'):format(milliseconds / 1000)
end

return M
