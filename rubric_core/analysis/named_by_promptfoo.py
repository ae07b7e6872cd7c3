"""The kind of file as which a promptfoo configuration in the same folder or in a parent folder refers to a file."""

from pathlib import Path

from rubric_core.analysis.analyzer import analyze
from rubric_core.analysis.language import Language
from rubric_core.language.file_extensions import CASES, PROMPTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.files import absolute, is_promptfoo_name
from rubric_core.loading.project import Project
from rubric_core.loading.promptfoo_base import MOST_READ, folders_with_configurations

__all__ = ["named_by_promptfoo"]


def named_by_promptfoo(path: Path, project: Project, language: Language) -> FileKind | None:
    """The kind of file as which the nearest configuration refers to `path`; None if none does."""
    path = absolute(path)
    if path.suffix.lower() not in (*CASES, *PROMPTS) or is_promptfoo_name(path.name):
        return None
    look = project.look()
    for folder, named in folders_with_configurations(path, look):
        for name in named[:MOST_READ]:
            text = look.text(folder / name)
            if text is not None:
                found = analyze(language.document(text, folder / name), language, path=folder / name, project=project)
                if path in found.refers_to:
                    return found.refers_to[path]
    return None
