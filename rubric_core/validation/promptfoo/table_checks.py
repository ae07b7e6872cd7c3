"""The values of checks in tables of promptfoo cases: code, patterns, and values that are missing (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.promptfoo_table import Cell
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Span
from rubric_core.validation.promptfoo.script_members import misspelt_members
from rubric_core.validation.promptfoo.script_syntax import read_javascript, read_python
from rubric_core.validation.rule import Finding

__all__ = ["is_script", "value_faults"]

_CODE = ("javascript", "fn", "eval")
_SCRIPTS = (*_CODE, "python", "ruby", "file", "webhook")
#: Types whose value cannot be empty.
_WITH_VALUE = ("contains", "icontains", "starts-with", "regex")
_NUMBER = pattern(r"\s{0,9}\d{1,9}(?:\.\d{1,9})?\s{0,9}")
_FAILS = "the assertion fails on every output"


def is_script(name: str) -> bool:
    """Whether the scores of a check can be any number."""
    return name.removeprefix("not-") in _SCRIPTS


def value_faults(name: str, value: str, cell: Cell, at: Span) -> Iterator[Finding]:
    """What is wrong with the value of a check of a known type.

    Args:
        name: The type.
        value: What follows its colon.
        cell: The cell.
        at: The cell without its quotes.
    """
    kind = name.removeprefix("not-")
    if kind in _WITH_VALUE and not value:
        yield Finding(cell.span, f"`{name}` needs a value", severity="error", consequence=ROW_ERRORS)
    elif kind == "word-count" and not _NUMBER.fullmatch(value) and "{" not in value:
        yield Finding(cell.span, f"`{name}` needs a number", severity="error", consequence=ROW_ERRORS)
    elif kind in _CODE and not value.startswith("file://"):
        yield from _in_code(value, cell, at)
    elif kind == "python" and not value.startswith("file://"):
        fault = read_python(value).fault
        if fault:
            yield Finding(cell.span, f"Python cannot read this code: {fault}", consequence=_FAILS)
    elif kind == "regex":
        yield from _in_pattern(value, cell)


def _in_code(code: str, cell: Cell, at: Span) -> Iterator[Finding]:
    read = read_javascript(code, is_body="\n" in code, declares=True, parameters=("output", "context"))
    if read.fault:
        yield Finding(cell.span, f"JavaScript cannot read this code: {read.fault}", consequence=_FAILS)
        return
    node = Scalar(at, at, None, None, cell.text, "plain")
    for found in misspelt_members(node, ""):
        yield Finding(cell.span, found.message, consequence=_FAILS)


def _in_pattern(text: str, cell: Cell) -> Iterator[Finding]:
    # Few tables have patterns.
    from rubric_core.js_regex.nodes import InvalidPatternError, UnsupportedPatternError  # noqa: PLC0415
    from rubric_core.js_regex.parse import parse  # noqa: PLC0415

    if "{{" in text:
        return
    try:
        parse(text, "")
    except InvalidPatternError as error:
        yield Finding(cell.span, f"this pattern is invalid: {error}", consequence=_FAILS)
    except (UnsupportedPatternError, RecursionError):
        return
