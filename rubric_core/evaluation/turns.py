"""The turns of a conversation: what grades each of them."""

from rubric_core.evaluation.grade import default_judge
from rubric_core.language.evaluators import Criterion, Evaluator, Rubrics
from rubric_core.language.model import Case, Turn

__all__ = ["TURN", "turn_evaluators", "turns_of"]

#: The type of the result of a turn.
TURN = "turn"


def turns_of(case: Case) -> list[Turn]:
    """The turns that a run of a case asks, in order; none for a case that is no conversation.

    Their results come first among those of the case, before those of its evaluators.
    """
    turns = case.turns or () if case.mode == "conversation" else ()
    return [turn for turn in turns if isinstance(turn, Turn)]


def turn_evaluators(turn: Turn) -> list[Evaluator]:
    """What grades a turn: its assertions, the strings among them as one rubric of criteria that are not required."""
    result: list[Evaluator] = []
    strings: list[Criterion] = []
    for item in turn.assertions or ():
        if isinstance(item, Evaluator):
            result.append(item)
        elif isinstance(item, Criterion):
            made = Criterion(item.span, item.node, id=f"criterion-{len(strings) + 1}", outcome=item.outcome)
            strings.append(made)
            if len(strings) == 1:
                rubric = Rubrics(item.span, None, type="rubrics", name="turn-rubrics", criteria=strings)
                rubric.type_name = "rubrics"
                result.append(rubric)
    if not result and turn.has("expected_output"):
        result.append(default_judge())
    return result
