"""Inline code of promptfoo without a result, or with a syntax error: assertions and transforms (issue 18, section 2)."""

import re
from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.promptfoo import graded_assertions as graded
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.language.promptfoo.consequences import ROW_ERRORS, STOPS
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.code_habits import code_habits, uncalled_function
from rubric_core.validation.promptfoo.functions_as_code import function_as_code
from rubric_core.validation.promptfoo.result_kinds import useless_result
from rubric_core.validation.promptfoo.script_members import misspelt_members, misspelt_python
from rubric_core.validation.promptfoo.script_names import place_in_code, undefined_names
from rubric_core.validation.promptfoo.script_results import (
    RESULT_REFUSED,
    incomplete_results,
    results_without_reason,
    slips_of_results,
)
from rubric_core.validation.promptfoo.script_syntax import CodeReading, read_javascript, read_python
from rubric_core.validation.rule import Finding, Fix

__all__ = ["scripts", "transforms"]

#: What promptfoo calls the JavaScript of an assertion with.
_PARAMETERS = ("output", "context", "process")
_RETURN = pattern(r"\breturn\b|\bthrow\b")
_STATEMENT_WORD = pattern(r"^[ \t]{0,99}([A-Za-z]{4,9})(?=[ \t]{1,9}[^\s=]|[({\[])", re.MULTILINE)
_FAILS = "the assertion fails on every output"
#: Code that is nothing but a text.
_ONE_TEXT = pattern(r"\s{0,9}(?:\"[^\"\\]{0,500}\"|'[^'\\]{0,500}')\s{0,9};?\s{0,9}\Z")
#: So many characters before a line tell whether it goes on.
_NEAR = 200
#: Fewer lines have no last statement beside others.
_LEAST_LINES = 2
#: The beginning of a line that belongs to the one before it, and the end of a line that the next one belongs to.
_CONTINUES, _GOES_ON = pattern(r"[.?:&|+*/%)\]},<>=-]"), pattern(r"(?:[.?:&|+*/%(\[,<>=-]|\\|\b(?:and|or|not|in))\Z")
#: Texts and comments that may span several lines.
_LONG_TEXT = pattern(r"`[^`\n]{0,2000}\n|/\*|\"{3}|'{3}")
#: What begins a statement that gives a result, one that gives a name its value, and a text that documents Python.
_GIVES = pattern(r"(?:return|throw|raise|yield)\b")
_ASSIGNS = pattern(
    r"[\w.$\[\]'\"]{1,99}\s{0,9}[-+*/|&]?=(?!=)|[\w.$]{1,99}\.(?:push|append|add|set|sort|forEach)\(|[\"']{3}"
)
#: What begins a statement without a value.
_GIVES_NOTHING = pattern(
    r"(?:if|else|elif|for|while|do|switch|match|case|default|try|catch|except|finally|with|const|let|var|function|def|class|async|import|from|throw|raise|print"
    r"|console|#|//|/\*|@)(?!\w)"
)
_SCRIPT_NAME = pattern(r"[\w./-]+\.(?:[cm]?[jt]s|py|rb)(?::\w+)?\Z")


def scripts(shape: graded.JavaScriptCode | graded.PythonCode | graded.RubyCode, text: str) -> Iterator[Finding]:
    """File names that are run as code, and multi-line code without a `return`."""
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
    elif "\n" in lines and "{%" not in code and not isinstance(shape, graded.RubyCode) and not _RETURN.search(code):
        if not place.borrowed and (word := _misspelt_return(place.node, text)) is not None:
            fixes = (Fix("change it to `return`", (Edit(word, "return"),)),)
            words = f"nothing defines `{text[slice(*word)]}`; did you mean `return`?"
            yield Finding(word, words, fixes=fixes, consequence=_FAILS)
            return
        last = None if place.borrowed else _last_statement(place.node, text)
        yield Finding(
            last or place.value, "code of more than one line has to `return` its result",
            fixes=_returning(place, place.node, code) or _returned(last),
            consequence="the assertion fails on every output: the code gives nothing",
        )  # fmt: skip
    elif not isinstance(shape, graded.RubyCode):
        faults = list(_read(shape, place, place.node, text))
        yield from faults
        yield from _dropped_at_end(place, lines, text)
        if "{{" not in code and _ONE_TEXT.match(lines):
            words = "a text is no result: write a comparison, or a number"
            yield Finding(place.value, words, consequence=_FAILS)
        elif not faults:
            yield from _useless(place, place.node, text, is_python=isinstance(shape, graded.PythonCode))


