"""How rows of promptfoo are run."""

from collections.abc import Hashable, MutableMapping
from typing import Any

from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.engine.attempt import Attempt
from rubric_core.evaluation.engine.family_runner import FamilyRunner, Rows
from rubric_core.evaluation.engine.unsupported import place_of_other_extensions
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.cases.history import RunHistory
from rubric_core.families.promptfoo.cases.runnable import PromptfooRunnable
from rubric_core.families.promptfoo.engine.acting_settings import case_key, grader_key
from rubric_core.families.promptfoo.engine.attempt import PromptfooAttempt
from rubric_core.families.promptfoo.engine.environment import with_promptfoo_variables
from rubric_core.families.promptfoo.engine.extensions import PromptfooExtensions
from rubric_core.families.promptfoo.engine.prepare import prepare_promptfoo
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Files, Ports

__all__ = ["RUNNER"]


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
