--- How the server is installed: from the checkout that this plugin is part of. No package index has it yet.
local M = {}

--- The line for a terminal.
---@return string
function M.command()
  local here = vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))
  local root = here:match('^(.*)/editors/neovim/lua/rubric/install%.lua$')
  if root and vim.uv.fs_stat(root .. '/pyproject.toml') then
    return ('pipx install --force %s'):format(vim.fn.shellescape(root))
  end
  return "pipx install --force PATH (of rubric's repository, or of the wheel of a release)"
end

return M
