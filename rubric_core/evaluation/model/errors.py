"""Errors that callers of the library may catch."""

__all__ = ["InvalidSuiteError"]


class InvalidSuiteError(ValueError):
    """A suite or a case with errors: the message has one line each, with place, code and explanation.

    A suite whose score ranges overlap, leave bounds or do not cover 0..10 fails when it is loaded.
    """
