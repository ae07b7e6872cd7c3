"""The base of all issues of lowering."""

import sys
from typing import ClassVar

from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Span

__all__ = ["EVERYTHING", "Issue"]

#: The whole text, whatever its length.
EVERYTHING = Span(0, sys.maxsize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """A problem at `span`. A borrowed issue is behind an alias: the text at `span` is the reference."""

    #: Whether fixes of it are made for the cells of a table; others are for YAML.
    fixes_table: ClassVar[bool] = False

    span: Span
    borrowed: bool = False

    @property
    def hides(self) -> Span | None:
        """The part of the text that is not checked while the issue exists; None if it hides nothing."""
        return None
