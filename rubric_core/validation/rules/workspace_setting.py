"""workspace-setting: settings of a workspace or environment that do not go together."""

from collections.abc import Iterator

from rubric_core.language.workspace import Environment, Hook, Repo, Workspace
from rubric_core.validation.rule import Context, Finding, rule

__all__ = ["WORKSPACE_SETTING"]


@rule("workspace-setting", "error", "Settings of a workspace or environment that do not go together")
def WORKSPACE_SETTING(shape: Workspace | Repo | Environment, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """What agentv refuses, or does not do, when the place that the target works in is prepared."""
    if isinstance(shape, Workspace):
        yield from _workspace(shape)
    elif isinstance(shape, Repo):
        yield from _repo(shape)
    else:
        yield from _environment(shape)


def _workspace(workspace: Workspace) -> Iterator[Finding]:
    hook = workspace.hooks.after_each if workspace.hooks is not None else None
    if workspace.isolation == "per_test" and isinstance(hook, Hook) and hook.reset not in (None, "none"):
        yield Finding(
            hook.at("reset"),
            "every case has a workspace of its own with `isolation: per_test`, so that there is nothing to put back",
            severity="warning",
        )
    if workspace.mode == "static" and not workspace.has("path"):
        yield Finding(workspace.at("mode"), "`mode: static` needs `path`: the directory to work in")


def _repo(repo: Repo) -> Iterator[Finding]:
    if repo.commit and repo.base_commit and repo.commit != repo.base_commit:
        yield Finding(repo.at("base_commit"), "`commit` and `base_commit` name different commits")
    source, checkout, clone = repo.source, repo.checkout, repo.clone
    if source is not None and source.type == "local" and checkout is not None and checkout.has("resolve"):
        yield Finding(
            checkout.at("resolve"), "a local source is never asked, so that `resolve` has no effect", severity="warning"
        )
    depth, ancestor = (clone.depth if clone else None), (checkout.ancestor if checkout else None)
    if clone is not None and isinstance(depth, int) and isinstance(ancestor, int) and depth < ancestor + 1:
        yield Finding(
            clone.at("depth"),
            f"a depth of {depth} does not reach back {ancestor} commits; it takes {ancestor + 1}",
            severity="warning",
        )


def _environment(environment: Environment) -> Iterator[Finding]:
    if environment.type == "docker" and not environment.has("image") and not environment.has("context"):
        yield Finding(environment.at("type"), "a container needs `image`, or `context` to build one from")
    if environment.type == "host":
        for field in Environment.CONTAINER_KEYS:
            if environment.has(field):
                yield Finding(
                    environment.key_at(field), f"`{field}` is a key of containers; this environment is a host"
                )
