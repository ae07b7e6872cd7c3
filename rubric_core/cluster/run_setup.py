"""The description of a run for workers, without its cases."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rubric_core.evaluation.cases.loaded_suite import GeneratedCases
from rubric_core.evaluation.model.plan import Plan

__all__ = ["RunSetup"]


@dataclass(frozen=True, kw_only=True)
class RunSetup:
    """One run of one suite. The scheduler keeps it as bytes and passes it on to workers."""

    #: The path of the suite as given, and the absolute directory that it is relative to.
    suite: str
    directory: str
    dialect: str
    #: The fields of `Options` that are sent.
    options: Mapping[str, Any]
    #: Cases made by generator programs, which workers do not run again.
    generated: Mapping[str, GeneratedCases] = field(default_factory=dict)
    #: Variables of `--send-env`, added to the worker's own.
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: What the run may do, see `plan_for_workers`.
    plan: Plan
    #: Whether workers see the files of the client at the same paths.
    shared_files: bool = False
    #: Seconds without an answer after which a worker ends an engine process as hung.
    silence: float = 30.0

    def packed(self) -> bytes:
        """As bytes."""
        return pickle.dumps(self)

    @staticmethod
    def unpacked(content: bytes) -> "RunSetup":
        """Read a setup. Pickle is no risk here: clients of a cluster may run any code on its workers."""
        setup: RunSetup = pickle.loads(content)  # noqa: S301  # see above
        return setup
