"""What every fix promises: its finding is gone, no other comes, the other values stay, and it is done at once."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from planted.suite import Suite
from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.fixing import apply_safe_fixes
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Node, Scalar, walk
from rubric_core.text import Edit, Span, apply_edits
from rubric_core.validation.rule import Diagnostic, Fix

_COMMENT = re.compile(r"(?:^|[ \t])(#[^\r\n]*)", re.MULTILINE)
_LONE = re.compile(r"(?<!\r)\n")

__all__ = ["analyzed", "broken_promises", "loud", "said", "touched", "unsettled"]


def analyzed(text: str, suite: Suite, language: Language) -> Analysis:
    """The analysis of a text that stands where the suite does."""
    dialect, at = suite.analysis.dialect.name, suite.file
    return analyze(language.document(text, at), language, dialect=dialect, path=at, project=suite.project)


def said(analysis: Analysis) -> Counter[tuple[str, str, str]]:
    """The findings without their places: a planted line moves everything below it."""
    text = analysis.document.text
    return Counter((d.code, d.message, text[d.span.start : d.span.end]) for d in analysis.diagnostics)


def broken_promises(planted: Analysis, found: Diagnostic, fix: Fix, suite: Suite, language: Language) -> Iterator[str]:
    """What a fix of a planted mistake does not keep, in words."""
    old, text = planted.document.text, apply_edits(planted.document.text, fix.edits)
    if text == suite.text:
        return
    after = analyzed(text, suite, language)
    if text == old:
        yield "changes nothing"
    known = said(planted) | said(suite.analysis)
    again = [d for d in after.diagnostics if d.code == found.code and d.message == found.message]
    if len(again) >= sum(d.code == found.code and d.message == found.message for d in planted.diagnostics):
        yield "the finding is still there"
    words, places = {(code, message) for code, message, _ in known}, {(code, where) for code, _, where in known}
    for new in loud(after):
        # The same mistake may be said in other words when what it was held against has changed.
        if (new.code, new.message) not in words and (new.code, text[slice(*new.span)]) not in places:
            yield f"brings {new.code}: {new.message}"
    if len(list(loud(after))) > max(len(list(loud(planted))), len(list(loud(suite.analysis)))):
        yield f"more findings than before: {[d.message for d in loud(after)][:3]}"
    problems, before = parse(text).problems, parse(old).problems
    if len(problems) > len(before) or (found.code == "syntax-error" and len(problems) == len(before)):
        yield f"no YAML: {problems[0].message}"
    if not before:
        yield from (f"loses {value!r}" for value in _values(old, fix.edits) - _values(text, ()))
    yield from (f"loses the comment {comment!r}" for comment in _comments(old) - _comments(text))
    if "\r\n" in old and _LONE.search(text):
        yield "mixes line breaks"
    if old.startswith("\ufeff") and not text.startswith("\ufeff"):
        yield "loses the byte order mark"
    if analyzed(text, suite, language).diagnostics != after.diagnostics:
        yield "is judged otherwise the second time"


def unsettled(planted: Analysis, suite: Suite, language: Language) -> Iterator[str]:
    """What is wrong with fixing everything that is safe: more to do the second time, new findings, a count that is not true."""
    done = apply_safe_fixes(planted)
    once = done.analysis
    if apply_safe_fixes(analyzed(once.document.text, suite, language)).count:
        yield "fixing again changes more"
    known = {(d.code, d.message) for d in (*planted.diagnostics, *suite.analysis.diagnostics)}
    new = [d for d in once.diagnostics if (d.code, d.message) not in known]
    if any(d.severity in ("error", "warning") for d in new):
        yield f"safe fixes bring {[f'{d.code}: {d.message}' for d in new]}"
    # A finding may be said in other words once its neighbour is gone, and one of the same code may come to light.
    codes = Counter(d.code for d in planted.diagnostics) - Counter(d.code for d in once.diagnostics)
    words = _words(planted) - _words(once)
    if not codes.total() <= done.count <= words.total():
        yield f"says that {done.count} are fixed: {len(planted.diagnostics)} before, {len(once.diagnostics)} now"
    if len(parse(once.document.text).problems) > len(parse(planted.document.text).problems):
        yield "safe fixes make it less readable"


def _words(analysis: Analysis) -> Counter[tuple[str, str]]:
    return Counter((d.code, d.message) for d in analysis.diagnostics)


def loud(analysis: Analysis) -> Iterator[Diagnostic]:
    """Errors and warnings."""
    return (d for d in analysis.diagnostics if d.severity in ("error", "warning"))


def _comments(text: str) -> Counter[str]:
    """The comments that do not speak of findings, as far as a line by itself tells them."""
    return Counter(m[1].strip() for m in _COMMENT.finditer(text) if "rubric:" not in m[1])


def _values(text: str, edits: Iterable[Edit]) -> Counter[str]:
    """Every scalar that no edit touches."""
    spans = [e.span for e in edits]
    return Counter(
        n.text for n in walk(parse(text).root) if isinstance(n, Scalar) and not any(_touches(n, a, b) for a, b in spans)
    )


def _touches(node: Node, start: int, end: int) -> bool:
    return start <= node.span.end and node.span.start <= end


def touched(old: str, new: str) -> Span:
    """The part of `new` that is different from `old`."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - start
    end = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    return Span(start, len(new) - end)
