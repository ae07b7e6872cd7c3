"""Mistakes in plain texts that YAML accepts: a comment that cuts a text off, and signs that become part of it."""

from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import CutText, StraySign
from rubric_core.syntax.reindent import dash_within
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Span

__all__ = ["cut_off_text", "is_sound", "stray_sign", "swallowed_text"]

#: A comment after a plain text that begins with a number, such as an issue number.
_CUT = pattern(r" +(#\d[^\r\n]*(?<![ \t]))[ \t]*(?=[\r\n]|\Z)")
#: The same if the whole value is cut off; an intended comment has a blank after its `#`.
_SWALLOWED = pattern(r"[ \t]*(#[^\s#!][^\r\n]*(?<![ \t]))[ \t]*(?=[\r\n]|\Z)")
#: A name.
_WORD = pattern(r"[A-Za-z][\w./:-]*")
#: A text with a quote at its end and no other: neither inches nor a plural genitive.
_UNOPENED = pattern(r"[^\"]*[^\"\d\s]\"|[^']*[^'\ds]'")
_CURLY = pattern(r"[“„«‹‘]([A-Za-z][\w./:-]*)[”“»›’]")


def swallowed_text(text: str, node: Scalar, name: str) -> CutText | None:
    """The comment that is the whole value, as in `issue: #12`. `name` is the key, for messages."""
    comment = _SWALLOWED.match(text, node.span.end) if node.empty else None
    return None if comment is None else CutText(span=Span(*comment.span(1)), node=node, rest=comment[1], name=name)


def is_sound(text: str, node: Scalar) -> bool:
    """Whether a plain text certainly has none of these mistakes, as nearly every one."""
    written, (start, end) = node.text, node.span
    return (
        written[0].isalnum()
        and written[-1].isalnum()
        and not text.startswith(" ", end)
        and text.startswith(written, start)  # it is on one line
    )


def cut_off_text(text: str, node: Scalar) -> CutText | None:
    """`Fix issue #12`, of which YAML keeps `Fix issue`."""
    end = node.span.end
    cut = _CUT.match(text, end) if text[end : end + 1] == " " else None
    return None if cut is None else CutText(span=Span(*cut.span(1)), node=node, rest=cut[1])


def stray_sign(text: str, node: Scalar) -> StraySign | None:
    """`refund,`, `refund"`, `“refund”`, or an item that is indented too far: YAML reads the signs as part of the text."""
    last, (start, end) = node.text[-1], node.span
    if (
        last.isalnum()
        and node.text[0].isalnum()
        and text.find("\n", start, end) < 0
        and text.find("\r", start, end) < 0
    ):
        return None  # as nearly every text: each of these signs is at an end of it
    at_end = Span(end - 1, end)
    dash = dash_within(text, node)
    if dash is not None and start >= len("- ") and text.startswith("- ", start - len("- ")):
        return StraySign(span=dash, node=node, meant="")
    if last in ",;" and _WORD.fullmatch(node.text, 0, len(node.text) - 1):
        return StraySign(span=at_end, node=node, meant=node.text[:-1])
    if (last == '"' or (last == "'" and _WORD.fullmatch(node.text[:-1]))) and _UNOPENED.fullmatch(node.text):
        return StraySign(span=at_end, node=node, meant=node.text[:-1], quote=True)
    if not node.text.isascii() and (found := _CURLY.fullmatch(node.text)) is not None:
        return StraySign(span=Span(start, node.span.end), node=node, meant=found[1])
    return None
