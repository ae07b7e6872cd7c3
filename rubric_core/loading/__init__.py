"""From trees to suites: lowering, its issues, and the files that a suite refers to."""
