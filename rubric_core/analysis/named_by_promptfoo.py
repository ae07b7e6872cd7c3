"""What a configuration of promptfoo in the same folder, or in one above it, names a file as."""

from pathlib import Path

from rubric_core.analysis.analyzer import analyze
from rubric_core.analysis.language import Language
from rubric_core.language.file_extensions import CASES, PROMPTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.directory_search import directories_up
from rubric_core.loading.files import absolute, is_promptfoo_name, may_be_promptfoo_name
from rubric_core.loading.project import Project

__all__ = ["named_by_promptfoo"]

#: So many folders above a file may have the configuration.
_MOST_ABOVE = 5
#: More configurations in one folder are not read: it is a collection, and its files are found through them.
_MOST_READ = 20


def named_by_promptfoo(path: Path, project: Project, language: Language) -> FileKind | None:
    """What the nearest configuration that names `path` takes it for; None where none does."""
    path = absolute(path)
    if path.suffix.lower() not in (*CASES, *PROMPTS) or is_promptfoo_name(path.name):
        return None
    look = project.look()
    for folder in directories_up(path.parent, look)[: _MOST_ABOVE + 1]:
        named = [name for name in look.names(folder) if may_be_promptfoo_name(name) and folder / name != path]
        for name in sorted(named)[:_MOST_READ]:
            text = look.text(folder / name)
            if text is not None:
                found = analyze(language.document(text, folder / name), language, path=folder / name, project=project)
                if path in found.refers_to:
                    return found.refers_to[path]
    return None
