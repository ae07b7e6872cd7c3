--- What this plugin adds to the plain description of the server in lsp/rubric.lua: Neovim merges the two.
return require('rubric.protocol').extension()
