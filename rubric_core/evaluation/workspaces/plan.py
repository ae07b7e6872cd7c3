"""What a suite and a case say about the directory in which the target works, put together."""

from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path

from rubric_core.evaluation.problems import place_words
from rubric_core.evaluation.result import Unscored
from rubric_core.evaluation.runnable import Runnable
from rubric_core.language.around import FileKind
from rubric_core.language.model import Execution, TargetChoice
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Checkout, Environment, Hook, Hooks, Repo, RepoSource, Setup, Workspace
from rubric_core.loading.lower import Lowering
from rubric_core.loading.search import URL, find_file, places_of
from rubric_core.ports import Files
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain import plain
from rubric_core.syntax.tree import Mapping
from rubric_core.text import LineIndex

__all__ = ["HOOKS", "HookPlan", "RepoPlan", "WorkspacePlan", "plan_of"]

HOOKS = ("before_all", "before_each", "after_each", "after_all")
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class HookPlan:
    """A program around cases."""

    command: tuple[str, ...] | str
    cwd: Path
    #: Seconds.
    time_limit: float
    #: "none", "fast" or "strict".
    reset: str
    #: Where it stands, for messages: "line 4".
    where: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class RepoPlan:
    """A repository that is put into a workspace."""

    #: A directory or an address, for `git clone`.
    source: str
    #: Relative to the workspace.
    path: str
    ref: str
    ancestor: int
    sparse: tuple[str, ...]
    where: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class WorkspacePlan:
    """Equal plans can share a workspace."""

    #: A directory that is copied.
    template: Path | None = None
    #: An existing directory that is used as it is, and stays.
    existing: Path | None = None
    per_test: bool = False
    repos: tuple[RepoPlan, ...] = ()
    hooks: tuple[tuple[str, HookPlan], ...] = ()
    #: Variables for hooks, and for targets that are programs.
    variables: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    keep: bool = False
    where: str = field(default="", compare=False)

    @property
    def trees(self) -> tuple[Path, ...]:
        """The directories on which results depend."""
        local = (Path(repo.source) / ".git" / "refs" / "heads" for repo in self.repos)
        return tuple(p for p in (self.template, *local) if p is not None)

    def hook(self, name: str) -> HookPlan | None:
        """The hook of that name."""
        return dict(self.hooks).get(name)


def plan_of(case: Runnable, files: Files) -> WorkspacePlan | None:
    """The workspace of a case, None without one. What the case says replaces what the suite says, key by key.

    Raises Unscored for a container, and for what is not there.
    """
    _refuse_hooks_of_targets(case)
    written = [w for shape in (case.suite, case.case) if (w := _written(case, shape, files)) is not None]
    if not written:
        return None
    last = written[-1]
    if isinstance(last.shape, Environment):
        return _of_environment(last, last.shape)
    return _of_workspaces([w for w in written if isinstance(w.shape, Workspace)], _keeps(case))


def _refuse_hooks_of_targets(case: Runnable) -> None:
    """Hooks that stand at one target of several are not run, and never passed over in silence."""
    for shape in (case.case, case.suite):
        execution = shape.execution
        for each in (execution.targets or ()) if isinstance(execution, Execution) else ():
            if isinstance(each, TargetChoice) and isinstance(each.node, Mapping) and each.node.get("hooks") is not None:
                raise Unscored(
                    f"rubric runs no hooks of single targets; write them under `workspace`{case.blame(each)}"
                )


@dataclass(frozen=True)
class _Written:
    """A workspace or environment, and how to find one's way from it."""

    shape: Workspace | Environment
    #: The directory that its paths are relative to.
    directory: Path
    files: Files
    #: Gives "line 4" for a part of it.
    where: Callable[[Shape], str]

    def directory_named(self, name: str, at: Shape, what: str) -> Path:
        for place in places_of(name.removeprefix(URL), self.directory, self.files):
            if self.files.is_directory(place):
                return place
        raise Unscored(f"the {what} {name} is no directory here or in a directory above ({self.where(at)})")


