"""promptfoo's files: how they are recognised, and what they refer to."""
