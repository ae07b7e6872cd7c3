"""Turns a configuration of promptfoo into runnable cases."""
