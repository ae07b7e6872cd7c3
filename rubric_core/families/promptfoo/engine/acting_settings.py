"""What rows and assertions of promptfoo do, without the texts that only a model or a comparison reads."""

from collections.abc import Hashable

from rubric_core.evaluation.engine.acting_settings import as_json, is_template
from rubric_core.evaluation.engine.acting_settings import grader_key as agentv_grader_key
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.loading.directory_search import URL

__all__ = ["case_key", "grader_key"]

#: Keys of a test that are texts for models and comparisons, or for people; and of its assertions.
_ROW_TEXTS = frozenset({"vars", "assert", "description", "metadata", "threshold", "providerOutput"})
_CODE = frozenset({"javascript", "python", "ruby"})
_MODEL_TEXTS = frozenset({"value", "threshold", "weight", "metric"})


def case_key(case: PromptfooRunnable) -> Hashable:
    """A key that is equal for rows that run, read and send the same; texts for models and people do not count."""
    prompt = case.sent_prompt
    data = {name: value for name, value in case.test.data.items() if name not in _ROW_TEXTS}
    programs = {
        name: value
        for name, value in case.variables.items()
        if isinstance(value, str) and value.startswith((URL, "package:"))
    }
    return (
        id(case.facts), case.options.target, case.answered_by, prompt.program if prompt is not None else "",
        as_json(data), as_json(programs), bool(case.test.data.get("providerOutput")),
    )  # fmt: skip


def grader_key(config: EvaluatorConfig, case: PromptfooRunnable) -> Hashable | None:
    """A key that is equal for assertions that run, read and send the same; None for one that only compares."""
    return _assertion(config, case) if isinstance(config, PromptfooAssertion) else agentv_grader_key(config, case)


def _assertion(config: PromptfooAssertion, case: PromptfooRunnable) -> Hashable | None:
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
    kept = as_json({name: each for name, each in settings.items() if name not in left_out})
    options = as_json(
        {name: each for name, each in config.options.items() if name in ("rubricPrompt", "provider", "transform")}
    )
    return config.type_name, kept, options, config.own_judge, as_json(case.variables) if is_template(kept) else ""
