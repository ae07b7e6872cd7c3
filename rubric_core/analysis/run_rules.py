"""Runs the rules over the shapes and issues of a text."""

from collections.abc import Iterable, Iterator
from typing import Any

from rubric_core.analysis.block_state import Found
from rubric_core.analysis.clean_shapes import CleanShapes
from rubric_core.analysis.result import Analysis
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import Issue
from rubric_core.loading.reference_issues import PromptFileText
from rubric_core.syntax.csv_cells import stays_in_cell
from rubric_core.syntax.line_document import LineDocument, is_still_json
from rubric_core.text import Span
from rubric_core.validation.rule import TEMPLATES, Context, Finding, Rule

__all__ = ["run_rules"]


def run_rules(
    analysis: Analysis,
    visited: Iterable[Any],
    context: Context,
    unused: tuple[Span, ...] = (),
    clean: CleanShapes | None = None,
) -> tuple[Found, ...]:
    """The findings of all rules for `visited` shapes and issues, without duplicates.

    In an `unused` place, none is an error. `clean` has the shapes that need no second look.
    """
    judges, signs = analysis.language.judges, context.signs
    is_table = analysis.kind.is_table
    found: list[Found] = []
    for each in visited:
        key = clean.key(each, context) if clean is not None else None
        if clean is not None and clean.has(key):
            continue
        before = len(found)
        found += [
            (rule, _settled(finding, context.underlined(finding.span), finding.hides or _hidden(each)))
            for rule in judges(
                # The templates of a prompt are in a file of its own.
                type(each),
                context.engine,
                signs | TEMPLATES if isinstance(each, PromptFileText) else signs,
                each.places if isinstance(each, Shape) else (),
            )
            for finding in (rule.check(each, context) if not is_table else _in_cells(rule, each, context))
        ]
        if clean is not None and len(found) == before:
            clean.add(key, context)
    if not found:
        return ()
    if isinstance(analysis.document, LineDocument) or _is_json(analysis, context.text):
        found = [
            (r, replace(f, fixes=tuple(x for x in f.fixes if is_still_json(context.text, x.edits)))) for r, f in found
        ]
    if unused:
        found = [
            (rule, _unread(rule, finding, context) if _is_in(finding.span, unused) else finding)
            for rule, finding in found
        ]
    return tuple({(rule.group, finding.span, finding.message): (rule, finding) for rule, finding in found}.values())


def _in_cells(rule: Rule[Any], each: Any, context: Context) -> Iterator[Finding]:
    """The findings about a part of a table. Only fixes that were meant for tables may change more than words in a cell."""
    is_meant = isinstance(each, Issue) and each.fixes_table
    for found in rule.check(each, context):
        fixes = found.fixes if is_meant else ()
        yield replace(found, fixes=fixes or tuple(x for x in found.fixes if stays_in_cell(context.text, x.edits)))


def _is_in(span: Span, places: tuple[Span, ...]) -> bool:
    return any(place.start <= span.start and span.end <= place.end for place in places)


def _unread(rule: Rule[Any], finding: Finding, context: Context) -> Finding:
    """A finding in a block without references."""
    severity = finding.severity or rule.severity
    effect = f"nothing refers to it, so {context.engine} does not read it"
    return replace(finding, severity="warning" if severity == "error" else severity, consequence=effect)


def _is_json(analysis: Analysis, text: str) -> bool:
    """Whether a file is JSON, and has to stay JSON after fixes."""
    return analysis.kind.is_strict and text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and is_still_json(text, ())


def _settled(finding: Finding, span: Span, hides: Span | None) -> Finding:
    """A finding with its span to underline. Most have it already: comparing is faster than copying."""
    return finding if (span, hides) == (finding.span, finding.hides) else replace(finding, span=span, hides=hides)


def _hidden(each: Issue | Shape) -> Span | None:
    return each.hides if isinstance(each, Issue) and not each.borrowed else None
