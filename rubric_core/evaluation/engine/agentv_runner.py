"""How AgentV's cases are run."""

from collections.abc import Hashable

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.engine.acting_settings import case_key, grader_key
from rubric_core.evaluation.engine.attempt import Attempt
from rubric_core.evaluation.engine.conversation import Conversation
from rubric_core.evaluation.engine.family_runner import FamilyRunner
from rubric_core.evaluation.engine.prepare import fill_in_case, prepare_case, with_variables
from rubric_core.evaluation.engine.unsupported import refuse
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.ports import Files, Ports

__all__ = ["RUNNER"]


class _AgentvRunner(FamilyRunner[Runnable]):
    """See `FamilyRunner`."""

    def refuse(self, case: Runnable) -> None:
        """See `FamilyRunner.refuse`."""
        refuse(case)

    async def environment(self, case: Runnable, ports: Ports) -> Ports:
        """See `FamilyRunner.environment`."""
        return await with_variables(case, ports)

    async def fill_in(self, case: Runnable, ports: Ports) -> Runnable:
        """See `FamilyRunner.fill_in`."""
        return await fill_in_case(case, ports)

    async def prepare(self, case: Runnable, ports: Ports) -> Runnable:
        """See `FamilyRunner.prepare`."""
        return await prepare_case(case, ports)

    def attempt(self, case: Runnable) -> type[Attempt]:
        """See `FamilyRunner.attempt`."""
        return Conversation if case.case.mode == "conversation" else Attempt

    def case_key(self, case: Runnable, files: Files) -> Hashable:
        """See `FamilyRunner.case_key`."""
        return case_key(case, files)

    def grader_key(self, config: EvaluatorConfig, case: Runnable) -> Hashable | None:
        """See `FamilyRunner.grader_key`."""
        return grader_key(config, case)


RUNNER = _AgentvRunner()
