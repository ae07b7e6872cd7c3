"""How the cases of a family are run: what the engine asks instead of whose case it has."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from abc import ABC, abstractmethod
from collections.abc import Hashable, MutableMapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.engine.attempt import Attempt
from rubric_core.evaluation.engine.extensions import Extensions
from rubric_core.evaluation.model.context import EvaluatorConfig
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.family import part_of
from rubric_core.ports import Files, Ports

__all__ = ["FamilyRunner", "Rows", "runner_of"]

C = TypeVar("C", bound=Runnable)
#: Variations with their results.
Rows: TypeAlias = Sequence[tuple[Runnable, CaseResult]]


class FamilyRunner(ABC, Generic[C]):
    """How the cases of a family are run. What a case has, and what is only read of it, is asked of the case itself.

    A case is filled in twice: before its hooks, which may change it, and after them, when it is ready.
    """

    #: How the extensions of its suites are run.
    extensions: type[Extensions] = Extensions

    def refuse(self, case: C) -> None:
        """Raises Unscored for a setting that rubric does not support and that would change results."""

    def begin(self, case: C, shared: MutableMapping[SuiteFacts, Any]) -> C:
        """The case with what earlier cases of the run left for it in `shared`, by the facts of their suite."""
        return case

    async def environment(self, case: C, ports: Ports) -> Ports:
        """The ports with the environment variables that the suite sets for its run. Raises Unscored."""
        return ports

    async def fill_in(self, case: C, ports: Ports) -> C:
        """The case as its hooks get it. Raises Unscored."""
        return case

    @abstractmethod
    async def prepare(self, case: C, ports: Ports) -> C:
        """The case with everything filled in. Raises Unscored for missing values and files."""

    def attempt(self, case: C) -> type[Attempt]:
        """The class that asks the target and grades its answer."""
        return Attempt

    async def compare(self, rows: Rows, ports: Ports) -> list[CaseResult]:
        """The results of variations, in their order, after the outputs of those that belong together are compared."""
        return [result for _, result in rows]

    # What decides which cases are alike for a rehearsal, see `rehearsal_keys`.

    @abstractmethod
    def case_key(self, case: C, files: Files) -> Hashable:
        """A key that is equal for cases that run, read and send the same besides their graders."""

    @abstractmethod
    def grader_key(self, config: EvaluatorConfig, case: C) -> Hashable | None:
        """A key that is equal for graders that run, read and send the same; None for one that only compares."""

    def is_same_grader(self, filled: EvaluatorConfig, written: EvaluatorConfig) -> bool:
        """Whether a grader of a case that is filled in is the one that is written."""
        return filled.span.start == written.span.start


def runner_of(case: C) -> FamilyRunner[C]:
    """The runner of the family of a case. Imports what only that family needs."""
    part = part_of(case.dialect.properties.engine, "runner")
    if part is None:
        raise LookupError(f"the family of {case.dialect.name} runs no cases")
    found: FamilyRunner[C] = part.RUNNER
    return found
