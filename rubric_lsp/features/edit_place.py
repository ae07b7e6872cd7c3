"""The place where the user types, inferred from edits, and the unfinished text there.

A server is not told where the cursor is. It is after the text that was put in last, and what that text belongs to is what
is being written: a word without a colon, a key without a value, a value, everything inside open brackets.
"""

from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.syntax.ancestors import LINE, line_start
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.flow import open_flow
from rubric_core.text import Edit, Span

__all__ = ["EditPlace", "continue_edit", "line_at", "move_edit_place", "unfinished"]

#: What may stand in front of a value that does not exist yet: an anchor, a tag, the sign of a block of text.
_FRONT = pattern(r"(?:[&!]\S*(?:[ \t]+|\Z))*(?:[|>][-+\d]*(?:[ \t]+|\Z))?(?:#.*)?")
_BREAK = pattern(r"\r\n?|\n")
#: Characters in front of a line in which what it belongs to is looked for.
_BEFORE = 2_000
_LONGEST_BREAK = len("\r\n")
#: One begins the line that is rewritten, the next one ends it.
_BREAKS = 2


@dataclass(frozen=True, slots=True)
class EditPlace:
    """The place of the last edit, at offsets of the text behind it."""

    #: Where the cursor is.
    at: int
    #: Everything that was written without going elsewhere.
    stretch: Span
    #: Counts the stretches: another one begins where an edit is made on another line.
    number: int = 0
    #: Whether lines were put in that nobody typed.
    pasted: bool = False
    #: Whether the last edit was made for users, by a fix or a replacement, so that nothing is unfinished.
    made: bool = False
    #: Behind lines that were deleted: how they were indented.
    column: int | None = None
    #: How many line breaks may still come until lines that were deleted cannot be rewritten any more.
    breaks_left: int = 0

    @property
    def anew(self) -> bool:
        """Whether lines that were deleted here may be rewritten."""
        return self.breaks_left > 0


def continue_edit(before: EditPlace | None, document: Document, edit: Edit, *, whole: bool = False) -> EditPlace:
    """Where a person writes after `edit`, which is about to be made in `document`.

    With `whole`, an editor sent the whole text, and the edit is what differs: such editors wait for a pause themselves.
    """
    removed, new = document.slice(*edit.span), edit.new_text
    start, end = edit.span.start, edit.span.start + len(new)
    line = line_at(document, start)
    starts_line = line.start == start
    at = end
    if new and not removed and new[-1] in "\r\n" and starts_line and line.end > start:
        # Some editors send a new line as one that is put in front of the next.
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
    """Whether one text is put in the place of another by keys, or by a completion, which keeps the letters typed so far."""
    if len(removed) < 2 or len(new) < 2 or not removed.strip() or not new.strip():
        return True
    letters = iter(new.lower())
    return all(letter in letters for letter in removed.lower())


def move_edit_place(offset: int, edit: Edit) -> int:
    """Where a place is after `edit`; one inside of what is replaced is then at its start."""
    if offset <= edit.span.start:
        return offset
    if offset < edit.span.end:
        return edit.span.start
    return offset + len(edit.new_text) - (edit.span.end - edit.span.start)


def line_at(document: Document, offset: int) -> Span:
    """The line around `offset`, without its line break."""
    number = document.block_at(offset)
    start, index = document.start(number), document.blocks[number].index
    return index.line_span(index.line_of(offset - start)).moved(start)


def _touches_line(document: Document, at: int, span: Span) -> bool:
    """Whether an edit is on the line of `at`, or at the edge of one beside it."""
    line = line_at(document, min(at, len(document)))
    return span.start <= line.end + _LONGEST_BREAK and span.end >= line.start - _LONGEST_BREAK


def unfinished(document: Document, writing: EditPlace) -> Span | None:
    """What is being written there; None behind lines that were deleted."""
    if writing.column is not None:
        return None
    line = line_at(document, writing.at)
    base = max(0, line.start - _BEFORE)
    text = document.slice(base, line.end)
    # A line break of two characters may be written one by one.
    return Span(base + _begin(text, min(writing.at, line.end) - base), line.end)


def _begin(text: str, at: int) -> int:
    """Where the token that `at` is behind of begins."""
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
    """Where the keys and dashes begin that have nothing behind them but the empty line that starts at `start`."""
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
