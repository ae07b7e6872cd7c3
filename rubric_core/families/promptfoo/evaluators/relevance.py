"""`answer-relevance` and `conversation-relevance`: a model grades whether answers are about the question."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from rubric_core.evaluation.evaluators.similar import cosine
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.families.promptfoo.evaluators.grader import Grader, Reply, evaluation_score
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, row_error
from rubric_core.families.promptfoo.evaluators.json_objects import objects_in
from rubric_core.families.promptfoo.evaluators.similarity import embedded
from rubric_core.families.promptfoo.targets.http_request import json_or_text
from rubric_core.lazy_compilation import replace

__all__ = ["RELEVANCE"]

#: How many questions a model makes up for an answer.
_QUESTIONS = 3
#: How many turns a judge sees, and the share of turns that have to be relevant.
_WINDOW, _ENOUGH = 5, 0.5
#: The accuracy of comparisons in JavaScript.
_NEAR = 2.0**-52


async def _answer(grader: Grader) -> EvaluationScore:
    """`answer-relevance`: the similarity between the question and those that a model generates from the output.

    `not-` changes nothing.
    """
    params = grader.params
    if not isinstance(params.output, str):
        raise row_error(params, "needs an output that is a text")
    query = params.context.variables.get("query")
    asked = query if isinstance(query, str) else params.context.prompt_inputs.question
    known = await grader.recorded("answer-relevance", {}, goal=asked)
    if known is not None:
        return known
    values = {"answer": json_or_text(params.text)}
    questions = [await grader.text("answer-relevance", values, _non_empty, "") for _ in range(_QUESTIONS)]
    one, *others = await embedded(params, [asked, *questions])
    score = sum(cosine(one, each) for each in others) / len(others)
    least = params.config.threshold if params.config.threshold is not None else 0.0
    words = f"the questions that it answers are close to the one asked: {score:.3f}, needs {least:g}"
    made = evaluation_score(Reply(score >= least - _NEAR, score, words))
    await grader.keep("answer-relevance", made, asked)
    return replace(made, raw_replies=tuple(questions))


def _non_empty(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


async def _conversation(grader: Grader) -> EvaluationScore:
    """`conversation-relevance`: the share of turns whose reply is relevant, each judged with those before it."""
    params = grader.params
    turns = _turns(params)
    config = params.config.settings.get("config")
    size = config.get("windowSize") if isinstance(config, Mapping) else None
    window = size if isinstance(size, int) and size > 0 else _WINDOW
    judged = []
    for end in range(1, len(turns) + 1):
        messages = [each for turn in turns[max(0, end - window) : end] for each in _messages(turn)]
        shown = json.dumps(messages, ensure_ascii=False)
        judged.append(
            await grader.reply("conversation-relevance", {"messages": messages}, _verdict, goal="", shown=shown)
        )
    relevant = sum(each.verdict is Verdict.PASSED for each in judged)
    score = relevant / len(turns)
    least = params.config.threshold if params.config.threshold is not None else _ENOUGH
    passed = (score >= least - _NEAR) != params.inverse
    reasons = [f"{relevant} of {len(turns)} turns are relevant", *(miss for each in judged for miss in each.misses)]
    made = evaluation_score(Reply(passed, 1 - score if params.inverse else score, "; ".join(reasons)))
    return replace(made, raw_replies=tuple(r for each in judged for r in each.raw_replies), judge=judged[-1].judge)


def _turns(params: AssertionParams) -> Sequence[Mapping[str, Any]]:
    """The turns of the variable `_conversation`, else the prompt and the output as one."""
    written = params.context.variables.get("_conversation")
    if not isinstance(written, list) or not written:
        return [{"input": params.context.prompt_inputs.question, "output": params.text}]
    if not all(isinstance(each, Mapping) and "input" in each and "output" in each for each in written):
        raise row_error(params, "needs turns with `input` and `output` in the variable `_conversation`")
    return written


def _messages(turn: Mapping[str, Any]) -> list[dict[str, str]]:
    sides = (("user", turn["input"]), ("assistant", turn["output"]))
    return [
        {"role": role, "content": said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, separators=(",", ":"))}
        for role, said in sides
    ]  # fmt: skip


def _verdict(text: str) -> Reply:
    found: Mapping[str, Any] = next(objects_in(text), {})
    verdict, reason = found.get("verdict"), found.get("reason")
    if verdict not in ("yes", "no"):
        raise ValueError('it has no {"verdict": "yes" or "no"}')
    passed = verdict == "yes"
    return Reply(passed, float(passed), str(reason) if reason else "relevant" if passed else "not relevant")


_Handler: TypeAlias = Callable[[Grader], Awaitable[EvaluationScore]]

RELEVANCE: Mapping[str, _Handler] = {"answer-relevance": _answer, "conversation-relevance": _conversation}
