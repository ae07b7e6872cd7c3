"""Issues with a file as a whole: no YAML, no suite, no cases where cases should be."""

from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.issues.base import EVERYTHING, Issue
from rubric_core.syntax.tree import Scalar, SyntaxProblem
from rubric_core.text import Span

__all__ = ["NotASuite", "NotYaml", "StrayEntry", "WrongRoot"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotYaml(Issue):
    """A syntax error; the text after it is parsed all the same."""

    problem: SyntaxProblem

    @property
    def hides(self) -> Span | None:
        return self.span


@dataclass(frozen=True, slots=True, kw_only=True)
class NotASuite(Issue):
    """The file has no mapping in which a suite could be."""

    found: str

    @property
    def hides(self) -> Span | None:
        return EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongRoot(Issue):
    """The file as a whole is nothing that a file around a suite can be."""

    found: str
    kind: FileKind

    @property
    def hides(self) -> Span | None:
        return EVERYTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class StrayEntry(Issue):
    """A string in the place of cases, or among them, that may be no path to cases."""

    node: Scalar
    in_list: bool
