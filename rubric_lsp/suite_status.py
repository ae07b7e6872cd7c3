"""The dialect and target of a suite, for the status bar of an editor."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.errors import RequestFailedError
from rubric_lsp.server import RubricServer

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.explorer import About

__all__ = ["suite_status"]


def suite_status(server: RubricServer, params: Mapping[str, Any] | None) -> "About | None":
    """`rubric/suite`: null for a document that is not open, or neither a suite nor included by one. Reads no environment."""
    document = (params or {}).get("textDocument")
    uri = document.get("uri") if isinstance(document, Mapping) else None
    snapshot = server.documents.get(uri) if isinstance(uri, str) else None
    if snapshot is None:
        return None
    snapshot = server.known.suite_at(snapshot)
    if not snapshot.can_run:
        return None
    choice = snapshot.analysis.choice
    target, judge = _target_names(server, snapshot)
    return {
        "dialect": choice.name,
        "because": choice.reason,
        "target": target,
        "judge": judge,
        "cases": len(snapshot.analysis.cases),
        "trusted": snapshot.path is not None and server.permission.allows(snapshot.path),
    }


def _target_names(server: RubricServer, snapshot: Snapshot) -> tuple[str, str]:
    """The names of the target and of the judge as written; empty without one."""
    from rubric_core.disk import DiskFiles  # noqa: PLC0415  # what runs need is loaded when somebody asks for it
    from rubric_core.evaluation.cases.target_choice import target_name, targets_for  # noqa: PLC0415
    from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415
    from rubric_lsp.running.selection import suite_of  # noqa: PLC0415

    try:
        case = next(iter(suite_of(snapshot, server.documents).cases), None)
    except RequestFailedError:  # not saved yet, or not valid enough to run
        case = None
    if case is None:
        return "", ""
    if case.answering is not None:
        return _listed(case.answering), ""
    targets = targets_for(case, DiskFiles())
    name = target_name(case.suite, case.options.target, targets)
    try:
        settings = targets.entry(name).settings
    except Unscored:  # reported by a rule at its place
        return name, targets.default_judge() or ""
    written = (settings.get(key) for key in ("grader_target", "judge_target"))
    return name, next((each for each in written if isinstance(each, str)), targets.default_judge() or "")


def _listed(names: Sequence[str]) -> str:
    """The first of several names, and the number of the others."""
    return " ".join([*names[:1], *([f"+{len(names) - 1}"] if len(names) > 1 else [])])
