"""The changes of each dialect in the other files around a suite, and in workspaces."""

from rubric_core.language.changes import adds, drops, requires, tolerates, unrequires
from rubric_core.language.dialect import Change, SpellingStatus
from rubric_core.language.file_kinds import (  # fmt: skip
    CaseFile,
    Config,
    ConfigExecution,
    ConfigHooks,
    Export,
    LoneCase,
    ResultsBlock,
    Sidecar,
    Template,
)
from rubric_core.language.releases import Release
from rubric_core.language.targets import Defaults
from rubric_core.language.workspace import (  # fmt: skip
    Checkout,
    Clone,
    Container,
    Environment,
    Hook,
    Hooks,
    Mount,
    Repo,
    RepoSource,
    Requirements,
    Resources,
    Setup,
    Workspace,
)

__all__ = ["AROUND_0_5", "AROUND_1", "AROUND_2_7", "AROUND_3", "AROUND_5"]

_HOOKS = ("before_all", "before_each", "after_each", "after_all")
_NEXT = "releases after 5.3 refuse it"

AROUND_0_5: tuple[Change, ...] = (
    adds(Config, "schema", "guideline_patterns"),
    requires(Config, "schema"),
    unrequires(Sidecar, "cases"),
    # The name of its directory is its name.
    unrequires(LoneCase, "id"),
    requires(CaseFile, "cases"),
)

AROUND_1: tuple[Change, ...] = (unrequires(Config, "schema"),)

AROUND_2_7: tuple[Change, ...] = (
    adds(Config, "eval_patterns", "execution"),
    tolerates(Config, "eval_patterns", "test_patterns", fate=SpellingStatus.IGNORED),
    adds(ConfigExecution),
    # Releases from 2.11 on read `isolation` and `repos`, those from 2.16 on the hooks under `hooks`, `mode` and `path`.
    adds(Workspace, "template", *_HOOKS, "isolation", "repos", "hooks", "mode", "path"),
    adds(Hooks),
    adds(Hook, "command", "cwd", "timeout_ms"),
    tolerates(Hook, "command", "script", fate=SpellingStatus.DEPRECATED),
    adds(Repo, "path", "source", "checkout", "clone"),
    adds(RepoSource),
    adds(Checkout),
    adds(Clone),
)

AROUND_3: tuple[Change, ...] = (
    drops(Config, "guideline_patterns", note="releases from 3.9 on have no guidelines"),
    adds(Config, "results", "hooks", "required_version"),
    adds(ResultsBlock),
    adds(Export),
    adds(ConfigHooks),
    adds(Template, "assertions"),
    tolerates(Template, "assertions", "assert", fate=SpellingStatus.ALIAS),
    adds(Workspace, "docker", "env"),
    *(
        tolerates(Workspace, name, name, fate=SpellingStatus.TOLERATED, note="write it under `hooks`")
        for name in _HOOKS
    ),
    *(
        tolerates(Workspace, name, name, fate=SpellingStatus.REJECTED, note="write `mode` and `path`")
        for name in ("static_path", "pool", "static")
    ),
    adds(Hook, "reset"),
    adds(Repo),
    *(
        tolerates(
            Repo,
            name,
            name,
            fate=SpellingStatus.LEAVING,
            note="agentv stops; write `repo` and `commit`",
            refused_from=Release(4, 26),
        )
        for name in ("source", "checkout", "clone")
    ),
    adds(Container),
    adds(Requirements),
)

AROUND_5: tuple[Change, ...] = (
    tolerates(Hook, "command", "script", fate=SpellingStatus.REJECTED, note="agentv rejects the file"),
    # The description file of a data set is not required to be a suite.
    *(tolerates(Sidecar, name, name, fate=SpellingStatus.ALIAS) for name in ("dataset", "execution", "evaluator")),
    adds(
        Config, "providers", "graders", "tests", "defaults", "default_test", "repo_resolvers", "refs", "projects", "dashboard", "studio", "env_path",
        "env_from",
    ),
    tolerates(Config, "targets", "targets", fate=SpellingStatus.LEAVING, note=f"{_NEXT}; write `providers`"),
    adds(Template, assertions="assert"),
    tolerates(Template, "assertions", "assertions", fate=SpellingStatus.REJECTED, note="agentv rejects the file"),
    tolerates(Defaults, "provider", "target", fate=SpellingStatus.LEAVING, note=_NEXT),
    adds(
        Environment, "type", "workdir", "setup", "env", "image", "context", "dockerfile", "resources", "mounts", "secrets",
    ),
    adds(Setup),
    adds(Mount),
    adds(Resources),
)  # fmt: skip
