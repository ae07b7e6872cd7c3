"""Mistakes in tables of promptfoo cases (issue 18, section 2): promptfoo turns unknown columns into variables."""

import math
from collections.abc import Iterator, Sequence
from types import MappingProxyType

from rubric_core.language.closest_name import closest, differs_by_one, is_typo
from rubric_core.language.dialect import Dialect
from rubric_core.language.misnomers import types_called
from rubric_core.language.promptfoo.assertion import LIMITS, TABLE_CODE, TABLE_THRESHOLDS
from rubric_core.language.promptfoo.consequences import STOPS
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.promptfoo_table import (
    CALLED_FOR_TEXT,
    PATH_AS_CODE,
    CaseTable,
    Cell,
    assertion_of_cell,
    is_expected,
    is_special,
    other_delimiter,
    rows_of,
    short_check,
)
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.assertions import gives_any_score
from rubric_core.validation.promptfoo.table_columns import column_mistakes, misspelt_columns, unmarked, unmarked_checks
from rubric_core.validation.promptfoo.templates import names_in
from rubric_core.validation.rule import Context, Finding, Fix

__all__ = ["table_mistakes"]

#: Aliases of types that are allowed in tables only.
_CAPITAL = pattern(r"(?<=[a-z])(?=[A-Z])")
_SCRIPTS = frozenset({*TABLE_CODE.values(), "ruby"})
_SHORT = frozenset({"fn", "eval", "grade", "file"})
_SEMICOLON = pattern(r"([a-z][a-z-]{2,40});")
#: A type with the beginning of a limit, and code behind the name of its language: what one of them lacks is its number, bracket or colon.
_LIMITED = pattern(r"((?:not-)?[a-z][a-z-]{2,40})\(([^()\n]{0,20})\)?[ ]{0,3}:")
_CODE_BEHIND = pattern(
    r"(javascript|python)[ ]{1,3}(?=[^\n]{0,200}(?:(?<![\w.])output(?:\.[a-z]|\[|[ ]{0,3}[<>=!]=?[ ]{0,3}[\d\"'])|\(output\)|[\"'] in output))"
)
_FOLDED = pattern(r"[_\-\s]")
#: Words with dashes between them, of which the last is no abbreviation.
_DASHED = pattern(r"[A-Za-z]{2,20}(?:-[A-Za-z]{2,20}){0,3}-[A-Za-z]{3,20}\Z")
#: Types that are a whole check, by their letters.
_ALONE = MappingProxyType({
    name.replace("-", ""): name
    for each in (
        "is-json", "is-xml", "is-sql", "is-html", "is-refusal", "contains-json", "contains-xml", "contains-sql", "contains-html",
        "is-valid-function-call", "is-valid-openai-function-call", "is-valid-openai-tools-call", "answer-relevance",
        "context-faithfulness", "context-relevance", "conversation-relevance",
    )
    for name in (each, f"not-{each}")
})  # fmt: skip


def table_mistakes(table: CaseTable, context: Context) -> Iterator[Finding]:
    """Findings about the columns, and about the cells of each row."""
    rows = rows_of(table.text)
    header = next(rows, None)
    if header is None:
        return
    delimiter = other_delimiter(header)
    if delimiter:  # of the cells nothing is known
        found = "tabs" if delimiter == "\t" else f"`{delimiter}`"
        words = f"the columns of this table are separated by {found}, and promptfoo separates them by commas"
        consequence = "promptfoo reads one column, unless it runs with $PROMPTFOO_CSV_DELIMITER"
        yield Finding(header[0].span, words, consequence=consequence)
        return
    yield from column_mistakes(header)
    yield from misspelt_columns(header, table.text, context.defaults.names)
    bare = unmarked_checks(header)
    for row in rows:
        if bare is not None and len(row) == len(header) and _is_check(row[header.index(bare)], context.dialect):
            yield unmarked(bare)
            bare = None
        yield from _open_quotes(row)
        if row[-1].quotes == "open":
            return
        if len(row) != len(header):
            yield Finding(
                row[0].span, f"this row has {len(row)} cells, and there are {len(header)} columns", severity="error",
                consequence=STOPS,
            )  # fmt: skip
            continue
        if _says_nothing(row):
            words = "this row has no cell with a text, or only a comment"
            yield Finding(Span(row[0].span.start, row[-1].span.end), words, consequence="promptfoo runs it as a case")
            continue
        yield from _high_threshold(header, row)
        yield from _misspelt_variables(header, row)
        for column, cell in zip(header, row, strict=True):
            yield from _cell(column.text.strip(), cell, context.dialect, Span(row[0].span.start, row[-1].span.end))


