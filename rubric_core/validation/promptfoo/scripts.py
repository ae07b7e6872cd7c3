"""Inline code of promptfoo that gives no result, or cannot be read: assertions and transforms (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.promptfoo import graded_assertions as graded
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import CaseOptions
from rubric_core.language.promptfoo.configuration import ConfiguredProvider
from rubric_core.language.promptfoo.consequences import ROW_ERRORS, STOPS
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.script_syntax import javascript_error, python_error
from rubric_core.validation.rule import Finding, Fix

__all__ = ["scripts", "transforms"]

#: What promptfoo calls the JavaScript of an assertion with.
_PARAMETERS = ("output", "context", "process")
_RETURN = pattern(r"\breturn\b|\bthrow\b")
_SCRIPT_NAME = pattern(r"[\w./-]+\.(?:[cm]?[jt]s|py|rb)(?::\w+)?\Z")


def scripts(shape: graded.JavaScriptCode | graded.PythonCode | graded.RubyCode) -> Iterator[Finding]:
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
    elif "\n" in lines and "{%" not in code and not isinstance(shape, graded.RubyCode) and not _RETURN.search(code):
        yield Finding(
            place.value, "code of more than one line has to `return` its result",
            fixes=_returning(place, place.node, code),
            consequence="the assertion fails on every output: the code gives nothing",
        )  # fmt: skip
    elif not isinstance(shape, graded.RubyCode):
        is_python = isinstance(shape, graded.PythonCode)
        error = (
            python_error(code)
            if is_python
            else javascript_error(code, is_body="\n" in code.rstrip(), declares=True, parameters=_PARAMETERS)
        )
        if error:
            words = f"{'Python' if is_python else 'JavaScript'} cannot read this code: {error}"
            yield Finding(place.value, words, consequence="the assertion fails on every output")


#: Fields with JavaScript that changes something, where it is no file.
_TRANSFORMS = ("transform", "postprocess", "transform_vars", "context_transform")


def transforms(shape: Assertion | CaseOptions | ConfiguredProvider) -> Iterator[Finding]:
    """Transforms that are no JavaScript."""
    for field in _TRANSFORMS:
        place = shape.places.get(field)
        node = place.node if place is not None and not place.borrowed else None
        if (
            isinstance(node, Scalar)
            and isinstance(node.value, str)
            and not node.text.startswith(("file://", "package:"))
        ):
            # In a block the last line break counts, and makes its line the body of a function.
            is_body = "\n" in node.text
            error = javascript_error(node.text, is_body=is_body)
            if is_body and not error and not _RETURN.search(node.text):
                error = "code of more than one line has to `return` its result"
            if error:
                yield Finding(
                    node.span, f"JavaScript cannot read this code: {error}", severity="error",
                    consequence=STOPS if field == "transform_vars" else ROW_ERRORS,
                )  # fmt: skip


def _returning(place: FieldPlace, node: Scalar, code: str) -> tuple[Fix, ...]:
    """Add `return` to one-line code, which counts as several lines because of its final line break."""
    lines = code.strip().splitlines()
    if place.borrowed or len(lines) != 1:
        return ()
    return (Fix("write it on the line of the key", (Edit(node.span, quoted(lines[0].strip())),), safe=False),)
