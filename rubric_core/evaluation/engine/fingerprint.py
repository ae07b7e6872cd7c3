"""The fingerprint of a case: a short hash of everything on which its result depends.

A stored result with another fingerprint is stale. Reads no environment variables and runs nothing.
"""

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rubric_core.disk import read_file
from rubric_core.environment_files import is_environment_file
from rubric_core.evaluation.cases.roles import participating_names
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import FileStamp, InheritedText, TargetEntries, WrittenCase
from rubric_core.evaluation.cases.target_choice import target_name
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.dependencies import CaseDependencies, prompt_of
from rubric_core.evaluation.model.file_addresses import file_addresses
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.targets.settings import SETTINGS_BESIDE_ANSWERS
from rubric_core.evaluation.workspaces.plan import WorkspacePlan, plan_of
from rubric_core.language.secret_names import looks_secret
from rubric_core.loading.directory_search import URL
from rubric_core.loading.targets import LoadedTargetEntry
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Entry, Node
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Sequence as SequenceNode

__all__ = ["absolute_files_of", "digest", "digests_of", "files_of", "fingerprint", "shown_entries"]

_LARGEST = 20_000_000
#: Characters of a text that all cases inherit from which on its hash takes its place: else each case would take longer in a
#: longer suite. Also the bytes of a file from which on it is not read for every case.
_LONG = 65_536
_JSON = json.JSONEncoder(sort_keys=True, default=str)
#: The run options when the user names nothing but the suite.
_NOTHING_ASKED = [None, None, None]
#: Keys that describe a suite and do not affect a run.
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
    """A hash of the case, what it inherits, its targets and judges without secrets, and the files that these name."""
    runnable = runnable.only_variation_of or runnable
    case, inherited = _written(runnable), _inherited(runnable)
    entries, options = _entries(runnable, targets), runnable.options
    digests = _digests(runnable, files, entries, [*case.addresses, *inherited.addresses])
    workspace = _workspace(runnable, files, targets)
    asked = _encoded([options.target, options.grader_target, options.threshold])
    # JSON with sorted keys, of which only the text of the case differs from case to case in most suites.
    whole = (
        f'{{"asked": {asked}, "case": {case.text}, "dialect": {_JSON.encode(runnable.dialect.name)}, '
        f'"files": {_encoded(digests)}, "suite": {inherited.text}, "targets": {entries.text}, '
        f'"variant": {_variant(runnable)}, "workspace": {_encoded(workspace)}}}{runnable.history_hash}'
    )
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _encoded(value: Mapping[str, str] | Sequence[object]) -> str:
    if value == _NOTHING_ASKED:
        return "[null, null, null]"
    return _JSON.encode(value) if value else "{}"


def _variant(runnable: Runnable) -> str:
    row, variant, rows = runnable.row, runnable.variant, _rows(runnable)
    if variant is None and not rows:
        return '["", {}, null, null]'
    known = [row.label, row.variables, variant.variables if variant else None, prompt_of(runnable)]
    return _JSON.encode([*known, rows] if row.checks is not None or len(rows) > 1 else known)


def _rows(runnable: Runnable) -> list[object]:
    """The rows of scenarios with which the case is run."""
    rows = [(each.row, each.anchors) for each in runnable.every_row or (runnable,)]
    return [[r.label, r.variables, plain(r.checks, a)] for r, a in rows if r.label or r.variables or r.checks]


def _digests(runnable: Runnable, files: Files, entries: TargetEntries, written: Sequence[str]) -> dict[str, str]:
    """The files whose content matters beyond what the case has of them as data."""
    found = CaseDependencies(runnable, files, entries.shown).found([*written, *file_addresses(_rows(runnable))])
    known = runnable.facts.digests
    return {name: digest(path, files, known) for name, path in found if path not in runnable.files_as_data}


def _written(runnable: Runnable) -> WrittenCase:
    """The case itself, read once for all of its rows."""
    by = runnable.written_as
    known = runnable.facts.written.get(by)
    if known is not None:
        return known
    case = runnable.as_data
    text = _JSON.encode(case)
    return runnable.facts.written.keep(by, WrittenCase(text, tuple(file_addresses(case)) if URL in text else ()))


def _inherited(runnable: Runnable) -> InheritedText:
    """Put together once for all cases: it may be most of a suite."""
    known = runnable.facts.inherited
    if known is None or known.of is not runnable.suite:
        known = runnable.facts.inherited = _read_inherited(runnable)
    return known


def _read_inherited(runnable: Runnable) -> InheritedText:
    listed = {place.name for key in ("cases", "scenarios") if (place := runnable.suite.places.get(key)) is not None}
    node = runnable.suite.node
    written = plain(_without_cases(node, listed), runnable.suite_anchors)
    if not isinstance(written, dict):
        return InheritedText(runnable.suite, _shortened(_JSON.encode(written)), tuple(file_addresses(written)), ())
    lists = [written[key] for key in listed if key in written]
    named = [
        each for value in lists for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)
    ]
    if "extensions" not in runnable.suite.places:  # extensions get the whole suite
        written = runnable.deciding(written)
    written = {k: v for k, v in written.items() if k not in _TALK | listed}
    # `prompts` of the suite is left out: the prompt of each case is hashed with the case.
    around = {k: v for k, v in written.items() if k != "prompts"}
    own = tuple(file_addresses(around))
    return InheritedText(runnable.suite, _shortened(_JSON.encode(written)), own, tuple(file_addresses(named)))


