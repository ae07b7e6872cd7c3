"""A model that is made up: it greets, formally where it is asked to."""

import sys

words = sys.argv[1].split()
formal = words[-1] == "formally"
name = words[1] if formal else words[-1]
print(f"Good evening, {name}, and welcome" if formal else f"Hello {name}!")  # noqa: T201  # its answer
