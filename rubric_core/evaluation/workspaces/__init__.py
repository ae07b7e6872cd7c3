"""The workspace of a case's target: its declaration, its creation, and the changes in it."""
