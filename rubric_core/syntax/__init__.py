"""YAML as text with positions: trees, blocks, error-tolerant parsing, YAML 1.2 scalars, minimal edits."""
