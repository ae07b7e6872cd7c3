"""Mistakes in the header of tables of promptfoo cases: promptfoo turns unknown columns into variables."""

import re
from collections.abc import Iterator, Sequence

from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.loading.names_in_code import read_by_code
from rubric_core.families.promptfoo.loading.table import SPECIAL_COLUMNS, is_expected, is_special
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.syntax.csv_cells import Cell
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix, Related

__all__ = ["column_mistakes", "misspelt_columns", "unmarked", "unmarked_checks"]

_UNMARKED = frozenset({"expected", "expect", "assert", "assertion", "assertions", "check"})

#: Columns whose names without the mark are hardly those of variables that nothing uses.
_MARKED = frozenset({"__expected", "__metric", "__threshold"})
_FOLDED = pattern(r"[_\-\s]")
_NUMBERED = pattern(r"expected(?P<number>[0-9]{1,3})\Z")
#: A column with the thresholds of another, which is itself a column of checks.
_THRESHOLD = pattern(r"__expected(?P<number>\d{0,9})[:_. -]{0,2}(?:config:)?threshold\Z", re.IGNORECASE)
#: The threshold of the assertion with a number.
_CHECKED = pattern(r"__config:__expected(\d{1,3}):threshold\Z")
#: `__config:` with a slip in its other parts.
_CONFIG = pattern(r"__config:_{0,2}expect(?:ed)?(?P<number>\d{0,9})(?::(?P<setting>\w{0,20}))?\Z", re.IGNORECASE)


def column_mistakes(header: Sequence[Cell]) -> Iterator[Finding]:
    """Findings about the names of columns."""
    seen: dict[str, Cell] = {}
    checks = [cell for cell in header if is_expected(cell.text.strip())]
    for cell in header:
        name = cell.text.strip()
        first = seen.setdefault(name, cell)
        if first is not cell:
            yield Finding(
                cell.span, f"there are two columns `{name}`", related=(Related(first.span, "this one is lost"),),
                consequence="promptfoo reads the last one only",
            )  # fmt: skip
        elif name == "__metadata":
            words = "metadata need a key, as in `__metadata:team`"
            yield Finding(cell.span, words, consequence="promptfoo warns, and reads nothing of this column")
        elif (found := _CHECKED.match(name)) is not None and int(found[1]) > len(checks):
            words = f"there is no column of checks with the number {int(found[1])}"
            yield Finding(cell.span, words, consequence="promptfoo sets no threshold")
        elif (found := _THRESHOLD.match(name)) is not None:
            meant = f"__config:__expected{found['number']}:threshold"
            words = f"`{name}` is a column of checks; thresholds stand in `{meant}`"
            consequence = "promptfoo compares the output with the cells"
            yield Finding(cell.span, words, fixes=_renamed(cell, meant), consequence=consequence)
        elif (name.startswith("_") or name.endswith("__")) and not is_special(name):
            yield from _unknown(name, cell)


def misspelt_columns(header: Sequence[Cell], text: str, names: DefinedNames | None) -> Iterator[Finding]:
    """Columns that no prompt uses, and that are a slip of a variable which prompts use and other cases have.

    `text` is that of the whole table, and `names` are what configurations that name it define.
    """
    columns = [cell.text.strip() for cell in header]
    if names is None or names.asked is None:
        return
    yield from _without_mark(
        header, names.unused.difference(read_by_code(text), (each.name for each in names_in(text)))
    )
    if names.needed.issubset(columns):
        return
    lacking, used = sorted(names.needed.difference(columns)), {each.name for each in names_in(text)}
    for cell, name in zip(header, columns, strict=True):
        meant = closest(name, lacking) if name not in names.asked and name not in used and name[:1] != "_" else None
        if meant is not None:
            words = f"no prompt uses `{name}`; did you mean `{meant}`, which this table lacks?"
            yield Finding(cell.span, words, fixes=_renamed(cell, meant), consequence="promptfoo fills in nothing")


def _without_mark(header: Sequence[Cell], unused: frozenset[str]) -> Iterator[Finding]:
    """Variables that nothing uses, and that have the name of a column without its `__`."""
    columns = {cell.text.strip() for cell in header}
    # `unmarked_checks` looks at its cells.
    told = frozenset[str]() if any(map(is_expected, columns)) else {"__expected"}
    for cell in header:
        meant = f"__{cell.text.strip()}"
        if cell.text.strip() in unused and meant in _MARKED - columns - told:
            words = f"`{cell.text.strip()}` is a variable, which nothing uses; did you mean `{meant}`?"
            consequence = "promptfoo makes a variable of it"
            yield Finding(cell.span, words, fixes=_renamed(cell, meant, safe=False), consequence=consequence)


def unmarked_checks(header: Sequence[Cell]) -> Cell | None:
    """A column `expected` in a table that has no `__expected`."""
    if any(is_expected(cell.text.strip()) for cell in header):
        return None
    return next((cell for cell in header if cell.text.strip().lower() in _UNMARKED), None)


def unmarked(cell: Cell) -> Finding:
    """Such a column, if its cells are assertions."""
    words = f"`{cell.text.strip()}` is a variable, and its cells are no assertions; these stand under `__expected`"
    consequence = "promptfoo runs the cases without these assertions"
    fixes = (Fix("change it to `__expected`", (Edit(cell.content, "__expected"),), safe=False),)
    return Finding(cell.span, words, fixes=fixes, consequence=consequence)


def _unknown(name: str, cell: Cell) -> Iterator[Finding]:
    if name.startswith("__config:"):
        words = "only `__config:__expected:threshold` can be set in a table"
        meant = _intended_setting(name)
        yield Finding(cell.span, words, fixes=_renamed(cell, meant), severity="error", consequence=STOPS)
        return
    meant = _intended_column(name)
    if meant is None and not name.startswith("__"):
        return
    advice = f"; did you mean `{meant}`?" if meant else ""
    yield Finding(
        cell.span, f"promptfoo has no column `{name}`{advice}", fixes=_renamed(cell, meant),
        consequence="promptfoo makes a variable of it",
    )  # fmt: skip


def _intended_column(name: str) -> str | None:
    numbered = _NUMBERED.match(_FOLDED.sub("", name).lower())
    if numbered is not None:
        return f"__expected{numbered['number']}"
    folded = {_FOLDED.sub("", each).lower(): each for each in SPECIAL_COLUMNS}
    meant = folded.get(_FOLDED.sub("", name).lower()) or closest(f"__{name.lstrip('_')}", SPECIAL_COLUMNS)
    head, colon, rest = name.partition(":")
    if meant is not None or not colon or not rest:
        return meant
    if is_typo(head.strip("_"), "metadata"):
        return f"__metadata:{rest}"
    return _intended_setting(f"__config:{rest}") if is_typo(head.strip("_"), "config") else None


def _intended_setting(name: str) -> str | None:
    """`__config:__expected:threshold` for a slip of it."""
    found = _CONFIG.match(name)
    if found is None or (found["setting"] and not is_typo(found["setting"], "threshold")):
        return None
    return f"__config:__expected{found['number']}:threshold"


def _renamed(cell: Cell, meant: str | None, *, safe: bool = True) -> tuple[Fix, ...]:
    return (Fix(f"change it to `{meant}`", (Edit(cell.content, meant),), safe=safe),) if meant else ()
