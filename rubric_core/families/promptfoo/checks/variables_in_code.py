"""The variables that the code in a case of promptfoo reads by name."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from rubric_core.families.promptfoo.checks.case_parts import options_of
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.graded_assertions import JavaScriptCode, PythonCode
from rubric_core.families.promptfoo.loading.names_in_code import ReadName, names_read
from rubric_core.language.shape import FieldPlace
from rubric_core.syntax.tree import Scalar

__all__ = ["CodeVariables", "code_variables"]

#: The fields of an assertion and of the options of a case that contain JavaScript.
_TRANSFORMS = ("transform", "context_transform", "postprocess")


class CodeVariables(NamedTuple):
    """The variables that one piece of code reads."""

    names: tuple[ReadName, ...]
    is_python: bool


def code_variables(case: PromptfooCase, checks: Collection[Assertion], text: str) -> Iterator[CodeVariables]:
    """What the code that is written in a case itself reads, for code that reads anything; `text` is that of its block."""
    for node, is_python in _code_in(case, checks):
        names = tuple(names_read(text, *node.span))
        if names:
            yield CodeVariables(names, is_python)


def _code_in(case: PromptfooCase, checks: Collection[Assertion]) -> Iterator[tuple[Scalar, bool]]:
    """The code in assertions and transforms, and whether it is Python."""
    own = [check for check in checks if not check.borrowed]
    places: list[tuple[FieldPlace | None, bool]] = [
        (check.places.get("value"), isinstance(check, PythonCode))
        for check in own
        if isinstance(check, JavaScriptCode | PythonCode)
    ]
    for shape in (*own, options_of(case)):
        places += [(shape.places.get(field), False) for field in _TRANSFORMS if shape is not None]
    for place, is_python in places:
        node = place.node if place is not None and not place.borrowed else None
        if isinstance(node, Scalar) and not node.text.startswith(("file://", "package:")):
            yield node, is_python