def _written(case: Runnable, shape: Shape, files: Files) -> _Written | None:
    value = vars(shape).get("environment") or vars(shape).get("workspace")
    if isinstance(value, Workspace | Environment):
        return _Written(value, case.directory, files, lambda part: case.blame(part).strip(" ()"))
    if not isinstance(value, str):
        return None
    field_name = "environment" if vars(shape).get("environment") else "workspace"
    kind = FileKind.ENVIRONMENT if field_name == "environment" else FileKind.WORKSPACE
    return _from_file(case, value, kind, files, shape)


def _from_file(case: Runnable, name: str, kind: FileKind, files: Files, at: Shape) -> _Written:
    """A workspace in a file of its own, whose paths are relative to that file."""
    path = find_file(name.removeprefix(URL), case.directory, files)
    if path is None:
        raise Unscored(f"the file {name} of the workspace is not there{case.blame(at)}")
    try:
        text = files.read(path).decode("utf-8")
    except (OSError, ValueError) as error:
        raise Unscored(f"the file {name} of the workspace cannot be read: {error}{case.blame(at)}") from None
    tree = parse(text)
    lowering = Lowering(text, case.dialect, case.dialects, tree.anchors)
    shape = next(iter(lowering.root(tree.root, kind, "")), None)
    if tree.problems or not isinstance(shape, Workspace | Environment):
        raise Unscored(f"{path.name} is no {kind.value.partition(' ')[2]}; rubric check {path.name} says more")
    lines = LineIndex(text)
    return _Written(shape, path.parent, files, lambda part: place_words(path, lines.line_of(part.span.start) + 1))


def _keeps(case: Runnable) -> bool:
    execution = case.suite.execution
    return isinstance(execution, Execution) and execution.keep_workspaces is True


# Workspaces


def _of_workspaces(written: list[_Written], keep: bool) -> WorkspacePlan:
    fields: dict[str, tuple[object, _Written]] = {}
    hooks: dict[str, HookPlan] = {}
    for each in written:
        shape = each.shape
        for name in shape.places:
            fields[name] = (vars(shape).get(name), each)
        hooks |= _hooks(each)
    _refuse(fields)
    last = written[-1]
    template, existing = fields.get("template"), fields.get("path") or fields.get("static_path")
    static = _text(fields, "mode") == "static" or "static_path" in fields
    plan = WorkspacePlan(
        template=template[1].directory_named(template[0], template[1].shape, "template")
        if template and isinstance(template[0], str) else None,
        existing=existing[1].directory_named(existing[0], existing[1].shape, "workspace")
        if static and existing and isinstance(existing[0], str) else None,
        per_test=_text(fields, "isolation") == "per_test" and not static,
        repos=tuple(_repos(fields)),
        hooks=tuple(sorted(hooks.items())),
        commands=_requirements(fields, "required_commands"),
        modules=_requirements(fields, "required_python_modules"),
        keep=keep,
        where=last.where(last.shape),
    )  # fmt: skip
    resetting = next((h for _, h in plan.hooks if h.reset in ("fast", "strict")), None)
    if plan.existing is not None and resetting is not None:
        raise Unscored(
            f"rubric puts back no directory of yours; copy it with `template` instead of mode static ({resetting.where})"
        )
    return plan


def _text(fields: MappingOf[str, tuple[object, _Written]], name: str) -> str:
    value = fields.get(name, (None, None))[0]
    return value if isinstance(value, str) else ""


def _refuse(fields: MappingOf[str, tuple[object, _Written]]) -> None:
    found = fields.get("docker")
    if found is not None:
        shape, each = found
        where = each.where(shape if isinstance(shape, Shape) else each.shape)
        raise Unscored(f"rubric runs no containers: take `docker` away to run this case on this machine ({where})")


