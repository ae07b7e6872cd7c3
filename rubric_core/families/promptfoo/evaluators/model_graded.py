"""Model-graded assertions of promptfoo: the format of each reply, and the score that follows from it."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.result import Verdict
from rubric_core.families.promptfoo.evaluators.grader import Grader, Reply, evaluation_score
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, row_error
from rubric_core.families.promptfoo.evaluators.json_checks import objects_in
from rubric_core.families.promptfoo.model.assertion import NO_VALUE
from rubric_core.families.promptfoo.targets.http_request import json_or_text
from rubric_core.lazy_compilation import replace

__all__ = ["MODEL_GRADED"]

_TRUE = re.compile(r"(?:true|yes|pass|y)\Z", re.IGNORECASE)
#: The default scores of the categories of factuality, by their names in `options.factuality`.
_CATEGORIES = {
    "A": ("subset", 1.0),
    "B": ("superset", 1.0),
    "C": ("agree", 1.0),
    "D": ("disagree", 0.0),
    "E": ("differButFactual", 1.0),
}
_LEGACY = re.compile(r"\(?([a-eA-E])\)")
_WHOLE, _DIGITS = re.compile(r"[0-9]+"), 10
#: The maximum score in g-eval, and the fraction of it that passes by default.
_MOST, _ENOUGH = 10, 0.7


def _needed(params: AssertionParams) -> str:
    if not isinstance(params.value, str):
        raise row_error(params, "needs a text as `value`")
    return params.value


def _completion(params: AssertionParams) -> Any:
    """The output as promptfoo shows it to graders: JSON as data."""
    return json_or_text(params.text)


def _negated_if_inverse(params: AssertionParams, score: EvaluationScore) -> EvaluationScore:
    """The decision, negated for a `not-` type: the score becomes its complement."""
    if not params.inverse:
        return score
    passed = score.verdict is Verdict.FAILED
    return replace(
        score, score=1 - score.score, verdict=Verdict.PASSED if passed else Verdict.FAILED, details=None, hits=score.misses, misses=score.hits
    )  # fmt: skip


async def _rubric(grader: Grader) -> EvaluationScore:
    """`llm-rubric`: `{reason, pass, score}`; without `pass` it passes."""
    params = grader.params
    value = params.value
    if isinstance(value, bool | int | float) or value is None:
        raise row_error(params, "needs a text or a mapping as `value`")
    least = params.config.threshold

    def read(text: str) -> Reply:
        found = next(objects_in(text), None)
        if found is None:
            raise ValueError("there is no JSON object in it")
        passed = found.get("pass")
        passed = True if passed is None else passed if isinstance(passed, bool) else bool(_TRUE.match(str(passed)))
        score = _score(found)
        score = float(passed) if score is None else score
        passed = passed and (least is None or score >= least)
        reason = found.get("reason")
        return Reply(
            passed, score, str(reason) if reason else "the grader says so" if passed else f"the score is {score:g}"
        )

    rubric = "" if value is NO_VALUE else value
    return _negated_if_inverse(
        params, await grader.reply("llm-rubric", {"output": _completion(params), "rubric": rubric}, read)
    )


def _score(found: Mapping[Any, Any]) -> float | None:
    """The score of a reply; None, with which `pass` decides, if it is missing or not a number. Null and a blank text count as 0, as in JavaScript."""
    written = found.get("score")
    is_zero = "score" in found and (written is None or (isinstance(written, str) and not written.strip()))
    return 0.0 if is_zero else _number(written)


def _number(value: object) -> float | None:
    """A score as JavaScript takes it: a number, or a text that is one."""
    if isinstance(value, bool) or value is None:
        return float(value) if isinstance(value, bool) else None
    try:
        number = float(value) if isinstance(value, int | float | str) and value != "" else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and abs(number) != float("inf") and number == number else None  # noqa: PLR0124  # no NaN


async def _factuality(grader: Grader) -> EvaluationScore:
    """`factuality`: a category of A to E. `not-` changes nothing."""
    params = grader.params
    ideal = _needed(params)
    written = params.config.options.get("factuality")
    own = written if isinstance(written, dict) else {}

    def read(text: str) -> Reply:
        found: Mapping[str, Any] = next(objects_in(text), {})
        category, reason = found.get("category"), found.get("reason")
        if not isinstance(category, str) or not category:
            legacy = _LEGACY.search(text)
            if legacy is None:
                raise ValueError("it names no category")
            category, reason = legacy[1], text.partition(")")[2].strip()
        category = category.strip().upper()
        if category not in _CATEGORIES:
            raise ValueError(f"there is no category {category}")
        name, usual = _CATEGORIES[category]
        score = _number(own.get(name))
        score = usual if score is None else score
        return Reply(score > 0, score, str(reason or f"category {category}"))

    values = {"input": params.context.prompt_inputs.question, "ideal": ideal, "completion": _completion(params)}
    return await grader.reply("factuality", values, read)


async def _closed_qa(grader: Grader) -> EvaluationScore:
    """`model-graded-closedqa`: a text that ends in Y. `not-` changes nothing."""
    params = grader.params
    criteria = _needed(params)

    def read(text: str) -> Reply:
        if not text.strip():
            raise ValueError("it is empty")
        passed = text.rstrip().endswith("Y")
        return Reply(passed, float(passed), text.strip())

    values = {"input": params.context.prompt_inputs.question, "criteria": criteria, "completion": _completion(params)}
    return await grader.reply("model-graded-closedqa", values, read)


def _object(text: str, begin: str) -> dict[str, Any] | None:
    """The object in the first line that has `begin` and a brace after it, up to the last one, as promptfoo takes it; None without one.

    Raises ValueError for one that is no JSON.
    """
    for line in text.split("\n"):
        start, end = line.find(begin), line.rfind("}")
        if start >= 0 and start + len(begin) < end:
            try:
                value = json.loads(line[start : end + 1])
            except RecursionError:
                raise ValueError("it is nested too deeply") from None
            return value if isinstance(value, dict) else None
    return None


def _steps(text: str) -> str:
    """The steps in a reply, extracted as promptfoo does. Raises ValueError."""
    found = _object(text, '{"steps"')
    steps = found.get("steps") if found is not None else None
    if not isinstance(steps, list) or not steps or not all(isinstance(each, str) and each.strip() for each in steps):
        raise ValueError('it has no steps in the form {"steps": […]}')
    return "\n- ".join(steps)


def _evaluated(text: str) -> Reply:
    reply = _object(text, "{")
    score = _number(reply.get("score")) if reply is not None else None
    if reply is None or score is None or not 0 <= score <= _MOST:
        raise ValueError(f"it has no score from 0 to {_MOST}")
    if not isinstance(reply.get("reason"), str) or not reply["reason"].strip():
        raise ValueError("it has no reason")
    return Reply(True, score / _MOST, reply["reason"])


async def _g_eval(grader: Grader) -> EvaluationScore:
    """`g-eval`: steps first, then a score of 0 to 10; several criteria count as their mean."""
    params = grader.params
    value = params.value
    criteria: Sequence[str] = value if isinstance(value, list) else [_needed(params)]
    if not criteria or not all(isinstance(each, str) for each in criteria):
        raise row_error(params, "needs a text, or a list of texts, as `value`")
    scores = []
    for each in criteria:
        values = {
            "criteria": each,
            "maxScore": str(_MOST),
            "input": json_or_text(params.context.prompt_inputs.question),
            "output": _completion(params),
        }
        known = await grader.recorded("g-eval", values, "evaluate", each)
        if known is None:  # the key of a recording does not contain the steps
            steps = await grader.text("g-eval", {"criteria": each}, _steps, "steps")
            known = await grader.reply("g-eval", values, _evaluated, "evaluate", each, steps)
        scores.append(known)
    mean = sum(each.score for each in scores) / len(scores)
    least = params.config.threshold if params.config.threshold is not None else _ENOUGH
    reason = "\n\n".join(each.reasoning or "" for each in scores)
    passed = (mean >= least) != params.inverse
    made = evaluation_score(Reply(passed, 1 - mean if params.inverse else mean, reason))
    return replace(made, raw_replies=tuple(r for each in scores for r in each.raw_replies), judge=scores[0].judge)


async def _select_best(grader: Grader) -> EvaluationScore:
    """`select-best`: which of the outputs, a list here, fits the criteria best; the first whole number in the reply, from 0."""
    params = grader.params
    criteria, outputs = _needed(params), params.output
    if not isinstance(outputs, list):
        raise row_error(params, "compares the outputs of several rows")

    def read(text: str) -> Reply:
        found = _WHOLE.search(text)
        number = int(found[0]) if found is not None and len(found[0]) < _DIGITS else None
        if number is None or number >= len(outputs):
            raise ValueError(f"it has no number from 0 to {len(outputs) - 1}")
        return Reply(True, 1.0, f"output {number + 1} is the best")

    values = {"criteria": criteria, "outputs": [json_or_text(each) for each in outputs]}
    return await grader.reply("select-best", values, read)


ModelGradedHandler: TypeAlias = Callable[[Grader], Awaitable[EvaluationScore]]

MODEL_GRADED: Mapping[str, ModelGradedHandler] = {
    "llm-rubric": _rubric, "factuality": _factuality, "model-graded-factuality": _factuality, "model-graded-closedqa": _closed_qa,
    "g-eval": _g_eval, "select-best": _select_best,
}  # fmt: skip
