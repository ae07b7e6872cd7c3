"""Mistakes in the inline code of assertions and transforms: syntax errors, names and results."""

import re
from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.assertion_settings import WITH_CONTEXT
from rubric_core.families.promptfoo.checks.inline_code import (
    RETURN,
    at_fault,
    function_as_code,
    last_statement,
    returned,
    uncalled_function,
)
from rubric_core.families.promptfoo.checks.script_names import members_of_context, place_in_code, undefined_names
from rubric_core.families.promptfoo.checks.script_results import (
    RESULT_REFUSED,
    incomplete_results,
    results_without_reason,
    slips_of_results,
    wrong_kinds,
)
from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, read_javascript, read_python
from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.closest_name import is_typo
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

#: What promptfoo calls the JavaScript of an assertion with.
_PARAMETERS = ("output", "context", "process")
_STATEMENT_WORD = pattern(r"^[ \t]{0,99}([A-Za-z]{4,9})(?=[ \t]{1,9}[^\s=]|[({\[])", re.MULTILINE)
_FAILS = "the assertion fails on every output"
#: Code that is nothing but a text.
_ONE_TEXT = pattern(r"\s{0,9}(?:\"[^\"\\]{0,500}\"|'[^'\\]{0,500}')\s{0,9};?\s{0,9}\Z")
#: A statement that only a module may have.
_IMPORT = pattern(r"^[ \t]{0,40}(?P<word>import)[ \t]{1,9}(?:[\w*{][^\n]{0,200}\bfrom\b|[\"'])", re.MULTILINE)
#: Code that only gives one name its value.
_ONLY_DECLARED = pattern(r"(?:const|let|var)\s{1,9}[A-Za-z_$][\w$]{0,60}\s{0,9}=(?!=)[^;{}]{1,500};?\s{0,9}\Z")
#: Texts and comments that may span several lines.
_LONG_TEXT = pattern(r"`[^`\n]{0,2000}\n|/\*|\"{3}|'{3}")
#: What begins a statement that gives a result, one that gives a name its value, and a text that documents Python.
_GIVES = pattern(r"(?:return|throw|raise|yield)\b")
_ASSIGNS = pattern(
    r"[\w.$\[\]'\"]{1,99}\s{0,9}[-+*/|&]?=(?!=)|[\w.$]{1,99}\.(?:push|append|add|set|sort|forEach)\(|[\"']{3}"
)
_SCRIPT_NAME = pattern(r"[\w./-]+\.(?:[cm]?[jt]s|py|rb)(?::\w+)?\Z")
#: Fields with JavaScript that transforms something, if it is not a file.
_TRANSFORMS = ("transform", "postprocess", "transform_vars", "context_transform")


@checks("promptfoo/inline-script", "script-value", "warning")
def scripts(shape: graded.JavaScriptCode | graded.PythonCode | graded.RubyCode, context: Context) -> Iterator[Finding]:
    """Code of an assertion that gives no verdict: a file name, a syntax error, an unknown name, no `return`."""
    place, code = shape.places.get("value"), shape.value
    if (
        place is None
        or not isinstance(code, str)
        or not isinstance(place.node, Scalar)
        or code.startswith(("file://", "package:"))
    ):
        return
    # A line break at the end of a block is taken away for JavaScript only.
    lines = code.strip() if isinstance(shape, graded.JavaScriptCode) else code
    if _SCRIPT_NAME.match(code.strip()):
        at = place.node.span.start + place.node.is_quoted
        fix = Fix("write file:// in front", (Edit(Span(at, at), "file://"),))
        yield Finding(
            place.value, f"promptfoo runs `{code.strip()}` as code; a file begins with file://",
            fixes=() if place.borrowed or place.node.is_block else (fix,), consequence="it fails on every output: the name is not defined",
        )  # fmt: skip
    elif _is_comment(code, is_python=isinstance(shape, graded.PythonCode)):
        yield Finding(place.value, "a comment gives no result: write a comparison, or a number", consequence=_FAILS)
    elif "\n" in lines and "{%" not in code and not isinstance(shape, graded.RubyCode) and not RETURN.search(code):
        if not place.borrowed and (word := _misspelt_return(place.node, context.text)) is not None:
            fixes = (Fix("change it to `return`", (Edit(word, "return"),)),)
            words = f"nothing defines `{context.text[slice(*word)]}`; did you mean `return`?"
            yield Finding(word, words, fixes=fixes, consequence=_FAILS)
            return
        last = None if place.borrowed else last_statement(place.node, context.text)
        yield Finding(
            last or place.value, "code of more than one line has to `return` its result",
            fixes=_returning(place, place.node, code) or returned(last),
            consequence="the assertion fails on every output: the code gives nothing",
        )  # fmt: skip
    elif not isinstance(shape, graded.RubyCode):
        faults = list(_read(shape, place, place.node, context.text))
        yield from faults
        yield from _dropped_at_end(place, lines, context.text)
        if not faults or _ONE_TEXT.match(lines):
            is_javascript = isinstance(shape, graded.JavaScriptCode)
            yield from _no_result(place, lines, is_javascript=is_javascript)


def _no_result(place: FieldPlace, code: str, *, is_javascript: bool) -> Iterator[Finding]:
    """Code whose value is certainly no result."""
    if is_javascript and "\n" not in code and _ONLY_DECLARED.match(code):
        yield Finding(place.value, "a declaration gives no result: write the expression alone", consequence=_FAILS)
    elif "{{" not in code and _ONE_TEXT.match(code):
        yield Finding(place.value, "a text is no result: write a comparison, or a number", consequence=_FAILS)


