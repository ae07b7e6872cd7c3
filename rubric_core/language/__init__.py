"""The language of eval YAML: its shapes and keys, its dialects, and what a cursor is on."""
