"""The reference of a dialect, which its family writes."""

from collections.abc import Callable

from rubric_core.family import part_of
from rubric_core.language.dialect import Dialect

__all__ = ["reference_of"]


def reference_of(dialect: Dialect) -> str:
    """The reference of a dialect as one Markdown page. Raises KeyError for a dialect of no family, or of one without."""
    part = part_of(dialect.properties.engine, "reference")
    if part is None:
        raise KeyError(dialect.properties.engine)
    reference: Callable[[Dialect], str] = part.REFERENCE
    return reference(dialect)
