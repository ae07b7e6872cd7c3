"""Programs and code of a suite: how they start, what they are told, what they reply."""
