"""Judges: their prompts, their replies, and recordings of replies."""