def _without_cases(node: Node | None, listed: Collection[str]) -> Node | None:
    """The node of a suite without the cases that are mappings in its lists: of these, only names of files count."""
    if not isinstance(node, MappingNode):
        return node
    made = MappingNode(node.span, node.whole, node.anchor, node.tag, node.flow)
    for entry in node.entries:
        value = entry.value
        if entry.name in listed and isinstance(value, SequenceNode):
            names = SequenceNode(value.span, value.whole, value.anchor, value.tag, value.flow)
            names.items = [item for item in value.items if not isinstance(item, MappingNode)]
            value = names
        made.entries.append(entry if value is entry.value else Entry(entry.key, value))
    return made


def _shortened(text: str) -> str:
    """JSON that enters the fingerprint of every case: the hash of a long one."""
    return text if len(text) < _LONG else f'{{"sha256": "{hashlib.sha256(text.encode()).hexdigest()}"}}'


def digests_of(runnable: Runnable, files: Files, targets: Targets) -> dict[str, str]:
    """The files in the fingerprint of a case: the name used for each, with its digest."""
    written = [*_written(runnable).addresses, *_inherited(runnable).addresses]
    found = _digests(runnable, files, _entries(runnable, targets), written)
    return {**found, **_workspace(runnable, files, targets)}


def absolute_files_of(runnable: Runnable, files: Files, targets: Targets) -> list[Path]:
    """The files that a case names by absolute paths, with what they import."""
    named = _named_files(runnable, files, targets)
    return [path for name, path in named if os.path.isabs(name.removeprefix(URL))]  # noqa: PTH117  # a text, not a path yet


def _named_files(runnable: Runnable, files: Files, targets: Targets) -> Iterator[tuple[str, Path]]:
    inherited = _inherited(runnable)
    written = [*_written(runnable).addresses, *inherited.addresses, *inherited.lists, *file_addresses(_rows(runnable))]
    return CaseDependencies(runnable, files, _entries(runnable, targets).shown).found(written)


def files_of(runnable: Runnable, files: Files, targets: Targets) -> list[Path]:
    """The existing files on which a run of a case depends, without the target file."""
    return list(dict.fromkeys(path for _, path in _named_files(runnable, files, targets)))


def _entries(runnable: Runnable, targets: Targets) -> TargetEntries:
    """The entries of every participating target, computed once for all cases that name the same ones."""
    names = tuple(participating_names([runnable], targets))
    every = runnable.facts.entries
    known = every.get(names)
    if known is None or known.of is not targets:
        shown = list(shown_entries(targets.file.reachable(names))) if targets.file is not None else []
        known = every[names] = TargetEntries(targets, shown, _shortened(_JSON.encode(shown)))
    return known


def shown_entries(entries: Iterable[LoadedTargetEntry]) -> Iterator[Mapping[str, Any]]:
    """Target entries without settings that look like secrets."""
    for entry in entries:
        shown = {k: v for k, v in entry.settings.items() if k not in SETTINGS_BESIDE_ANSWERS}
        settings = {k: v for k, v in shown.items() if not looks_secret(k) or "{{" in str(v)}
        yield {"name": entry.name, "kind": entry.kind, "settings": settings}


def _workspace(runnable: Runnable, files: Files, targets: Targets) -> Mapping[str, str]:
    """The files of the workspaces and the programs that prepare them; none for a workspace that cannot be created."""
    found: dict[str, str] = {}
    for each in variations(runnable):
        name = target_name(each.suite, each.options.target, targets)
        with suppress(Unscored):
            plan = plan_of(each, files, targets.as_written(name))
            found |= _in_plan(plan, each, files) if plan is not None else {}
    return found


def _in_plan(plan: WorkspacePlan, runnable: Runnable, files: Files) -> Mapping[str, str]:
    # One copy serves a whole run, so its files are read once.
    known = runnable.facts.trees
    for tree in plan.trees:
        if tree not in known:
            known[tree] = {
                name: digest(path, files, runnable.facts.digests) for name, path in _below(tree, tree, files)
            }
    sources = CaseDependencies(runnable, files, ())
    hooks = {
        f"{name} {number} {word}": digest(path, files, runnable.facts.digests)
        for number, (name, hook) in enumerate(plan.hooks)
        for word, path, _ in sources.in_command(hook.command, hook.cwd)
    }
    return {**hooks, **{f"{tree.name}/{n}": d for tree in plan.trees for n, d in known[tree].items()}}


def _below(root: Path, folder: Path, files: Files) -> Iterator[tuple[str, Path]]:
    for name in files.names(folder):
        path = folder / name
        if files.is_directory(path):
            if name not in (".git", ".rubric") and not path.is_symlink():
                yield from _below(root, path, files)
        else:
            yield path.relative_to(root).as_posix(), path


def digest(path: Path, files: Files, known: dict[Path, tuple[FileStamp, str]] | None = None) -> str:
    """A hash of the content of a file; a fixed word if it cannot be read.

    A long one, which may hold thousands of cases, is read again only if its stamp differs from that in `known`.
    """
    stamp = _stamp(path, files) if known is not None else None
    before = known.get(path) if known is not None and stamp is not None else None
    if before is not None and before[0] == stamp:
        return before[1]
    try:
        read = read_file if is_environment_file(path) else files.read
        found = hashlib.sha256(read(path, _LARGEST)).hexdigest()
    except OSError:
        return "unreadable"
    if known is not None and stamp is not None:
        known[path] = stamp, found
    return found


def _stamp(path: Path, files: Files) -> FileStamp | None:
    """What changes with the content of a long file; None for a file that is read at once."""
    try:
        found = os.stat(path)  # noqa: PTH116  # half the time of `Path.stat`
    except OSError:
        return None
    if found.st_size < _LONG:
        return None
    return FileStamp(id(files), found.st_ino, found.st_size, found.st_mtime_ns)
