"""Scores and comparisons as promptfoo computes them."""
