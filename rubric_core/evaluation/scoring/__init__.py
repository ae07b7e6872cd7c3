"""Arithmetic: scores, gates, verdicts, metrics, and what would change a verdict."""
