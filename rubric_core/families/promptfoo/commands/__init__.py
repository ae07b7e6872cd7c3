"""What commands do with promptfoo's files."""
