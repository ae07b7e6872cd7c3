"""File access of a run, restricted to what its plan reads."""

import errno
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from rubric_core.evaluation.engine.run_inputs import variable_names
from rubric_core.evaluation.model.holes import fits, hole
from rubric_core.evaluation.model.plan import Plan
from rubric_core.loading.files import absolute
from rubric_core.ports import Files
from rubric_core.trust import real_path

__all__ = ["is_temporary", "permitted_files"]

_UNKNOWN = "it is outside of the open folder and was not in the question"
#: What is below the directories that rubric makes for a run.
_OURS = f"{hole('scratch')}{hole('below')}"


def is_temporary(path: Path) -> bool:
    """Whether a path is below a directory that rubric makes for a run."""
    return fits([_OURS], [str(path)])


def permitted_files(files: Files, plan: Plan) -> Files:
    """The files of a run with this plan."""
    return _PermittedFiles(files, plan) if plan.files or plan.roots else files


class _PermittedFiles:
    """Refuses files outside of the open folders that are not in the plan, and files that name further variables.

    A run may take hours, with a `git pull` in between: a prompt becomes a link to a file outside, or uses another
    variable.

    Args:
        files: The disk.
        plan: What the run was allowed.
    """

    def __init__(self, files: Files, plan: Plan) -> None:
        self._files = files
        self._roots = plan.roots
        #: The examined files, with the targets of their links.
        self._seen = plan.files
        self._outside = {Path(each.path) for each in plan.reads}
        self._any = any(each.is_any for each in plan.reads)
        self._variables = {each.name for each in plan.variables}
        #: Hashes of the contents that were searched last: most files are read again for each case.
        self._searched: dict[Path, bytes] = {}

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`. Also raises OSError for a file that is not permitted."""
        whole, real = self._permitted(path)
        if whole not in self._seen:
            return self._files.read(real, limit)
        # The file that was checked, not one that has replaced it by the time that it is opened.
        content = self._files.read(real, limit)
        digest = hashlib.sha256(content).digest()
        if self._searched.get(whole) != digest:
            new = set(variable_names(content.decode(errors="replace"))) - self._variables
            if new:
                raise _refused(f"since the run was allowed, it names {', '.join(sorted(new))} of the environment", path)
            self._searched[whole] = digest
        return content

    def read_variables(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read_variables`. Also raises OSError for a file that is not permitted."""
        self._permitted(path)
        return self._files.read_variables(path, limit)

    def _permitted(self, path: Path) -> tuple[Path, Path]:
        """The whole path of a file, and where it leads. Raises OSError for a file that is not permitted."""
        whole = absolute(path)
        real = real_path(whole)
        if not self._may_read(whole, real):
            why = "it leads to another file than when the run was allowed" if whole in self._seen else _UNKNOWN
            raise _refused(why, path)
        return whole, real

    def is_file(self, path: Path) -> bool:
        """See `ports.Files.is_file`."""
        return self._files.is_file(path)

    def is_directory(self, path: Path) -> bool:
        """See `ports.Files.is_directory`."""
        return self._files.is_directory(path)

    def present(self, path: Path, names: Mapping[str, Sequence[str]]) -> frozenset[str]:
        """See `ports.Files.present`."""
        return self._files.present(path, names)

    def names(self, path: Path) -> tuple[str, ...]:
        """See `ports.Files.names`. No names of a directory that is not permitted."""
        whole = absolute(path)
        return self._files.names(path) if self._may_read(whole, real_path(whole)) else ()

    def _may_read(self, path: Path, real: Path) -> bool:
        """Whether a file still leads to the same file, or to another permitted one."""
        return (
            not self._roots
            or self._any
            or real == self._seen.get(path)
            or any(real.is_relative_to(place) for place in (*self._roots, *self._outside))
            or is_temporary(real)
        )


def _refused(why: str, path: Path) -> OSError:
    return OSError(errno.EACCES, f"{why}; run it again", str(path))
