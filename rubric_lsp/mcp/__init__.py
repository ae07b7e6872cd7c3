"""The MCP server for coding agents: tools based on the functions of the command line (issue 19, section 3)."""
