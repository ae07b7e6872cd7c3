"""Small changes that let a broken text parse, so that one bad line does not hide the rest of the case."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rubric_core.syntax.events import Failure
from rubric_core.syntax.tree import Problem
from rubric_core.text import Span

__all__ = ["COLON", "LINE", "RESERVED", "Repair", "candidates", "explain"]

#: A line with its break, by LSP's idea of a line.
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
#: Stands for a colon inside a value while the text is parsed; see `Repair`.
COLON = "\ue0fe"
#: Stands for a character that cannot begin a plain value.
RESERVED = "\ue0fd"

_BARE_WORD = re.compile(r"(\s*(?:- +)*)([A-Za-z_$][\w$.-]*)([ \t]*(?:#.*)?)(\r?\n|\r)?\Z")
_INNER_COLON = re.compile(r"\s*(?:- +)*[^\s\"'#{\[][^:#\"'{\[]*:[ \t]+(?![\"'|>{\[&*!])[^#]*?(:)(?=[ \t]|\r?\n|\Z)")
_CLOSERS = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Repair:
    """Line number `line` (0-based) is read as `text`; `inserted` characters of indentation were added to it."""

    line: int
    text: str
    kind: str
    inserted: int = 0
    #: Column in the line of what is wrong, when it is known.
    column: int | None = None

    @property
    def blank(self) -> bool:
        """Whether the line is given up."""
        return self.kind == "blank"


def candidates(lines: Sequence[str], line_of: Callable[[int], int], failure: Failure) -> Iterator[Repair]:
    """Repairs worth trying for `failure`, the most careful first."""
    near: list[int] = []
    at = line_of(failure.offset)
    context = None if failure.context_offset is None else line_of(failure.context_offset)
    quoted = "quoted scalar" in failure.context or "flow" in failure.context
    for line in ([context] if quoted else []) + [at, _before(lines, at), context, _before(lines, context or 0)]:
        if line is not None and 0 <= line < len(lines) and lines[line].strip() and line not in near:
            near.append(line)
    for make in (_tabs, _inner_colon, _closed, _virtual_colon, _quoted_start):
        for line in near:
            repair = make(line, lines[line], failure)
            if repair is not None:
                yield repair
    for line in near:
        yield Repair(line, re.sub(r"[^\r\n]", " ", lines[line]), "blank")


def _before(lines: Sequence[str], line: int) -> int | None:
    for i in range(line - 1, max(-1, line - 20), -1):
        if lines[i].strip() and not lines[i].lstrip().startswith("#"):
            return i
    return None


def _tabs(line: int, text: str, _: Failure) -> Repair | None:
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    if "\t" not in indent:
        return None
    spaces = indent.replace("\t", "  ")
    return Repair(line, spaces + text[len(indent) :], "tab", len(spaces) - len(indent), indent.index("\t"))


def _inner_colon(line: int, text: str, _: Failure) -> Repair | None:
    found = _INNER_COLON.match(text)
    if found is None:
        return None
    at = found.start(1)
    return Repair(line, text[:at] + COLON + text[at + 1 :], "inner-colon", column=at)


def _virtual_colon(line: int, text: str, _: Failure) -> Repair | None:
    found = _BARE_WORD.match(text)
    if found is None:
        return None
    before, word, behind, end = found.groups()
    return Repair(line, f"{before}{word}:{behind}{end or ''}", "no-colon", column=len(before))


def _quoted_start(line: int, text: str, failure: Failure) -> Repair | None:
    """`key: @name` and `key: %x`: read the value as if it began with an ordinary letter."""
    if "cannot start any token" not in failure.problem:
        return None
    found = re.match(r"(\s*(?:- +)*(?:[\w$.-]+:[ \t]+)?)([@`%])", text)
    if found is None:
        return None
    return Repair(line, f"{found[1]}{RESERVED}{text[found.end():]}", "reserved", column=found.start(2))


def _closed(line: int, text: str, _: Failure) -> Repair | None:
    """Close what the line opens: a quote, or brackets."""
    body = text.rstrip("\r\n")
    stack, quote, opened = [], "", 0
    for i, char in enumerate(body):
        if quote:
            if char == quote and not (quote == '"' and body[i - 1] == "\\"):
                quote = ""
        elif char in "\"'" and (i == 0 or body[i - 1] in " [{,:"):
            quote, opened = char, i
        elif char == "#" and i and body[i - 1] == " ":
            body = body[:i]
            break
        elif char in _CLOSERS:
            stack.append((char, i))
        elif char in "]}" and stack and _CLOSERS[stack[-1][0]] == char:
            stack.pop()
    if not quote and not stack:
        return None
    kind, column = ("open-quote", opened) if quote else ("open-bracket", stack[-1][1])
    closers = quote + "".join(_CLOSERS[c] for c, _ in reversed(stack))
    return Repair(line, body.rstrip() + closers + text[len(text.rstrip("\r\n")) :], kind, column=column)


_WORDS = {
    "tab": "a tab cannot indent YAML; use spaces",
    "inner-colon": "this value holds a second `: `, so YAML reads it as a key; put the value in quotes",
    "no-colon": "this key has no colon",
    "reserved": "a plain value cannot start with this character; put the value in quotes",
    "open-quote": "this quote is never closed",
    "open-bracket": "this bracket is never closed",
}


def explain(failure: Failure, repair: Repair, lines: Sequence[str], start: int, length: int) -> Problem:
    """The problem behind `repair`, at the original offsets of its line."""
    text = lines[repair.line]
    body = text.rstrip("\r\n")
    first = len(body) - len(body.lstrip())
    end = min(length, len(body.rstrip()))
    if repair.column is not None:
        first = repair.column
        if repair.kind == "tab":
            end = len(body) - len(body.lstrip(" \t"))
        elif repair.kind in ("inner-colon", "reserved", "open-quote", "open-bracket"):
            end = first + 1
    span = Span(start + min(first, length), start + max(min(first, length), min(end, length)))
    message = _WORDS.get(repair.kind) or _plain(failure, body)
    return Problem("syntax", span, message)


def _plain(failure: Failure, body: str) -> str:
    problem = failure.problem
    if "mapping values are not allowed" in problem or "expected <block end>" in problem or "did not find expected" in problem:
        if body.lstrip().startswith(("-", "?")):
            return "this list item is indented like none of the lists above it"
        return "this line fits neither the list nor the mapping above it; check its indentation"
    if "could not find expected ':'" in problem:
        return "this line is no `key: value`"
    if "cannot start any token" in problem:
        return "a plain value cannot start with this character; put the value in quotes"
    if "unknown escape" in problem or "escape" in problem:
        return "this escape is unknown in double quotes; use single quotes or double the backslash"
    return f"this is no valid YAML: {problem}"