def _hooks(written: _Written) -> dict[str, HookPlan]:
    workspace = written.shape
    if not isinstance(workspace, Workspace):
        return {}
    block = workspace.hooks
    if isinstance(block, Hooks) and block.enabled is False:
        return {}
    owners = [workspace, *([block] if isinstance(block, Hooks) else [])]
    found = ((name, vars(owner).get(name)) for owner in owners for name in HOOKS)
    return {name: _hook(hook, written) for name, hook in found if isinstance(hook, Hook)}


def _hook(hook: Hook, written: _Written) -> HookPlan:
    cwd = written.directory
    if isinstance(hook.cwd, str) and "{{" not in hook.cwd:
        cwd = written.directory_named(hook.cwd, hook, "directory")
    seconds = hook.timeout_ms / 1000 if isinstance(hook.timeout_ms, int | float) else _SECONDS
    return HookPlan(_command(hook.command), cwd, seconds, hook.reset or "none", written.where(hook))


def _command(value: object) -> tuple[str, ...] | str:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else str(value or "")


def _requirements(fields: MappingOf[str, tuple[object, _Written]], name: str) -> tuple[str, ...]:
    listed = getattr(fields.get("env", (None, None))[0], name, None)
    return tuple(v for v in listed or () if isinstance(v, str))


def _repos(fields: MappingOf[str, tuple[object, _Written]]) -> list[RepoPlan]:
    value, written = fields.get("repos", (None, None))
    if written is None or not isinstance(value, list):
        return []
    return [_repo(repo, written) for repo in value if isinstance(repo, Repo)]


def _repo(repo: Repo, written: _Written) -> RepoPlan:
    source = repo.source if isinstance(repo.source, RepoSource) else None
    checkout = repo.checkout if isinstance(repo.checkout, Checkout) else None
    name = (source.path or source.url if source else None) or repo.repo
    if not isinstance(name, str):
        raise Unscored(f"a repository needs an address or a directory ({written.where(repo)})")
    local = source is not None and source.type == "local"
    here = written.directory / name
    if local or written.files.is_directory(here):
        name = str(written.directory_named(name, repo, "repository"))
    ref = (checkout.ref or checkout.base_commit if checkout else None) or repo.commit or repo.base_commit or ""
    ancestor = (checkout.ancestor if checkout else None) or repo.ancestor or 0
    clone = repo.clone
    listed = (clone.sparse if clone is not None else None) or repo.sparse or ()
    path = repo.path or Path(name).name.removesuffix(".git") or "repo"
    return RepoPlan(name, path, ref, int(ancestor), tuple(s for s in listed if isinstance(s, str)), written.where(repo))


# Environments


def _of_environment(written: _Written, shape: Environment) -> WorkspacePlan:
    """A host: a directory beside the suite is copied, one named from the root on is used as it is."""
    if shape.type == "docker":
        raise Unscored(
            f"rubric runs no containers: give an environment of type host to run this case on this machine ({written.where(shape)})"
        )
    name = shape.workdir or ""
    given = Path(name)
    template = existing = None
    if given.is_absolute():
        existing = written.directory_named(name, shape, "workdir")
    elif any(written.files.is_directory(p) for p in places_of(name, written.directory, written.files)):
        template = written.directory_named(name, shape, "workdir")
    hooks: tuple[tuple[str, HookPlan], ...] = ()
    if isinstance(shape.setup, Setup):
        setup = shape.setup
        cwd = written.directory_named(setup.cwd, setup, "directory") if isinstance(setup.cwd, str) else Path()
        seconds = setup.timeout_ms / 1000 if isinstance(setup.timeout_ms, int | float) else _SECONDS
        hooks = (("before_all", HookPlan(_command(setup.command), cwd, seconds, "none", written.where(setup))),)
    variables = plain(shape.places["env"].node, {}) if shape.has("env") else {}
    known = {str(k): str(v) for k, v in variables.items()} if isinstance(variables, dict) else {}
    return WorkspacePlan(
        template=template, existing=existing, per_test=existing is None, hooks=hooks, variables=tuple(sorted(known.items())),
        where=written.where(shape),
    )  # fmt: skip
