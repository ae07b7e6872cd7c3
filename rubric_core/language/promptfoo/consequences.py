"""What promptfoo does at a mistake, in the words of findings."""

__all__ = ["ROW_ERRORS", "STOPS"]

STOPS = "promptfoo stops"
ROW_ERRORS = "promptfoo makes each row an error"
