"""What AgentV's cases and graders do, without the texts that only a model or a comparison reads."""

import json
from collections.abc import Hashable, Mapping
from typing import Any

from rubric_core.evaluation.cases.prompts import program_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets, target_name
from rubric_core.evaluation.engine.registry import EVALUATORS
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.language.evaluators import (
    AssertSet,
    Composite,
    Evaluator,
    GoalSuccess,
    Javascript,
    LlmJudge,
    Python,
    Rubric,
    Similar,
    Webhook,
)
from rubric_core.language.shape import Shape, children
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain

__all__ = ["as_json", "case_key", "grader_key", "is_template"]

#: Shapes of evaluators of rubric that do more than compare.
_ACTING = (AssertSet, Composite, GoalSuccess, Javascript, LlmJudge, Python, Rubric, Similar, Webhook)
_INERT = tuple(each.shape for each in EVALUATORS if not issubclass(each.shape, _ACTING))
#: Settings of every evaluator that its own work does not depend on.
_BESIDE = frozenset({"name", "metric", "weight", "required", "min_score", "threshold"})
#: What only the judge reads.
_JUDGED = _BESIDE | {"rubrics", "criteria", "rubric", "score_ranges", "value", "description", "goal"}
#: Fields of a case that are texts for models and comparisons, or for people.
_TEXTS = frozenset({
    "id", "criteria", "description", "note", "name", "tags", "metadata", "input", "expected_output", "evaluators", "assertions", "vars", "depends_on",
    "threshold", "conversation_id",
})  # fmt: skip


def is_template(text: str) -> bool:
    """Whether a text may have templates."""
    return "{{" in text or "{%" in text


def case_key(case: Runnable, files: Files) -> Hashable:
    """A key that is equal for cases that run, read and send the same; texts for models and people do not count."""
    name = target_name(case.suite, case.options.target, shared_targets(case, files))
    prompt = case.variant.prompt if case.variant is not None else None
    own = {key: each for key, each in _written(case.case, case).items() if key not in _TEXTS}
    program = program_of(prompt, case) if prompt is not None else ""
    # Without templates, the values of the case decide nothing about what is written around it.
    values = as_json(case.variables) if case.variables and (_has_acting_templates(case) or program) else ""
    turns = tuple(id(each) for each in case.case.turns or ())
    return (
        id(case.facts),
        name,
        program,
        as_json(own),
        values,
        turns,
        case.option("transform"),
        _environment_names(case),
    )


def _written(shape: Shape, case: Runnable) -> Mapping[str, Any]:
    written = plain(shape.node, case.anchors) if shape.node is not None else {}
    if not isinstance(written, dict):
        return {}
    spelled = {place.name or name: name for name, place in shape.places.items()}
    return {str(spelled.get(key, key)): value for key, value in written.items()}


def _has_acting_templates(case: Runnable) -> bool:
    """Whether templates decide about a workspace or a target."""
    shapes = (
        case.case.workspace,
        case.case.environment,
        case.case.execution,
        case.suite.workspace,
        case.suite.environment,
        case.suite.execution,
    )
    nodes = [each.node for each in shapes if isinstance(each, Shape) and each.node is not None]
    return any(is_template(as_json(plain(node, case.suite_anchors))) for node in nodes)


def _environment_names(case: Runnable) -> Hashable:
    """The text of a case that reads the environment: it carries its secrets to the target."""
    text = case.facts.of_text(case.text)
    return case.text if (text.mentions_env and text.has_templates) or text.has_dollar_braces else ""


def grader_key(config: EvaluatorConfig, case: Runnable) -> Hashable | None:
    """A key that is equal for graders that run, read and send the same; None for one that only compares."""
    if all(_is_inert(each) for each in children(config) if isinstance(each, Evaluator)):
        return None
    written = plain(config.node, case.anchors) if config.node is not None else None
    left_out = _JUDGED if isinstance(config, LlmJudge | Rubric | GoalSuccess) else _BESIDE
    spelled = {place.name or name: name for name, place in config.places.items()}
    if isinstance(written, dict):
        written = {key: value for key, value in written.items() if spelled.get(key, key) not in left_out}
    elif isinstance(config, Rubric | LlmJudge):
        written = None
    text = as_json(written)
    # An evaluator of its own may be a program of the same name in another directory.
    where = str(case.directory)
    return config.type_name, text, where, as_json(case.variables) if is_template(text) else ""


def _is_inert(config: Evaluator) -> bool:
    return isinstance(config, _INERT) and not config.has("transform") and not config.has("preprocessors")


def as_json(value: object) -> str:
    """Some data as text, equal for equal data."""
    return json.dumps(value, default=str, sort_keys=True)
