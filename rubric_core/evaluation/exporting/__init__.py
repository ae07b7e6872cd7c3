"""A stored run in the formats that other programs read: JSON, JSON Lines, CSV, JUnit XML, Markdown and HTML."""
