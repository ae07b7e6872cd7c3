"""How cases of promptfoo are prepared, attempted and compared."""