def _is_check(cell: Cell, dialect: Dialect) -> bool:
    """Whether a cell is an assertion of a known type with its value."""
    kind, colon, value = cell.text.strip().partition(":")
    return bool(colon and value.strip()) and (kind in dialect.types or kind in _SHORT)


def _says_nothing(row: Sequence[Cell]) -> bool:
    """Whether a row is empty but for its commas, or has nothing but a comment in its first cell."""
    first = row[0].text.strip()
    return len(row) > 1 and (not first or first.startswith("# ")) and not any(cell.text.strip() for cell in row[1:])


def _high_threshold(header: Sequence[Cell], row: Sequence[Cell]) -> Iterator[Finding]:
    """A threshold below 0, or above 1 where no script gives scores above 1."""
    columns = [column.text.strip() for column in header]
    checks = (assertion_of_cell(c.text.strip()) for column, c in zip(columns, row, strict=True) if is_expected(column))
    most = math.inf if any(each.type in _SCRIPTS and gives_any_score(each.value or "") for each in checks) else 1
    for column, cell in zip(columns, row, strict=True):
        text = cell.text.strip()
        if column == "__threshold" and _is_number(text) and not 0 <= float(text) <= most:
            effect = "the case can never pass" if float(text) > 1 else "every score reaches it"
            yield Finding(cell.span, f"`__threshold` is {text}, but scores are 0..1: {effect}")


def _misspelt_variables(header: Sequence[Cell], row: Sequence[Cell]) -> Iterator[Finding]:
    """Names in templates that are a slip of a column; other names may be variables of `defaultTest`."""
    names = [column.text.strip() for column in header]
    for cell in row:
        used = [each.name for each in names_in(cell.text) if not each.optional] if "{{" in cell.text else []
        for name in dict.fromkeys(used):
            missed = [each for each in names if each not in used and not each.startswith("_")]
            # The singular or plural is often another variable.
            alike = [each for each in missed if is_typo(name, each) and name.lower() not in (f"{each}s", each[:-1])]
            meant = alike[0] if alike and name not in names else None
            if meant is not None:
                words = f"this table has no column `{name}`; did you mean `{meant}`?"
                yield Finding(cell.span, words, consequence="promptfoo fills in nothing")


def _cell(column: str, cell: Cell, dialect: Dialect, row: Span) -> Iterator[Finding]:
    text = cell.text.strip()
    if column.startswith("__config:") and is_special(column):
        if not _is_number(text):
            words = f"`{text}` is not a number" if text else f"a cell of `{column}` cannot be empty"
            yield Finding(cell.span if text else row, words, severity="error", consequence=STOPS)
    elif not text:
        return
    elif column == "__threshold":
        if not _is_number(text):
            yield Finding(cell.span, f"`{text}` is not a number", consequence="promptfoo ignores it")
    elif is_expected(column):
        yield from _check(text, cell, dialect)


def _open_quotes(row: Sequence[Cell]) -> Iterator[Finding]:
    """Quotes that open a cell and are not closed at its end; a text with lines of its own was closed too late."""
    for cell in row:
        begin = Span(cell.span.start, cell.span.start + 1)
        if cell.quotes == "open":
            yield Finding(begin, "this quote is never closed", severity="error", consequence=STOPS)
        elif cell.quotes == "loose":
            words = "this quote is not closed at the end of its cell; quotes inside of it are written twice"
            yield Finding(begin, words, consequence="promptfoo takes the quotes for a part of the text")


