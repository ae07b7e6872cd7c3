"""Results for users and programs: marks on lines, rows, transcripts, explanations."""
