"""Flow style read up to a cursor, bracket by bracket: works before the brackets are closed."""

import re

from rubric_core.syntax.ancestors import line_end, line_start

__all__ = ["Flow", "Level", "open_flow"]

#: How many lines above the cursor are searched for the start of flow style.
_FARTHEST = 30
_KEY = r"(?:\"[^\"]*\"|'[^']*'|[\w$.-]+)"


def open_flow(text: str, offset: int) -> int | None:
    """The offset of the outermost bracket that is open at `offset`, looking back a few lines at most."""
    start = _first_line(text, offset)
    stack: list[int] = []
    quote = ""
    comment = start
    for at in range(start, offset):
        char = text[at]
        if at < comment:
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and (at == start or text[at - 1] in " [{,:\t"):
            quote = char
        elif _comments(text, at):
            comment = line_end(text, at)
        elif char in "[{" and (stack or _value_starts(text, start, at)):
            stack.append(at)
        elif char in "]}" and stack:
            stack.pop()
    return stack[0] if stack else None


def _first_line(text: str, offset: int) -> int:
    """The start of the closest line at or above `offset` that has a key or dash and is not inside brackets."""
    start = offset
    for _ in range(_FARTHEST):
        if start == 0:
            break
        start = line_start(text, start - 1)
        line = text[start : line_end(text, start)]
        begins = re.match(rf"[ \t]*(?:- +)*{_KEY}[ \t]*:", line) or re.match(r"[ \t]*-[ \t]", line)
        if begins and not _goes_on(text, start):
            break
    return start


def _goes_on(text: str, start: int) -> bool:
    """Whether the preceding line ends inside brackets, ignoring comments."""
    at = start
    for _ in range(_FARTHEST):
        if at == 0:
            return False
        at = line_start(text, at - 1)
        line = re.sub(r"(?:^|[ \t])#.*", "", text[at : line_end(text, at)]).rstrip()
        if line.strip():
            return line.endswith(("{", "[", ","))
    return False


def _value_starts(text: str, line: int, at: int) -> bool:
    """Whether a bracket at `at` begins a value rather than being a character of a plain scalar."""
    before = text[line_start(text, at) : at]
    return re.fullmatch(rf"[ \t]*(?:- +)*(?:{_KEY}[ \t]*:[ \t]+)?(?:[&!]\S+[ \t]+)*", before) is not None or line == at


def _comments(text: str, at: int) -> bool:
    """Whether a comment begins at `at`, outside of quotes."""
    return text[at] == "#" and text[at - 1 : at] in ("", " ", "\t", "\n", "\r")


class Level:
    """One open bracket."""

    def __init__(self, bracket: str) -> None:
        self.bracket = bracket
        #: The keys that are written already, with their values.
        self.keys: dict[str, str] = {}
        #: The key whose value is being written.
        self.key: str | None = None
        self.token = ""

    def end(self, mark: str) -> None:
        """End the current token: a colon ends a key, a comma a value."""
        token = self.token.strip().strip("\"'")
        if mark == ":":
            self.key = token
        elif self.key is not None:
            self.keys[self.key] = token
            self.key = None
        self.token = ""


class Flow:
    """The brackets that are open at an offset, read from the first of them on."""

    def __init__(self, text: str, first: int, offset: int) -> None:
        self.text = text
        self.levels: list[Level] = []
        #: The quote that is open, if any.
        self.quote = ""
        #: The start of the token that is being written.
        self.token_start = first
        #: The end of the most recent comment.
        self._comment = first
        for at in range(first, offset):
            if at >= self._comment:
                self._read(at)

    def _read(self, at: int) -> None:
        char = self.text[at]
        level = self.levels[-1] if self.levels else None
        if level is None or (char in "[{" and not self.quote):
            if char in "[{":
                self.levels.append(Level(char))
                self.token_start = at + 1
            return
        if self.quote:
            self.quote = "" if char == self.quote else self.quote
        elif _comments(self.text, at):
            self._comment = line_end(self.text, at)
            if not level.token.strip():
                self.token_start = self._comment
            return
        elif char in "\"'" and not level.token.strip():
            self.quote, self.token_start = char, at + 1
        elif char in "]}":
            self.levels.pop()
            self.token_start = at + 1
            return
        elif char == "," or self._ends_key(level, at):
            level.end(char)
            self.token_start = at + 1
            return
        level.token += char

    def _ends_key(self, level: Level, at: int) -> bool:
        """Behind a quoted key a colon needs no space, as in JSON."""
        spaced = self.text[at + 1 : at + 2] in (" ", "", "\n", "\r", "\t") or level.token.strip()[:1] in ("'", '"')
        return self.text[at] == ":" and spaced and level.bracket == "{" and level.key is None
