"""Which cases are alike for a rehearsal: those that differ in texts alone do the same to the outside world.

A key holds everything that is not known to be a text that only a model or a comparison reads, so that an unknown setting
costs a rehearsal and is never missed.
"""

import json
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from rubric_core.evaluation.cases.promptfoo.runnable import PromptfooRunnable
from rubric_core.evaluation.cases.prompts import program_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets, target_name
from rubric_core.evaluation.engine.attempt import graders_of
from rubric_core.evaluation.engine.registry import EVALUATORS
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.promptfoo_assertion import PromptfooAssertion
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
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain

__all__ = ["RehearsalKeys"]

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
#: The same for a test of promptfoo, and of its assertions.
_ROW_TEXTS = frozenset({"vars", "assert", "description", "metadata", "threshold", "providerOutput"})
_CODE = frozenset({"javascript", "python", "ruby"})
_MODEL_TEXTS = frozenset({"value", "threshold", "weight", "metric"})


class RehearsalKeys:
    """The keys of the cases that were rehearsed.

    Args:
        files: Reads targets.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._seen: set[Hashable] = set()

    def base(self, case: Runnable) -> Hashable:
        """What the case itself does, besides its graders."""
        return _base(case, self._files)

    def is_new(self, key: Hashable) -> bool:
        """Whether nothing with this key was rehearsed. It counts as rehearsed from then on."""
        is_new = key not in self._seen
        self._seen.add(key)
        return is_new

    def new_graders(self, case: Runnable, base: Hashable) -> dict[Hashable, EvaluatorConfig]:
        """The graders of a case that may act and were not rehearsed, by their keys; those that failed for its kind are not tried again."""
        found: dict[Hashable, EvaluatorConfig] = {}
        for config in graders_of(case):
            key = _grader(config, case)
            whole = (id(case.facts), key)
            if key is not None and whole not in self._seen and self.is_new((base, key)):
                found[whole] = config
        return found

    def graded(self, keys: Iterable[Hashable]) -> None:
        """Graders were rehearsed."""
        self._seen.update(keys)

    def has_templates(self, case: Runnable) -> bool:
        """Whether templates of the case itself are filled in before it is graded."""
        text = case.facts.of_text(case.text)
        return text.has_templates or text.has_dollar_braces


def _is_template(text: str) -> bool:
    return "{{" in text or "{%" in text


def _base(case: Runnable, files: Files) -> Hashable:
    if isinstance(case, PromptfooRunnable):
        return _promptfoo_base(case)
    name = target_name(case.suite, case.options.target, shared_targets(case, files))
    prompt = case.variant.prompt if case.variant is not None else None
    own = {key: each for key, each in _written(case.case, case).items() if key not in _TEXTS}
    program = program_of(prompt, case) if prompt is not None else ""
    # Without templates, the values of the case decide nothing about what is written around it.
    values = _json(case.variables) if case.variables and (_has_acting_templates(case) or program) else ""
    turns = tuple(id(each) for each in case.case.turns or ())
    return (
        id(case.facts),
        name,
        program,
        _json(own),
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
    return any(_is_template(_json(plain(node, case.suite_anchors))) for node in nodes)


def _environment_names(case: Runnable) -> Hashable:
    """The text of a case that reads the environment: it carries its secrets to the target."""
    text = case.facts.of_text(case.text)
    return case.text if (text.mentions_env and text.has_templates) or text.has_dollar_braces else ""


def _grader(config: EvaluatorConfig, case: Runnable) -> Hashable | None:
    """What a grader does, as far as it is not text; None for one that only compares."""
    if isinstance(config, PromptfooAssertion):
        return _assertion(config, case)
    if all(_is_inert(each) for each in children(config) if isinstance(each, Evaluator)):
        return None
    written = plain(config.node, case.anchors) if config.node is not None else None
    left_out = _JUDGED if isinstance(config, LlmJudge | Rubric | GoalSuccess) else _BESIDE
    spelled = {place.name or name: name for name, place in config.places.items()}
    if isinstance(written, dict):
        written = {key: value for key, value in written.items() if spelled.get(key, key) not in left_out}
    elif isinstance(config, Rubric | LlmJudge):
        written = None
    text = _json(written)
    # An evaluator of its own may be a program of the same name in another directory.
    where = str(case.directory)
    return config.type_name, text, where, _json(case.variables) if _is_template(text) else ""


def _is_inert(config: Evaluator) -> bool:
    return isinstance(config, _INERT) and not config.has("transform") and not config.has("preprocessors")


def _promptfoo_base(case: PromptfooRunnable) -> Hashable:
    prompt = case.sent_prompt
    data = {name: value for name, value in case.test.data.items() if name not in _ROW_TEXTS}
    programs = {
        name: value
        for name, value in case.variables.items()
        if isinstance(value, str) and value.startswith((URL, "package:"))
    }
    return (
        id(case.facts), case.options.target, case.answered_by, prompt.program if prompt is not None else "",
        _json(data), _json(programs), bool(case.test.data.get("providerOutput")),
    )  # fmt: skip


def _assertion(config: PromptfooAssertion, case: Runnable) -> Hashable | None:
    if config.members:
        keys = tuple(_assertion(each, case) for each in config.members)
        return None if all(key is None for key in keys) else ("set", keys)
    settings = dict(config.settings)
    value = settings.get("value")
    is_code = (
        config.base_type in _CODE
        or config.base_type == "webhook"
        or (isinstance(value, str) and value.startswith((URL, "package:")))
    )
    left_out = _MODEL_TEXTS - {"value"} if is_code else _MODEL_TEXTS
    kept = _json({name: each for name, each in settings.items() if name not in left_out})
    options = _json(
        {name: each for name, each in config.options.items() if name in ("rubricPrompt", "provider", "transform")}
    )
    return config.type_name, kept, options, config.grader, _json(case.variables) if _is_template(kept) else ""


def _json(value: object) -> str:
    return json.dumps(value, default=str, sort_keys=True)