#: Short names of languages, which no output is likely to begin with.
_CODE_WORDS = frozenset({"js", "py", "ts"})
#: A word with a threshold: `similarity(0.8): text`.
_WITH_LIMIT = pattern(r"[A-Za-z][\w-]{0,60}\([ ]{0,3}(?:0?\.\d{1,6}|[01])[ ]{0,3}\)[ ]{0,3}:")


def _check(text: str, cell: Cell, dialect: Dialect) -> Iterator[Finding]:
    limited = assertion_of_cell(text)
    if limited.type == "equals" and (broken := _broken_check(text, cell, dialect)) is not None:
        yield broken
        return
    if limited.threshold is not None and limited.type.removeprefix("not-") not in TABLE_THRESHOLDS:
        words = f"in a table `{limited.type}` has no threshold"
        yield Finding(cell.span, words, consequence=f"promptfoo ignores `({limited.threshold})`")
    if limited.value is None and limited.threshold is None and limited.type.removeprefix("not-") in LIMITS:
        usual = TABLE_THRESHOLDS[limited.type.removeprefix("not-")]
        words = f"`{limited.type}` needs its limit in parentheses after it"
        yield Finding(cell.span, words, consequence=f"promptfoo takes {usual} for the limit")
        return
    word, colon, value = text.partition(":")
    if colon and (word in dialect.types or word in _SHORT):
        yield from _idle_value(word, value.strip(), cell)
        return
    ended = _SEMICOLON.match(text)
    if ended is not None and ended[1] in dialect.types:
        yield _with_semicolon(ended[1], cell)
        return
    negated = text.startswith("!")
    found = short_check(text.removeprefix("!"))
    if found is None or not found[1]:
        yield from _without_value(text, cell)
        return
    name = "!" * negated + found[0]
    if name in dialect.types or name in _SHORT or name.split(":")[0] in dialect.types:
        return
    meant = _meant_type(name, dialect)
    if meant is None and (name in _CODE_WORDS or _WITH_LIMIT.match(text)):
        meant = next(types_called(dialect, name), None)
    if meant is None:
        return  # a text with a colon
    at = cell.content.start + cell.text.index(name)
    fixes = (Fix(f"change it to `{meant}`", (Edit(Span(at, at + len(name)), meant),)),)
    yield Finding(
        cell.span, f"promptfoo has no assertion type `{name}`; did you mean `{meant}`?",
        fixes=fixes if '""' not in cell.text else (), consequence="promptfoo compares the output with the whole text of the cell",
    )  # fmt: skip


def _broken_check(text: str, cell: Cell, dialect: Dialect) -> Finding | None:
    """A check whose limit is no number or not closed, and code without its colon."""
    whole = "promptfoo compares the output with the whole text of the cell"
    found = _LIMITED.match(text)
    # `latency(ms): 30` may be expected of an output.
    if found is not None and found[1] in dialect.types and not (found[1] in LIMITS and found[2].isalpha()):
        bare = found[1].removeprefix("not-")
        limit = f"the limit of `{found[1]}` is a number between parentheses, before the colon"
        words = limit if bare in TABLE_THRESHOLDS else f"in a table `{found[1]}` has no threshold: write `{found[1]}:`"
        return Finding(cell.span, words, consequence=whole)
    found = _CODE_BEHIND.match(text)
    if found is not None:
        written = f"{found[1]}:{text[found.end() :]}"
        fix = Fix("write a colon", (Edit(cell.content, cell.text.replace(text, written)),), safe=False)
        words = f"a colon is missing behind `{found[1]}`"
        return Finding(cell.span, words, fixes=(fix,) if _is_whole(cell) else (), consequence=whole)
    return None


