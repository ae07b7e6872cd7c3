"""What a result depends on, as one short hash: when it changes, the result is stale. Reads no environment, runs nothing."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.evaluation.input import referenced_files
from rubric_core.evaluation.judging.templates import prompt_file
from rubric_core.evaluation.matrix import variations
from rubric_core.evaluation.participants import taking_part
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.secrets import looks_secret
from rubric_core.evaluation.targets import Targets
from rubric_core.evaluation.workspaces.plan import plan_of
from rubric_core.language.evaluators import (
    Aggregator,
    CodeEvaluator,
    Composite,
    Custom,
    Evaluator,
    LlmJudge,
    LlmRubric,
    PromptProgram,
    Scripted,
)
from rubric_core.language.shape import children
from rubric_core.loading.names import file_named
from rubric_core.loading.search import URL, find_file
from rubric_core.ports import Files
from rubric_core.syntax.plain import plain

__all__ = ["files_of", "fingerprint"]

_LARGEST = 20_000_000
#: What may follow the path of a file with code: the name of a function.
_FUNCTION = re.compile(r":[\w$.]+\Z")
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
        "metadata",
        "governance",
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
    entries = list(_entries(runnable, targets))
    options = runnable.options
    parts = {
        "dialect": runnable.dialect.name,
        "case": plain(runnable.case.node, runnable.anchors),
        "suite": inherited,
        "targets": entries,
        "files": {name: _digest(path, files) for name, path in _files(runnable, files, entries)},
        "workspace": _workspace(runnable, files),
        "variant": [
            runnable.row.label,
            runnable.row.variables,
            runnable.variant.variables if runnable.variant else None,
            _prompt(runnable),
        ],
        "asked": [options.target, options.grader_target, options.threshold],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def files_of(runnable: Runnable, files: Files, targets: Targets) -> list[Path]:
    """The files that take part in a run of a case and are there, the target file left out."""
    return [path for _, path in _files(runnable, files, list(_entries(runnable, targets)))]


def _prompt(runnable: Runnable) -> Any:
    prompt = runnable.variant.prompt if runnable.variant is not None else None
    return (
        plain(prompt.node, runnable.anchors if prompt.own else runnable.suite_anchors) if prompt is not None else None
    )


def _entries(runnable: Runnable, targets: Targets) -> Iterator[Mapping[str, Any]]:
    """The entries of every target that takes part, without what looks like a secret."""
    for entry in taking_part([runnable], targets):
        settings = {k: v for k, v in entry.settings.items() if not looks_secret(k) or "{{" in str(v)}
        yield {"name": entry.name, "kind": entry.kind, "settings": settings}


def _files(runnable: Runnable, files: Files, entries: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Path]]:
    """The files that take part and are there, under the names by which they are called."""
    directory = runnable.directory
    for name in referenced_files(runnable.suite, runnable.case):
        path = find_file(name, directory, files, Path.cwd())
        if path is not None:
            yield name, path
    for path in runnable.borrowed_files:
        yield path.name, path
    for prompt in map(_prompt, variations(runnable)):
        if isinstance(prompt, str) and prompt.startswith(URL):
            named = find_file(prompt[len(URL) :], directory, files, Path.cwd())
            if named is not None:
                yield prompt, named
    for config in runnable.evaluators:
        for shape in children(config):
            if isinstance(shape, Evaluator | PromptProgram | Aggregator | Composite):
                yield from _named_by(shape, directory, files)
    for entry in entries:
        cwd = entry["settings"].get("cwd")
        yield from _in_command(
            entry["settings"].get("command"), directory / (cwd if isinstance(cwd, str) else "."), files
        )


def _workspace(runnable: Runnable, files: Files) -> Mapping[str, str]:
    """What the workspace is made of, and the programs that prepare it; a workspace that cannot be made has no files."""
    try:
        plan = plan_of(runnable, files)
    except Unscored:
        plan = None
    if plan is None:
        return {}
    # One copy serves a whole run, so one look does.
    known = runnable.shared.setdefault("trees", {})
    for tree in plan.trees:
        if tree not in known:
            known[tree] = {name: _digest(path, files) for name, path in _below(tree, tree, files)}
    hooks = {
        f"{name} {word}": _digest(path, files)
        for name, hook in plan.hooks
        for word, path in _in_command(_listed(hook.command), hook.cwd, files)
    }
    return {**hooks, **{f"{tree.name}/{n}": d for tree in plan.trees for n, d in known[tree].items()}}


def _listed(command: tuple[str, ...] | str) -> list[str] | str:
    return command if isinstance(command, str) else list(command)


def _below(root: Path, folder: Path, files: Files) -> Iterator[tuple[str, Path]]:
    for name in files.names(folder):
        path = folder / name
        if files.is_directory(path):
            if name != ".git" and not path.is_symlink():
                yield from _below(root, path, files)
        else:
            yield path.relative_to(root).as_posix(), path


def _named_by(shape: object, directory: Path, files: Files) -> Iterator[tuple[str, Path]]:
    if isinstance(shape, CodeEvaluator):
        yield from _in_command(shape.command, directory / (shape.cwd or "."), files)
    elif isinstance(shape, PromptProgram):
        yield from _in_command(shape.command, directory, files)
    elif isinstance(shape, Aggregator):
        yield from _in_command(shape.path, directory / (shape.cwd or "."), files)
        yield from _in_prompt(shape.prompt, directory, files)
    elif isinstance(shape, LlmJudge | LlmRubric):
        yield from _in_prompt(shape.prompt, directory, files)
    elif isinstance(shape, Scripted) and shape.value and shape.value.startswith(URL):
        named = _FUNCTION.sub("", shape.value[len(URL) :])
        path = find_file(named, directory, files, Path.cwd())
        if path is not None:
            yield named, path
    elif isinstance(shape, Custom):
        own = (file_named(files, folder, shape.type_name, directory) for folder in ("evaluators", "assertions"))
        yield from ((path.name, path) for path in own if path is not None)


def _in_prompt(prompt: object, directory: Path, files: Files) -> Iterator[tuple[str, Path]]:
    path = prompt_file(prompt, directory, files) if isinstance(prompt, str) else None
    if path is not None:
        yield str(prompt), path


def _in_command(command: object, cwd: Path, files: Files) -> Iterator[tuple[str, Path]]:
    """The words of a command that are files where it runs."""
    try:
        words = shlex.split(command) if isinstance(command, str) else command if isinstance(command, list) else []
    except ValueError:
        words = []
    for word in words:
        if isinstance(word, str) and word and files.is_file(cwd / word):
            yield word, cwd / word


def _digest(path: Path, files: Files) -> str:
    try:
        return hashlib.sha256(files.read(path, _LARGEST)).hexdigest()
    except OSError:
        return "unreadable"
