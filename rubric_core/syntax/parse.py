"""Parses text into a tree. Never raises: invalid YAML becomes a problem, and everything around it is kept."""

from rubric_core.syntax.line_reader import read_lines
from rubric_core.syntax.stand_ins import FOREIGN
from rubric_core.syntax.tree import SyntaxProblem, SyntaxTree, walk
from rubric_core.text import Span

__all__ = ["LARGEST", "WHILE_EDITED", "parse", "unread"]

#: Characters of a text, and bytes of a file that a check or run reads; a larger one is refused with a message rather than
#: read for minutes.
LARGEST = 50_000_000
#: Characters that are read of a text while somebody edits: enough for 15,000 cases, and little enough to be read in some seconds.
WHILE_EDITED = 5_000_000
#: The ASCII characters that are not `FOREIGN`.
_ORDINARY = bytes((*b"\t\n\r", *range(0x20, 0x7F)))


def unread(text: str) -> SyntaxTree:
    """An empty tree that says that a part of a text is not read."""
    said = f"the editor reads this file up to here: {len(text):,} more characters are neither checked nor run"
    return SyntaxTree(None, (SyntaxProblem("unread", Span(0, 0), said),), {}, [])


def parse(text: str) -> SyntaxTree:
    """The tree of `text`. Offsets refer to `text`, whatever was repaired on the way."""
    if len(text) > LARGEST:
        problem = SyntaxProblem(
            "size", Span(0, 0), f"this file has {len(text):,} characters; rubric reads up to {LARGEST:,}"
        )
        return SyntaxTree(None, (problem,), {}, [])
    if text.startswith("\ufeff"):
        return _moved(parse(text[1:]), 1)
    # Nearly every text has none. Deleting its ordinary characters takes a quarter of the time of a search.
    ordinary = text.isascii() and not text.encode().translate(None, _ORDINARY)
    foreign = [] if ordinary else [m.start() for m in FOREIGN.finditer(text)]
    simple = None if foreign or "\t" in text or "\r" in text else read_lines(text)
    if simple is not None:
        return simple
    # Most files consist of simple lines, and PyYAML takes longer to load than such a file to check.
    from rubric_core.syntax.full_parse import parse_fully  # noqa: PLC0415

    return parse_fully(text, foreign)


def _moved(tree: SyntaxTree, by: int) -> SyntaxTree:
    """`tree` with every offset moved: a byte order mark is part of the text but not of the YAML."""
    for node in walk(tree.root):
        node.span, node.whole = node.span.moved(by), node.whole.moved(by)
    return SyntaxTree(tree.root, tuple(p.moved(by) for p in tree.problems), tree.anchors, tree.aliases)
