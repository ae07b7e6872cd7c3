"""Ways in which people type a text, as edits with the time before each.

Whoever follows a way writes what is right at once: nothing that is wrong on the way is a mistake of theirs.
"""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from harness import LANGUAGE

from rubric_core.text import Edit, Span, apply_edits

__all__ = ["WAYS", "Pen", "Stroke"]

#: Seconds between two keys, and in front of something that takes a look at the text first.
_KEY, _LOOK = 0.12, 0.25
_PAIRS = {'"': '"', "'": "'", "[": "]", "{": "}"}
#: Seconds for which Neovim gathers changes before it sends them.
_GATHERED = 0.15
_KEYS = re.compile(r"^(?P<lead> *(?:- +)?)(?P<key>[A-Za-z_$][\w-]*):(?= |$)", re.MULTILINE)


@dataclass(frozen=True)
class Stroke:
    """What is sent at once: edits, each of the text that the one before leaves, and the seconds that passed before."""

    after: float
    edits: tuple[Edit, ...]


@dataclass
class Pen:
    """A text with a cursor in it, and how it came about."""

    text: str = ""
    at: int = 0
    #: Whether brackets and quotes are closed as soon as they are opened.
    closing: bool = False
    #: Whether a name is completed after its first letters.
    completing: bool = False
    strokes: list[Stroke] = field(default_factory=list)
    #: Characters behind the cursor that nobody has typed yet.
    _closed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        #: What was there before anything was written.
        self.start = self.text

    def edit(self, start: int, end: int, new: str, after: float = _KEY) -> None:
        """Put `new` in the place of a stretch, and the cursor behind it."""
        edit = Edit(Span(start, end), new)
        self.strokes.append(Stroke(after, (edit,)))
        self.text, self.at = apply_edits(self.text, [edit]), start + len(new)

    def write(self, wanted: str) -> None:
        """Type a text, line by line; a new line is indented by the editor, and what is too much is taken away."""
        for number, line in enumerate(wanted.split("\n")):
            body = line.lstrip(" ")
            if number:
                self._enter(len(line) - len(body))
            else:
                body = line
            self._type(body)

    def _enter(self, indent: int) -> None:
        here = self.text[self.text.rfind("\n", 0, self.at) + 1 : self.at]
        own = len(here) - len(here.lstrip(" "))
        # As VS Code and Neovim indent YAML: further in behind a colon, and below the key behind a dash.
        more = 2 * (here.rstrip().endswith(":") or bool(re.match(r" *- [^:]*:", here)))
        given = own + more if here.strip() else own
        self.edit(self.at, self.at, "\n" + " " * given, _LOOK)
        self._closed.clear()
        if given > indent:
            self.edit(self.at - (given - indent), self.at, "")
        elif given < indent:
            self.edit(self.at, self.at, " " * (indent - given))

    def _type(self, line: str) -> None:
        named = re.match(r"(?:- )*([A-Za-z_]\w{3,}):(?: |$)", line) if self.completing else None
        begun = named.start(1) + 2 if named else -1
        skipped = -1
        for number, char in enumerate(line):
            if named and number == begun:
                self.edit(self.at - 2, self.at, line[named.start(1) : named.end()], _LOOK)
                skipped = named.end()
            if number >= skipped:
                self._key(char)
        if self._closed:  # a lone bracket or quote in a text
            line_end = self.text.find("\n", self.at)
            self.edit(self.at, line_end if line_end >= 0 else len(self.text), "")
            self._closed.clear()

    def _key(self, char: str) -> None:
        if self._closed and char == self._closed[-1] == self.text[self.at : self.at + 1]:
            self._closed.pop()
            self.at += 1
            return
        before, behind = self.text[self.at - 1 : self.at], self.text[self.at : self.at + 1]
        opens = self.closing and char in _PAIRS and behind in ("", "\n", " ", "]", "}", '"', "'")
        if opens and not (char in "\"'" and (before.isalnum() or before == char)):
            self._closed.append(_PAIRS[char])
            self.edit(self.at, self.at, char + _PAIRS[char])
            self.at -= 1
        else:
            self.edit(self.at, self.at, char)


#: What somebody starts from, and what they do then, until the text is there again.
Way = Callable[[str, random.Random], Pen]


