"""From a loaded suite to runnable cases: prompts, variables, includes, generators, turns."""
