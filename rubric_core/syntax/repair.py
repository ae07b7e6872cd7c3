"""Small changes that let a broken text parse, so that one bad line does not hide the rest of the case.

A repair keeps as much of what the author wrote as it can: first come changes that keep the whole line, then those that
keep its key, and only then the line is given up. What the tree then says at a stand-in is put right by `parse`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rubric_core.syntax.events import Failure

__all__ = [
    "BACKSLASH",
    "COLON",
    "HOLE",
    "LINE",
    "QUOTE",
    "RESERVED",
    "STAND_INS",
    "Repair",
    "candidates",
    "value_of",
]

#: A line with its break, by LSP's idea of a line.
LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
#: Stands for a colon inside a value.
COLON = "\ue0fe"
#: Stands for a character that cannot begin a plain value.
RESERVED = "\ue0fd"
#: Stands for a quote inside a quoted value.
QUOTE = "\ue0fc"
#: Stands for a backslash that begins no escape.
BACKSLASH = "\ue0fb"
#: Stands for a value that could not be read.
HOLE = "\ue0fa"
STAND_INS = COLON + RESERVED + QUOTE + BACKSLASH + HOLE

_DASHES = r"[ \t]*(?:- +)*"
_KEY = r"(?:\"[^\"]*\"|'[^']*'|[A-Za-z_$][\w$.-]*)"
_BARE_WORD = re.compile(rf"({_DASHES})([A-Za-z_$][\w$.-]*)([ \t]*(?:#.*)?)(\r?\n|\r)?\Z")
_KEY_AND_TEXT = re.compile(rf"({_DASHES})[A-Za-z_$][\w$-]*(?= +[^\s:#][^:]*\Z)")
_INNER_COLON = re.compile(
    rf"{_DASHES}[^\s\"'#{{\[](?:[^:#\"'{{\[]|(?<! )#)*:[ \t]+(?![\"'|>{{\[&*!])(?:[^#]|(?<! )#)*?(:)(?=[ \t]|\r?\n|\Z)"
)
_NO_SPACE = re.compile(rf"({_DASHES}{_KEY}:)(?!//)[^\s:]")
_NO_DASH_SPACE = re.compile(rf"([ \t]*)-(?={_KEY}:(?:\s|\Z))")
_LEAD = re.compile(rf"{_DASHES}(?:{_KEY}[ \t]*:[ \t]+)?")
_KEPT_KEY = re.compile(rf"{_DASHES}{_KEY}[ \t]*:[ \t]")
_HEADER = re.compile(rf"{_DASHES}(?:{_KEY}[ \t]*:[ \t]+)?[|>][-+0-9]*")
_ESCAPES = '0abt\tnvfre "/\\N_LPxuU\r\n'
_CLOSERS = {"[": "]", "{": "}"}
_COMMENT = re.compile(r"(?:^|[ \t])#")


@dataclass(frozen=True, slots=True)
class Repair:
    """Line number `line` (0-based) is read as `text`."""

    line: int
    text: str
    kind: str
    #: Characters that were put in behind column `at`; negative for characters of the indentation that were taken out.
    inserted: int = 0
    at: int = 0
    #: Column in the line of what is wrong, when it is known.
    column: int | None = None
    #: Lines that move with this one: number, text, characters put in at their start.
    others: tuple[tuple[int, str, int], ...] = ()


Maker = Callable[[Sequence[str], int, Failure], Iterator[Repair]]


def candidates(lines: Sequence[str], line_of: Callable[[int], int], failure: Failure) -> Iterator[Repair]:
    """Repairs worth trying for `failure`, the most careful first."""
    near: list[int] = []
    at = line_of(failure.offset)
    context = None if failure.context_offset is None else line_of(failure.context_offset)
    quoted = "quoted scalar" in failure.context or "flow" in failure.context
    for line in ([context] if quoted else []) + [
        at,
        _before(lines, at),
        context,
        _before(lines, context or 0),
    ]:
        if line is not None and 0 <= line < len(lines) and lines[line].strip() and line not in near:
            near.append(line)
    makers: tuple[Maker, ...] = (
        _tabs, _escape, _inner_quote, _no_space, _inner_colon, _extra_closer, _closed, _header, _reserved, _no_dash_space,
        _virtual_colon, _missing_colon, _indented, _key_kept, _blank,
    )  # fmt: skip
    for make in makers:
        for line in near:
            yield from make(lines, line, failure)


def _before(lines: Sequence[str], line: int) -> int | None:
    for i in range(line - 1, max(-1, line - 20), -1):
        if _says_something(lines[i]):
            return i
    return None


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _break(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _body_end(line: str, start: int = 0) -> int:
    """Where the line ends without its comment."""
    comment = _COMMENT.search(line, start)
    return len(line[: comment.start() if comment else len(line)].rstrip())


# Whole lines kept


def _tabs(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """One line whose tabs stand for the place of the line above, or every line of the text by one width of a tab."""
    text, indent = lines[line], _indent(lines[line])
    if "\t" not in text[:indent]:
        return
    # Behind spaces a tab may be the content of a block scalar.
    bad = [i for i, each in enumerate(lines) if i == line or (each.startswith("\t") and each.strip())]
    if len(bad) == 1:
        for column in _columns(lines, line):
            yield Repair(line, " " * column + text[indent:], "tab", column - indent, column=text.index("\t"))
    for width in (2, 4, 8):
        new = {i: lines[i][: _indent(lines[i])].expandtabs(width) + lines[i][_indent(lines[i]) :] for i in bad}
        others = tuple((i, each, len(each) - len(lines[i])) for i, each in new.items() if i != bad[0])
        yield Repair(
            bad[0],
            new[bad[0]],
            "tab",
            len(new[bad[0]]) - len(lines[bad[0]]),
            column=lines[bad[0]].index("\t"),
            others=others,
        )


def _columns(lines: Sequence[str], line: int) -> list[int]:
    """Columns at which the line could start so that it fits to the lines above it, the likely ones first."""
    found: list[int] = []
    above = _before(lines, line)
    for i in range(line - 1, max(-1, line - 40), -1):
        if not _says_something(lines[i]) or "\t" in lines[i][: _indent(lines[i])]:
            continue
        content = _content(lines[i])
        if i == above:
            found.append(content + 2 if lines[i].rstrip().endswith((":", "|", ">")) else content)
            found.append(content if found[0] != content else content + 2)
        found += (c for c in (content, _indent(lines[i])) if c not in found)
        if content == 0:
            break
    return found


def _indented(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """The line, and what is deeper than it, moved to the nearest column that fits."""
    text, indent = lines[line], _indent(lines[line])
    if "\t" in text[:indent]:
        return
    for column in sorted((c for c in _columns(lines, line) if c != indent), key=lambda c: abs(c - indent)):
        by = column - indent
        moved: list[tuple[int, str, int]] = []
        for i in range(line + 1, len(lines)):
            if lines[i].strip():
                if _indent(lines[i]) <= indent:
                    break
                moved.append((i, " " * (_indent(lines[i]) + by) + lines[i].lstrip(" \t"), by))
        yield Repair(line, " " * column + text[indent:], "indent", by, others=tuple(moved), column=column)


def _escape(lines: Sequence[str], line: int, failure: Failure) -> Iterator[Repair]:
    r"""`"\d+"`: read a backslash that begins no escape as itself."""
    if "escape" not in failure.problem:
        return
    text = lines[line]
    parts = re.split(r"(\\.)", text)
    wrong = [part for part in parts if len(part) == 2 and part[0] == "\\" and part[1] not in _ESCAPES]
    if wrong:
        new = "".join(BACKSLASH + part[1] if part in wrong else part for part in parts)
        yield Repair(line, new, "escape", column=new.index(BACKSLASH))


def value_of(text: str) -> tuple[int, int]:
    """Where the value on the line starts and ends, its comment left out."""
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    if text[start : start + 1] in ("'", '"'):
        closed = re.compile(r".*" + text[start] + r"(?=[ \t]*(?:[ \t]#.*)?(?:[\r\n]|\Z))").match(text, start + 1)
        if closed:
            return start, closed.end()
    return start, max(start, _body_end(text, start))


def _inner_quote(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`'it's'` and `"say "hi""`: quotes inside the outer pair are text."""
    text = lines[line]
    start, end = value_of(text)
    quote = text[start : start + 1]
    if quote not in ("'", '"') or end - start < 3 or text[end - 1] != quote:
        return
    inner = text[start + 1 : end - 1]
    new = re.sub(r"''|'" if quote == "'" else r'\\.|"', lambda m: QUOTE if m[0] == quote else m[0], inner)
    if new != inner:
        yield Repair(
            line,
            text[: start + 1] + new + text[end - 1 :],
            "inner-quote",
            column=start + 1 + new.index(QUOTE),
        )


