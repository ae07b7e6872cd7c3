"""The workspace plan: the settings of suite, case and target combined."""

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from pathlib import Path

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import matrix_target, target_name
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.settings import AnsweringTarget
from rubric_core.evaluation.workspaces.declared import (
    DeclaredWorkspace,
    environment_of_target,
    suite_workspace,
    target_workspace,
)
from rubric_core.evaluation.workspaces.hooks import HookPlan, command_in, hooks_in, seconds_in
from rubric_core.language.model import Execution
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Checkout, Environment, Hooks, Repo, RepoSource, Setup, Workspace
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain

__all__ = ["RepoPlan", "WorkspacePlan", "plan_of"]


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
    #: An existing directory that is used directly, and kept.
    existing: Path | None = None
    per_test: bool = False
    repos: tuple[RepoPlan, ...] = ()
    hooks: tuple[tuple[str, HookPlan], ...] = ()
    #: Variables for hooks, and for targets that are programs.
    variables: tuple[tuple[str, str], ...] = ()
    commands: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    keep: bool = False
    #: Whether there are only hooks, which run in the suite's directory, and no workspace.
    hooks_only: bool = False
    where: str = field(default="", compare=False)

    @property
    def has_start(self) -> bool:
        """Whether it starts from existing content."""
        return self.template is not None or self.existing is not None

    @property
    def trees(self) -> tuple[Path, ...]:
        """The directories on which results depend."""
        local = (Path(repo.source) / ".git" / "refs" / "heads" for repo in self.repos)
        return tuple(p for p in (self.template, *local) if p is not None)

    def at(self, moment: str) -> list[HookPlan]:
        """The hooks of that name, in the order in which they run: those of a target are inside of those of its suite."""
        found = [hook for name, hook in self.hooks if name == moment]
        return found if moment.startswith("before") else found[::-1]


def plan_of(case: Runnable, files: Files, target: AnsweringTarget | None = None) -> WorkspacePlan | None:
    """The workspace of a case, None without a workspace and hooks.

    The keys of the case override those of the suite. The environment of the answering `target` replaces the suite's;
    its template counts if there is no other one, and its hooks run inside of the others. Raises Unscored for a
    container, and for missing files.
    """
    if not _says_anything(case, target):
        return None
    plan = _plan_of_place(case, files, target)
    hooks = tuple(_hooks_of_target(case, files, target))
    if not hooks:
        return plan
    return replace(plan or WorkspacePlan(hooks_only=True), hooks=(*(plan.hooks if plan else ()), *hooks))


def _says_anything(case: Runnable, target: AnsweringTarget | None) -> bool:
    """Whether there is a word about a place or hooks at all; most suites have none, and every case asks."""
    for shape in (case.case, case.suite):
        if shape.workspace is not None or shape.environment is not None:
            return True
        if isinstance(shape.execution, Execution) and shape.execution.targets:
            return True
    said = None if target is None else target.shape
    return said is not None and not (said.environment is said.workspace_template is said.hooks is None)


def _plan_of_place(case: Runnable, files: Files, target: AnsweringTarget | None) -> WorkspacePlan | None:
    inner = environment_of_target(target, case, files) if target is not None else None
    every = (suite_workspace(case, case.suite, files), inner, suite_workspace(case, case.case, files))
    written = [each for each in every if each is not None]
    last = written[-1] if written else None
    if last is not None and isinstance(last.shape, Environment):
        return _plan_of_environment(last, last.shape)
    plan = (
        _plan_of_workspaces([w for w in written if isinstance(w.shape, Workspace)], _keeps(case)) if written else None
    )
    if target is None or not isinstance(target.shape.workspace_template, str) or (plan is not None and plan.has_start):
        return plan
    place = target_workspace(target, case, files)
    template = place.directory_named(target.shape.workspace_template, target.shape, "template")
    where = target.entry.where("workspace_template")
    return replace(plan or WorkspacePlan(per_test=True, keep=_keeps(case), where=where), template=template)


def _hooks_of_target(case: Runnable, files: Files, target: AnsweringTarget | None) -> Iterator[tuple[str, HookPlan]]:
    for name, hook in _written_for_target(case, files, target):
        yield name, replace(hook, of_target=True)


