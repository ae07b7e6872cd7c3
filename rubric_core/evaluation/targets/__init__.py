"""Targets: target files, their settings, and the providers that answer."""
