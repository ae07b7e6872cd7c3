"""Open documents, what is known of the others, and when they are checked."""