def _written_for_target(case: Runnable, files: Files, target: AnsweringTarget | None) -> Iterator[tuple[str, HookPlan]]:
    if target is not None:
        yield from hooks_in(target_workspace(target, case, files), target.shape.hooks)
    name = target_name(case.suite, case.options.target)
    for shape in (case.case, case.suite):
        found = matrix_target(name, shape)
        if found is not None:
            place = DeclaredWorkspace(shape, case.directory, files, lambda part: case.blame(part).strip(" ()"))
            yield from hooks_in(place, found.hooks)
            return


def _keeps(case: Runnable) -> bool:
    execution = case.suite.execution
    return isinstance(execution, Execution) and execution.keep_workspaces is True


# Workspaces


def _plan_of_workspaces(written: list[DeclaredWorkspace], keep: bool) -> WorkspacePlan:
    fields: dict[str, tuple[object, DeclaredWorkspace]] = {}
    hooks: dict[str, HookPlan] = {}
    for each in written:
        shape = each.shape
        for name in shape.places:
            fields[name] = (vars(shape).get(name), each)
        hooks = _with_hooks(hooks, each)
    _refuse(fields)
    last = written[-1]
    template, existing = fields.get("template"), fields.get("path") or fields.get("static_path")
    # Without a path agentv falls back to a temporary directory.
    static = existing is not None and (_text(fields, "mode") == "static" or "static_path" in fields)
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
            f"rubric does not reset your own directory; copy it with `template` instead of mode static ({resetting.where})"
        )
    return plan


def _text(fields: MappingOf[str, tuple[object, DeclaredWorkspace]], name: str) -> str:
    value = fields.get(name, (None, None))[0]
    return value if isinstance(value, str) else ""


def _refuse(fields: MappingOf[str, tuple[object, DeclaredWorkspace]]) -> None:
    found = fields.get("docker")
    if found is not None:
        shape, each = found
        where = each.where(shape if isinstance(shape, Shape) else each.shape)
        raise Unscored(f"rubric does not run containers: remove `docker` to run this case on this machine ({where})")


def _with_hooks(outer: dict[str, HookPlan], written: DeclaredWorkspace) -> dict[str, HookPlan]:
    """The hooks so far, with those of a workspace in their place; a block that is switched off leaves none."""
    workspace = written.shape
    block = workspace.hooks if isinstance(workspace, Workspace) else None
    if isinstance(block, Hooks) and block.enabled is False:
        return {}
    return outer | dict(hooks_in(written, workspace)) | dict(hooks_in(written, block))


def _requirements(fields: MappingOf[str, tuple[object, DeclaredWorkspace]], name: str) -> tuple[str, ...]:
    listed = getattr(fields.get("env", (None, None))[0], name, None)
    return tuple(v for v in listed or () if isinstance(v, str))


def _repos(fields: MappingOf[str, tuple[object, DeclaredWorkspace]]) -> list[RepoPlan]:
    value, written = fields.get("repos", (None, None))
    if written is None or not isinstance(value, list):
        return []
    return [_repo(repo, written) for repo in value if isinstance(repo, Repo)]


def _repo(repo: Repo, written: DeclaredWorkspace) -> RepoPlan:
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


def _plan_of_environment(written: DeclaredWorkspace, shape: Environment) -> WorkspacePlan:
    """A host: a directory with a relative path is copied, one with an absolute path is used directly."""
    if shape.type == "docker":
        raise Unscored(
            f"rubric does not run containers: use an environment of type host to run this case on this machine ({written.where(shape)})"
        )
    name = shape.workdir or ""
    given = Path(name)
    template = existing = None
    if given.is_absolute():
        existing = written.directory_named(name, shape, "workdir")
    else:
        template = written.find_directory(name)
    hooks: tuple[tuple[str, HookPlan], ...] = ()
    if isinstance(shape.setup, Setup):
        setup = shape.setup
        cwd = written.directory_named(setup.cwd, setup, "directory") if isinstance(setup.cwd, str) else Path()
        hooks = (
            (
                "before_all",
                HookPlan(command_in(setup.command), cwd, seconds_in(setup.timeout_ms), "none", written.where(setup)),
            ),
        )
    variables = plain(shape.places["env"].node, {}) if shape.has("env") else {}
    known = {str(k): str(v) for k, v in variables.items()} if isinstance(variables, dict) else {}
    return WorkspacePlan(
        template=template, existing=existing, per_test=existing is None, hooks=hooks, variables=tuple(sorted(known.items())),
        where=written.where(shape),
    )  # fmt: skip
