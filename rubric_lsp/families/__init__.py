"""What families of eval files show in an editor."""
