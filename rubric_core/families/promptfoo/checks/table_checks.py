"""Mistakes in the short assertions of a table of promptfoo cases."""

import math
from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.language.assertion import LIMITS, TABLE_THRESHOLDS
from rubric_core.families.promptfoo.loading.table import CALLED_FOR_TEXT, PATH_AS_CODE, assertion_of_cell, short_check
from rubric_core.language.closest_name import closest, differs_by_one, is_typo
from rubric_core.language.dialect import Dialect
from rubric_core.language.misnomers import types_called
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.csv_cells import Cell
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix

__all__ = ["is_check", "is_number", "mistakes_of_check"]

#: Aliases of types that are allowed in tables only.
_CAPITAL = pattern(r"(?<=[a-z])(?=[A-Z])")
_SHORT = frozenset({"fn", "eval", "grade", "file"})
_SEMICOLON = pattern(
    r"(?P<type>[a-z][a-z-]{2,40});|(?P<compared>(?:not-)?(?:i?contains(?:-any|-all)?|starts-with|regex|similar|llm-rubric|equals))[ ]?=(?!=)"
)
#: Checks with a mistake before the colon: a limit that is no number, or whose parenthesis is open; a language without its colon.
_LIMITED = pattern(r"((?:not-)?[a-z][a-z-]{2,40})\(([^()\n]{0,20})\)?[ ]{0,3}:")
_NEGATED = pattern(r"(?:not|NOT|Not|!)[ ]{1,3}(?P<type>[a-z][a-z-]{2,40}):")
_WITHOUT_COLON = pattern(
    r"(?P<type>(?:not-)?(?:i?contains(?:-any|-all)?|starts-with|llm-rubric|is-json|similar|regex))[ ]{1,3}(?=[^:=;\s])(?![^\n]{0,200}:)"
)
_COMPARED_LIMIT = pattern(r"(?P<type>[a-z][a-z-]{2,40})[ ]{0,3}(?:[<>]=?|=)[ ]{0,3}(?P<limit>\d[\d.]{0,20})(?:ms|s)?\Z")
#: An assertion as YAML has it.
_AS_JSON = pattern(r"\{\s{0,9}\"type\"\s{0,9}:\s{0,9}\"(?P<type>[a-z][a-z:-]{1,60})\"")
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
#: Short names of languages, and other tools' names of `contains`, with which no output is likely to begin.
_OTHER_NAMES = frozenset({"js", "py", "ts", "include", "includes", "not-include", "not-includes"})
#: A word with a threshold: `similarity(0.8): text`.
_WITH_LIMIT = pattern(r"[A-Za-z][\w-]{0,60}\([ ]{0,3}(?:0?\.\d{1,6}|[01])[ ]{0,3}\)[ ]{0,3}:")


def is_check(cell: Cell, dialect: Dialect) -> bool:
    """Whether a cell is an assertion of a known type with its value."""
    kind, colon, value = cell.text.strip().partition(":")
    return bool(colon and value.strip()) and (kind in dialect.types or kind in _SHORT)


def mistakes_of_check(text: str, cell: Cell, dialect: Dialect) -> Iterator[Finding]:
    """Findings about an assertion that is the whole text of a cell."""
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
    if ended is not None and (ended["type"] or ended["compared"]) in dialect.types:
        yield _with_semicolon(ended["type"] or ended["compared"], cell)
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
    if meant is None and (name in _OTHER_NAMES or _WITH_LIMIT.match(text)):
        bare = name.removeprefix("not-")
        meant = next((f"{name.removesuffix(bare)}{each}" for each in types_called(dialect, bare)), None)
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
    found = _NEGATED.match(text)
    if found is not None and found["type"] in dialect.types:
        written = f"not-{found['type']}:{text[found.end() :]}"
        fix = Fix(f"write `not-{found['type']}:`", (Edit(cell.content, cell.text.replace(text, written)),), safe=False)
        words = f"a negation is a part of the type: `not-{found['type']}:`"
        return Finding(cell.span, words, fixes=(fix,) if _is_whole(cell) else (), consequence=whole)
    found = _WITHOUT_COLON.match(text)
    if found is not None and found["type"] in dialect.types:
        written = f"{found['type']}:{text[found.end() :]}"
        fix = Fix("write a colon", (Edit(cell.content, cell.text.replace(text, written)),), safe=False)
        words = f"is a colon missing behind `{found['type']}`?"
        return Finding(cell.span, words, severity="hint", fixes=(fix,) if _is_whole(cell) else (), consequence=whole)
    found = _COMPARED_LIMIT.match(text)
    if found is not None and found["type"] in LIMITS:
        words = f"a limit stands in parentheses: `{found['type']}({found['limit']})`"
        return Finding(cell.span, words, consequence=whole)
    found = _AS_JSON.match(text)
    if found is not None and found["type"] in dialect.types:
        return Finding(cell.span, "an assertion in a table is `type:value`, and no JSON", consequence=whole)
    found = _CODE_BEHIND.match(text)
    if found is not None:
        written = f"{found[1]}:{text[found.end() :]}"
        fix = Fix("write a colon", (Edit(cell.content, cell.text.replace(text, written)),), safe=False)
        words = f"a colon is missing behind `{found[1]}`"
        return Finding(cell.span, words, fixes=(fix,) if _is_whole(cell) else (), consequence=whole)
    return None


def _with_semicolon(name: str, cell: Cell) -> Finding:
    """`contains;text`, where a colon is meant."""
    sign = cell.text.lstrip()[len(name) :].lstrip()[0]
    at = cell.content.start + cell.text.index(sign)
    fixes = (Fix("write `:`", (Edit(Span(at, at + 1), ":"),), safe=False),) if _is_whole(cell) else ()
    return Finding(
        cell.span, f"a colon stands behind `{name}`, and no `{sign}`", fixes=fixes,
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
        meant = f"{name}({value if is_number(value) else usual})"
        fix = Fix(f"write `{meant}`", (Edit(cell.content, cell.text.replace(text, meant)),))
        yield Finding(
            cell.span, f"the limit of `{name}` stands in parentheses: `{meant}`", fixes=(fix,) if is_number(value) and _is_whole(cell) else (),
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


def is_number(text: str) -> bool:
    """Whether a cell is a number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
