"""Seeded mutations of the code, to see which of them no test notices: `make mutation`."""
