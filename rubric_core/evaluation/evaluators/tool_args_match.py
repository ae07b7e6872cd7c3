"""The agent called a tool with the expected arguments."""

from collections.abc import Mapping
from typing import Any

from rubric_core.evaluation.context import EvaluationContext, EvaluationScore
from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, recorded, value_of
from rubric_core.evaluation.paths import value_fits
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.steps import wanted
from rubric_core.language.evaluators import ToolArgsMatch

__all__ = ["TOOL_ARGS_MATCH"]


def _grade(config: ToolArgsMatch, context: EvaluationContext) -> EvaluationScore:
    value = value_of(config, context)
    step = wanted(value, config)
    expected = value.get("args", value.get("arguments"))
    if not isinstance(expected, Mapping):
        raise Unscored("`value` needs `args`, the arguments to compare with", at=config)
    mode = value.get("mode", config.modes[0])
    if mode not in config.modes:
        raise Unscored(f"`mode` is {' or '.join(config.modes)}, found {mode!r}", at=config)
    calls = [use for use in recorded(context, config) if step.fits(use)]
    exact = mode == "exact"
    found = any(
        value_fits(_kept(expected, value), _kept(_filled(use.input, value), value), exact=exact) for use in calls
    )
    words = f"{step.name} was {'' if calls else 'not '}called{'' if not calls else ' with these arguments' if found else ' with other arguments'}"
    return EvaluationScore.check(found is not is_inverse(config), words, words)


def _filled(given: Any, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call, with the defaults of those that it leaves out."""
    defaults = value.get("defaults")
    filled = dict(defaults) if isinstance(defaults, Mapping) else {}
    return {**filled, **given} if isinstance(given, Mapping) else filled


def _kept(args: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    ignored = value.get("ignore")
    names = {ignored} if isinstance(ignored, str) else set(ignored) if isinstance(ignored, list) else set[str]()
    return {name: arg for name, arg in args.items() if name not in names}


TOOL_ARGS_MATCH = TypedEvaluator("trajectory:tool-args-match", ToolArgsMatch, _grade)
