"""Assertions about what was retrieved for an answer, which a model grades: `context-recall`, `-relevance` and `-faithfulness`.

They read the variables `context` and `query`. The lowest score that passes is 0 where none is written, as in promptfoo 0.121.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.code.transform import TransformPlace, transformed
from rubric_core.families.promptfoo.evaluators.grader import Grader, Reply
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, row_error
from rubric_core.families.promptfoo.targets.http_request import json_or_text
from rubric_core.lazy_compilation import pattern

__all__ = ["CONTEXT_GRADED"]

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


_Handler: TypeAlias = Callable[[Grader], Awaitable[EvaluationScore]]

CONTEXT_GRADED: Mapping[str, _Handler] = {
    "context-recall": _recall, "context-relevance": _relevance, "context-faithfulness": _faithfulness,
}  # fmt: skip