def _top_to_bottom(text: str, _: random.Random) -> Pen:
    pen = Pen()
    pen.write(text)
    return pen


def _with_pairs(text: str, _: random.Random) -> Pen:
    pen = Pen(closing=True)
    pen.write(text)
    if pen.text != text:  # closed otherwise than it was meant
        pen.edit(pen.at, len(pen.text), "")
    return pen


def _completing(text: str, _: random.Random) -> Pen:
    pen = Pen(completing=True, closing=True)
    pen.write(text)
    if pen.text != text:
        pen.edit(pen.at, len(pen.text), "")
    return pen


def _pasting(text: str, _: random.Random) -> Pen:
    """The cases, but for the first one."""
    document = LANGUAGE.document(text)
    cases = [n for n, block in enumerate(document.blocks) if block.key][1:]
    if not cases:
        return Pen(text)
    first, end = document.start(cases[0]), document.start(cases[-1]) + len(document.blocks[cases[-1]].text)
    pen = Pen(text[:first] + text[end:], first)
    for number in cases:
        pen.edit(pen.at, pen.at, document.blocks[number].text, 1.0)
    return pen


def _lines(text: str, rng: random.Random, most: int) -> list[tuple[int, str]]:
    """Some lines that can be written one by one: entries and items, no pieces of a longer text."""
    lines = text.split("\n")
    whole = [n for n, line in enumerate(lines) if n and re.match(r" +(?:- )?[\w$-]+: *[^ |>\[{&*#]", line)]
    return [(n, lines[n]) for n in sorted(rng.sample(whole, min(most, len(whole))))]


def _in_the_middle(text: str, rng: random.Random) -> Pen:
    """A line that was left out is written between the others."""
    lines = text.split("\n")
    left_out = _lines(text, rng, 1)
    for number, _ in left_out:
        del lines[number]
    pen = Pen("\n".join(lines))
    for number, line in left_out:
        _write_below(pen, number - 1, line)
    return pen


def _write_below(pen: Pen, above: int, line: str) -> None:
    """Write a line below the one with that number."""
    lines = pen.text.split("\n")
    pen.at = sum(len(each) + 1 for each in lines[: above + 1]) - 1
    pen.write(f"\n{line}")


def _anew(text: str, rng: random.Random) -> Pen:
    """Lines are deleted and typed again."""
    pen = Pen(text)
    for number, line in _lines(text, rng, 3):
        start = sum(len(each) + 1 for each in text.split("\n")[:number])
        pen.strokes.append(Stroke(1.0, ()))
        pen.edit(start, start + len(line) + 1, "")
        _write_below(pen, number - 1, line)
    return pen


def _names_anew(text: str, rng: random.Random) -> Pen:
    """Keys are deleted letter by letter and typed again."""
    pen = Pen(text)
    found = list(_KEYS.finditer(text))
    for key in rng.sample(found, min(3, len(found))):
        pen.strokes.append(Stroke(1.0, ()))
        for at in range(key.end("key"), key.start("key"), -1):
            pen.edit(at - 1, at, "")
        for number, char in enumerate(key["key"]):
            at = key.start("key") + number
            pen.edit(at, at, char)
    return pen


def _gathered(text: str, rng: random.Random) -> Pen:
    """As Neovim sends it: with the first change, those of a moment behind it."""
    pen = _top_to_bottom(text, rng)
    gathered = Pen()
    gathered.text = pen.text
    waiting: list[Edit] = []
    now = begun = sent = 0.0
    for stroke in pen.strokes:
        now += stroke.after
        if waiting and now > begun + _GATHERED:
            gathered.strokes.append(Stroke(begun + _GATHERED - sent, tuple(waiting)))
            waiting, sent = [], begun + _GATHERED
        begun = begun if waiting else now
        waiting += stroke.edits
    gathered.strokes.append(Stroke(begun + _GATHERED - sent, tuple(waiting)))
    return gathered


WAYS: dict[str, Way] = {
    "top to bottom": _top_to_bottom,
    "brackets and quotes closed": _with_pairs,
    "completion accepted": _completing,
    "changes gathered": _gathered,
    "pasted piece by piece": _pasting,
    "in the middle": _in_the_middle,
    "lines typed anew": _anew,
    "keys typed anew": _names_anew,
}
