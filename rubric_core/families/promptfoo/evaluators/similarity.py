"""`similar`: the output is close in meaning to a text, by the embeddings of both."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from rubric_core.evaluation.evaluators.similar import cosine, embeddings
from rubric_core.evaluation.model.unscored import GraderError, Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, row_error
from rubric_core.families.promptfoo.evaluators.openai_settings import openai_settings
from rubric_core.ports import ProviderError

__all__ = ["SIMILARITIES", "embedded"]

_NO_MODEL = (
    "no model embeds: name one as `openai:embedding:MODEL` under `provider` of the assertion or of `options`; "
    "promptfoo would choose one by the keys in the environment"
)
_VENDORS = ("openai:embedding:", "openai:embeddings:")
_USUAL = 0.75
#: The accuracy of comparisons in JavaScript.
_NEAR = 2.0**-52


class _Measure(NamedTuple):
    """A way to compare two embeddings."""

    of: Callable[[Sequence[float], Sequence[float]], float]
    #: Whether it is a distance, which passes when it is small.
    is_distance: bool = False


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True))


_MEASURES = {
    "cosine": _Measure(cosine), "dot": _Measure(_dot), "euclidean": _Measure(math.dist, is_distance=True),
}  # fmt: skip


async def _similar(params: AssertionParams) -> GradingResult:
    value = params.value
    wanted = value if isinstance(value, list) else [value]
    if not wanted or not all(isinstance(each, str) for each in wanted):
        raise row_error(params, "needs a text, or a list of texts, as `value`")
    output, *others = await embedded(params, [params.text, *wanted])
    measure = _MEASURES[params.config.base_type.partition(":")[2] or "cosine"]
    return _best([_compared(params, measure, each, output) for each in others], inverse=params.inverse)


async def embedded(params: AssertionParams, texts: Sequence[str]) -> list[list[float]]:
    """The embeddings of texts by the model that the assertion or the options name. Raises Unscored."""
    settings, secrets = openai_settings(params, "embedding", _VENDORS, _NO_MODEL)
    if params.context.mode == "replay":
        raise Unscored("embeddings are not recorded, and this run uses recordings only", at=params.config)
    try:
        return await embeddings(texts, settings, params.context, params.config, secrets)
    except ProviderError as error:
        raise GraderError(f"embeddings: {error}", at=params.config) from None


def _compared(
    params: AssertionParams, measure: _Measure, one: Sequence[float], other: Sequence[float]
) -> GradingResult:
    bound = _USUAL if params.config.threshold is None else params.config.threshold
    found = measure.of(one, other)
    score = 1 / (1 + found) if measure.is_distance else found
    wants_more = measure.is_distance == params.inverse
    passed = found >= bound - _NEAR if wants_more else found <= bound + _NEAR
    what, needs = "distance" if measure.is_distance else "similarity", "at least" if wants_more else "at most"
    return GradingResult(passed, 1 - score if params.inverse else score, f"{what} {found:.3f}, needs {needs} {bound:g}")


def _best(found: Sequence[GradingResult], *, inverse: bool) -> GradingResult:
    """The first of several texts that is similar enough. When negated, none may be, and the most similar one counts."""
    if inverse:
        return next((each for each in found if not each.passed), None) or min(found, key=lambda each: each.score)
    return next((each for each in found if each.passed), None) or max(found, key=lambda each: each.score)


SIMILARITIES: Mapping[str, Handler] = {"similar": _similar, **{f"similar:{each}": _similar for each in _MEASURES}}
