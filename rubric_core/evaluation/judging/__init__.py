"""Judges: what they are asked, what they may reply, and recordings of what they said."""
