"""Repairs that move lines: tabs, indentation, dashes that are missing."""

from collections.abc import Iterator, Sequence

from rubric_core.syntax.events import Failure
from rubric_core.syntax.lines import before, columns, content_of, indent_of
from rubric_core.syntax.repair import Repair

__all__ = ["indented", "missing_dash", "tabs"]


def tabs(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """One line whose tabs stand for the place of the line above, or every line of the text by one width of a tab."""
    text, indent = lines[line], indent_of(lines[line])
    if "\t" not in text[:indent]:
        return
    # Behind spaces a tab may be the content of a block scalar.
    bad = [i for i, each in enumerate(lines) if i == line or (each.startswith("\t") and each.strip())]
    if len(bad) == 1:
        for column in columns(lines, line):
            yield Repair(line, " " * column + text[indent:], "tab", column - indent, column=text.index("\t"))
    for width in (2, 4, 8):
        new = {i: lines[i][: indent_of(lines[i])].expandtabs(width) + lines[i][indent_of(lines[i]) :] for i in bad}
        others = tuple((i, each, len(each) - len(lines[i])) for i, each in new.items() if i != bad[0])
        yield Repair(
            bad[0],
            new[bad[0]],
            "tab",
            len(new[bad[0]]) - len(lines[bad[0]]),
            column=lines[bad[0]].index("\t"),
            others=others,
        )


def indented(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """The line, and what is deeper than it, moved to the nearest column that fits."""
    text, indent = lines[line], indent_of(lines[line])
    if "\t" in text[:indent]:
        return
    for column in sorted((c for c in columns(lines, line) if c != indent), key=lambda c: abs(c - indent)):
        by = column - indent
        moved: list[tuple[int, str, int]] = []
        for i in range(line + 1, len(lines)):
            if lines[i].strip():
                if indent_of(lines[i]) <= indent:
                    break
                moved.append((i, " " * (indent_of(lines[i]) + by) + lines[i].lstrip(" \t"), by))
        yield Repair(line, " " * column + text[indent:], "indent", by, others=tuple(moved), column=column)
        if moved:
            yield Repair(line, " " * column + text[indent:], "indent", by, column=column)


def missing_dash(lines: Sequence[str], line: int, _: Failure) -> Iterator[Repair]:
    """An item of a list whose siblings have a dash: `role: user` above `  - role: assistant`."""
    indent = indent_of(lines[line])
    if not lines[line].lstrip().startswith("- "):
        return
    above = before(lines, line)
    while above is not None and indent_of(lines[above]) >= indent + 2:
        parent = before(lines, above)
        if parent is None or (indent_of(lines[parent]) <= indent and lines[parent].rstrip().endswith(":")):
            if indent_of(lines[above]) == indent + 2 == content_of(lines[above]):
                text = f"{lines[above][:indent]}- {lines[above][indent + 2 :]}"
                yield Repair(above, text, "missing-dash", column=indent + 2)
            return
        above = parent
