"""What a deliberate difference between rubric and AgentV consists of."""

from typing import Literal

from rubric_core.lazy_compilation import dataclass

__all__ = ["Departure", "DifferenceKind"]

#: What a run with both programs can show differently.
DifferenceKind = Literal[
    "case presence", "case unscored", "case verdict", "case score", "answer",
    "evaluator list", "evaluator unscored", "evaluator verdict", "evaluator score", "criterion",
    "program input", "model request",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Departure:
    """One deliberate difference."""

    #: The anchor of its row, and its name in `make parity`.
    id: str
    #: The kinds of difference that it may explain: `make parity` fails where it is given as the reason of another.
    explains: tuple[DifferenceKind, ...]
    agentv: str
    rubric: str
    why: str
    #: The related codes of `rubric check`.
    codes: tuple[str, ...] = ()
