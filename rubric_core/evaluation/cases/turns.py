"""The turns of a conversation and their evaluators."""

from collections.abc import Mapping, Sequence

from rubric_core.evaluation.model.result import EvaluatorResult
from rubric_core.language.evaluators import Criterion, Evaluator, Rubrics
from rubric_core.language.model import Case, Turn
from rubric_core.lazy_compilation import replace
from rubric_core.loading.grading import default_judge

__all__ = ["CONVERSATION", "TURN", "merge_newer_results", "turn_evaluators", "turn_results", "turns_of"]

#: The result types of a turn, and of the combined evaluators of the case in a conversation.
TURN = "turn"
CONVERSATION = "conversation"


def turns_of(case: Case) -> list[Turn]:
    """The turns of a case in order; none for a case that is not a conversation.

    Their results come first among those of the case.
    """
    turns = case.turns or () if case.mode == "conversation" else ()
    return [turn for turn in turns if isinstance(turn, Turn)]


def turn_results(results: Sequence[EvaluatorResult]) -> tuple[EvaluatorResult, ...]:
    """The results of the evaluators of a case, in order, without its turns; in a conversation they are one combined result."""
    whole = next((result for result in results if result.type == CONVERSATION), None)
    return tuple(result for result in results if result.type != TURN) if whole is None else whole.members


def merge_newer_results(
    results: Sequence[EvaluatorResult], newer: Mapping[int, EvaluatorResult]
) -> tuple[EvaluatorResult, ...]:
    """The results of a case with some replaced by newer ones, by number from 1: first turns, then its evaluators."""
    turns = [result for result in results if result.type == TURN]
    replaced = [newer.get(number, each) for number, each in enumerate([*turns, *turn_results(results)], 1)]
    whole = next((result for result in results if result.type == CONVERSATION), None)
    if whole is None:
        return tuple(replaced)
    return (*replaced[: len(turns)], replace(whole, members=tuple(replaced[len(turns) :])))


def turn_evaluators(turn: Turn) -> list[Evaluator]:
    """The evaluators of a turn: its assertions, with the strings combined into one rubric of criteria that are not required."""
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
