"""The language of eval YAML: its shapes and keys, its dialects, and the place of a cursor in it."""
