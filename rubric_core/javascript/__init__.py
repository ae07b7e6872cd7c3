"""JavaScript's regular expressions: read as ECMAScript 2025 reads them, and run by Python's engines."""
