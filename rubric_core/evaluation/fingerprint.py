"""What a result depends on, as one short hash: when it changes, the result is stale. Reads no environment, runs nothing."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubric_core.evaluation.matrix import variations
from rubric_core.evaluation.participants import taking_part, target_name
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.secrets import looks_secret
from rubric_core.evaluation.sources import Sources, prompt_of
from rubric_core.evaluation.targets import Targets
from rubric_core.evaluation.workspaces.plan import WorkspacePlan, plan_of
from rubric_core.ports import Files
from rubric_core.syntax.plain import plain

__all__ = ["files_of", "fingerprint"]

_LARGEST = 20_000_000
#: A setting of targets by which no answer and no score differs.
_PRICES = "prices"
#: Keys of a suite that say something about it and nothing to a run.
_TALK = frozenset(
    {
        "name",
        "description",
        "category",
        "author",
        "version",
        "tags",
        "license",
        "$schema",
        "note",
    }
)


def fingerprint(runnable: Runnable, files: Files, targets: Targets) -> str:
    """A hash of the case, what it inherits, its targets and judges without secrets, and the files that all of these name."""
    cases = runnable.suite.places.get("cases")
    inherited = plain(runnable.suite.node, runnable.suite_anchors)
    if isinstance(inherited, dict):
        inherited = {k: v for k, v in inherited.items() if k not in _TALK and (cases is None or k != cases.name)}
    case, entries = plain(runnable.case.node, runnable.anchors), list(_entries(runnable, targets))
    options = runnable.options
    # Each case has a prompt of its own out of those that the suite lists.
    around = {k: v for k, v in inherited.items() if k != "prompts"} if isinstance(inherited, dict) else inherited
    found = Sources(runnable, files, entries).found([case, around])
    parts = {
        "dialect": runnable.dialect.name,
        "case": case,
        "suite": inherited,
        "targets": entries,
        "files": {name: _digest(path, files) for name, path in found},
        "workspace": _workspace(runnable, files, targets),
        "variant": [
            runnable.row.label,
            runnable.row.variables,
            runnable.variant.variables if runnable.variant else None,
            prompt_of(runnable),
        ],
        "asked": [options.target, options.grader_target, options.threshold],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def files_of(runnable: Runnable, files: Files, targets: Targets) -> list[Path]:
    """The files that take part in a run of a case and are there, the target file left out."""
    written = [plain(runnable.case.node, runnable.anchors), plain(runnable.suite.node, runnable.suite_anchors)]
    found = Sources(runnable, files, list(_entries(runnable, targets))).found(written)
    return list(dict.fromkeys(path for _, path in found))


def _entries(runnable: Runnable, targets: Targets) -> Iterator[Mapping[str, Any]]:
    """The entries of every target that takes part, without what looks like a secret."""
    for entry in taking_part([runnable], targets):
        shown = {k: v for k, v in entry.settings.items() if k != _PRICES}
        settings = {k: v for k, v in shown.items() if not looks_secret(k) or "{{" in str(v)}
        yield {"name": entry.name, "kind": entry.kind, "settings": settings}


def _workspace(runnable: Runnable, files: Files, targets: Targets) -> Mapping[str, str]:
    """What the workspaces are made of, and the programs that prepare them; one that cannot be made has no files."""
    found: dict[str, str] = {}
    for each in variations(runnable):
        name = target_name(each.suite, each.options.target, targets)
        with suppress(Unscored):
            plan = plan_of(each, files, targets.as_written(name))
            found |= _in_plan(plan, each, files) if plan is not None else {}
    return found


def _in_plan(plan: WorkspacePlan, runnable: Runnable, files: Files) -> Mapping[str, str]:
    # One copy serves a whole run, so one look does.
    known = runnable.shared.setdefault("trees", {})
    for tree in plan.trees:
        if tree not in known:
            known[tree] = {name: _digest(path, files) for name, path in _below(tree, tree, files)}
    sources = Sources(runnable, files, ())
    hooks = {
        f"{name} {number} {word}": _digest(path, files)
        for number, (name, hook) in enumerate(plan.hooks)
        for word, path, _ in sources.in_command(hook.command, hook.cwd)
    }
    return {**hooks, **{f"{tree.name}/{n}": d for tree in plan.trees for n, d in known[tree].items()}}


def _below(root: Path, folder: Path, files: Files) -> Iterator[tuple[str, Path]]:
    for name in files.names(folder):
        path = folder / name
        if files.is_directory(path):
            if name != ".git" and not path.is_symlink():
                yield from _below(root, path, files)
        else:
            yield path.relative_to(root).as_posix(), path


def _digest(path: Path, files: Files) -> str:
    try:
        return hashlib.sha256(files.read(path, _LARGEST)).hexdigest()
    except OSError:
        return "unreadable"
