"""Functions in the place of code: promptfoo does not call them."""

from collections.abc import Iterator

from rubric_core.language.promptfoo.graded_assertions import JavaScriptCode
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix

__all__ = ["function_as_code", "functions_as_code"]

#: The head of an arrow function at the start of code.
_ARROW = pattern(
    r"\s{0,9}(?:async[ \t]{1,9})?(?:\((?P<several>[\w$ \t,{}:=]{0,120})\)|(?P<one>[A-Za-z_$][\w$]{0,60}))[ \t]{0,9}=>[ \t]{0,9}(?P<body>\S)"
)
_STRING = pattern(r"\"(?:[^\"\\]|\\.)*[\"\\]?|'(?:[^'\\]|\\.)*['\\]?")


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
    if isinstance(node, Scalar) and isinstance(node.value, str):
        found = function_as_code(node, "output")
        if found is not None:
            yield replace(found, consequence="the assertion fails, whatever the output is")


def function_as_code(node: Scalar, given: str) -> Finding | None:
    """An arrow function of one line in code that is called with `given` and a context."""
    if "\n" in node.text.strip() or "{{" in node.text:
        return None
    found = _ARROW.match(node.text)
    if found is None or _is_listed(node.text[found.start("body") :]):
        return None
    fixes: tuple[Fix, ...] = ()
    # The body finds these parameters under the same names.
    parameters = (found["one"] or found["several"] or "").replace(" ", "")
    is_known = parameters in (given, f"{given},context") and "async" not in node.text and not node.is_block
    if found["body"] != "{" and is_known and ";" not in node.text:
        code = node.text[found.start("body") :].strip()
        fixes = (Fix(f"write {quoted(code)}", (Edit(node.span, quoted(code)),)),)
    return Finding(node.span, "promptfoo does not call this function; write its body", fixes=fixes)
