"""Writes a suite of AgentV for a promptfoo configuration, which stays as it is."""
