"""How severe a missing or misspelt required key is."""

from rubric_core.language.model import Case
from rubric_core.language.properties import Properties
from rubric_core.language.shape import Shape
from rubric_core.validation.rule import Severity

__all__ = ["lack_severity"]


def lack_severity(shape: type[Shape], properties: Properties) -> Severity:
    """The severity of a missing key: only a warning if some release accepts an incomplete case, or the row fails as any other."""
    if issubclass(shape, Case):
        return properties.incomplete_case
    return "warning" if shape.lack_is_survived else "error"
