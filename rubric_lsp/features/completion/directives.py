"""Completion in comments and of aliases: dialects in a modeline, codes to ignore, anchors."""

import re
from collections.abc import Iterator
from functools import partial

from rubric_core.analysis import Analysis, LocalText
from rubric_core.family import family_named
from rubric_core.syntax.ancestors import line_start
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Span
from rubric_core.validation.codes import family_codes
from rubric_lsp.features.completion.context import Completion
from rubric_lsp.features.markdown import beginning, fenced, shortened

__all__ = ["aliases", "directives"]

_DIALECT = re.compile(r"#[ \t]*rubric:[^\r\n]*?\bdialect[ \t]*=[ \t]*(?P<typed>[\w.-]*)\Z")
_CODES = re.compile(
    r"#[ \t]*rubric:[ \t]*ignore(?:-file)?[ \t]*\[(?P<others>(?:[^\]\w/-]|[\w/-]+(?![\w/-]|\Z))*)(?P<typed>[\w/-]*)\Z"
)
_WORD = re.compile(r"#[ \t]*rubric:[ \t]*(?P<typed>[\w-]*)\Z")
_ALIAS = re.compile(r"(?:^[ \t]*|[:,\[{-][ \t]+|[\[{])\*(?P<typed>[^\s,\[\]{}*&]*)\Z")
#: Characters. A comment that starts further away is not being typed.
_FARTHEST = 1_000
_REST = re.compile(r"[\w./-]*")
#: Syntax errors hide other findings, and unused ignores should be deleted.
_NOT_TO_BE_IGNORED = frozenset({"syntax-error", "too-large", "unused-ignore"})
_WORDS = (
    ("dialect=", "", "the dialect of the file"),
    ("ignore[]", "ignore[$1]", "findings of this line, or of the case above which it stands"),
    ("ignore-file[]", "ignore-file[$1]", "findings of the whole file"),
)


def directives(analysis: Analysis, local: LocalText) -> list[Completion]:
    """The completions in a `# rubric:` comment; empty in any other comment."""
    start = max(line_start(local.text, local.offset), local.offset - _FARTHEST)
    line = local.text[start : local.offset]
    if analysis.kind.is_text or "#" not in line:
        return []
    if (found := _DIALECT.search(line)) is not None:
        return list(_dialects(analysis, _span(local, found)))
    if (found := _CODES.search(line)) is not None:
        others = frozenset(re.findall(r"[\w/-]+", found["others"]))
        return list(_codes(analysis, local, _span(local, found), others))
    if (found := _WORD.search(line)) is not None:
        span = _span(local, found)
        return [Completion(word, "value", span, word, snippet, detail) for word, snippet, detail in _WORDS]
    return []


def _span(local: LocalText, found: re.Match[str]) -> Span:
    rest = _REST.match(local.text, local.offset)
    return local.outer(Span(local.offset - len(found["typed"]), rest.end() if rest else local.offset))


def _dialects(analysis: Analysis, span: Span) -> Iterator[Completion]:
    for order, dialect in enumerate(reversed(analysis.language.dialects)):
        detail = f"{family_named(dialect.properties.engine).title} {dialect.releases}"
        yield Completion(dialect.name, "value", span, dialect.name, detail=detail, sort=f"{order:02}")


def _codes(analysis: Analysis, local: LocalText, span: Span, others: frozenset[str]) -> Iterator[Completion]:
    """The codes found in the block first, then those found in the file, then others, among them those of its family."""
    start, end = local.outer(Span(0, 0)).start, local.outer(Span(len(local.text), len(local.text))).end
    found = {d.code for d in analysis.diagnostics}
    here = {d.code for d in analysis.diagnostics if start <= d.span.start <= end}
    for rule in (*analysis.language.rules, *family_codes(analysis.dialect.properties.engine)):
        if rule.code not in others and rule.code not in _NOT_TO_BE_IGNORED:
            rank = 0 if rule.code in here else 1 if rule.code in found else 2
            yield Completion(rule.code, "value", span, rule.code, detail=rule.summary, sort=f"{rank}{rule.code}")


def aliases(analysis: Analysis, local: LocalText) -> list[Completion] | None:
    """The anchors for an alias at the cursor; None if no alias is being typed."""
    line = local.text[line_start(local.text, local.offset) : local.offset]
    found = _ALIAS.search(line)
    if found is None:
        return None
    span = _span(local, found)
    merges = "<<" in line
    known = analysis.anchors_at(local.outer(Span(local.offset, local.offset)).start).items()
    return [
        Completion(
            name, "reference", span, name, detail=shortened(text),
            documentation=partial(fenced, beginning(text), "yaml"), sort=f"{order:03}",
        )
        for order, (name, (node, text)) in enumerate(known)
        if isinstance(node, Mapping) or not merges
    ]  # fmt: skip
