"""The effect of a missing or misspelt required key."""

from rubric_core.language.evaluators import Band, Evaluator
from rubric_core.language.model import Case, Suite
from rubric_core.language.promptfoo.text_assertions import Equals
from rubric_core.language.properties import Properties
from rubric_core.language.shape import Shape
from rubric_core.language.targets import TargetFile
from rubric_core.validation.rule import Severity

__all__ = ["lack_consequence", "lack_severity"]


def lack_severity(shape: type[Shape], properties: Properties) -> Severity:
    """The severity of a missing key: only a warning if some release accepts an incomplete case, or the row fails as any other."""
    if issubclass(shape, Equals):
        return "warning"
    return properties.incomplete_case if issubclass(shape, Case) else "error"


def lack_consequence(shape: type[Shape]) -> str:
    """AgentV's reaction to the missing key; empty if that is obvious."""
    if issubclass(shape, TargetFile):
        return "agentv rejects the file"
    if issubclass(shape, Suite):
        return "agentv rejects the whole file"
    if issubclass(shape, Case):
        return "agentv skips the case and runs the others"
    if issubclass(shape, Band):
        return "agentv skips the whole case and only logs it"
    if issubclass(shape, Equals):
        return "promptfoo compares the output with the word `undefined`"
    return "agentv skips this evaluator and only logs it" if issubclass(shape, Evaluator) else ""
