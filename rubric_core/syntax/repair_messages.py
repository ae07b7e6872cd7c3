"""Describes a repair for the author, with the edit that makes the text what the parser read."""

import re
from collections.abc import Sequence

from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.character_repairs import continues_below, value_of
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.foreign_sign_repairs import SIGNS, WHOLE_LINES
from rubric_core.syntax.lines import break_of, content_of, has_content, indent_of
from rubric_core.syntax.repair import Repair
from rubric_core.syntax.sign_repairs import SLIPS
from rubric_core.syntax.stand_ins import HOLE, QUOTE
from rubric_core.syntax.tree import SyntaxFix, SyntaxProblem
from rubric_core.text import Edit, Span

__all__ = ["explain"]

_WORDS = {
    "tab": "a tab cannot indent YAML; use spaces",
    "inner-colon": "this value holds a second `: `, so YAML reads it as a key; put the value in quotes",
    "inner-quote": "this quote ends the value too soon",
    "no-colon": "this key has no colon",
    "no-key": "there is no key before this colon",
    "no-space": "a colon needs a space after it",
    "orphan": "this list belongs to no key; the line above has a value already",
    "missing-dash": "an item of a list starts here; it needs a dash",
    "no-dash-space": "a dash needs a space after it",
    "open-quote": "this quote is never closed",
    "open-bracket": "this bracket is never closed",
    "extra-bracket": "this bracket closes nothing",
    "other-bracket": "this bracket does not match the one that is open",
    "header": "a block text starts on the line below its `|` or `>`",
    "escape": "this escape is not valid in double quotes; double the backslash, or use single quotes",
}
#: A comment that holds the end of a bracket.
_CUT = pattern(r" (#[^\s\]},]*)([^\r\n]*[\]}])?[^\r\n]*")
#: A text in quotes, and the blanks after it.
_CLOSED = pattern(r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*')[ \t]*(?=\S)")
#: One word in backquotes, as Markdown has code.
_WRAPPED = pattern(r"`([\w./-]+)`")
#: A block scalar indicator followed by text.
_BLOCK = pattern(r"[|>][-+]?[ \t]+(?=[^\W\d])")
#: A Windows path or a regular expression, in which a backslash is literal.
_BACKSLASHES = pattern(r"[A-Za-z]:\\|\\[dDwWsSbB.+*?()\[\]{}|^$]")
#: Kinds of repair that concern one character.
_ONE_CHARACTER = frozenset(
    (
        "inner-colon",
        "inner-quote",
        "no-key",
        "no-space",
        "no-dash-space",
        "open-quote",
        "open-bracket",
        "extra-bracket",
        "other-bracket",
    )
)


def explain(
    failure: Failure, repair: Repair, original: Sequence[str], starts: Sequence[int], *, again: bool = False
) -> SyntaxProblem:
    """The problem of `repair`, at offsets of the original lines; `again` if the line was repaired before."""
    line, start = original[repair.line], starts[repair.line]
    body = line.rstrip()
    first, end = len(body) - len(body.lstrip()), len(body)
    if again:
        # The columns of the repair no longer match the original line.
        return SyntaxProblem("syntax", Span(start + first, start + end), _plain(failure, body))
    column = min(repair.column or 0, max(0, len(body) - 1))
    if repair.kind == "tab":
        first, end = column, len(line) - len(line.lstrip(" \t"))
    elif repair.kind == "escape":
        first, end = column, column + 2
    elif repair.kind == "header":
        first = column
        end = max(end, first + 1)
    elif repair.kind in SIGNS and repair.kind not in WHOLE_LINES:
        first, end = column, _changed(repair, line)[1]
        end = max(end, first + 1)
    elif repair.kind in SLIPS and repair.kind != "directive":
        first, end = column, column + max(1, -repair.inserted)
    elif repair.kind == "reserved" and (quoted_part := _CLOSED.match(body, column)):
        first = quoted_part.end()
    elif repair.kind in _ONE_CHARACTER or repair.kind == "reserved":
        first, end = column, column + 1
    elif repair.kind == "no-colon":
        first, end = column, min(len(body), repair.at)
    return SyntaxProblem(
        "syntax",
        Span(start + first, start + end),
        _message(failure, repair, body, column),
        _mend(repair, original, starts),
    )


def _message(failure: Failure, repair: Repair, body: str, column: int) -> str:
    if repair.kind == "reserved":
        return _reserved_words(body[column])
    if repair.kind == "open-bracket" and (cut := next((c for c in _CUT.finditer(body, column) if c[2]), None)):
        return f"this bracket is never closed: `{cut[1]}` begins a comment; put the value in quotes"
    if repair.kind == "indent":
        here, there = len(body) - len(body.lstrip()), repair.column
        return f"this line is indented by {here}, which matches nothing above it; {there} would"
    if repair.kind == "overindent":
        here, there = len(body) - len(body.lstrip()), repair.column
        return f"this line is indented by {here}, its siblings below by {there}"
    if repair.kind in SIGNS:
        return SIGNS[repair.kind][0]
    words = _WORDS.get(repair.kind) or SLIPS.get(repair.kind, ("",))[0]
    return words or _plain(failure, body)


def _reserved_words(char: str) -> str:
    if char in "\"'":
        return "the text continues after the closing quote; put the whole value in quotes"
    if char in "[]{}":
        return "the text continues after the closing bracket; put the whole value in quotes"
    if char == "-":
        return "a list starts on the line below its key; text that starts with a dash needs quotes"
    return f"a plain value cannot start with {'a backquote' if char == '`' else f'`{char}`'}; put it in quotes"


def _mend(repair: Repair, original: Sequence[str], starts: Sequence[int]) -> SyntaxFix | None:
    """The edit that makes a repair permanent; none where the repair only left something out."""
    line, start = original[repair.line], starts[repair.line]
    if repair.kind in ("tab", "indent", "overindent"):
        return _indented(repair, original, starts)
    if repair.kind in ("inner-colon", "reserved"):
        return _quote(repair, line, start)
    if repair.kind in SLIPS:
        return _as_read(repair, line, start)
    if repair.kind in SIGNS:
        return _signs(repair, original, starts)
    if repair.kind == "header":
        return _below(repair, original, start) or _quote(repair, line, start)
    if repair.kind in ("escape", "inner-quote"):
        return _escaped(repair, line, start)
    return _one_mark(repair, start)


def _one_mark(repair: Repair, start: int) -> SyntaxFix | None:
    """The edit for a punctuation mark that is missing, superfluous or wrong."""
    here = start + (repair.column or 0)
    if repair.kind == "no-colon":
        return SyntaxFix("add the colon", (_inserted(start + repair.at, ":"),))
    if repair.kind == "no-space":
        return SyntaxFix("add the space", (_inserted(start + repair.at, " "),), safe=True)
    if repair.kind == "no-dash-space":
        edit = _inserted(here + 1, " ") if repair.inserted else Edit(Span(here - 1, here + 1), "- ")
        return SyntaxFix("add the space", (edit,), safe=True)
    if repair.kind == "missing-dash":
        return SyntaxFix("add the dash", (Edit(Span(here - 2, here), "- "),))
    if repair.kind == "other-bracket":
        bracket = repair.text[here - start]
        return SyntaxFix(f"write `{bracket}`", (Edit(Span(here, here + 1), bracket),))
    if repair.kind == "extra-bracket":
        return SyntaxFix("remove the bracket", (Edit(Span(here, here + 1), ""),))
    if repair.kind in ("open-quote", "open-bracket"):
        added = repair.text[repair.at : repair.at + repair.inserted].replace(f": {HOLE}", "").replace(HOLE, "")
        return SyntaxFix(f"close the {repair.kind.removeprefix('open-')}", (_inserted(start + repair.at, added),))
    return None


def _inserted(at: int, text: str) -> Edit:
    return Edit(Span(at, at), text)


def _indented(repair: Repair, original: Sequence[str], starts: Sequence[int]) -> SyntaxFix:
    """The edits that indent the line, and the lines moved with it, as they were read."""
    moved = [(repair.line, repair.text), *((n, text) for n, text, _ in repair.others)]
    edits = tuple(_indentation(original[n], starts[n], text) for n, text in moved)
    if repair.kind == "tab":
        return SyntaxFix("indent with spaces", edits, safe=True)
    return SyntaxFix(f"indent it by {repair.column}" if repair.column else "remove its indentation", edits)


def _escaped(repair: Repair, line: str, start: int) -> SyntaxFix:
    """The edit that doubles every backslash, or escapes every quote in the text."""
    if repair.kind == "escape":
        at = [i for i, (a, b) in enumerate(zip(repair.text, line, strict=False)) if a != b]
        if _BACKSLASHES.search(line):
            at = [found.start() for found in re.finditer(r"\\\\|\\(?!\")", line) if len(found[0]) == 1]
        return SyntaxFix("double the backslash", tuple(_inserted(start + i, "\\") for i in at), safe=True)
    mark = "'" if line[value_of(line)[0]] == "'" else "\\"
    at = [i for i, char in enumerate(repair.text) if char == QUOTE]
    return SyntaxFix("escape the quotes", tuple(_inserted(start + i, mark) for i in at))


def _below(repair: Repair, original: Sequence[str], start: int) -> SyntaxFix | None:
    """The edit that moves the text after `|` to its own line, above the lines that continue the block."""
    line, column = original[repair.line], repair.column or 0
    following = next((text for text in original[repair.line + 1 :] if has_content(text)), "")
    indent = indent_of(following)
    if not continues_below(line, following):
        if not _BLOCK.match(line, value_of(line)[0]):
            return None
        indent = content_of(line) + 2
    text = column + len(line[column:]) - len(line[column:].lstrip(" \t"))
    written = (break_of(line) or "\n") + " " * indent
    return SyntaxFix("start the text on the line below", (Edit(Span(start + column, start + text), written),))


def _as_read(repair: Repair, line: str, start: int) -> SyntaxFix:
    """The smallest edit that turns the line into the repaired one."""
    title, column = SLIPS[repair.kind][1], repair.column or 0
    if repair.kind == "directive":
        return SyntaxFix(title, (Edit(Span(start, start + len(line)), ""),))
    if repair.kind == "empty-item":
        return SyntaxFix(title, (Edit(Span(start + column, start + column + 1), ""),))
    same = next((i for i, (a, b) in enumerate(zip(reversed(line), reversed(repair.text), strict=False)) if a != b), 0)
    same = min(same, len(line) - column, len(repair.text) - column)
    edit = Edit(Span(start + column, start + len(line) - same), repair.text[column : len(repair.text) - same])
    return SyntaxFix(title, (edit,), safe=repair.kind in ("foreign-blank", "dash-tab"))


def _signs(repair: Repair, original: Sequence[str], starts: Sequence[int]) -> SyntaxFix:
    """The smallest edits that turn every line into the repaired one; a code fence or git marker is removed with its line."""
    _, title, safe = SIGNS[repair.kind]
    edits: list[Edit] = []
    for number, text, _ in ((repair.line, repair.text, 0), *repair.others):
        line, start = original[number], starts[number]
        if repair.kind in WHOLE_LINES:
            edits.append(Edit(Span(start, start + len(line)), ""))
        else:
            first, end = _changed(replace(repair, line=number, text=text), line)
            edits.append(Edit(Span(start + first, start + end), text[first : len(text) - (len(line) - end)]))
    if repair.kind == "fence":
        lines = (repair.line, *(number for number, _, _ in repair.others))
        first, last = min(lines), max(lines)
        # Certain only if nothing but comments precede, or nothing follows.
        above = any(has_content(each) for each in original[:first])
        safe = not (above and any(each.strip() for each in original[last + 1 :]))
    return SyntaxFix(title, tuple(edits), safe=safe)


def _changed(repair: Repair, line: str) -> tuple[int, int]:
    """The columns in which the repaired line differs from the written one."""
    text, least = repair.text, min(len(line), len(repair.text))
    first = next((n for n in range(least) if line[n] != text[n]), least)
    same = next((n for n in range(least - first) if line[-1 - n] != text[-1 - n]), least - first)
    return first, len(line) - same


def _indentation(line: str, start: int, text: str) -> Edit:
    old, new = len(line) - len(line.lstrip(" \t")), len(text) - len(text.lstrip(" \t"))
    return Edit(Span(start, start + old), text[:new])


def _quote(repair: Repair, line: str, start: int) -> SyntaxFix:
    """The edit that puts the whole value in double quotes."""
    first, end = value_of(line)
    value = line[first:end]
    if value[-1:] in ("'", '"') and value.count(value[-1]) == 1 and "\\" not in value:
        return SyntaxFix("open the quote", (Edit(Span(start + first, start + first), value[-1]),))
    if wrapped := _WRAPPED.fullmatch(value):
        return SyntaxFix("remove the backquotes", (Edit(Span(start + first, start + end), wrapped[1]),))
    safe = repair.kind == "inner-colon" or value[:1] in "@`%*"
    return SyntaxFix("put the value in quotes", (Edit(Span(start + first, start + end), quoted(value)),), safe=safe)


def _plain(failure: Failure, body: str) -> str:
    problem = failure.problem
    if (
        "mapping values are not allowed" in problem
        or "expected <block end>" in problem
        or "did not find expected" in problem
    ):
        if body.lstrip().startswith(("-", "?")):
            return "the indentation of this list item matches no list above it"
        return "this line belongs neither to the list nor to the mapping above it; check its indentation"
    if "could not find expected ':'" in problem:
        return "this line is not a `key: value`"
    return f"this is not valid YAML: {problem}"
