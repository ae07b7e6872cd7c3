"""Keys without a value: whether that equals leaving out the key."""

from rubric_core.language.dialect import Dialect
from rubric_core.language.model import Case, Execution, Suite
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry

__all__ = ["may_be_left_empty"]

_GRADING = frozenset({"assertions", "cases", "criteria", "evaluators", "input", "rubrics"})


def may_be_left_empty(dialect: Dialect, shape: type[Shape], field: str, *, in_words: bool) -> bool:
    """Whether a key without a value does no harm.

    Args:
        dialect: What needs the field.
        shape: What the key belongs to.
        field: The field.
        in_words: Whether `null` is written. Who does that has no answer to compare with; a bare key is an answer
            still to be written.
    """
    if field in _GRADING or (field == "expected_output" and not in_words):
        return False
    return issubclass(shape, Suite | Case | Execution | Entry) and not dialect.demanded(shape, field)
