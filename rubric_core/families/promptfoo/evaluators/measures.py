"""Assertions about what a run measures, such as cost and latency, and about metadata that a provider reports."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.finite_number import finite_number
from rubric_core.families.promptfoo.evaluators.handler import (
    AssertionParams,
    GradingResult,
    Handler,
    pass_or_fail,
    row_error,
)

__all__ = ["MEASURES", "PROVIDER_REPORTS", "matches_name"]


def _most(params: AssertionParams) -> float:
    most = params.config.threshold
    if most is None:
        raise row_error(params, "needs a `threshold`")
    return most


def _latency(params: AssertionParams) -> GradingResult:
    most, answer = _most(params), params.context.answer
    if answer is None or answer.duration_ms is None or answer.cached_at:
        raise row_error(params, "has nothing to measure: the answer is one of an earlier run")
    # What a provider tells itself counts before what was measured.
    told = finite_number((answer.reported or {}).get("latencyMs"))
    took = answer.duration_ms if told is None else told
    return pass_or_fail(
        params,
        took <= most,
        f"took {took:.0f} ms, more than {most:g} ms",
        f"took {took:.0f} ms, no more than {most:g} ms",
    )


def _cost(params: AssertionParams) -> GradingResult:
    most, answer = _most(params), params.context.answer
    if answer is None or answer.cost_usd is None:
        raise row_error(params, "has nothing to measure: the provider does not tell what the answer cost")
    cost = answer.cost_usd
    return pass_or_fail(
        params, cost <= most, f"cost ${cost:g}, more than ${most:g}", f"cost ${cost:g}, no more than ${most:g}"
    )


MEASURES: Mapping[str, Handler] = {"latency": _latency, "cost": _cost}


#: The kinds of providers whose whole answer is known; of models only the text and some measurements are.
_KNOWN = ("echo", "exec", "script")


def _reported(params: AssertionParams, name: str) -> Any:
    answer = params.context.answer
    return answer.reported.get(name) if answer is not None and answer.reported is not None else None


def _mean_log_probability(params: AssertionParams) -> float:
    told = _reported(params, "logProbs")
    if not isinstance(told, list) or not told or not all(finite_number(each) is not None for each in told):
        raise row_error(params, "needs the log probabilities of the output, which the provider does not report")
    return math.fsum(told) / len(told)


def _perplexity(params: AssertionParams) -> GradingResult:
    mean, most = _mean_log_probability(params), params.config.threshold
    try:
        value = math.exp(-mean)
    except OverflowError:
        value = math.inf
    if most is None:
        return GradingResult(True, 1.0)
    return pass_or_fail(
        params, value <= most, f"the perplexity is {value:.2f}, more than {most:g}", f"the perplexity is {value:.2f}"
    )


def _perplexity_score(params: AssertionParams) -> GradingResult:
    mean, least = _mean_log_probability(params), params.config.threshold
    try:
        value = 1 / (1 + math.exp(-mean))
    except OverflowError:
        value = 0.0
    passed = least is None or (value >= least) != params.inverse
    return GradingResult(
        passed, 1 - value if params.inverse else value, f"the normalised perplexity is {value:.2f}, needs {least}"
    )


def _guardrails(params: AssertionParams) -> GradingResult:
    """Passes unless the provider reports that its guardrails flagged something."""
    config = params.config.settings.get("config")
    if isinstance(config, Mapping) and config.get("purpose") == "redteam":
        raise Unscored("rubric does not run guardrails of red teams of promptfoo", at=params.config)
    provider = params.context.provider
    is_known = _reported(params, "guardrails") is not None or (provider is not None and provider.kind in _KNOWN)
    if not is_known:
        raise Unscored("rubric does not know the guardrails of this provider of promptfoo", at=params.config)
    told = _reported(params, "guardrails")
    told = told if isinstance(told, Mapping) else {}
    side = "the prompt" if told.get("flaggedInput") else "the output"
    reason = str(told.get("reason") or f"guardrails flagged {side}")
    return pass_or_fail(params, not told.get("flagged"), reason, "no guardrails flagged it")


def _skill_used(params: AssertionParams) -> GradingResult:
    metadata = _reported(params, "metadata")
    told = metadata.get("skillCalls") if isinstance(metadata, Mapping) else None
    calls = told if isinstance(told, list) else []
    names = [
        each["name"] for each in calls
        if isinstance(each, Mapping) and isinstance(each.get("name"), str) and each.get("is_error") is not True
    ]  # fmt: skip
    value = params.value
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and listed and all(isinstance(each, str) and each.strip() for each in listed):
        return _listed(params, [each.strip() for each in listed], names)
    if not isinstance(value, Mapping):
        raise row_error(params, "needs the name of a skill, a list of names, or `{name, pattern, min, max}` as `value`")
    return _counted(params, value, names)


def _listed(params: AssertionParams, wanted: Sequence[str], names: Sequence[str]) -> GradingResult:
    used, missing = [each for each in wanted if each in names], [each for each in wanted if each not in names]
    if params.inverse:
        return GradingResult(not used, float(not used), f"skills were used: {', '.join(used)}")
    return GradingResult(not missing, float(not missing), f"skills were not used: {', '.join(missing)}")


def _counted(params: AssertionParams, value: Mapping[str, Any], names: Sequence[str]) -> GradingResult:
    name, glob = (_text(value.get(key)) for key in ("name", "pattern"))
    least, most = _bound(params, value, "min"), _bound(params, value, "max")
    if not name and not glob:
        raise row_error(params, "needs `name` or `pattern` in its `value`")
    if least is not None and most is not None and most < least:
        raise row_error(params, "needs a `max` of at least `min`")
    count = sum((not name or each == name) and (not glob or matches_name(each, glob)) for each in names)
    words = f"the skill {glob or name} was used {count} times"
    if params.inverse:
        if least is not None or (most is not None and most != 0):
            raise row_error(params, "takes no `min`, and no `max` but 0")
        return GradingResult(not count, float(not count), words)
    least = (0 if most is not None else 1) if least is None else least
    passed = count >= least and (most is None or count <= most)
    return GradingResult(passed, float(passed), f"{words}, needs {least}" + ("" if most is None else f" to {most}"))


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _bound(params: AssertionParams, value: Mapping[str, Any], key: str) -> int | None:
    bound = value.get(key)
    if key not in value:
        return None
    if isinstance(bound, bool) or not isinstance(bound, int | float) or bound < 0 or bound != int(bound):
        raise row_error(params, f"needs a whole number from 0 as `{key}`")
    return int(bound)


def matches_name(name: str, glob: str) -> bool:
    """Whether a name matches a pattern with `*` and `?`, whatever the case of letters; neither stands for a line break.

    In steps of the two lengths at most: a pattern may have any number of `*`.
    """
    name, glob = name.lower(), glob.lower()
    at = place = 0
    star, kept = -1, 0
    while at < len(name):
        if (
            place < len(glob)
            and glob[place] != "*"
            and (glob[place] == name[at] or (glob[place] == "?" and name[at] != "\n"))
        ):
            at, place = at + 1, place + 1
        elif place < len(glob) and glob[place] == "*":
            star, kept, place = place, at, place + 1
        elif star >= 0 and name[kept] != "\n":
            kept, at, place = kept + 1, kept + 1, star + 1
        else:
            return False
    return all(sign == "*" for sign in glob[place:])


PROVIDER_REPORTS: Mapping[str, Handler] = {
    "perplexity": _perplexity, "perplexity-score": _perplexity_score, "guardrails": _guardrails, "skill-used": _skill_used,
}  # fmt: skip
