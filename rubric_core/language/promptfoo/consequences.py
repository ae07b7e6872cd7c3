"""The reactions of promptfoo to mistakes, as worded in findings."""

__all__ = ["NOT_LOADED", "NO_FILTER", "ROW_ERRORS", "STOPS"]

STOPS = "promptfoo stops"
ROW_ERRORS = "promptfoo makes each row an error"
NO_FILTER = "the filter is missing when a template uses it"
NOT_LOADED = "promptfoo cannot load the file"
