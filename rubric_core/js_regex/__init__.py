"""JavaScript's regular expressions: parsed as in ECMAScript 2025, and translated for Python's engines."""
