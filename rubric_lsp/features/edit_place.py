"""The place where the user types, inferred from edits, and the unfinished text there.

The protocol does not report the cursor. It is after the last inserted text, and the token of that text is being typed:
a word without a colon, a key without a value, a value, everything inside open brackets.
"""

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.ancestors import LINE, line_start
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.flow import open_flow
from rubric_core.text import Edit, Span

__all__ = ["EditPlace", "continue_edit", "line_at", "move_edit_place", "unfinished"]

#: What may precede a value that does not exist yet: an anchor, a tag, a block scalar indicator.
_FRONT = pattern(r"(?:[&!]\S*(?:[ \t]+|\Z))*(?:[|>][-+\d]*(?:[ \t]+|\Z))?(?:#.*)?")
_BREAK = pattern(r"\r\n?|\n")
#: How many characters before a line are searched for its parent.
_BEFORE = 2_000
_LONGEST_BREAK = len("\r\n")
#: One line break begins the line that is rewritten, the next one ends it.
_BREAKS = 2


@dataclass(frozen=True, slots=True)
class EditPlace:
    """The place of the last edit, at offsets of the text after it."""

    #: The offset of the cursor.
    at: int
    #: Everything that was typed without moving elsewhere.
    stretch: Span
    #: The number of the edit location: it increases when an edit is on another line.
    number: int = 0
    #: Whether lines were inserted by other means than typing.
    pasted: bool = False
    #: Whether the last edit was a fix or a replacement, so that nothing is unfinished.
    made: bool = False
    #: After deleted lines: their indentation.
    column: int | None = None
    #: How many more line breaks may follow until deleted lines can no longer be rewritten.
    breaks_left: int = 0

    @property
    def anew(self) -> bool:
        """Whether lines that were deleted here may be rewritten."""
        return self.breaks_left > 0


def continue_edit(before: EditPlace | None, document: Document, edit: Edit, *, whole: bool = False) -> EditPlace:
    """The place where the user types after `edit`, which is about to be made in `document`.

    With `whole`, the editor sent the whole text, and the edit is the difference: such editors wait for a pause
    themselves.
    """
    removed, new = document.slice(*edit.span), edit.new_text
    start, end = edit.span.start, edit.span.start + len(new)
    line = line_at(document, start)
    starts_line = line.start == start
    at = end
    if new and not removed and new[-1] in "\r\n" and starts_line and line.end > start:
        # Some editors send a new line as one that is inserted before the next.
        at -= 2 if new.endswith("\r\n") else 1
    pasted = bool(_BREAK.search(new) and new.strip())
    made = whole or not _is_typed(removed, new)
    gone = bool(_BREAK.search(removed) and removed.strip() and not new.strip())
    lines = removed if starts_line else removed.lstrip("\r\n")
    column = len(lines) - len(lines.lstrip(" \t")) if gone else None
    if before is None or not _touches_line(document, before.at, edit.span):
        number = before.number + 1 if before is not None else 0
        return EditPlace(at, Span(start, end), number, pasted, made, column, _BREAKS if gone else 0)
    stretch = Span(min(before.stretch.start, start), max(end, move_edit_place(before.stretch.end, edit)))
    left = _BREAKS if gone else max(0, before.breaks_left - bool(_BREAK.search(new)))
    return EditPlace(at, stretch, before.number, pasted, made, column, left)


def _is_typed(removed: str, new: str) -> bool:
    """Whether a replacement was typed, or is a completion, which keeps the typed prefix."""
    if len(removed) < 2 or len(new) < 2 or not removed.strip() or not new.strip():
        return True
    letters = iter(new.lower())
    return all(letter in letters for letter in removed.lower())


def move_edit_place(offset: int, edit: Edit) -> int:
    """A place moved by `edit`; inside the replaced span, it moves to its start."""
    if offset <= edit.span.start:
        return offset
    if offset < edit.span.end:
        return edit.span.start
    return offset + len(edit.new_text) - (edit.span.end - edit.span.start)


def line_at(document: Document, offset: int) -> Span:
    """The line at `offset`, without its line break."""
    number = document.block_at(offset)
    start, index = document.start(number), document.blocks[number].index
    return index.line_span(index.line_of(offset - start)).moved(start)


def _touches_line(document: Document, at: int, span: Span) -> bool:
    """Whether an edit is on the line of `at`, or at the adjacent edge of a neighbouring line."""
    line = line_at(document, min(at, len(document)))
    return span.start <= line.end + _LONGEST_BREAK and span.end >= line.start - _LONGEST_BREAK


def unfinished(document: Document, writing: EditPlace) -> Span | None:
    """The token being typed there; None after deleted lines."""
    if writing.column is not None:
        return None
    line = line_at(document, writing.at)
    base = max(0, line.start - _BEFORE)
    text = document.slice(base, line.end)
    # A line break of two characters may be typed one by one.
    return Span(base + _begin(text, min(writing.at, line.end) - base), line.end)


def _begin(text: str, at: int) -> int:
    """The start of the token that ends at `at`."""
    bracket = open_flow(text, at)
    if bracket is not None:
        return bracket
    start = line_start(text, at)
    found = LINE.match(text[start:at])
    if found is None:
        return start
    if found["key"] is not None:
        value = found["value"]
        begun = not _FRONT.fullmatch(value.strip())
        return start + (found.start("value") + len(value) - len(value.lstrip()) if begun else found.start("key"))
    word = start + found.end("dashes")
    return word if not _FRONT.fullmatch(text[word:at].strip()) else _opened(text, start, start + found.end("indent"))


def _opened(text: str, start: int, begin: int) -> int:
    """The starts of keys and dashes that are followed only by the empty line at `start`."""
    while start > 0:
        end = start
        start = line_start(text, max(0, end - 1 - (text[end - 2 : end] == "\r\n")))
        line = text[start:end].strip()
        if not line or line.startswith("#"):
            continue
        found = LINE.match(text[start:end].rstrip())
        if found is None or (
            found["key"] is None and not _FRONT.fullmatch(line[found.end("dashes") - found.end("indent") :])
        ):
            break
        if found["key"] is not None:
            return start + found.start("key") if _FRONT.fullmatch(found["value"].strip()) else begin
        begin = start + found.end("indent")
    return begin