def _is_comment(code: str, *, is_python: bool) -> bool:
    """Whether code is nothing but comments."""
    lines = [line.strip() for line in code.splitlines() if line.strip()]
    if not lines or "{{" in code or "{%" in code:
        return False
    is_block = code.lstrip().startswith("/*") and code.find("*/") == len(code.rstrip()) - 2
    return all(line.startswith("#" if is_python else "//") for line in lines) or (is_block and not is_python)


def _useless(place: FieldPlace, node: Scalar, text: str, *, is_python: bool) -> Iterator[Finding]:
    """A result that is a text, a list or nothing."""
    found = useless_result(node.text, is_python=is_python)
    if found is None:
        return
    at = None if place.borrowed else place_in_code(node, text, found.start, found.end - found.start)
    gives = f"`{found.call}` gives {found.kind}, which is" if found.call else f"{found.kind} is"
    advice = (
        "`test` as in `/x/.test(output)`" if found.call == "match" and not is_python else "a comparison, or a number"
    )
    yield Finding(at or place.value, f"{gives} no result: write {advice}", consequence=_FAILS)


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
    if read.fault:
        words = f"{'Python' if is_python else 'JavaScript'} cannot read this code: {read.fault}"
        at = place.value if place.borrowed else _at_fault(read, node, text)
        yield Finding(at, words, consequence=_FAILS)
        return
    if read.assigned_at is not None:
        written = place_in_code(node, text, read.assigned_at, 1)
        at = place.value if written is None else written
        fixes = () if place.borrowed or written is None else (Fix("write `===`", (Edit(at, "==="),), safe=False),)
        words = "`=` assigns here; `===` compares"
        yield Finding(
            place.value if place.borrowed else at, words, fixes=fixes, consequence="the output is not looked at"
        )
    if not place.borrowed:
        slips = misspelt_python(read, node, text) if is_python else misspelt_members(node, text)
        yield from (replace(each, consequence=_FAILS) for each in slips)
        yield from _habits(node, text, is_python=is_python)
    yield from _results(read, place, node, text, is_python=is_python)
    yield from _without_reason(read, place, node, text)
    given = ("output", "context") if is_python else _PARAMETERS
    yield from (
        replace(each, consequence=_FAILS)
        for each in undefined_names(
            read, node, text, place.value, given=given, is_python=is_python, may_fix=not place.borrowed
        )
    )


def _habits(node: Scalar, text: str, *, is_python: bool) -> Iterator[Finding]:
    """What other languages have, and functions that nothing calls."""
    uncalled = uncalled_function(node.text, is_python=is_python)
    for habit in (uncalled,) if uncalled is not None else code_habits(node.text, is_python=is_python):
        at = place_in_code(node, text, habit.start, habit.end - habit.start)
        meant = habit.meant if at is not None and not (node.style == "single" and "'" in habit.meant) else ""
        fixes = (Fix(f"write `{meant}`", (Edit(at, meant),), safe=False),) if meant and at is not None else ()
        if habit.is_certain:
            yield Finding(at or node.span, habit.words, fixes=fixes, consequence=_FAILS)
        else:
            yield Finding(at or node.span, habit.words, fixes=fixes, severity="hint")


def _results(read: CodeReading, place: FieldPlace, node: Scalar, text: str, *, is_python: bool) -> Iterator[Finding]:
    for key, meant in slips_of_results(read, is_python=is_python):
        at = None if place.borrowed else place_in_code(node, text, key.offset, len(key.text))
        fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if at is not None else ()
        words = f"a result has no `{key.text}`; did you mean `{meant}`?"
        yield Finding(at or place.value, words, fixes=fixes, consequence=RESULT_REFUSED)


