"""Statements of inline code: the last one, which gives the result, and where a fault shows."""

from rubric_core.families.promptfoo.checks.script_names import place_in_code
from rubric_core.families.promptfoo.checks.script_syntax import CodeReading
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Fix

__all__ = ["RETURN", "at_fault", "last_statement", "returned"]

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
