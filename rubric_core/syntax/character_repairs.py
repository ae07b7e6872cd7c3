"""Repairs that change characters of one line (quotes, colons, brackets, escapes); the last resort drops the line."""

import re
import sys
from collections.abc import Iterator, Sequence

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.lines import DASHES, KEY, body_end, break_of, content_of, has_content, indent_of
from rubric_core.syntax.repair import Repair
from rubric_core.syntax.stand_ins import BACKSLASH, COLON, HOLE, QUOTE, RESERVED

__all__ = [
    "blank",
    "closed",
    "continues_below",
    "escape",
    "extra_closer",
    "header",
    "inner_colon",
    "inner_quote",
    "key_kept",
    "leaves_quote_open",
    "missing_colon",
    "no_dash_space",
    "no_key",
    "no_space",
    "other_bracket",
    "reserved",
    "value_of",
    "virtual_colon",
]

_BARE_WORD = pattern(rf"({DASHES})([A-Za-z_$][\w$.-]*)([ \t]*(?:#.*)?)(\r?\n|\r)?\Z")
_KEY_AND_TEXT = pattern(rf"({DASHES})[A-Za-z_$][\w$-]*(?= +[^\s:#][^:]*\Z)")
_INNER_COLON = pattern(
    rf"{DASHES}(?!- +\S)[^\s\"'#{{\[](?:[^:#\"'{{\[]|(?<! )#)*:[ \t](?![\"'|>{{\[&*!])(?:[^#]|(?<! )#)*?(:)(?=[ \t]|\r?\n|\Z)"
)
_NO_SPACE = pattern(rf"({DASHES}{KEY}:)(?!//)[^\s:]")
_NO_KEY = pattern(rf"{DASHES}(?=:(?:\s|\Z))")
_NO_DASH_SPACE = pattern(rf"([ \t]*)-(?={KEY}:(?:\s|\Z))")
_LEAD = pattern(rf"{DASHES}(?:{KEY}[ \t]*:[ \t]+)?")
_KEPT_KEY = pattern(rf"{DASHES}{KEY}[ \t]*:[ \t]")
_HEADER = pattern(rf"{DASHES}(?:{KEY}[ \t]*:[ \t]+)?[|>][-+0-9]*")
#: How many lines around a line are read to see how the items of its list are written.
_NEAR = 40
_ESCAPE = pattern(r"(\\(?:x[0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|.))")
#: How many hexadecimal digits follow the sign of an escape.
_DIGITS = {"x": 2, "u": 4, "U": 8}
_ESCAPES = '0abt\tnvfre "/\\N_LP\r\n'
#: A key without a colon at the end of a flow mapping.
_LAST_KEY = pattern(r"[{,]\s*[\w$.-]+\Z")
#: A quoted value with nothing wrong in it.
_QUOTED = pattern(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\.)*\"")
_CLOSERS = {"[": "]", "{": "}"}


def escape(lines: Sequence[str], line: int, failure: Failure) -> Iterator[Repair]:
    r"""`"\d+"`: read a backslash that begins no escape as itself."""
    if "escape" not in failure.problem and "hexdecimal" not in failure.problem:
        return
    text = lines[line]
    parts = _ESCAPE.split(text)
    wrong = [part for part in parts if part[:1] == "\\" and _is_no_escape(part)]
    if wrong:
        new = "".join(BACKSLASH + part[1:] if part in wrong else part for part in parts)
        yield Repair(line, new, "escape", column=new.index(BACKSLASH))


def _is_no_escape(part: str) -> bool:
    sign, digits = part[1], part[2:]
    if sign in _DIGITS:
        return len(digits) < _DIGITS[sign] or int(digits, 16) > sys.maxunicode
    return sign not in _ESCAPES


def value_of(text: str) -> tuple[int, int]:
    """The start and end of the value on the line, without its comment."""
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    if text[start : start + 1] in ("'", '"'):
        closed = re.compile(r".*" + text[start] + r"(?=[ \t]*(?:[ \t]#.*)?(?:[\r\n]|\Z))").match(text, start + 1)
        if closed:
            return start, closed.end()
    return start, max(start, body_end(text, start))


