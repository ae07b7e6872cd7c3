"""Arithmetic: scores, gates, verdicts, metrics, and counterfactuals."""