def _is_comment(code: str, *, is_python: bool) -> bool:
    """Whether code is nothing but comments."""
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    if not lines or "{{" in code or "{%" in code:
        return False
    is_block = code.lstrip().startswith("/*") and code.find("*/") == len(code.rstrip()) - 2
    return all(line.startswith("#" if is_python else "//") for line in lines) or (is_block and not is_python)


def _read(
    shape: graded.JavaScriptCode | graded.PythonCode, place: FieldPlace, node: Scalar, text: str
) -> Iterator[Finding]:
    """The syntax error of code, and its undefined names."""
    is_python, code = isinstance(shape, graded.PythonCode), node.text
    read = (
        read_python(code)
        if is_python
        else read_javascript(code, is_body="\n" in code.rstrip(), declares=True, parameters=_PARAMETERS)
    )
    if not is_python and not place.borrowed and (module := _IMPORT.search(code)) is not None:
        at = place_in_code(node, text, module.start("word"), len("import"))
        words = "inline code has no `import`; write `await import(…)` in a file, or `require`"
        yield Finding(at or place.value, words, consequence=_FAILS)
        return
    if read.fault:
        words = f"{'Python' if is_python else 'JavaScript'} cannot read this code: {read.fault}"
        at = place.value if place.borrowed else at_fault(read, node, text)
        yield Finding(at, words, consequence=_FAILS)
        return
    if not place.borrowed:
        uncalled = uncalled_function(node.text, is_python=is_python)
        if uncalled is not None:
            at = place_in_code(node, text, uncalled.start, uncalled.end - uncalled.start)
            yield Finding(at or node.span, uncalled.words, consequence=_FAILS)
        else:
            slips = members_of_context(node, text, is_python=is_python)
            yield from (replace(each, consequence=_FAILS) for each in slips)
    yield from _results(read, place, node, text, is_python=is_python)
    yield from _without_reason(read, place, node, text)
    yield from _wrong_kinds(read, place, node, text)
    given = ("output", "context") if is_python else _PARAMETERS
    yield from (
        replace(each, consequence=_FAILS)
        for each in undefined_names(
            read, node, text, place.value, given=given, is_python=is_python, may_fix=not place.borrowed
        )
    )


def _results(read: CodeReading, place: FieldPlace, node: Scalar, text: str, *, is_python: bool) -> Iterator[Finding]:
    for key, meant in slips_of_results(read, is_python=is_python):
        at = None if place.borrowed else place_in_code(node, text, key.offset, len(key.text))
        fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if at is not None else ()
        words = f"a result has no `{key.text}`; did you mean `{meant}`?"
        yield Finding(at or place.value, words, fixes=fixes, consequence=RESULT_REFUSED)


def _without_reason(read: CodeReading, place: FieldPlace, node: Scalar, text: str) -> Iterator[Finding]:
    told = set[int]()
    for key, words in incomplete_results(read, node.text):
        told.add(key.offset)
        at = None if place.borrowed else place_in_code(node, text, key.offset, len(key.text))
        yield Finding(at or place.value, words, consequence=RESULT_REFUSED)
    for key in results_without_reason(read, node.text):
        at = None if place.borrowed else place_in_code(node, text, key.offset, len(key.text))
        if key.offset not in told:
            yield Finding(at or place.value, "this result has no `reason`", consequence=RESULT_REFUSED)


def _wrong_kinds(read: CodeReading, place: FieldPlace, node: Scalar, text: str) -> Iterator[Finding]:
    """`pass`, `score` and `reason` of another kind than promptfoo accepts."""
    for result in read.whole.results if read.whole is not None else ():
        for each in wrong_kinds(dict(result.members), RESULT_REFUSED):
            at = None if place.borrowed else place_in_code(node, text, each.start, each.end - each.start)
            yield Finding(at or place.value, each.words, consequence=each.consequence)


def _misspelt_return(node: Scalar, text: str) -> Span | None:
    """The place of a word that begins a statement and resembles `return`."""
    for found in _STATEMENT_WORD.finditer(node.text):
        if is_typo(found[1], "return"):
            return place_in_code(node, text, found.start(1), len(found[1]))
    return None


def _dropped_at_end(place: FieldPlace, code: str, text: str) -> Iterator[Finding]:
    """The last of several statements, if the code returns results in other places and not there."""
    node = place.node
    if "\n" not in code or "{%" in code or place.borrowed or not isinstance(node, Scalar) or _LONG_TEXT.search(code):
        return
    last = last_statement(node, text)
    if last is not None and not _GIVES.match(text, last.start) and not _ASSIGNS.match(text, *last):
        words = "this is the last statement, and its value is dropped; `return` is missing before it"
        is_function = "=>" in text[slice(*last)]
        yield Finding(last, words, fixes=() if is_function else returned(last), consequence=_FAILS)


def _returning(place: FieldPlace, node: Scalar, code: str) -> tuple[Fix, ...]:
    """Add `return` to one-line code, which counts as several lines because of its final line break."""
    lines = code.strip().splitlines()
    if place.borrowed or len(lines) != 1:
        return ()
    return (Fix("write it on the line of the key", (Edit(node.span, quoted(lines[0].strip())),), safe=False),)


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
