"""The shapes of a file with drills, and the kind of that file."""

from typing import ClassVar

from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case
from rubric_core.language.shape import Shape, Skeleton, StandsFor, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Choice, ListOf, Number, Text

__all__ = ["DRILLS", "Drill", "DrillFile"]

DRILLS = FileKind("DRILL", "a file of drills", family="drill", dialect="drill-1", is_root=True)


class Drill(Shape):
    """A drill: a question, and the text that its answer should have."""

    stands_for: ClassVar[StandsFor] = "case"
    named_by: ClassVar[str] = "ask"
    is_translated: ClassVar[bool] = True
    skeleton: ClassVar[Skeleton | None] = Skeleton("drill", "ask:", ("ask: ${1:question}", "expect: ${2:answer}"))
    #: The same in AgentV's model, once it is asked for.
    as_case: Case | None = None

    ask = key(Text(), "The question.", required=True, example="What is 2 + 3?")
    expect = key(Text(), "The text that the answer should have.", required=True, example="'5'")
    match = key(
        Choice((("contains", "the answer has the text"), ("equals", "the answer is the text"))),
        "How the answer is compared with the text.",
        default="contains",
    )
    points = key(Number(), "How much the drill counts.", default=1.0, shown="1", example="2")


class DrillFile(Shape):
    """A file of drills: questions about one subject."""

    stands_for: ClassVar[StandsFor] = "whole"
    named_by: ClassVar[str] = "subject"

    subject = key(Text(), "What the drills are about.", example="Sums")
    drills = key(ListOf(Shaped(Drill), empty=False), "The questions.", required=True)
