"""From trees to suites: lowering, what it complains of, and the files around a suite."""
