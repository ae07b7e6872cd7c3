"""The inputs of a run: environment variables and files. Reads suites as written, and renders nothing."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.disk import read_file
from rubric_core.evaluation.model.plan_entries import ANY_FILE
from rubric_core.loading.files import absolute
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read
from rubric_core.trust import real_path

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.loading.targets import LoadedTargetEntry

__all__ = ["ANY_VARIABLE_WORDS", "RunInputs", "variable_names"]

#: What stands for a variable whose name is computed.
ANY_VARIABLE_WORDS = "any variable, by a computed name"
#: Bytes of a file that is searched for variable names: no run reads a larger one as a prompt or as cases.
_LARGEST = 20_000_000


class RunInputs:
    """Collects the environment variables and files that cases use.

    Args:
        roots: The open folders; paths below them are not collected.
        programs: The command lines of the run; files that these name by their whole paths are not collected again.
    """

    def __init__(self, roots: Sequence[Path], programs: str) -> None:
        #: Names, in the order in which they are found; some occur more than once.
        self.variables: list[str] = []
        #: Paths with links resolved.
        self.outside: list[str] = []
        #: Every examined file, with the target of its links.
        self.files: dict[Path, Path] = {}
        self.roots = [real_path(root) for root in roots]
        self._programs = programs
        self._seen: set[object] = set()

    def add(self, case: "Runnable", taking: "Sequence[LoadedTargetEntry]") -> None:
        """Add the inputs of a case and of the targets in `taking`."""
        from rubric_core.evaluation.cases.variations import variations  # noqa: PLC0415  # what runs need is loaded when something runs
        from rubric_core.evaluation.engine.dependencies import CaseDependencies, prompt_of  # noqa: PLC0415

        written: list[Any] = [plain(case.case.node, case.anchors), *(prompt_of(each) for each in variations(case))]
        if id(case.suite) not in self._seen:
            self._seen.add(id(case.suite))
            around = plain(case.suite.node, case.suite_anchors)
            cases = case.suite.places.get("cases")
            # The suite's other keys count once a case runs: cases that do not run read nothing.
            written.append(
                {k: v for k, v in around.items() if cases is None or k != cases.name}
                if isinstance(around, dict)
                else around
            )
        for text in _texts([written, *([each.kind, dict(each.settings)] for each in taking)]):
            self.variables += variable_names(text)
        for each in taking:
            # Of its other entries, which are for other cases, nothing is read.
            self._file(each.home.path, is_filled=False)
        for name in CaseDependencies(case, case.files, ()).named_in_messages():
            if any(sign in name for sign in ("{{", "{%")):
                self.outside.append(f"{ANY_FILE}{name}")
        for word, file in _files(case, taking, written):
            # A file that a command names by its full path is shown with the command.
            self._file(file, is_said=os.path.isabs(word) and word in self._programs)  # noqa: PTH117  # it may be no path

    def _file(self, file: Path, *, is_said: bool = False, is_filled: bool = True) -> None:
        if (file, is_said) in self._seen:
            return
        self._seen.add((file, is_said))
        real = self.files[absolute(file)] = real_path(file)
        if self.roots and not is_said and not any(real.is_relative_to(root) for root in self.roots):
            self.outside.append(str(real))
        if is_filled:  # a program may return a prompt or value with templates, which are rendered like others
            self.variables += variable_names(_text(real))


def _files(case: "Runnable", taking: "Sequence[LoadedTargetEntry]", written: object) -> Iterator[tuple[str, Path]]:
    """The files of a case, each with a word for its role."""
    from rubric_core.evaluation.cases.family_cases import cases_of  # noqa: PLC0415
    from rubric_core.evaluation.engine.dependencies import CaseDependencies  # noqa: PLC0415

    yield from (("", path) for path in cases_of(case.dialect).environment_files(case))
    entries = [{"name": each.name, "kind": each.kind, "settings": each.settings} for each in taking]
    for name, path in CaseDependencies(case, case.files, entries).found(written):
        yield name.removesuffix(f" {os.path.relpath(path, case.directory)}"), path


def _text(path: Path) -> str:
    try:
        return read_file(path, _LARGEST).decode(errors="replace")
    except OSError:
        return ""


def variable_names(text: str) -> list[str]:
    """The environment variables of a text, as a plan names them."""
    found = (name for name, _ in environment_read(text))
    return [ANY_VARIABLE_WORDS if name == ANY_VARIABLE else name for name in found]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(name)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
