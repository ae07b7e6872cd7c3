"""What a run knows of an assertion of promptfoo."""
