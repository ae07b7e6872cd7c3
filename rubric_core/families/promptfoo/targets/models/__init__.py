"""Calls models of vendors as promptfoo does: the content of each request, and the output in the reply."""
