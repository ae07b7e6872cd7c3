"""Running from the editor: what is run, what became of it, and how clients are told."""
