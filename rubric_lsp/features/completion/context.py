"""The input and output of completion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.cursor_place import CursorPlace
from rubric_core.language.dialect import Dialect
from rubric_core.language.usage_counts import Counts
from rubric_core.syntax.cursor import Cursor
from rubric_core.text import Span

__all__ = ["Completion", "CompletionSite", "NameSource", "escaped"]

ItemKind = Literal["key", "type", "value", "reference", "file", "snippet", "variable"]


class NameSource(Protocol):
    """A source of names from other files."""

    def __call__(self, kind: str, typed: str = "", fits: Callable[[str], bool] = ..., /) -> Sequence[str]:
        """The names of a kind; of files, those that fit the path typed so far."""


def _no_text() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion that replaces `span`."""

    label: str
    kind: ItemKind
    span: Span
    #: The text to insert for clients without snippet support.
    plain: str
    #: The same with tab stops; empty without any.
    snippet: str = ""
    detail: str = ""
    #: Gives the documentation as Markdown, on request.
    documentation: Callable[[], str] = field(default=_no_text, compare=False)
    deprecated: bool = False
    #: Smaller values sort first.
    sort: str = ""
    #: The text that the client matches with the typed text, if not the label.
    filter: str = ""
    #: Whether suggestions open again after it was inserted, because the next thing is one of those that are known.
    then_suggest: bool = False


def escaped(text: str) -> str:
    """`text`, escaped for use in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


@dataclass(frozen=True, slots=True)
class CompletionSite:
    """A cursor in a document, with what is known about its place."""

    analysis: Analysis
    local: LocalText
    place: CursorPlace
    #: The replaced span, in the whole text.
    span: Span
    names: NameSource
    #: The cursor in the whole text.
    offset: int
    #: Usage counts of keys and values, the most general counts first.
    usage: Sequence[Counts] = ()

    @property
    def cursor(self) -> Cursor:
        """The place in the half-typed text."""
        return self.place.cursor

    @property
    def dialect(self) -> Dialect:
        """The dialect of the document."""
        return self.analysis.dialect

    @property
    def extra(self) -> int:
        """The indentation of keys at the cursor, relative to the first character of their line: clients indent by that."""
        return self.cursor.column - self.cursor.margin

    def line(self, deeper: int = 0) -> str:
        """A line break, and the indentation of keys at the cursor."""
        return "\n" + " " * (self.extra + deeper)
