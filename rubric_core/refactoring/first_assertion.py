"""A first assertion for a case that has none."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.loading.grading import case_list, suite_list
from rubric_core.refactoring.place import Refactoring, RefactoringPlace
from rubric_core.syntax.edit import column_of, line_end
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit, Span

__all__ = ["add_first_assertion"]

_WORDS = "what the answer has to mention"


def add_first_assertion(spot: RefactoringPlace) -> Iterator[Refactoring]:
    """The skeleton of an assertion after the last key of the case at the cursor."""
    case = next(spot.around(Case), None)
    suite = spot.analysis.suite or Suite(Span(0, 0))
    if case is None or case.rubrics or case_list(case) is not None or suite_list(suite):
        return
    node = case.node
    lines = _lines(spot)
    if not isinstance(node, Mapping) or node.flow or not node.entries or not lines:
        return
    last = node.entries[-1]
    margin = " " * column_of(spot.text, node.entries[0].key.whole.start)
    # A block of text ends after its last line break.
    block = isinstance(last.value, Scalar) and last.value.is_block
    end = len(spot.text[: last.span.end].rstrip()) if block else line_end(spot.text, last.span.end)
    written = "".join(f"{spot.newline}{margin}{line}" for line in lines)
    yield from spot.made("Add an assertion", "rewrite", [Edit(Span(end, end), written)])


def _lines(spot: RefactoringPlace) -> list[str]:
    spelled = spot.dialect.spelled
    listed = spelled(Case, "assertions")
    if listed and spot.dialect.properties.string_assertions:
        return [f"{listed}:", f"  - {_WORDS}"]
    rubrics = spelled(Case, "rubrics")
    if rubrics:
        return [f"{rubrics}:", f"  - {_WORDS}"]
    return [f"{listed}:", "  - type: contains", f"    value: {_WORDS}"] if listed else []
