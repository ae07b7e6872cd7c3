"""The MCP server for coding agents: tools based on the functions of the command line."""
