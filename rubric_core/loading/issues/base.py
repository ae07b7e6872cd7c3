"""What all issues of lowering have in common."""

import sys

from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Span

__all__ = ["EVERYTHING", "Issue"]

#: The whole text, however long it is.
EVERYTHING = Span(0, sys.maxsize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """Something wrong at `span`. Borrowed issues stand behind an alias: the text at `span` is the reference."""

    span: Span
    borrowed: bool = False

    @property
    def hides(self) -> Span | None:
        """The part of the text that is not checked as long as the issue is there; None where it hides nothing."""
        return None
