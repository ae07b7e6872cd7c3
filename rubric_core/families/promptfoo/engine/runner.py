"""How rows of promptfoo are run, and what they do, without the texts that only a model or a comparison reads."""

from collections.abc import Hashable, MutableMapping
from typing import Any

from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.engine.acting_settings import as_json, is_template
from rubric_core.evaluation.engine.acting_settings import grader_key as agentv_grader_key
from rubric_core.evaluation.engine.attempt import Attempt
from rubric_core.evaluation.engine.family_runner import FamilyRunner, Rows
from rubric_core.evaluation.engine.unsupported import place_of_other_extensions
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.cases.history import RunHistory
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.engine.attempt import PromptfooAttempt
from rubric_core.families.promptfoo.engine.environment import with_promptfoo_variables
from rubric_core.families.promptfoo.engine.extensions import PromptfooExtensions
from rubric_core.families.promptfoo.engine.prepare import prepare_promptfoo
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Files, Ports

__all__ = ["RUNNER", "case_key", "grader_key"]

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


class _PromptfooRunner(FamilyRunner[PromptfooRunnable]):
    """See `FamilyRunner`."""

    extensions = PromptfooExtensions

    def refuse(self, case: PromptfooRunnable) -> None:
        """See `FamilyRunner.refuse`."""
        where = place_of_other_extensions(case)
        if where:
            raise Unscored(
                f"of `extensions` rubric runs functions in files, as in `file://hooks.py:beforeAll` ({where})"
            )

    def begin(self, case: PromptfooRunnable, shared: MutableMapping[SuiteFacts, Any]) -> PromptfooRunnable:
        """See `FamilyRunner.begin`: rows that read values of earlier ones share a history."""
        return replace(case, history=shared.setdefault(case.facts, RunHistory())) if case.is_serial else case

    async def environment(self, case: PromptfooRunnable, ports: Ports) -> Ports:
        """See `FamilyRunner.environment`."""
        return await with_promptfoo_variables(case, ports)

    async def prepare(self, case: PromptfooRunnable, ports: Ports) -> PromptfooRunnable:
        """See `FamilyRunner.prepare`."""
        return await prepare_promptfoo(case, ports)

    def attempt(self, case: PromptfooRunnable) -> type[Attempt]:  # noqa: ARG002  # every row is attempted alike
        """See `FamilyRunner.attempt`."""
        return PromptfooAttempt

    async def compare(self, rows: Rows, ports: Ports) -> list[CaseResult]:
        """See `FamilyRunner.compare`."""
        from rubric_core.families.promptfoo.engine.comparison import compare_all  # noqa: PLC0415  # few suites compare outputs

        return await compare_all(rows, ports)

    def case_key(self, case: PromptfooRunnable, files: Files) -> Hashable:  # noqa: ARG002  # its targets are in the configuration
        """See `FamilyRunner.case_key`."""
        return case_key(case)

    def grader_key(self, config: EvaluatorConfig, case: PromptfooRunnable) -> Hashable | None:
        """See `FamilyRunner.grader_key`."""
        return grader_key(config, case)

    def is_same_grader(self, filled: EvaluatorConfig, written: EvaluatorConfig) -> bool:
        """See `FamilyRunner.is_same_grader`: several assertions may have one place."""
        return filled.node is written.node


RUNNER = _PromptfooRunner()
