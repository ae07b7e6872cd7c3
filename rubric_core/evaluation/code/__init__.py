"""Programs and code of a suite: how they start, their input, their replies."""
