"""Turns a configuration of promptfoo into runnable cases (issue 18, section 3)."""
