"""The part `recognition`: by the name alone."""

# ruff: noqa: ARG002  # this family needs less than a part gets

from pathlib import PurePath
from typing import ClassVar

from drill.shapes import DRILLS
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.family_recognition import FamilyRecognition
from rubric_core.syntax.tree import Node

__all__ = ["RECOGNITION"]


class _DrillRecognition(FamilyRecognition):
    files: ClassVar[str] = "files of drills"
    stated: ClassVar[FileKind] = DRILLS

    def has_own_name(self, name: str) -> bool:
        return name.endswith(".drill.yaml")

    def kind(self, path: PurePath | None, head: str, root: Node | None, first: Node | None) -> FileKind | None:
        return DRILLS if path is not None and self.has_own_name(path.name) else None


RECOGNITION = _DrillRecognition()
