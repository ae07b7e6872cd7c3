"""The language server: `rubric_core` over LSP, and runs of cases with their results on the line."""
