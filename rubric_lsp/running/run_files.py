"""The files of a run: a suite and the files of its cases are those in the editor, all others those on disk."""

from collections.abc import Mapping
from pathlib import Path

from rubric_core.disk import DiskFiles, OpenFiles
from rubric_core.loading.files import absolute
from rubric_core.ports import Files
from rubric_lsp.documents.open_documents import ClientWorkspace
from rubric_lsp.documents.snapshot import Snapshot

__all__ = ["case_file_texts", "run_files"]


def case_file_texts(snapshot: Snapshot, documents: ClientWorkspace) -> dict[Path, str]:
    """The texts of the open case files of a suite."""
    kinds = snapshot.refers_to
    named = (absolute(path) for path in snapshot.case_files if path not in kinds or not kinds[path].is_defaults)
    return {path: text for path in named if (text := documents.text_at(path)) is not None}


def run_files(texts: Mapping[Path, str], files: Files | None = None) -> Files:
    """Files with these texts in place of those on disk: for loading, sending, and fingerprints alike."""
    return OpenFiles(files or DiskFiles(), lambda path: texts.get(absolute(path)))
