"""workspace-setting: settings of a workspace or environment that do not go together."""

from collections.abc import Iterator

from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Environment, Hook, Repo, Workspace
from rubric_core.text import Edit
from rubric_core.validation.fixes import FILL_IN, add_key_fix, remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["WORKSPACE_SETTING"]


@rule("workspace-setting", "error", "Settings of a workspace or environment that do not fit together", awaits="entry")
def WORKSPACE_SETTING(shape: Workspace | Repo | Environment, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """What agentv refuses, or does not do, when the place that the target works in is prepared."""
    if isinstance(shape, Workspace):
        yield from _workspace(shape, context)
    elif isinstance(shape, Repo):
        yield from _repo(shape, context)
    else:
        yield from _environment(shape, context)


def _workspace(workspace: Workspace, context: Context) -> Iterator[Finding]:
    hook = workspace.hooks.after_each if workspace.hooks is not None else None
    if workspace.isolation == "per_test" and isinstance(hook, Hook) and hook.reset not in (None, "none"):
        yield Finding(
            hook.at("reset"),
            "`reset` has nothing to reset with `isolation: per_test`",
            fixes=_gone(hook, "reset", context),
            consequence="every case has a workspace of its own",
            severity="warning",
        )
    if workspace.mode in ("pooled", "temp") and workspace.has("path"):
        yield Finding(
            workspace.key_at("path"),
            f"`path` is the directory of `mode: static`; with `mode: {workspace.mode}` agentv creates its own",
            fixes=_gone(workspace, "path", context),
            severity="warning",
        )
    if workspace.mode == "static" and not workspace.has("path"):
        yield Finding(
            workspace.at("mode"),
            "`mode: static` needs `path`: the directory to work in",
            fixes=() if workspace.borrowed else add_key_fix(workspace.node, "path", FILL_IN, context),
            consequence="" if workspace.repos else "agentv uses a temporary directory",
            severity=None if workspace.repos else "warning",
        )


def _repo(repo: Repo, context: Context) -> Iterator[Finding]:
    if repo.commit and repo.base_commit and repo.commit != repo.base_commit:
        yield Finding(
            repo.at("base_commit"),
            "`commit` and `base_commit` name different commits",
            fixes=(*_gone(repo, "base_commit", context), *_gone(repo, "commit", context)),
        )
    source, checkout, clone = repo.source, repo.checkout, repo.clone
    if source is not None and source.type == "local" and checkout is not None and checkout.has("resolve"):
        yield Finding(
            checkout.at("resolve"),
            "`resolve` has no effect on a local source",
            fixes=_gone(checkout, "resolve", context),
            severity="warning",
        )
    depth, ancestor = (clone.depth if clone else None), (checkout.ancestor if checkout else None)
    if clone is not None and isinstance(depth, int) and isinstance(ancestor, int) and depth < ancestor + 1:
        yield Finding(
            clone.at("depth"),
            f"a depth of {depth} does not reach back {ancestor} commits; it takes {ancestor + 1}",
            fixes=()
            if clone.places["depth"].borrowed
            else (Fix(f"write {ancestor + 1}", (Edit(clone.at("depth"), str(ancestor + 1)),), safe=False),),
            severity="warning",
        )


def _environment(environment: Environment, context: Context) -> Iterator[Finding]:
    if environment.type == "docker" and not environment.has("image") and not environment.has("context"):
        yield Finding(
            environment.at("type"),
            "a container needs `image`, or `context` to build one from",
            fixes=() if environment.borrowed else add_key_fix(environment.node, "image", FILL_IN, context),
        )
    if environment.type == "host":
        for field in Environment.CONTAINER_KEYS:
            if environment.has(field):
                yield Finding(
                    environment.key_at(field),
                    f"`{field}` is a key of containers; this environment is a host",
                    fixes=_gone(environment, field, context),
                )


def _gone(shape: Shape, field: str, context: Context) -> tuple[Fix, ...]:
    place = shape.places[field]
    return () if place.borrowed else remove_key_fix(shape.node, place.name, context)
