"""The agent called a tool with the expected arguments."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.evaluators.typed import TypedEvaluator, is_inverse, value_of
from rubric_core.evaluation.model.context import EvaluationContext
from rubric_core.evaluation.model.evaluation_score import EvaluationScore
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.json_path import value_fits
from rubric_core.evaluation.scoring.tool_calls import glob, tools_of, wanted_tool
from rubric_core.language.evaluators import ToolArgsMatch

__all__ = ["TOOL_ARGS_MATCH"]


def _grade(config: ToolArgsMatch, context: EvaluationContext) -> EvaluationScore:
    value = value_of(config, context)
    tool = wanted_tool(value, config)
    if not isinstance(value, Mapping) or not {"args", "arguments"} & value.keys():
        raise Unscored("`value` needs `args`, the arguments to compare with", at=config)
    mode = value.get("mode", config.modes[0])
    if mode not in config.modes:
        raise Unscored(f"`mode` is {' or '.join(config.modes)}, found {mode!r}", at=config)
    defaults, ignored = _defaults(value, config), _ignored(value, config)
    expected = _without(value["args"] if "args" in value else value["arguments"], ignored)
    calls = [step for step in tools_of(context, config) if tool.fits(step)]
    given = [_without(step.args, ignored) for step in calls if step.args is not None]
    found = any(value_fits(expected, _changed(args, defaults), exact=mode == "exact") for args in given)
    words = f"{tool.name} was {'' if calls else 'not '}called{'' if not calls else ' with these arguments' if found else ' with other arguments'}"
    return EvaluationScore.check(found is not is_inverse(config), words, words)


def _defaults(value: Mapping[str, Any], at: ToolArgsMatch) -> Mapping[str, Any]:
    found = value.get("defaults")
    if found is not None and not isinstance(found, Mapping):
        raise Unscored("`defaults` is a mapping of arguments to their default values", at=at)
    return found or {}


def _ignored(value: Mapping[str, Any], at: ToolArgsMatch) -> Sequence[str]:
    found = value.get("ignore")
    names = found if isinstance(found, list) else [] if found is None else [found]
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise Unscored("`ignore` is the name of an argument, or a list of names", at=at)
    return names


def _without(args: Any, ignored: Sequence[str]) -> Any:
    """Arguments without the ignored ones, whose names may contain the wildcards `*` and `?`."""
    if not isinstance(args, Mapping):
        return args
    return {name: arg for name, arg in args.items() if not any(_is(name, each) for each in ignored)}


def _is(name: str, ignored: str) -> bool:
    return glob(ignored).match(name) is not None if {"*", "?"} & set(ignored) else name == ignored


def _changed(args: Any, defaults: Mapping[str, Any]) -> Any:
    """The arguments of a call without those that have their default values."""
    if not isinstance(args, Mapping):
        return args
    return {n: arg for n, arg in args.items() if n not in defaults or not value_fits(defaults[n], arg, exact=True)}


TOOL_ARGS_MATCH = TypedEvaluator("trajectory:tool-args-match", ToolArgsMatch, _grade)
