"""The language server: `rubric_core` over LSP, and runs of cases with their results in the editor."""
