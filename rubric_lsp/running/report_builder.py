"""Builds the report of a case: results, prompt, and the command that repeats it in a terminal."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.lazy_compilation import replace
from rubric_core.text import Span
from rubric_lsp import convert
from rubric_lsp.documents.shown_files import ShownFiles
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.explorer_items import SEPARATOR
from rubric_lsp.features.results import ShownCase
from rubric_lsp.host import Host
from rubric_lsp.protocol.uris import path_of
from rubric_lsp.running.known_results import KnownResults

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.model.result import CaseResult
    from rubric_core.language.shape import Shape
    from rubric_lsp.protocol.wire_types.documents import Range

__all__ = ["ReportBuilder", "command_line", "expected_of", "prompt_of"]


class ReportBuilder:
    """The reports of cases."""

    def __init__(self, host: Host, known: KnownResults) -> None:
        self._host, self._known = host, known

    def markdown(self, snapshot: Snapshot, name: str) -> str | None:
        """The report for a hover; None for a case without a result."""
        shown = self._known.results(snapshot).get(name)
        if shown is None:
            return None
        from rubric_lsp.features.report import report  # noqa: PLC0415  # loaded when something was run

        return report(shown, self.command(snapshot, name))

    def shared(self, snapshot: Snapshot, part: "Shape") -> str:
        """The results of the cases for a part of their suite, for a hover; empty without any."""
        from rubric_lsp.features.suite_marks import shared_report  # noqa: PLC0415

        found = next((each for each in self._known.shared(snapshot) if each.of is part), None)
        return shared_report(found) if found is not None else ""

    def command(self, snapshot: Snapshot, name: str) -> str:
        """The command line that runs a case in a terminal, from the open folder."""
        snapshot = self._known.suite_at(snapshot)
        folders = [p for uri in self._host.documents.folders if (p := path_of(uri)) is not None]
        return command_line(snapshot.path, name, folders) if snapshot.path is not None else ""

    def row(self, snapshot: Snapshot, case: "Runnable") -> Mapping[str, Any] | None:
        """The report as data; None for a case that has not been run."""
        from rubric_lsp.features.report_rows import ReportContext, report_row  # noqa: PLC0415

        shown = self._known.results(snapshot).get(case.id, ShownCase())
        if shown.result is None:
            return None

        def range_of(shape: "Shape | None", span: Span) -> "Range | None":
            inherited = shape is not None and case.inherits(shape)
            where = snapshot if case.file is None or inherited else self._host.index.at(case.file)
            outer = case.case_span(span) if shape is None else case.span_of(shape, span)
            return None if where is None or not span.end else convert.range_of(where, outer)

        name = case.suite.name if isinstance(case.suite.name, str) and case.suite.name else case.path.name
        about = ReportContext(
            SEPARATOR.join((snapshot.uri, case.id)), snapshot.uri, name, self.command(snapshot, case.id),
            self.markdown(snapshot, case.id) or "", _prompt_if_known(_shown_variation(case, shown.result), partial(self._host.index.is_shown, suite=case.path)), expected_of(case), range_of,
        )  # fmt: skip
        return report_row(about, case, shown, shown.result)


def command_line(path: Path, name: str, folders: list[Path]) -> str:
    """`rubric run FILE::CASE`, with the file relative to the open folder that holds it."""
    held = [folder for folder in folders if path.is_relative_to(folder)]
    best = max(held, key=lambda folder: len(folder.parts), default=path.parent)
    file = Path(os.path.relpath(path, best)).as_posix()
    file = f"./{file}" if file.startswith("-") else file  # otherwise it would be an option
    return shlex.join(["rubric", "run", f"{file}{SEPARATOR}{name}" if name else file])


def _shown_variation(case: "Runnable", result: "CaseResult") -> "Runnable":
    """The variation whose answer a joined result has; the case itself if it has no variations."""
    from rubric_core.evaluation.cases.variations import variations  # noqa: PLC0415

    rows = (result.details or {}).get("variations")
    for row in rows if isinstance(rows, list | tuple) else ():
        if isinstance(row, Mapping) and (row.get("answer"), row.get("target")) == (result.answer, result.target):
            named = (each for each in variations(case) if each.id == row.get("id"))
            return next(named, case)
    return case


class _Unread(Mapping[str, str]):
    """An environment that reads nothing: each variable stands for itself."""

    def __getitem__(self, name: str) -> str:
        return f"${{{{ {name} }}}}"

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def prompt_of(case: "Runnable", may_show: Callable[[Path], bool]) -> str:
    """The prompt of a case to its target, for the current suite, without secrets. Raises Unscored.

    Only files that may be displayed are read.
    """
    from rubric_core.evaluation.cases.messages import prompt_inputs  # noqa: PLC0415
    from rubric_core.evaluation.cases.prompts import prompt_text  # noqa: PLC0415
    from rubric_core.evaluation.cases.variations import variations  # noqa: PLC0415
    from rubric_core.evaluation.engine.fill_variables import fill_variables  # noqa: PLC0415
    from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415

    files = ShownFiles(case.files, may_show)
    if case.file is not None and not may_show(case.file):
        raise Unscored(f"{case.file.name} leads out of the open folders")
    ready = fill_variables(variations(replace(case, files=files))[0], _Unread())
    if ready.variant is not None and ready.variant.prompt is not None:
        return prompt_text(ready, _Unread())
    inputs = prompt_inputs(ready.suite, ready.case, ready.directory, files, ready.anchors, ready.dialect.properties)
    if len(inputs.messages) > 1:
        return "\n\n".join(f"[{message.role}]\n{message.content}" for message in inputs.messages)
    return inputs.question


def _prompt_if_known(case: "Runnable", may_show: Callable[[Path], bool]) -> str:
    """Like `prompt_of`; empty if it is unknown."""
    from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415

    try:
        return prompt_of(case, may_show)
    except Unscored:
        return ""


def expected_of(case: "Runnable") -> str:
    """The expected answer of a case; empty without one."""
    from rubric_core.evaluation.cases.messages import reference_of  # noqa: PLC0415
    from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415

    if not case.case.has("expected_output"):
        return ""
    try:
        return reference_of(case.case.expected_output, case.anchors, case.directory, case.files)
    except Unscored:
        return ""
