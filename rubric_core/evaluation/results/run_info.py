"""The facts about a run that are known when it begins."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.evaluation.model.variables import every_variable
from rubric_core.evaluation.results.records import RunInfo
from rubric_core.git_state import commit_of, is_dirty

__all__ = ["run_info"]


def run_info(
    root: Path,
    command: Sequence[str],
    suites: Sequence[Path],
    version: str,
    environment: Mapping[str, str],
    *,
    partial: bool = False,
) -> RunInfo:
    """The command without secrets, and the state of the repository. Calls git, which may take seconds.

    Args:
        root: The root of the repository.
        command: The command line; for an editor, the title of the command.
        suites: The suites of the run.
        version: The version of rubric.
        environment: The variables of the run, of which some are secrets.
        partial: Whether only some of the cases of these suites run.
    """
    redact, commit = Redactor.of(every_variable(environment)), commit_of(root)
    return RunInfo(
        command=tuple(redact(word) for word in command), suites=suites, commit=commit, dirty=bool(commit) and is_dirty(root),
        rubric_version=version, partial=partial,
    )  # fmt: skip
