"""Runs as promptfoo writes its results."""
