"""The evaluators, one file and one page each; `registry` lists them."""
