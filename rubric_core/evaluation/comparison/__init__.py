"""Comparison of two runs, case by case: the changes, and their statistical significance."""
