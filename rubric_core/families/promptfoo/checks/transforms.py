"""Inline code that transforms an output, variables or a response: syntax errors, names and results."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.assertion_settings import WITH_CONTEXT
from rubric_core.families.promptfoo.checks.code_statements import RETURN, at_fault, last_statement, returned
from rubric_core.families.promptfoo.checks.context_members import members_of_context
from rubric_core.families.promptfoo.checks.functions_as_code import function_as_code
from rubric_core.families.promptfoo.checks.script_names import place_in_code, undefined_names
from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, read_javascript
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.validation.rule import Context, Finding, checks

#: Fields with JavaScript that transforms something, if it is not a file.
_TRANSFORMS = ("transform", "postprocess", "transform_vars", "context_transform")


@checks("promptfoo/transform", "script-value", "warning")
def transforms(shape: Assertion | CaseOptions | ConfiguredProvider, context: Context) -> Iterator[Finding]:
    """A transform that is not valid JavaScript, uses an undefined name, or gives no usable result."""
    if isinstance(shape, ConfiguredProvider):
        yield from _responses(shape, context.text)
    unread = isinstance(shape, Assertion) and not isinstance(shape, WITH_CONTEXT)
    for field in _TRANSFORMS[:-1] if unread else _TRANSFORMS:
        place = shape.places.get(field)
        node = place.node if place is not None and not place.borrowed else None
        if isinstance(node, Mapping) and place is not None and not {"$ref", "<<"} & {e.name for e in node.entries}:
            stops = field == "transform_vars" or isinstance(shape, Assertion)
            words = f"`{place.name}` is JavaScript or a file, and no mapping"
            yield Finding(node.span, words, severity="error", consequence=STOPS if stops else ROW_ERRORS)
        if (
            isinstance(node, Scalar)
            and isinstance(node.value, str)
            and not node.text.startswith(("file://", "package:"))
        ):
            consequence = STOPS if field == "transform_vars" else ROW_ERRORS
            yield from (
                replace(each, severity=each.severity or "error", consequence=each.consequence or consequence)
                for each in _transform(node, context.text, "vars" if field == "transform_vars" else "output")
            )


_NOT_CALLED = "the function itself becomes the output"
#: Values that hold no variables.
_NO_VARIABLES = frozenset({"text", "number", "boolean", "nothing", "function"})
#: The code that extracts the answer from an HTTP response, and its parameters.
_OF_RESPONSES = ("transformResponse", "responseParser")
_RESPONSE = ("json", "text", "context", "process")


#: An expression that is no function, with `;` at its end.
_ENDED = pattern(r"\A(?!\s{0,9}(?:async\b|function\b|\())(?![^\n]{0,2000}=>)[^\n;]{1,2000};\s{0,9}\Z")


def _responses(shape: ConfiguredProvider, text: str) -> Iterator[Finding]:
    """Code for responses that cannot be read, or uses names that nothing defines; several lines are a function, or the body of one."""
    place = shape.places.get("config")
    settings = place.node if place is not None and not place.borrowed else None
    if not isinstance(settings, Mapping) or not str(shape.id).startswith(("http:", "https:", "http", "https")):
        return
    for name in _OF_RESPONSES:
        node = settings.get(name)
        if isinstance(node, Scalar) and isinstance(node.value, str) and _is_one_line(node):
            read = read_javascript(node.text, is_body=False, parameters=_RESPONSE)
            fault = read.fault or ("`;` ends no expression" if _ENDED.search(node.text) else "")
            if fault:
                words = f"JavaScript cannot read this code: {fault}"
                yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
                continue
            for found in undefined_names(read, node, text, node.span, given=_RESPONSE, is_python=False, may_fix=True):
                yield replace(found, severity="error", consequence=ROW_ERRORS)
    yield from _status(settings.get("validateStatus"), text)


def _status(node: Node | None, text: str) -> Iterator[Finding]:
    """Code that validates a status: an expression over `status`, or a function of it."""
    if (
        not isinstance(node, Scalar)
        or not isinstance(node.value, str)
        or not _is_one_line(node)
        or not node.text.strip()
    ):
        return
    code = node.text.strip()
    is_function = "=>" in code or code.startswith("function")
    given = ("process",) if is_function else ("status", "process")
    # A semicolon may end it.
    read = read_javascript(node.text.rstrip().removesuffix(";"), is_body=False, parameters=given)
    if read.fault:
        words = f"JavaScript cannot read this code: {read.fault}"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)
        return
    for found in undefined_names(read, node, text, node.span, given=given, is_python=False, may_fix=True):
        advice = "" if "did you mean" in found.message or is_function else "; the code knows `status`"
        yield replace(found, message=found.message + advice, severity="error", consequence=ROW_ERRORS)


def _is_one_line(node: Scalar) -> bool:
    return "\n" not in node.text.strip() and "{{" not in node.text and not node.text.startswith(("file://", "package:"))


def _transform(node: Scalar, text: str, changes: str) -> Iterator[Finding]:
    # In a block the last line break counts, and makes its line the body of a function.
    is_body = "\n" in node.text
    read = read_javascript(node.text, is_body=is_body)
    error = read.fault
    if error:
        yield Finding(at_fault(read, node, text), f"JavaScript cannot read this code: {error}")
        return
    if is_body and not RETURN.search(node.text):
        last = last_statement(node, text)
        words = "code of more than one line has to `return` its result"
        yield Finding(last or node.span, words, fixes=returned(last))
        return
    result = _result_of_transform(node, text, changes, read)
    if result is not None:
        yield result
        return
    yield from members_of_context(node, text, is_python=False)
    given = (changes, "context", "process")
    yield from undefined_names(read, node, text, node.span, given=given, is_python=False, may_fix=True)


def _result_of_transform(node: Scalar, text: str, changes: str, read: CodeReading) -> Finding | None:
    """A transform whose result promptfoo refuses, or a function, which it does not call."""
    # A line break makes the line the body of a function.
    found = function_as_code(node, changes) if "\n" not in node.text else None
    if found is not None and changes == "output":
        return replace(found, severity="warning", consequence=_NOT_CALLED)
    if found is not None or read.whole is None or "{{" in node.text:
        return found
    results = read.whole.results
    if not results and not read.whole.throws and "\n" in node.text:
        last = last_statement(node, text)
        words = "the value of the last statement is dropped; `return` is missing before it"
        return Finding(last or node.span, words, fixes=returned(last))
    kinds = {each.kind for each in results}
    if kinds == {"nothing"} and changes == "output":
        return Finding(node.span, "this code gives nothing")
    if changes == "vars" and kinds and kinds <= _NO_VARIABLES:
        what = "a function, which promptfoo does not call" if kinds == {"function"} else "no mapping"
        is_here = "\n" in node.text and len(results) == 1
        at = place_in_code(node, text, results[0].start, results[0].end - results[0].start) if is_here else None
        return Finding(at or node.span, f"this code gives {what}; it has to give the variables")
    if kinds == {"function"}:
        words = "promptfoo does not call this function"
        return Finding(node.span, words, severity="warning", consequence=_NOT_CALLED)
    return None
