"""Assertions about relevance and about what was retrieved for an answer, which a model grades: `answer-relevance`, `context-recall` and others.

Those about what was retrieved read the variables `context` and `query`. The lowest score that passes is 0 where none is written, as in promptfoo 0.121.
"""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from rubric_core.evaluation.evaluators.similar import cosine
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.code.transform import TransformPlace, transformed
from rubric_core.families.promptfoo.evaluators.grader import Grader, Reply, evaluation_score
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, row_error
from rubric_core.families.promptfoo.evaluators.json_checks import objects_in
from rubric_core.families.promptfoo.evaluators.openai_checks import embedded
from rubric_core.families.promptfoo.targets.http_request import json_or_text
from rubric_core.lazy_compilation import pattern, replace

__all__ = ["CONTEXT_GRADED", "RELEVANCE"]

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


_ATTRIBUTED, _NOT_ATTRIBUTED = "[attributed]", "[not attributed]"
_INSUFFICIENT = "Insufficient Information"
_FINAL = "final verdict for each statement in order:"
#: The end of a sentence, where a one-line text is split.
_SENTENCE = pattern(r"(?<=[.!?])\s+")
#: The number of an entry in a list.
_NUMBER = pattern(r"[0-9]+[.)]\Z")


async def _context(params: AssertionParams, usual: str = "") -> str | list[str]:
    """The retrieved context. Raises GraderError for a case without it."""
    context = params.context
    found: Any = context.variables.get("context") or usual
    code = params.config.settings.get("contextTransform")
    if code:
        if context.ports is None:
            raise Unscored("code runs only as part of a run", at=params.config)
        prompt = {"raw": context.prompt_inputs.question, "label": context.prompt_inputs.question}
        place = TransformPlace(
            context.ports, context.directory, context.time_limit, context.variables, prompt, params.config, params.metadata,
        )  # fmt: skip
        found = await transformed(code, params.output, place)
    texts = found if isinstance(found, list) else [found]
    if not texts or not all(isinstance(each, str) and each for each in texts):
        raise row_error(params, "needs a variable `context`, a text or a list of texts, or `contextTransform`")
    return found  # type: ignore[no-any-return]  # a text or a list of texts


def _joined(context: str | list[str]) -> str:
    return "\n\n".join(context) if isinstance(context, list) else context


def _query(params: AssertionParams) -> str:
    query = params.context.variables.get("query")
    if not isinstance(query, str):
        raise row_error(params, "needs a variable `query` with the question")
    return query


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


def _sentences(text: str) -> list[str]:
    """The lines of a text, or its sentences if it has a single line; numbers of list items do not count."""
    lines = _lines(text)
    parts = [part.strip() for part in (lines if len(lines) > 1 else _SENTENCE.split(text))]
    return [part for part in parts if part and not _NUMBER.match(part)]


def _passed(params: AssertionParams, score: float, words: str) -> Reply:
    least = params.config.threshold if params.config.threshold is not None else 0.0
    return Reply(score >= least - 1e-15, score, words)


async def _recall(grader: Grader) -> EvaluationScore:
    """`context-recall`: the share of the sentences of the right answer that the context supports."""
    params = grader.params
    if not isinstance(params.value, str):
        raise row_error(params, "needs the right answer as `value`")
    context = _joined(await _context(params, params.context.prompt_inputs.question))

    def read(text: str) -> Reply:
        told = [line.lower() for line in _lines(text) if _ATTRIBUTED in line.lower() or _NOT_ATTRIBUTED in line.lower()]
        if not told:
            raise ValueError("it marks no sentence as [Attributed] or [Not Attributed]")
        count = sum(_NOT_ATTRIBUTED not in line for line in told)
        return _passed(params, count / len(told), f"{count} of {len(told)} sentences are in the context")

    return await grader.reply("context-recall", {"context": context, "groundTruth": params.value}, read, shown=context)


async def _relevance(grader: Grader) -> EvaluationScore:
    """`context-relevance`: how much of the context the question needs."""
    params = grader.params
    query, context = _query(params), await _context(params)
    is_parted = isinstance(context, list) or len(_lines(context)) > 1
    units = [each for each in context if each.strip()] if isinstance(context, list) else _sentences(context)

    def read(text: str) -> Reply:
        found = () if _INSUFFICIENT in text else dict.fromkeys(_lines(text) if is_parted else _sentences(text))
        count = min(len(found), len(units))
        score = count / len(units) if units else 0.0
        return _passed(params, score, f"{count} of {len(units)} parts of the context are needed")

    shown = _joined(context)
    return await grader.reply("context-relevance", {"context": shown, "query": query}, read, goal=query, shown=shown)


async def _faithfulness(grader: Grader) -> EvaluationScore:
    """`context-faithfulness`: the share of the statements of the output that the context supports."""
    params = grader.params
    if not isinstance(params.output, str):
        raise row_error(params, "needs an output that is a text")
    query, context = _query(params), _joined(await _context(params))
    known = await grader.recorded("context-faithfulness", {}, "verdicts", query, shown=context)
    if known is not None:
        return known
    asked = {"question": query, "answer": json_or_text(params.text)}
    statements = _lines(await grader.text("context-faithfulness", asked, lambda text: text, "statements"))
    if not statements:
        raise row_error(params, "got no statements from the model")

    def read(text: str) -> Reply:
        unsupported = _unsupported(text.lower().strip(), len(statements))
        score = min(1.0, max(0.0, 1 - unsupported / len(statements)))
        return _passed(params, score, f"{unsupported} of {len(statements)} statements are not in the context")

    values = {"context": context, "statements": statements}
    return await grader.reply("context-faithfulness", values, read, "verdicts", query, shown=context)


def _unsupported(verdicts: str, count: int) -> int:
    """The number of statements that a reply rejects or omits. Raises ValueError for a reply without verdicts."""
    _, final, told = verdicts.partition(_FINAL)
    if final:
        parts = [part for part in told.split(".") if part.strip()]
        no, yes = sum("yes" not in part for part in parts), sum("yes" in part for part in parts)
    else:
        no, yes = len(re.findall("verdict: no", verdicts)), len(re.findall("verdict: yes", verdicts))
    if not no + yes:
        raise ValueError("it has no verdicts")
    return no + max(0, count - no - yes)


CONTEXT_GRADED: Mapping[str, _Handler] = {
    "context-recall": _recall, "context-relevance": _relevance, "context-faithfulness": _faithfulness,
}  # fmt: skip
