"""Workspaces of a run: created when they are needed, used by one case at a time, deleted at the end."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from rubric_core.dataclass_copies import replace_fields
from rubric_core.environment_files import refuse_environment_file
from rubric_core.evaluation.cases.messages import prompt_inputs
from rubric_core.evaluation.cases.options import KeepWorkspaces
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets, target_name
from rubric_core.evaluation.model.redaction import GrowingRedactor, seal
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.targets.settings import AnsweringTarget
from rubric_core.evaluation.workspaces.directories import in_thread, restore_directory
from rubric_core.evaluation.workspaces.plan import WorkspacePlan, plan_of
from rubric_core.evaluation.workspaces.programs import VARIABLE, clone, require, run_hook
from rubric_core.evaluation.workspaces.snapshot import Snapshot, changes, take
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.ports import Directories, Ports
from rubric_core.syntax.plain_data import plain

__all__ = ["CaseWorkspace", "Workspaces"]


@dataclass
class CaseWorkspace:
    """The directory in which the target of one case works."""

    path: Path
    directories: Directories = field(repr=False)
    #: Additional environment variables for programs in it.
    variables: Mapping[str, str] = field(default_factory=dict)
    #: Whether the case did not pass; set by the caller.
    failed: bool = False
    _before: Snapshot = field(default_factory=dict, repr=False)

    async def changes(self) -> str:
        """A unified diff of the changes; in a shared workspace, since the first case began."""
        return await in_thread(lambda: changes(self._before, take(self.path, self.directories)))


@dataclass
class _Base:
    """The directory in which the cases of one plan work, or of which they get copies."""

    plan: WorkspacePlan
    #: A directory that contains all of it; None while it has none.
    home: Path | None = None
    path: Path = field(default_factory=Path)
    #: Why it cannot be used.
    trouble: str = ""
    begun: bool = False
    #: Whether `before_all` has been started, so that `after_all` has to be.
    prepared: bool = False
    failed: bool = False
    #: What was in it when the first case began.
    before: Snapshot | None = None
    #: One case at a time.
    room: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def place(self) -> Path | None:
        """The workspace; None if there are only hooks."""
        return None if self.plan.hooks_only else self.path


class Workspaces:
    """The workspaces of a run.

    Args:
        ports: The outside world.
        keep: Which workspaces remain after the run.
        notice: Called with a message about a failure that concerns no particular case.
    """

    def __init__(
        self, ports: Ports, keep: KeepWorkspaces = "never", notice: Callable[[str], None] = lambda _: None
    ) -> None:
        self._secrets = GrowingRedactor()
        self._ports = seal(ports, self._secrets)
        self._keep = keep
        self._notice = notice
        self._bases: dict[WorkspacePlan, _Base] = {}
        #: The id of the run, for hooks that separate runs.
        self._id = str(uuid.uuid4())

    @asynccontextmanager
    async def lend(self, case: Runnable) -> AsyncIterator[CaseWorkspace | None]:
        """Lend a case its workspace; None if its suite asks for none. Raises Unscored if it cannot be created.

        A workspace that cases share is lent to one of them at a time.
        """
        self._secrets.add(case.facts.secrets)
        targets = shared_targets(case, self._ports.files)
        target = target_name(case.suite, case.options.target, targets)
        plan = plan_of(case, self._ports.files, self._answering(case, targets, target))
        if plan is None:
            yield None
            return
        base = self._bases.setdefault(plan, _Base(plan))
        hook_input = self._case_facts(case, plan)
        if plan.hooks_only:
            base.path = case.directory
            async with base.room:
                await self._begin(base)
            async with self._around(base, hook_input):
                yield None
            return
        if not plan.per_test:
            async with base.room:
                await self._begin(base)
                async with self._case_workspace(base, base.path, hook_input) as workspace:
                    yield workspace
            return
        async with base.room:
            await self._begin(base)
        home = self._ports.directories.create("rubric-workspace-")
        kept = False
        try:
            await self._copied(base, home / "workspace")
            async with self._case_workspace(base, home / "workspace", hook_input) as workspace:
                yield workspace
            kept = self._stays(plan, workspace.failed)
        except Unscored:
            kept = self._stays(plan, failed=True)
            raise
        finally:
            await self._keep_or_remove(home, home / "workspace", kept=kept)

    def _case_facts(self, case: Runnable, plan: WorkspacePlan) -> Mapping[str, object]:
        """The input of hooks around a case. Raises Unscored if the case's input cannot be read."""
        if not any(name.endswith("_each") for name, _ in plan.hooks):
            return {"test_id": case.id}
        inputs = prompt_inputs(
            case.suite, case.case, case.directory, self._ports.files, case.anchors, case.dialect.properties
        )
        metadata = plain(case.case.metadata, case.anchors) or None
        return {"test_id": case.id, "eval_run_id": self._id, "case_input": inputs.question, "case_metadata": metadata}

    def _answering(self, case: Runnable, targets: Targets, name: str) -> AnsweringTarget:
        known = case.environment
        ports = self._ports if known is None else replace_fields(self._ports, environment=known)
        return targets.answering(name, ports)

    @asynccontextmanager
    async def _around(self, base: _Base, hook_input: Mapping[str, object]) -> AsyncIterator[None]:
        """Hooks around a case that works nowhere in particular."""
        await self._run("before_each", base, None, hook_input)
        try:
            yield
        except Unscored:
            await self._after_hooks(base, hook_input)
            raise
        await self._after_hooks(base, hook_input)

    async def _after_hooks(self, base: _Base, hook_input: Mapping[str, object]) -> None:
        try:
            await self._run("after_each", base, None, hook_input)
        except Unscored as problem:
            self._notice(f"{hook_input['test_id']}: {problem}")

    def _suite_facts(self) -> Mapping[str, object]:
        """The input of hooks around all cases."""
        return {"eval_run_id": self._id, "case_input": None, "case_metadata": None}

    async def _run(self, name: str, base: _Base, path: Path | None, hook_input: Mapping[str, object]) -> None:
        """Run the hooks of that name. Raises Unscored for the first that fails."""
        for hook in base.plan.at(name):
            await run_hook(name, hook, path, base.plan, self._ports, hook_input)

    async def close(self, *, hooks: bool = True) -> None:
        """Run the hooks after the last case and delete the workspaces; without `hooks` after an interruption."""
        for base in self._bases.values():
            try:
                if hooks and base.prepared:
                    await self._run("after_all", base, base.place, self._suite_facts())
            except Unscored as problem:
                self._notice(problem.reason)
            finally:
                if base.home is not None:
                    kept = not base.plan.per_test and self._stays(base.plan, base.failed)
                    await self._keep_or_remove(base.home, base.path, kept=kept)
        self._bases.clear()

    def _stays(self, plan: WorkspacePlan, failed: bool) -> bool:
        return plan.keep or self._keep == "all" or (failed and self._keep == "failed")

    async def _keep_or_remove(self, home: Path, path: Path, *, kept: bool) -> None:
        if kept:
            self._notice(f"the workspace is kept: {path}")
        else:
            await in_thread(lambda: self._ports.directories.remove(home))

    # What all cases of a plan start from

    async def _begin(self, base: _Base) -> None:
        """Make it, once. Raises Unscored, the next time as well."""
        if base.trouble:
            raise Unscored(base.trouble)
        if base.begun:
            return
        base.begun = True
        try:
            await self._make(base)
            base.prepared = True
            await self._run("before_all", base, base.place, self._suite_facts())
            if _resets(base.plan) and base.home is not None:
                await self._copy(base.path, base.home / "pristine")
        except Unscored as problem:
            base.trouble = problem.reason
            raise
        except OSError as error:
            base.trouble = f"the workspace cannot be created: {error} ({base.plan.where})"
            raise Unscored(base.trouble) from None

    async def _make(self, base: _Base) -> None:
        plan = base.plan
        await require(plan, self._ports)
        if plan.hooks_only:
            return
        if plan.existing is not None:
            base.path = plan.existing
        else:
            base.home = self._ports.directories.create("rubric-workspace-")
            base.path = base.home / "workspace"
            if plan.template is None:
                self._ports.directories.make(base.path)
            else:
                for link in self._ports.directories.links(plan.template, ()):
                    refuse_environment_file(link)
                await self._copy(plan.template, base.path)
        for repo in plan.repos:
            await clone(repo, base.path, self._ports)

    async def _copy(self, source: Path, target: Path) -> None:
        """Copy a directory. Raises OSError."""
        await in_thread(lambda: self._ports.directories.copy(source, target))

    async def _copied(self, base: _Base, path: Path) -> None:
        try:
            await self._copy(base.path, path)
        except OSError as error:
            raise Unscored(f"the workspace cannot be copied: {error} ({base.plan.where})") from None

    # One case

    @asynccontextmanager
    async def _case_workspace(
        self, base: _Base, path: Path, hook_input: Mapping[str, object]
    ) -> AsyncIterator[CaseWorkspace]:
        """A workspace with the hooks of one case around it."""
        await self._run("before_each", base, path, hook_input)
        variables = {**dict(base.plan.variables), VARIABLE: str(path)}
        workspace = CaseWorkspace(path, self._ports.directories, variables, _before=await self._before(base, path))
        try:
            yield workspace
        except Unscored:
            workspace.failed = True
            await self._after(base, workspace, hook_input)
            raise
        await self._after(base, workspace, hook_input)

    async def _before(self, base: _Base, path: Path) -> Snapshot:
        """The state that changes are found against: for cases that share a workspace the one before the first case, unless a hook reset it."""
        if path == base.path and base.before is not None and not any(h.command for h in base.plan.at("before_each")):
            return base.before
        taken = await in_thread(lambda: take(path, self._ports.directories))
        if path == base.path and base.before is None:
            base.before = taken
        return taken

    async def _after(self, base: _Base, workspace: CaseWorkspace, hook_input: Mapping[str, object]) -> None:
        base.failed |= workspace.failed
        try:
            await self._run("after_each", base, workspace.path, hook_input)
            if _resets(base.plan) and base.home is not None and workspace.path == base.path:
                if self._stays(base.plan, workspace.failed):
                    home = self._ports.directories.create("rubric-workspace-")
                    await self._copy(workspace.path, home / "workspace")
                    self._notice(f"the workspace of {hook_input['test_id']} is kept: {home / 'workspace'}")
                await restore_directory(
                    workspace.path,
                    base.home / "pristine",
                    self._ports.directories,
                    strict=_resets(base.plan) == "strict",
                )
        except (Unscored, OSError) as problem:
            self._notice(f"{hook_input['test_id']}: {problem}")


def _resets(plan: WorkspacePlan) -> str:
    """How the workspace is reset after each case: "fast", "strict", or not at all."""
    found = {hook.reset for name, hook in plan.hooks if name.endswith("_each")}
    return "strict" if "strict" in found else "fast" if "fast" in found else ""
