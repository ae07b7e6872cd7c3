"""The reactions of promptfoo to mistakes, as worded in findings."""

__all__ = ["NOT_LOADED", "ROW_ERRORS", "STOPS"]

STOPS = "promptfoo stops"
ROW_ERRORS = "promptfoo makes each row an error"
NOT_LOADED = "promptfoo cannot load the file"
