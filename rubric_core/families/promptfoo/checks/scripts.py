"""Inline code of promptfoo without a result, or with a syntax error: assertions and transforms."""

import re
from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.code_statements import RETURN, at_fault, last_statement, returned
from rubric_core.families.promptfoo.checks.context_members import members_of_context
from rubric_core.families.promptfoo.checks.functions_as_code import uncalled_function
from rubric_core.families.promptfoo.checks.program_results import wrong_kinds
from rubric_core.families.promptfoo.checks.script_names import place_in_code, undefined_names
from rubric_core.families.promptfoo.checks.script_results import (
    RESULT_REFUSED,
    incomplete_results,
    results_without_reason,
    slips_of_results,
)
from rubric_core.families.promptfoo.checks.script_syntax import CodeReading, read_javascript, read_python
from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.language.closest_name import is_typo
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
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