def inner_quote(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
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


def no_space(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`id:a`: the space after the colon."""
    found = _NO_SPACE.match(lines[line])
    if found:
        at = found.end(1)
        yield Repair(line, f"{lines[line][:at]} {lines[line][at:]}", "no-space", 1, at, column=at - 1)


def no_key(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`: value`, which libyaml refuses, and other parsers read as the value of an empty key."""
    found = _NO_KEY.match(lines[line])
    if found:
        at = found.end()
        yield Repair(line, f"{lines[line][:at]}{HOLE}{lines[line][at:]}", "no-key", 1, at, column=at)


def no_dash_space(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`-id: a`: the space after the dash, before it where the lines below need that."""
    found = _NO_DASH_SPACE.match(lines[line])
    if found:
        at, text = found.end(1), lines[line]
        if at and text[at - 1] == " ":
            yield Repair(line, f"{text[: at - 1]}- {text[at + 1 :]}", "no-dash-space", column=at)
        yield Repair(line, f"{text[: at + 1]} {text[at + 1 :]}", "no-dash-space", 1, at + 1, column=at)
        return
    text = lines[line]
    at = indent_of(text)
    near = (*lines[max(0, line - _NEAR) : line], *lines[line + 1 : line + _NEAR])
    if (
        text[at : at + 1] == "-"
        and text[at + 1 : at + 2] not in ("-", " ", "\t")
        and any(each.startswith(f"{text[:at]}- ") for each in near)
    ):
        yield Repair(line, f"{text[: at + 1]} {text[at + 1 :]}", "no-dash-space", 1, at + 1, column=at)


def inner_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Take a second `: ` in a line as text."""
    found = _INNER_COLON.match(lines[line])
    if found:
        at, text = found.start(1), lines[line]
        yield Repair(line, text[:at] + COLON + text[at + 1 :], "inner-colon", column=at)


def virtual_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """A half-typed key."""
    found = _BARE_WORD.match(lines[line])
    if found:
        before, word, behind, end = found.groups()
        following = next((text for text in lines[line + 1 :] if has_content(text)), "")
        inside = indent_of(following) > len(before) or (
            indent_of(following) == len(before) and following.lstrip().startswith("- ")
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


def missing_colon(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`criteria Explains it` where the lines above have keys."""
    text = lines[line]
    found = _KEY_AND_TEXT.match(text)
    if found is None:
        return
    near = [content_of(above) for above in lines[max(0, line - 40) : line] if has_content(above)]
    column = found.end(1)
    below = next((each for each in lines[line + 1 :] if has_content(each) and indent_of(each) <= column), "")
    if column in [*near, indent_of(below) if ":" in below else -1]:
        at = found.end()
        yield Repair(line, f"{text[:at]}:{text[at:]}", "no-colon", 1, at, column=column)


def reserved(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`key: @name`, `key: "a" b`, `key: *bold* text`: read the value as if it began with an ordinary letter."""
    text = lines[line]
    start, end = value_of(text)
    if text[start:end] and _QUOTED.fullmatch(text, start, end):
        return
    if start < end and text[start] in "@`%\"'[]{}*&!,-?" and not _brackets(text[start:end])[0]:
        value = RESERVED + re.sub(r":(?=[ \t]|\Z)", COLON, text[start + 1 : end])
        yield Repair(line, text[:start] + value + text[end:], "reserved", column=start)


def continues_below(text: str, below: str) -> bool:
    """Whether a block that begins on this line continues on the next, which is indented deeper than its key or dash."""
    content = content_of(text)
    least = content + 1 if value_of(text)[0] > content else max(content, indent_of(text) + 1)
    return indent_of(below) >= least


def header(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`key: >text`: the text of a block starts on the line below."""
    text = lines[line]
    found = _HEADER.match(text)
    end = body_end(text)
    if found and found.end() < end:
        below = next((each for each in lines[line + 1 :] if has_content(each)), "")
        if not continues_below(text, below):
            # No block continues below, so this is a text that happens to begin with `>`.
            start = value_of(text)[0]
            value = RESERVED + re.sub(r":(?=[ \t]|\Z)", COLON, text[start + 1 : end])
            yield Repair(line, text[:start] + value + text[end:], "header", column=found.end())
            return
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


def leaves_quote_open(line: str) -> bool:
    """Whether a quote that opens on the line does not close on it."""
    return bool(_brackets(line[: body_end(line)])[1][0])


def extra_closer(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Remove a closing bracket that none opens."""
    text = lines[line]
    stack, (quote, _opened), extra = _brackets(text[: body_end(text)])
    if extra >= 0 and not stack and not quote:
        yield Repair(line, f"{text[:extra]} {text[extra + 1 :]}", "extra-bracket", column=extra)


def other_bracket(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`[refund, return}`."""
    text = lines[line]
    stack, (quote, _opened), extra = _brackets(text[: body_end(text)])
    if extra >= 0 and len(stack) == 1 and not quote:
        closer = _CLOSERS[stack[0][0]]
        yield Repair(line, f"{text[:extra]}{closer}{text[extra + 1 :]}", "other-bracket", column=extra)


def closed(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Close what the line opens: a quote, or brackets."""
    whole = lines[line]
    body = whole[: body_end(whole)]
    stack, (quote, opened), _extra = _brackets(body)
    if quote:
        body = whole.rstrip()
    if quote or stack:
        kind, column = ("open-quote", opened) if quote else ("open-bracket", stack[-1][1])
        closers = quote + "".join(_CLOSERS[c] for c, _at in reversed(stack))
        added = ("" if quote else _half_typed(body, stack)) + closers
        yield Repair(line, f"{body}{added}{break_of(whole)}", kind, len(added), len(body), column)


def _half_typed(body: str, stack: list[tuple[str, int]]) -> str:
    """The text that a flow mapping needs after a key that is still being typed."""
    if stack[-1][0] == "{" and body.endswith(":"):
        return f" {HOLE}"
    return f": {HOLE}" if stack[-1][0] == "{" and _LAST_KEY.search(body) else ""


def key_kept(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Keep the key of a line and drop its value."""
    text = lines[line]
    found = _KEPT_KEY.match(text)
    if found and len(text.rstrip()) > found.end():
        rest = len(text.rstrip()) - found.end() - 1
        yield Repair(line, f"{text[: found.end()]}{HOLE}{' ' * rest}{break_of(text)}", "lost")


def blank(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Drop the whole line."""
    yield Repair(line, re.sub(r"[^\r\n]", " ", lines[line]), "lost")