def _no_space(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`id:a`: the space behind the colon."""
    found = _NO_SPACE.match(lines[line])
    if found:
        at = found.end(1)
        yield Repair(line, f"{lines[line][:at]} {lines[line][at:]}", "no-space", 1, at, column=at - 1)


def _no_dash_space(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`-id: a`: the space behind the dash, before it where the lines below need that."""
    found = _NO_DASH_SPACE.match(lines[line])
    if found:
        at, text = found.end(1), lines[line]
        if at and text[at - 1] == " ":
            yield Repair(line, f"{text[: at - 1]}- {text[at + 1 :]}", "no-dash-space", column=at)
        yield Repair(line, f"{text[: at + 1]} {text[at + 1 :]}", "no-dash-space", 1, at + 1, column=at)


def _inner_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    found = _INNER_COLON.match(lines[line])
    if found:
        at, text = found.start(1), lines[line]
        yield Repair(line, text[:at] + COLON + text[at + 1 :], "inner-colon", column=at)


def _virtual_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """A half-typed key."""
    found = _BARE_WORD.match(lines[line])
    if found:
        before, word, behind, end = found.groups()
        following = next((text for text in lines[line + 1 :] if _says_something(text)), "")
        inside = _indent(following) > len(before) or (
            _indent(following) == len(before) and following.lstrip().startswith("- ")
        )
        added = ":" if inside else f": {HOLE}"
        yield Repair(
            line,
            f"{before}{word}{added}{behind}{end or ''}",
            "no-colon",
            len(added),
            len(before + word),
            column=len(before),
        )


def _missing_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`criteria Explains it` where the lines above have keys."""
    text = lines[line]
    found = _KEY_AND_TEXT.match(text)
    if found and found.end(1) in [
        _content(above) for above in lines[max(0, line - 40) : line] if _says_something(above)
    ]:
        at = found.end()
        yield Repair(line, f"{text[:at]}:{text[at:]}", "no-colon", 1, at, column=found.end(1))


def _content(line: str) -> int:
    """The column behind the dashes of a line."""
    dashes = re.match(_DASHES, line)
    return dashes.end() if dashes else 0


def _reserved(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`key: @name`, `key: "a" b`, `key: *bold* text`: read the value as if it began with an ordinary letter."""
    text = lines[line]
    start, end = value_of(text)
    if start < end and text[start] in "@`%\"'[]{}*&!,-?" and not _brackets(text[start:end])[0]:
        value = RESERVED + re.sub(r":(?=[ \t]|\Z)", COLON, text[start + 1 : end])
        yield Repair(line, text[:start] + value + text[end:], "reserved", column=start)


def _header(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`key: >text`: the text of a block starts on the line below."""
    text = lines[line]
    found = _HEADER.match(text)
    end = _body_end(text)
    if found and found.end() < end:
        yield Repair(line, text[: found.end()] + " " * (end - found.end()) + text[end:], "header", column=found.end())


def _brackets(text: str) -> tuple[list[tuple[str, int]], tuple[str, int], int]:
    """Brackets that are open at the end of the line, the open quote, and the column of a bracket that closes nothing."""
    stack: list[tuple[str, int]] = []
    quote, opened, extra = "", 0, -1
    for i, char in enumerate(text):
        if quote:
            if char == quote and not (quote == '"' and text[i - 1] == "\\"):
                quote = ""
        elif char in "\"'" and (i == 0 or text[i - 1] in " [{,:"):
            quote, opened = char, i
        elif char in _CLOSERS:
            stack.append((char, i))
        elif char in "]}":
            if stack and _CLOSERS[stack[-1][0]] == char:
                stack.pop()
            elif extra < 0:
                extra = i
    return stack, (quote, opened), extra


def _extra_closer(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    text = lines[line]
    stack, (quote, _opened), extra = _brackets(text[: _body_end(text)])
    if extra >= 0 and not stack and not quote:
        yield Repair(line, f"{text[:extra]} {text[extra + 1 :]}", "extra-bracket", column=extra)


def _closed(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Close what the line opens: a quote, or brackets."""
    whole = lines[line]
    body = whole[: _body_end(whole)]
    stack, (quote, opened), _extra = _brackets(body)
    if quote:
        body = whole.rstrip()
    if quote or stack:
        kind, column = ("open-quote", opened) if quote else ("open-bracket", stack[-1][1])
        closers = (" " if body.endswith(":") else "") + quote + "".join(_CLOSERS[c] for c, _at in reversed(stack))
        yield Repair(line, f"{body}{closers}{_break(whole)}", kind, column=column)


# The key kept, the line given up


def _key_kept(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    text = lines[line]
    found = _KEPT_KEY.match(text)
    if found and len(text.rstrip()) > found.end():
        rest = len(text.rstrip()) - found.end() - 1
        yield Repair(line, f"{text[: found.end()]}{HOLE}{' ' * rest}{_break(text)}", "lost")


def _blank(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    yield Repair(line, re.sub(r"[^\r\n]", " ", lines[line]), "lost")
