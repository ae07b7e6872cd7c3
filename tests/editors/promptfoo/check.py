"""Grades the length of an answer."""


def get_assert(output: str, context: object) -> bool:  # promptfoo gives both
    """Whether it is short."""
    return len(output) < 40
