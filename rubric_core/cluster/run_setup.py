"""The description of a run that workers get, apart from its cases."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rubric_core.evaluation.cases.loaded_suite import GeneratedCases

__all__ = ["RunSetup"]


@dataclass(frozen=True, kw_only=True)
class RunSetup:
    """One run of one suite. It travels from client to worker, past the scheduler, which keeps it as bytes."""

    #: The path of the suite as given, and the absolute directory that it is relative to.
    suite: str
    directory: str
    dialect: str
    #: Those of `Options` that a worker can have.
    options: Mapping[str, Any]
    #: What the programs of the suite that generate cases made; they are not run again.
    generated: Mapping[str, GeneratedCases] = field(default_factory=dict)
    #: Variables that the user sends, on top of those of the worker.
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    #: Whether workers see the files of the client at the same paths.
    shared_files: bool = False

    def packed(self) -> bytes:
        """As bytes."""
        return pickle.dumps(self)

    @staticmethod
    def unpacked(content: bytes) -> "RunSetup":
        """The setup again; whoever may send work to a worker may run code on it anyway."""
        setup: RunSetup = pickle.loads(content)  # noqa: S301  # see above
        return setup
