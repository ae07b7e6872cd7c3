"""requires-range: a release range that cannot be read."""

from collections.abc import Iterator

from rubric_core.language.model import Requires
from rubric_core.lazy_compilation import pattern
from rubric_core.validation.fixes import replace_with_words
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["REQUIRES_RANGE"]

_PART = r"(?:(?:[~^]|[<>]=?|=)\s*)?v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[\w.-]+)?(?:\+[\w.-]+)?"
_NUMBER = pattern(r"\d+(?:\.\d+){0,2}")
_RANGE = pattern(rf"\s*{_PART}(?:\s+-\s+{_PART}|(?:\s+{_PART})*)(?:\s*\|\|\s*{_PART}(?:\s+{_PART})*)*\s*\Z")


@rule("requires-range", "warning", "An invalid range of releases")
def REQUIRES_RANGE(requires: Requires, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Ranges are written as npm writes them: >=4.0.0, ^4.2, 4.x."""
    if isinstance(requires.agentv, str) and not _RANGE.match(requires.agentv) and requires.agentv.strip() != "*":
        number, place = _NUMBER.search(requires.agentv), requires.places["agentv"]
        fixes = replace_with_words(place.node.span, [f">={number[0]}"]) if number and not place.borrowed else ()
        message = "this is not a range of releases; write one such as >=4.0.0 or ^4.2"
        yield Finding(requires.at("agentv"), message, fixes=fixes)
