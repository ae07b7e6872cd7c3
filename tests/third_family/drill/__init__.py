"""A family of eval files for tests: questions, each with the text that an answer should have."""
