"""Issues with the types of evaluators and the kinds of providers."""

from rubric_core.language.dialect import TypeName
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.issues.base import Issue
from rubric_core.syntax.tree import Mapping, Node
from rubric_core.text import Span

__all__ = ["ForeignType", "RenamedType", "UnknownType"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownType(Issue):
    """An evaluator type, or a kind of provider, that no dialect has."""

    node: Node
    #: The mapping with the type.
    mapping: Mapping
    name: str
    known: tuple[str, ...]
    #: Whether a program of that name could implement it.
    custom: bool
    #: The kind of thing that it is a type of.
    base: type[Shape]

    @property
    def hides(self) -> Span | None:
        return self.mapping.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedType(Issue):
    """A deprecated evaluator type of this dialect."""

    node: Node
    #: The mapping with the type.
    mapping: Mapping
    type_name: TypeName
    current: str | None

    @property
    def hides(self) -> Span | None:
        return None if self.type_name.fate.read else self.mapping.whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignType(Issue):
    """An evaluator type that only other dialects have."""

    node: Node
    #: The mapping with the type.
    mapping: Mapping
    name: str
    dialects: tuple[str, ...]
    current: str | None
    #: The kind of thing that it is a type of there.
    shape: type[Shape]

    @property
    def hides(self) -> Span | None:
        return self.mapping.whole