def _with_semicolon(name: str, cell: Cell) -> Finding:
    """`contains;text`, where a colon is meant."""
    at = cell.content.start + cell.text.index(";")
    fixes = (Fix("write `:`", (Edit(Span(at, at + 1), ":"),), safe=False),) if _is_whole(cell) else ()
    return Finding(
        cell.span, f"a colon stands behind `{name}`, and no `;`", fixes=fixes,
        consequence="promptfoo compares the output with the whole text of the cell",
    )  # fmt: skip


def _idle_value(name: str, value: str, cell: Cell) -> Iterator[Finding]:
    """A limit after the colon, or a path that promptfoo takes for code."""
    text = cell.text.strip()
    if CALLED_FOR_TEXT.match(text):
        fix = Fix(
            f"write `javascript:{text}`",
            (Edit(cell.content, cell.text.replace(text, f"javascript:{text}")),),
            safe=False,
        )
        yield Finding(
            cell.span, f"promptfoo compares the output with what this function returns; write `javascript:{text}`",
            fixes=(fix,) if _is_whole(cell) else (), consequence="it is no assertion",
        )  # fmt: skip
    elif PATH_AS_CODE.match(text):
        fix = Fix(f"write `python:{text}`", (Edit(cell.content, cell.text.replace(text, f"python:{text}")),))
        yield Finding(
            cell.span, f"promptfoo takes this path for Python code; write `python:{text}`", fixes=(fix,) if _is_whole(cell) else (),
            consequence="the assertion fails on every output",
        )  # fmt: skip
    elif name.removeprefix("not-") in LIMITS:
        usual = TABLE_THRESHOLDS[name.removeprefix("not-")]
        meant = f"{name}({value if _is_number(value) else usual})"
        fix = Fix(f"write `{meant}`", (Edit(cell.content, cell.text.replace(text, meant)),))
        yield Finding(
            cell.span, f"the limit of `{name}` stands in parentheses: `{meant}`", fixes=(fix,) if _is_number(value) and _is_whole(cell) else (),
            consequence=f"promptfoo ignores what stands after the colon: the limit is {usual}",
        )  # fmt: skip


def _is_whole(cell: Cell) -> bool:
    """Whether the cell has no doubled quotes, so that its text is what is written."""
    return '"' not in cell.text


def _meant_type(name: str, dialect: Dialect) -> str | None:
    """The type that a word before a colon is a slip of, or another tool's name of; None for any other text."""
    plain = _CAPITAL.sub("-", name).lower().replace("_", "-").replace("!", "not-")
    if plain in dialect.types:
        return plain
    head, dash, rest = plain.partition("-")
    inverted = dash != "" and sorted(head) == sorted("not")
    bare = rest if inverted else plain
    known = [each for each in dialect.types if not each.startswith("not-")]
    meant = bare if bare in known else closest(bare, known)
    if meant is not None and meant != bare and not is_typo(bare, meant):
        meant = None
    if meant is None and "-" in bare:
        meant = next(iter(types_called(dialect, bare)), None)
    return None if meant is None else f"not-{meant}" if inverted and f"not-{meant}" in dialect.types else meant


def _without_value(text: str, cell: Cell) -> Iterator[Finding]:
    """The misspelt type of a check that needs no value."""
    folded = _FOLDED.sub("", text).lower()
    meant = _ALONE.get(folded)
    if meant is None and _DASHED.match(text) is not None:
        # Within one letter: another word may be expected of the output as it is.
        meant = next((name for name in _ALONE.values() if differs_by_one(text.lower(), name)), None)
    if meant is not None and text != meant:
        fixes = (Fix(f"change it to `{meant}`", (Edit(cell.content, meant),)),)
        yield Finding(
            cell.span, f"promptfoo has no assertion type `{text}`; did you mean `{meant}`?", fixes=fixes,
            consequence="promptfoo compares the output with the whole text of the cell",
        )  # fmt: skip


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
