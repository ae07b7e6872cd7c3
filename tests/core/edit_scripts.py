"""Random edits of the kind that people make: keys half typed, lines moved, brackets opened, whole cases pasted."""

import random
from collections.abc import Callable

from rubric_core.text import Edit, Span

__all__ = ["PIECES", "random_edit"]

#: What gets typed or pasted.
PIECES = (
    "a", "x: ", ": ", ":", "- ", "-", "#", "# note\n", "\n", "\r\n", "\r", " ", "  ", "\t", "'", '"', "[", "]", "{", "}", ",", "|", ">", "&a ",
    "*a", "<<: *a", "!t ", "%", "@", "`", "\\", "é", "😀", "\u2028", "\x00", "\ufeff", "---\n", "...\n", "null", "yes", "0", "-1", "0.5", "10",
    "tests:\n", "evalcases:\n", "assertions:\n", "      - Mentions it\n", "  - id: new\n    input: hi\n    criteria: x\n",
    "  - id: again\n    expected_outcome: x\n    input: hi\n    rubrics:\n      - one\n", "score_ranges: {0: bad, 5: good}\n",
    "  - &a\n    id: anchored\n    input: hi\n    criteria: x\n", "  - <<: *a\n    id: merged\n", "    weight: 2\n", "    grader: llm_judge\n",
    "# rubric: dialect=agentv-1\n", "# rubric: ignore[bad-weight]\n",
)  # fmt: skip


def random_edit(text: str, rng: random.Random) -> Edit:
    """One edit of `text`."""
    return rng.choice(_MAKERS)(text, rng)


def _place(text: str, rng: random.Random) -> int:
    return rng.randint(0, len(text))


def _line(text: str, rng: random.Random) -> Span:
    at = _place(text, rng)
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return Span(start, len(text) if end < 0 else end + 1)


def _typed(text: str, rng: random.Random) -> Edit:
    at = _place(text, rng)
    return Edit(Span(at, at), rng.choice(PIECES))


def _typed_at_line(text: str, rng: random.Random) -> Edit:
    line = _line(text, rng)
    at = rng.choice((line.start, line.end))
    return Edit(Span(at, at), rng.choice(PIECES))


def _deleted(text: str, rng: random.Random) -> Edit:
    at = _place(text, rng)
    return Edit(Span(at, min(len(text), at + rng.choice((1, 1, 1, 2, 5, 30, 200)))), "")


def _line_deleted(text: str, rng: random.Random) -> Edit:
    return Edit(_line(text, rng), "")


def _line_repeated(text: str, rng: random.Random) -> Edit:
    start, end = _line(text, rng)
    return Edit(Span(end, end), text[start:end])


def _line_indented(text: str, rng: random.Random) -> Edit:
    start, _end = _line(text, rng)
    here = len(text[start:]) - len(text[start:].lstrip(" "))
    by = rng.choice((-4, -2, -1, 1, 2, 4))
    return Edit(Span(start, start + min(here, max(0, -by))), " " * max(0, by))


def _replaced(text: str, rng: random.Random) -> Edit:
    at = _place(text, rng)
    return Edit(Span(at, min(len(text), at + rng.randint(1, 6))), rng.choice(PIECES))


def _copied(text: str, rng: random.Random) -> Edit:
    """Some lines from elsewhere in the text."""
    start = _line(text, rng).start
    end = _line(text[start:], rng).end + start
    at = _line(text, rng).start
    return Edit(Span(at, at), text[start : min(end, start + 2_000)])


_MAKERS: tuple[Callable[[str, random.Random], Edit], ...] = (
    _typed, _typed, _typed_at_line, _deleted, _deleted, _line_deleted, _line_repeated, _line_indented, _replaced, _copied,
)  # fmt: skip
