"""Open documents, the index of closed files, and the scheduling of checks."""
