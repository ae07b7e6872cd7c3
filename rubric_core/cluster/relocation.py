"""Paths of a run on a worker: the client's absolute paths below a directory of the run."""

import os
import pickle
from dataclasses import is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from rubric_core.dataclass_copies import field_values, replace_fields
from rubric_core.evaluation.model.result import CaseResult

__all__ = ["Relocation"]


class Relocation:
    """Maps paths between the client's machine and the worker's directory of a run.

    Args:
        home: The directory of the files, with symbolic links resolved; empty if files are at the client's paths.
    """

    def __init__(self, home: str) -> None:
        self.home = home
        self._needle = home.encode()

    def inside(self, path: str) -> Path:
        """The worker's path of a client's file; relative paths have the same base directory on both."""
        return Path(f"{self.home}{path}") if os.path.isabs(path) else Path(path)  # noqa: PTH117  # as text

    def with_client_paths(self, text: str) -> str:
        """A text with the worker's paths replaced by the client's."""
        return text.replace(self.home, "") if self.home else text

    def packed(self, result: CaseResult) -> bytes:
        """A result as bytes, with the worker's paths replaced by the client's."""
        content = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
        if not self.home or self._needle not in content:
            return content
        return pickle.dumps(self._without(result), pickle.HIGHEST_PROTOCOL)

    def _without(self, value: Any) -> Any:
        if isinstance(value, Enum):
            return value
        if isinstance(value, str):
            return self.with_client_paths(value)
        if isinstance(value, Path):
            return Path(self.with_client_paths(str(value)))
        if isinstance(value, dict):
            return {self._without(name): self._without(each) for name, each in value.items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self._without, value))
        if isinstance(value, list | tuple | set | frozenset):
            return type(value)(map(self._without, value))
        if is_dataclass(value) and not isinstance(value, type):
            return replace_fields(value, **{name: self._without(each) for name, each in field_values(value)})
        return value
