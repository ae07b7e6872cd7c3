"""Assertions of promptfoo that look for what the transform of their case has taken away."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode
from rubric_core.language.promptfoo.text_assertions import Contains, ContainsAll, ContainsAny, Equals, StartsWith
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar, Sequence
from rubric_core.text import Span
from rubric_core.validation.promptfoo.case_parts import assertions_of, options_of
from rubric_core.validation.promptfoo.script_names import place_in_code
from rubric_core.validation.rule import Finding

__all__ = ["transformed_outputs"]

_PARSED = pattern(r"\s{0,9}JSON\.parse\(output\)\s{0,9};?\s{0,9}\Z")
_PARSED_AGAIN = pattern(r"\bJSON\.parse\(output\)")
_LOWERED = pattern(r"\s{0,9}output(?:\.trim\(\))?\.to(?P<case>Lower|Upper)Case\(\)(?:\.trim\(\))?\s{0,9};?\s{0,9}\Z")
#: Assertions that heed the case of letters.
_EXACT = (Contains, ContainsAny, ContainsAll, StartsWith, Equals)


def transformed_outputs(case: PromptfooCase, text: str) -> Iterator[Finding]:
    """Output that is parsed twice, and capitals that a transform has taken away; of what the case itself says."""
    options = options_of(case)
    code = options.transform if options is not None and not options.borrowed else None
    if not isinstance(code, str):
        return
    changed = _LOWERED.match(code)
    for check in assertions_of(case):
        place = check.places.get("value")
        if place is None or place.borrowed or check.borrowed or check.has("transform"):
            continue
        if _PARSED.match(code) and isinstance(check, JavaScriptCode) and isinstance(place.node, Scalar):
            yield from _parsed_again(place.node, text)
        elif changed is not None and isinstance(check, _EXACT):
            nodes = place.node.items if isinstance(place.node, Sequence) else [place.node]
            yield from (
                _other_case(each, check, changed["case"]) for each in nodes if _has_other(each, changed["case"])
            )


def _parsed_again(node: Scalar, text: str) -> Iterator[Finding]:
    found = _PARSED_AGAIN.search(node.text)
    if found is not None and "typeof" not in node.text and "try" not in node.text:
        at: Span | None = place_in_code(node, text, found.start(), found.end() - found.start())
        words = "the transform of the case has parsed the output already; write `output`"
        yield Finding(at or node.span, words, severity="warning", consequence="the code throws")


def _has_other(node: object, case: str) -> bool:
    """Whether a text has a letter of the case that a transform changes."""
    if not isinstance(node, Scalar) or "{{" in node.text or node.text.startswith("file://"):
        return False
    return node.text != (node.text.lower() if case == "Lower" else node.text.upper())


def _other_case(node: object, check: Assertion, case: str) -> Finding:
    at = node.span if isinstance(node, Scalar) else check.span
    letters = "capital" if case == "Lower" else "small"
    passes = "passes" if check.type_name.startswith("not-") else "fails"
    words = f"the transform of the case leaves no {letters} letters in the output"
    return Finding(at, words, severity="warning", consequence=f"the assertion {passes} on every output")
