"""The reactions of promptfoo to mistakes, as worded in findings."""

__all__ = ["NOT_LOADED", "NO_FILTER", "NULL_EFFECT", "ROW_ERRORS", "STOPS"]

STOPS = "promptfoo stops"
ROW_ERRORS = "promptfoo makes each row an error"
NO_FILTER = "the filter is missing when a template uses it"
NULL_EFFECT = "`promptfoo validate` rejects the configuration; a run takes the key for left out"
NOT_LOADED = "promptfoo cannot load the file"
