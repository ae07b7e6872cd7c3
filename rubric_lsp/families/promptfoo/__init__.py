"""What promptfoo's files show in an editor."""
