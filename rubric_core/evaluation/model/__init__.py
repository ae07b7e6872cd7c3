"""The data of a run: input and output of evaluators, exchanges, and results."""
