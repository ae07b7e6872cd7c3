--- How to install the server.
local M = {}

--- Written by tests/release/addresses.py.
local SOURCE = "PATH (of rubric's repository, or of the wheel of a release)"

--- The command line: preferably from the checkout that contains this plugin, as it has the same version.
---@return string
function M.command()
  local here = vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2))
  local root = here:match('^(.*)/editors/neovim/lua/rubric/install%.lua$')
  if root and vim.uv.fs_stat(root .. '/pyproject.toml') then
    return ('pipx install --force %s'):format(vim.fn.shellescape(root))
  end
  return ('pipx install --force %s'):format(SOURCE)
end

return M
