"""Results as people and programs read them: marks on lines, rows, transcripts, explanations."""
