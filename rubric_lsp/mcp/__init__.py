"""The server for coding agents, by the Model Context Protocol: tools over the functions of the command line (issue 19, section 3)."""
