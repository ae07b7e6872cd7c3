"""A row of a scenario, and one variation of a case."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from rubric_core.lazy_compilation import dataclass
from rubric_core.syntax.tree import Node

__all__ = ["Prompt", "ScenarioRow", "Variant"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of a suite, as it is written."""

    #: Names it in the variations of a case.
    label: str
    #: A text, a list of messages, or a mapping.
    node: Node
    #: Whether it stands in the case, and not in the suite.
    own: bool = False


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A row of a scenario: values for its tests."""

    label: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    #: Evaluators behind those of the test, as they are written.
    checks: Node | None = None
    #: Why it cannot be run.
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One variation of a case."""

    #: What tells it from the others, as in `refund[LABEL]`; empty when there is no other.
    label: str = ""
    #: Values of `vars` that are this variation's own, as plain data.
    variables: Mapping[str, Any] | None = None
    prompt: Prompt | None = None
