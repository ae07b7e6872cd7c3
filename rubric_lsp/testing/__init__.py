"""The test protocol: suites, cases and evaluators as a tree, and runs with their states."""

from rubric_lsp.testing.requests import Tests

__all__ = ["Tests"]
