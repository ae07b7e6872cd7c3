"""Functions in the place of code: promptfoo does not call them (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix

__all__ = ["functions_as_code"]

#: The head of an arrow function at the start of code.
_ARROW = pattern(
    r"\s{0,9}(?:async[ \t]{1,9})?(?:\((?P<several>[\w$ \t,{}:=]{0,120})\)|(?P<one>[A-Za-z_$][\w$]{0,60}))[ \t]{0,9}=>[ \t]{0,9}(?P<body>\S)"
)
_STRING = pattern(r"\"(?:[^\"\\]|\\.)*[\"\\]?|'(?:[^'\\]|\\.)*['\\]?")
#: The parameters that the body finds under the same names.
_GIVEN = ("output", "output,context")


def _is_listed(body: str) -> bool:
    """Whether a comma outside of brackets makes what follows it the result."""
    depth = 0
    for sign in _STRING.sub("", body):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            return True
    return False


def functions_as_code(shape: JavaScriptCode) -> Iterator[Finding]:
    """An arrow function of one line, which is the result itself and not called."""
    place = shape.places.get("value")
    node = place.node if place is not None and not place.borrowed else None
    if (
        not isinstance(node, Scalar)
        or not isinstance(node.value, str)
        or "\n" in node.text.strip()
        or "{{" in node.text
    ):
        return
    found = _ARROW.match(node.text)
    if found is None or _is_listed(node.text[found.start("body") :]):
        return
    fixes: tuple[Fix, ...] = ()
    parameters = (found["one"] or found["several"] or "").replace(" ", "")
    is_known = parameters in _GIVEN and "async" not in node.text and not node.is_block
    if found["body"] != "{" and is_known and ";" not in node.text:
        code = node.text[found.start("body") :].strip()
        fixes = (Fix(f"write {quoted(code)}", (Edit(node.span, quoted(code)),)),)
    words = "promptfoo does not call this function; write its body"
    yield Finding(node.span, words, fixes=fixes, consequence="the assertion fails, whatever the output is")
