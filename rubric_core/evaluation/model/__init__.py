"""The data of a run: what evaluators are given and return, what was sent, and results."""
