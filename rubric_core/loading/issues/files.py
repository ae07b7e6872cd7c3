"""Issues with a file as a whole: invalid YAML, not a suite, no cases."""

from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.issues.base import EVERYTHING, Issue
from rubric_core.syntax.tree import Scalar, SyntaxProblem
from rubric_core.text import Span

__all__ = ["NotASuite", "NotYaml", "StrayEntry", "WrongRoot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYaml(Issue):
    """A syntax error; the text after it is still parsed."""

    problem: SyntaxProblem

    @property
    def hides(self) -> Span | None:
        return self.span


@dataclass(frozen=True, slots=True, kw_only=True)
class NotASuite(Issue):
    """The file has no mapping that could be a suite."""

    found: str

    @property
    def hides(self) -> Span | None:
        return EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRoot(Issue):
    """The root of the file is not one that a file around a suite can have."""

    found: str
    kind: FileKind

    @property
    def hides(self) -> Span | None:
        return EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class StrayEntry(Issue):
    """A string instead of cases, or among them, that may not be a path to cases."""

    node: Scalar
    in_list: bool
