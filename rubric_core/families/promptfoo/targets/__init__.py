"""Providers of promptfoo."""
