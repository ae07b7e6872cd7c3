"""Judge accuracy, measured with answers whose quality is known."""
