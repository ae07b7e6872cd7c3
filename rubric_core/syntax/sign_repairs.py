"""Repairs of single wrong characters: syntax of other languages and residue of pasting."""

from collections.abc import Iterator, Sequence

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.lines import DASHES, FOREIGN_BLANKS, KEY, break_of, has_content, indent_of
from rubric_core.syntax.repair import Repair

__all__ = ["SLIPS", "dash_tab", "directive", "empty_item", "foreign_blank", "indicator", "slashes", "stray_mark"]

#: The message of each kind, and the title of its fix.
SLIPS = {
    "stray": ("this does not belong before a key", "remove it"),
    "slashes": ("a comment begins with `#`", "write `#`"),
    "dash-tab": ("a tab is not allowed between a dash and a key; use a space", "use a space"),
    "foreign-blank": ("YAML does not treat this character as a space; use spaces", "use spaces"),
    "indicator": (
        "this number is the indentation of the text below, but does not match it; leave it out",
        "leave it out",
    ),
    "empty-item": ("there is nothing before this comma", "remove the comma"),
    "directive": ("a directive is `%YAML` or `%TAG`, with a line `---` below it", "remove the directive"),
}
_STRAY = pattern(rf"({DASHES})([|>]+[ \t]*)(?={KEY}[ \t]*:(?:\s|\Z))")
_SLASHES = pattern(r"[ \t]*//")
_DASH_TAB = pattern(rf"([ ]*(?:- +)*-)( *\t[ \t]*)(?={KEY}[ \t]*:(?:\s|\Z))")
_BLANKS = pattern(f"[ \t{FOREIGN_BLANKS}]+")
_INDICATOR = pattern(rf"({DASHES}(?:{KEY}[ \t]*:[ \t]+)?[|>][-+]?)([0-9]+)(?=[-+]?[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|\Z))")
#: Two commas, or a comma after an opening bracket; quoted text is skipped.
_EMPTY = pattern(r"(?<!\\)\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?P<before>[\[{,][ \t]*)(?P<comma>,)")


def stray_mark(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`|criteria: …`."""
    found = _STRAY.match(lines[line])
    if found:
        at = found.end(1)
        yield Repair(line, lines[line][:at] + lines[line][found.end() :], "stray", at - found.end(), at, column=at)


def slashes(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`// a comment`."""
    found = _SLASHES.match(lines[line])
    if found:
        at = found.end() - 2
        yield Repair(line, f"{lines[line][:at]}#{lines[line][found.end() :]}", "slashes", -1, at, column=at)


def dash_tab(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """A tab between a dash and its first key, which is aligned with the keys below it."""
    found = _DASH_TAB.match(lines[line])
    if found:
        at = found.end(1)
        below = next((each for each in lines[line + 1 :] if has_content(each)), "")
        blanks = max(1, indent_of(below) - at) if "\t" not in below[: indent_of(below)] else 1
        text = lines[line][:at] + " " * blanks + lines[line][found.end() :]
        yield Repair(line, text, "dash-tab", blanks - len(found[2]), at, column=at)


def foreign_blank(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """Non-breaking and similar spaces of a web page in the indentation."""
    found = _BLANKS.match(lines[line])
    if found and any(char not in " \t" for char in found[0]) and "\t" not in found[0]:
        at = next(i for i, char in enumerate(found[0]) if char != " ")
        yield Repair(line, " " * found.end() + lines[line][found.end() :], "foreign-blank", column=at)


def indicator(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`|4` above a text that is indented by less."""
    found = _INDICATOR.match(lines[line])
    if found:
        at = found.end(1)
        yield Repair(
            line, lines[line][:at] + lines[line][found.end(2) :], "indicator", at - found.end(2), at, column=at
        )


def empty_item(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`[a,, b]` and `[, a]`."""
    at = next((found.start("comma") for found in _EMPTY.finditer(lines[line]) if found["comma"]), None)
    if at is not None:
        yield Repair(line, f"{lines[line][:at]} {lines[line][at + 1 :]}", "empty-item", column=at)


def directive(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """`%FOO`, and `%YAML 1.2` without `---` below it."""
    if lines[line].startswith("%"):
        blank = " " * len(lines[line].rstrip("\r\n"))
        yield Repair(line, blank + break_of(lines[line]), "directive", column=0)
