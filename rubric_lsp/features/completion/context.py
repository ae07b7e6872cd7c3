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
    """Gives names from other files."""

    def __call__(self, kind: str, typed: str = "", fits: Callable[[str], bool] = ..., /) -> Sequence[str]:
        """The names of a kind; of files, those that fit, by what is typed of a path already."""


def _no_text() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can be put in the place of `span`."""

    label: str
    kind: ItemKind
    span: Span
    #: The text to insert where the client knows no snippets.
    plain: str
    #: The same with tab stops; empty where there are none.
    snippet: str = ""
    detail: str = ""
    #: Gives Markdown, when somebody wants to read it.
    documentation: Callable[[], str] = field(default=_no_text, compare=False)
    deprecated: bool = False
    #: Sorts before what sorts higher.
    sort: str = ""
    #: What the client matches against the typed text, when it is not the label.
    filter: str = ""


def escaped(text: str) -> str:
    """`text` as it has to be written in a snippet to stay what it is."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


@dataclass(frozen=True, slots=True)
class CompletionSite:
    """A cursor in a document, with everything that can be known about it."""

    analysis: Analysis
    local: LocalText
    place: CursorPlace
    #: What is replaced, in the whole text.
    span: Span
    names: NameSource
    #: The cursor in the whole text.
    offset: int
    #: How often keys and values are used, the most general counts first.
    usage: Sequence[Counts] = ()

    @property
    def cursor(self) -> Cursor:
        """Where it is in the half-typed text."""
        return self.place.cursor

    @property
    def dialect(self) -> Dialect:
        """The dialect of the document."""
        return self.analysis.dialect

    @property
    def extra(self) -> int:
        """How far keys at the cursor stand after the first character of their line: clients indent by that alone."""
        return self.cursor.column - self.cursor.margin

    def line(self, deeper: int = 0) -> str:
        """A line break, and the indentation of keys at the cursor."""
        return "\n" + " " * (self.extra + deeper)