def _at_fault(read: CodeReading, node: Scalar, text: str) -> Span:
    """The rest of the line at which a fault shows, in code of several lines; else all of the code."""
    if read.fault_at is None or (node.style != "literal" and "\n" not in node.text):
        return node.span
    code = node.text.rstrip()
    at = min(read.fault_at, len(code) - 1)
    begin = code.rfind("\n", 0, at) + 1
    line = code[begin:].partition("\n")[0]
    blanks = len(line) - len(line.lstrip())
    return place_in_code(node, text, begin + blanks, len(line) - blanks) or node.span


#: Fields with JavaScript that transforms something, if it is not a file.
_TRANSFORMS = ("transform", "postprocess", "transform_vars", "context_transform")


def transforms(shape: Assertion | CaseOptions | ConfiguredProvider, text: str) -> Iterator[Finding]:
    """Transforms that are no JavaScript, or use names that nothing defines."""
    if isinstance(shape, ConfiguredProvider):
        yield from _responses(shape, text)
    for field in _TRANSFORMS:
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
                for each in _transform(node, text, "vars" if field == "transform_vars" else "output")
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
            free = undefined_names(read, node, text, node.span, given=_RESPONSE, is_python=False, may_fix=True)
            for found in (*free, *misspelt_members(node, text)):
                yield replace(found, severity="error", consequence=ROW_ERRORS)


def _is_one_line(node: Scalar) -> bool:
    return "\n" not in node.text.strip() and "{{" not in node.text and not node.text.startswith(("file://", "package:"))


def _transform(node: Scalar, text: str, changes: str) -> Iterator[Finding]:
    # In a block the last line break counts, and makes its line the body of a function.
    is_body = "\n" in node.text
    read = read_javascript(node.text, is_body=is_body)
    error = read.fault
    if error:
        yield Finding(_at_fault(read, node, text), f"JavaScript cannot read this code: {error}")
        return
    if is_body and not _RETURN.search(node.text):
        last = _last_statement(node, text)
        words = "code of more than one line has to `return` its result"
        yield Finding(last or node.span, words, fixes=_returned(last))
        return
    result = _result_of_transform(node, text, changes, read)
    if result is not None:
        yield result
        return
    yield from misspelt_members(node, text)
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
        last = _last_statement(node, text)
        words = "the value of the last statement is dropped; `return` is missing before it"
        return Finding(last or node.span, words, fixes=_returned(last))
    kinds = {each.kind for each in results}
    useless = useless_result(node.text, is_python=False)
    gives = useless.kind if useless is not None else ""
    if gives == "nothing" or (kinds == {"nothing"} and changes == "output"):
        return Finding(node.span, "this code gives nothing")
    if changes == "vars" and kinds and (kinds <= _NO_VARIABLES or gives == "a text"):
        what = "a function, which promptfoo does not call" if kinds == {"function"} else "no mapping"
        is_here = "\n" in node.text and len(results) == 1
        at = place_in_code(node, text, results[0].start, results[0].end - results[0].start) if is_here else None
        return Finding(at or node.span, f"this code gives {what}; it has to give the variables")
    if kinds == {"function"}:
        words = "promptfoo does not call this function"
        return Finding(node.span, words, severity="warning", consequence=_NOT_CALLED)
    return None


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
    last = _last_statement(node, text)
    if last is not None and not _GIVES.match(text, last.start) and not _ASSIGNS.match(text, *last):
        words = "this is the last statement, and its value is dropped; `return` is missing before it"
        is_function = "=>" in text[slice(*last)]
        yield Finding(last, words, fixes=() if is_function else _returned(last), consequence=_FAILS)


def _last_statement(node: Scalar, text: str) -> Span | None:
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


def _returned(last: Span | None) -> tuple[Fix, ...]:
    """Add `return` to the last statement."""
    return (
        ()
        if last is None
        else (Fix("write `return` before it", (Edit(Span(last.start, last.start), "return "),), safe=False),)
    )


def _returning(place: FieldPlace, node: Scalar, code: str) -> tuple[Fix, ...]:
    """Add `return` to one-line code, which counts as several lines because of its final line break."""
    lines = code.strip().splitlines()
    if place.borrowed or len(lines) != 1:
        return ()
    return (Fix("write it on the line of the key", (Edit(node.span, quoted(lines[0].strip())),), safe=False),)
