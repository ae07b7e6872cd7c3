"""What is known of a whole configuration of promptfoo, and which files it names."""
