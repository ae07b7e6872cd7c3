"""Inline code: its last statement, where a fault shows, and functions that promptfoo does not call."""

from collections.abc import Iterator
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.formulas import without_strings
from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.families.promptfoo.checks.script_syntax import CodeReading
from rubric_core.families.promptfoo.language.graded_assertions import JavaScriptCode
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, checks

__all__ = [
    "RETURN",
    "UncalledFunction",
    "at_fault",
    "function_as_code",
    "last_statement",
    "returned",
    "uncalled_function",
]

RETURN = pattern(r"\breturn\b|\bthrow\b")
#: So many characters before a line tell whether it goes on.
_NEAR = 200
#: Fewer lines have no last statement beside others.
_LEAST_LINES = 2
#: The beginning of a line that belongs to the one before it, and the end of a line that the next one belongs to.
_CONTINUES, _GOES_ON = pattern(r"[.?:&|+*/%)\]},<>=-]"), pattern(r"(?:[.?:&|+*/%(\[,<>=-]|\\|\b(?:and|or|not|in))\Z")
#: What begins a statement without a value.
_GIVES_NOTHING = pattern(
    r"(?:if|else|elif|for|while|do|switch|match|case|default|try|catch|except|finally|with|const|let|var|function|def|class|async|import|from|throw|raise|print"
    r"|console|#|//|/\*|@)(?!\w)"
)
#: The head of an arrow function at the start of code.
_ARROW = pattern(
    r"\s{0,9}(?:async[ \t]{1,9})?(?:\((?P<several>[\w$ \t,{}:=]{0,120})\)|(?P<one>[A-Za-z_$][\w$]{0,60}))[ \t]{0,9}=>[ \t]{0,9}(?P<body>\S)"
)
#: Longer code is not checked.
_LONGEST = 20_000
#: Code that is nothing but one function.
_FUNCTION = pattern(
    r"\s{0,9}(?:async\s{1,9})?function\s{1,9}(?P<name>[A-Za-z_$][\w$]{0,60})\s{0,9}\([^()]{0,200}\)\s{0,9}\{"
)
_ARROW_BLOCK = pattern(
    r"\s{0,9}(?P<name>(?:async\s{1,9})?(?:\([^()]{0,200}\)|[A-Za-z_$][\w$]{0,60})\s{0,9}=>)\s{0,9}\{"
)
_DEFINED = pattern(r"^def[ \t]{1,9}(?P<name>[A-Za-z_]\w{0,60})[ \t]{0,9}\(")
_STRING = pattern(r"\"(?:[^\"\\]|\\.)*[\"\\]?|'(?:[^'\\]|\\.)*['\\]?")


def at_fault(read: CodeReading, node: Scalar, text: str) -> Span:
    """The rest of the line at which a fault shows, in code of several lines; else all of the code."""
    if read.fault_at is None or (node.style != "literal" and "\n" not in node.text):
        return node.span
    code = node.text.rstrip()
    at = min(read.fault_at, len(code) - 1)
    begin = code.rfind("\n", 0, at) + 1
    line = code[begin:].partition("\n")[0]
    blanks = len(line) - len(line.lstrip())
    return place_in_code(node, text, begin + blanks, len(line) - blanks) or node.span


def last_statement(node: Scalar, text: str) -> Span | None:
    """The first line of the last statement in code of several lines, which gives the result if `return` is put before it."""
    lines = [line for line in node.text.splitlines() if line.strip()]
    code = node.text.rstrip()
    if len(lines) < _LEAST_LINES or node.style != "literal":
        return None
    indentation = min(len(line) - len(line.lstrip()) for line in lines)
    begun, end = 0, len(code)
    while end > 0:
        begun = code.rfind("\n", 0, end) + 1
        line, before = code[begun:end], code[max(0, begun - _NEAR) : begun].rstrip()
        is_outermost = line.strip() != "" and len(line) - len(line.lstrip()) == indentation
        if is_outermost and not _CONTINUES.match(line.lstrip()) and not _GOES_ON.search(before):
            is_statement = _GIVES_NOTHING.match(line.lstrip()) is None
            return place_in_code(node, text, begun + indentation, len(line) - indentation) if is_statement else None
        end = begun - 1
    return None


def returned(last: Span | None) -> tuple[Fix, ...]:
    """Add `return` to the last statement."""
    return (
        ()
        if last is None
        else (Fix("write `return` before it", (Edit(Span(last.start, last.start), "return "),), safe=False),)
    )


def _is_listed(body: str) -> bool:
    """Whether a comma outside of brackets makes what follows it the result."""
    depth = 0
    for sign in _STRING.sub("", body):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            return True
    return False


@checks("promptfoo/function-as-code", "script-value", "warning")
def functions_as_code(shape: JavaScriptCode) -> Iterator[Finding]:
    """An arrow function of one line as the code of an assertion, which promptfoo does not call."""
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


class UncalledFunction(NamedTuple):
    """A function that is all of some code, at the place of its name."""

    start: int
    end: int
    words: str


def uncalled_function(code: str, *, is_python: bool) -> UncalledFunction | None:
    """The function that is all of code of several lines, so that nothing calls it."""
    if len(code) > _LONGEST or "{{" in code or "\n" not in code.strip():
        return None
    if is_python:
        return _only_defined(code)
    found = _FUNCTION.match(code) or _ARROW_BLOCK.match(code)
    if found is None or _block_end(without_strings(code), found.end()) < len(code.rstrip().rstrip(";")):
        return None
    return UncalledFunction(*found.span("name"), "promptfoo does not call this function; write its body")


def _only_defined(code: str) -> UncalledFunction | None:
    """The last of the functions that code of Python defines, if it does nothing else."""
    last: tuple[int, int] | None = None
    at = 0
    for line in code.split("\n"):
        found = _DEFINED.match(line)
        if found is not None:
            last = (at + found.start("name"), at + found.end("name"))
        elif line.strip() and not line[0].isspace() and not line.startswith(("import ", "from ", "#", ")", "@")):
            return None
        at += len(line) + 1
    words = "nothing calls this function; `return` its result, or write its body"
    return UncalledFunction(*last, words) if last else None


def _block_end(code: str, at: int) -> int:
    """The offset after the bracket that closes a block which begins before `at`."""
    depth = 1
    while at < len(code) and depth:
        depth += (code[at] == "{") - (code[at] == "}")
        at += 1
    return at
