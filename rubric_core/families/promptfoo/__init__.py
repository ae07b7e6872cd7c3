"""promptfoo's configurations: a family of eval files."""
