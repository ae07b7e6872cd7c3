"""How promptfoo configurations in the same folder, or in a parent folder, refer to a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rubric_core.analysis.analyzer import analyze
from rubric_core.analysis.language import Language
from rubric_core.analysis.result import Analysis
from rubric_core.language.file_extensions import CASES, PROMPTS
from rubric_core.language.file_kinds import WITH_NAMES, FileKind
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.files import absolute, is_promptfoo_name
from rubric_core.loading.project import Project
from rubric_core.loading.promptfoo_base import MOST_READ, folders_with_configurations

__all__ = ["NamedByPromptfoo", "named_by_promptfoo"]


class NamedByPromptfoo(NamedTuple):
    """How configurations refer to a file."""

    #: The kind of file, by the nearest one.
    kind: FileKind
    #: What they define for a prompt.
    defined_names: DefinedNames | None


def named_by_promptfoo(path: Path, project: Project, language: Language) -> NamedByPromptfoo | None:
    """How the configurations in the folder of `path` or above refer to it; None if none does."""
    path = absolute(path)
    if path.suffix.lower() not in (*CASES, *PROMPTS) or is_promptfoo_name(path.name):
        return None
    kind: FileKind | None = None
    uses: list[DefinedNames | None] = []
    for each in _configurations(path, project, language):
        if path in each.refers_to:
            kind = kind or each.refers_to[path]
            uses.append(each.defined_names)
            if kind not in WITH_NAMES:
                break
    names = DefinedNames.joined(uses)
    return None if kind is None else NamedByPromptfoo(kind, names.seen_by(kind) if names is not None else None)


def _configurations(path: Path, project: Project, language: Language) -> Iterator[Analysis]:
    """The analyses of the configurations in the folder of a file and above, the nearest first."""
    look = project.look()
    for folder, named in folders_with_configurations(path, look):
        for name in named[:MOST_READ]:
            text = look.text(folder / name)
            if text is not None:
                document = language.document(text, folder / name)
                yield analyze(document, language, path=folder / name, project=project)
