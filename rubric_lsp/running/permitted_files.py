"""File access of a run, restricted to what it was allowed to read. Imported when something is run."""

import errno
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from rubric_core.evaluation.engine.run_inputs import variable_names
from rubric_core.lazy_compilation import replace
from rubric_core.loading.files import absolute
from rubric_core.ports import Files, Ports
from rubric_core.trust import real_path
from rubric_lsp.features.run_effects import RunConsequences

__all__ = ["permitted"]


def permitted(ports: Ports, plans: Sequence[RunConsequences]) -> Ports:
    """The ports of a run with these permitted effects."""
    return replace(ports, files=_PermittedFiles(ports.files, plans))


class _PermittedFiles:
    """Refuses files that changed after the run was allowed and now read more than was allowed.

    A run may take hours, with a `git pull` in between: a prompt becomes a link to a file outside, or uses another
    variable.

    Args:
        files: The disk.
        plans: The effects that the run was allowed.
    """

    def __init__(self, files: Files, plans: Sequence[RunConsequences]) -> None:
        self._files = files
        self._roots = [root for plan in plans for root in plan.roots]
        #: The examined files, with the targets of their links.
        self._seen = {path: real for plan in plans for path, real in plan.files.items()}
        self._outside = {Path(path) for plan in plans for path in plan.outside}
        self._variables = {name for plan in plans for name in plan.variables}
        #: Hashes of the contents that were searched last: most files are read again for each case.
        self._searched: dict[Path, bytes] = {}

    def read(self, path: Path, limit: int | None = None) -> bytes:
        """See `ports.Files.read`. Also raises OSError for a file that is not permitted."""
        whole = absolute(path)
        if whole not in self._seen:
            return self._files.read(path, limit)
        real = real_path(whole)
        if not self._may_read(whole, real):
            raise _changed("it leads to another file than when the run was allowed", path)
        # The file that was checked, not one that has replaced it by the time that it is opened.
        content = self._files.read(real, limit)
        digest = hashlib.sha256(content).digest()
        if self._searched.get(whole) != digest:
            new = set(variable_names(content.decode(errors="replace"))) - self._variables
            if new:
                raise _changed(f"since the run was allowed, it names {', '.join(sorted(new))} of the environment", path)
            self._searched[whole] = digest
        return content

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
        """See `ports.Files.names`."""
        return self._files.names(path)

    def _may_read(self, path: Path, real: Path) -> bool:
        """Whether a file still leads to the same file, or to another permitted one."""
        return (
            not self._roots
            or real == self._seen[path]
            or real in self._outside
            or any(real.is_relative_to(root) for root in self._roots)
        )


def _changed(why: str, path: Path) -> OSError:
    return OSError(errno.EACCES, f"{why}; run it again", str(path))
