"""A row of a scenario, and one variation of a case."""

from collections.abc import Mapping
from typing import Any

from rubric_core.lazy_compilation import dataclass, field
from rubric_core.syntax.tree import Node

__all__ = ["Prompt", "ScenarioRow", "Variant"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt of a suite, as written."""

    #: Its name in the variations of a case.
    label: str
    #: A text, a list of messages, or a mapping.
    node: Node
    #: Whether it is in the case rather than in the suite.
    own: bool = False


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """A row of a scenario: values for its tests."""

    label: str = ""
    variables: Mapping[str, Any] = field(default_factory=dict)
    #: Evaluators that follow those of the test, as written.
    checks: Node | None = None
    #: Why it cannot be run.
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One variation of a case."""

    #: Distinguishes it from the others, as in `refund[LABEL]`; empty for the only variation.
    label: str = ""
    #: The values of `vars` for this variation, as plain data.
    variables: Mapping[str, Any] | None = None
    prompt: Prompt | None = None
    #: The number of its combination of values from lists in `vars`, from 0, where these make rows.
    number: int = 0
