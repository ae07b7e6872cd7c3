"""What every fix promises: its finding is gone, no other comes, the other values stay, and it is done at once."""

from collections import Counter
from collections.abc import Iterable, Iterator

from planted.suite import Suite
from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.fixing import fixed, safe_edits
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Node, Scalar, walk
from rubric_core.text import Edit, apply_edits
from rubric_core.validation.rule import Diagnostic, Fix

__all__ = ["analyzed", "broken_promises", "said", "unsettled"]


def analyzed(text: str, suite: Suite, language: Language) -> Analysis:
    """The analysis of a text that stands where the suite does."""
    dialect, at = suite.analysis.dialect.name, suite.file
    return analyze(language.document(text, at), language, dialect=dialect, path=at, project=suite.project)


def said(analysis: Analysis) -> Counter[tuple[str, str, str]]:
    """What is said, without its place: a planted line moves everything below it."""
    text = analysis.document.text
    return Counter((d.code, d.message, text[d.span.start : d.span.end]) for d in analysis.diagnostics)


def broken_promises(planted: Analysis, found: Diagnostic, fix: Fix, suite: Suite, language: Language) -> Iterator[str]:
    """What a fix of a planted mistake does not keep, in words."""
    text = apply_edits(planted.document.text, fix.edits)
    after = analyzed(text, suite, language)
    known = said(planted) | said(suite.analysis)
    again = [d for d in after.diagnostics if d.code == found.code and d.message == found.message]
    if len(again) >= sum(d.code == found.code and d.message == found.message for d in planted.diagnostics):
        yield "the finding is still there"
    # What is only an information asks for more; it is no mistake that the fix has made.
    codes = {code for code, _, _ in known} | {d.code for d in after.diagnostics if d.severity == "information"}
    yield from (f"brings {c}: {m}" for c, m, _ in said(after) - known if c not in codes)
    if _weighty(after) > max(_weighty(planted), _weighty(suite.analysis)):
        yield f"more findings than before: {[d.message for d in after.diagnostics if d.message not in str(known)][:3]}"
    problems, before = parse(text).problems, parse(planted.document.text).problems
    if len(problems) > len(before) or (found.code == "syntax-error" and len(problems) == len(before)):
        yield f"no YAML: {problems[0].message}"
    if not before:
        lost = _values(planted.document.text, fix.edits) - _values(text, ())
        yield from (f"loses {value!r}" for value in lost)


def unsettled(planted: Analysis, suite: Suite, language: Language) -> Iterator[str]:
    """What fixing everything that is safe leaves to be fixed a second time."""
    once = fixed(planted, lambda text: analyzed(text, suite, language))
    if safe_edits(once.diagnostics):
        yield "fixing again changes more"
    # What is only an information asks for more, as above.
    new = {d.code for d in once.diagnostics if d.severity != "information"} - {
        d.code for d in (*planted.diagnostics, *suite.analysis.diagnostics)
    }
    if new:
        yield f"safe fixes bring {sorted(new)}"


def _weighty(analysis: Analysis) -> int:
    return sum(d.severity != "information" for d in analysis.diagnostics)


def _values(text: str, edits: Iterable[Edit]) -> Counter[str]:
    """Every scalar that no edit touches."""
    spans = [e.span for e in edits]
    return Counter(
        n.text for n in walk(parse(text).root) if isinstance(n, Scalar) and not any(_touches(n, a, b) for a, b in spans)
    )


def _touches(node: Node, start: int, end: int) -> bool:
    return start <= node.span.end and node.span.start <= end
