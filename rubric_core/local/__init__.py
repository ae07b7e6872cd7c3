"""A small model on this computer, as a target to see answers without key or network. It is no judge."""
