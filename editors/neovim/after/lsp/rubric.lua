--- The plugin's additions to the configuration in lsp/rubric.lua, which Neovim merges.
return require('rubric.protocol').extension()
