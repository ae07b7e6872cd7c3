"""Converts a promptfoo configuration, which is not changed, into a suite of AgentV."""
