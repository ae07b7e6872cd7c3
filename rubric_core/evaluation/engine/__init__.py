"""Running cases: schedule, attempts, repeats, hooks, events, staleness."""
