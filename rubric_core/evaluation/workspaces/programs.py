"""Programs that create and prepare workspaces: hooks, git, and installers."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from rubric_core.evaluation.code.commands import (
    ProgramError,
    argv_of,
    ended_words,
    failure_words,
    json_input,
    last_words,
    run_program,
)
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.model.variables import Variables
from rubric_core.evaluation.scoring.json_path import json_text
from rubric_core.evaluation.workspaces.hooks import HookPlan
from rubric_core.evaluation.workspaces.plan import RepoPlan, WorkspacePlan
from rubric_core.isolated_python import OWN_IMPORTS_FIRST
from rubric_core.loading.directory_search import current_directory
from rubric_core.loading.files import absolute
from rubric_core.ports import Finished, Ports, Program
from rubric_core.program_lookup import find_program

__all__ = ["VARIABLE", "clone", "require", "run_hook"]

#: Tells programs where the workspace is.
VARIABLE = "AGENTV_WORKSPACE_PATH"
_OUTPUT_LIMIT = 1_000_000
_CLONE_SECONDS = 600.0
_NAME = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_FINDS = (
    "import sys; folders = sys.path[:]\n"
    f"{OWN_IMPORTS_FIRST}\n"
    "import importlib.util; sys.path[:] = folders; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)"
)


async def _run(ports: Ports, program: Program, where: str, what: str = "") -> Finished:
    try:
        return await run_program(program, ports.processes)
    except ProgramError as error:
        raise Unscored(f"{what}{error} ({where})") from None


async def require(plan: WorkspacePlan, ports: Ports) -> None:
    """Raises Unscored for the first program or Python module that is not installed."""
    for name in plan.commands:
        if find_program(name, _base(), ports.environment) is None:
            raise Unscored(f"the workspace needs the program {name}, which is not installed ({plan.where})")
    for name in plan.modules:
        program = Program(("python3", "-c", _FINDS, name), _base(), time_limit=30)
        if (await _run(ports, program, plan.where)).exit_code:
            raise Unscored(f"the workspace needs the Python module {name}, which is not installed ({plan.where})")


def _base() -> Path:
    return current_directory() or Path("/")


async def clone(repo: RepoPlan, workspace: Path, ports: Ports) -> None:
    """Put a repository into a workspace. Raises Unscored."""
    place = absolute(workspace / repo.path)
    if workspace not in place.parents:
        raise Unscored(f"the repository {repo.path} would be outside the workspace ({repo.where})")
    sparse = ("--sparse",) if repo.sparse else ()
    await _git(("clone", "--quiet", "--no-hardlinks", *sparse, "--", repo.source, str(place)), workspace, repo, ports)
    if repo.sparse:
        await _git(("sparse-checkout", "set", *repo.sparse), place, repo, ports)
    if repo.ref or repo.ancestor:
        ref = f"{repo.ref or 'HEAD'}{f'~{repo.ancestor}' if repo.ancestor else ''}"
        await _git(("-c", "advice.detachedHead=false", "checkout", "--quiet", ref, "--"), place, repo, ports)


async def _git(arguments: tuple[str, ...], cwd: Path, repo: RepoPlan, ports: Ports) -> None:
    variables = {"GIT_TERMINAL_PROMPT": "0"}
    program = Program(("git", *arguments), cwd, environment=variables, time_limit=_CLONE_SECONDS)
    finished = await _run(ports, program, repo.where)
    if finished.exit_code:
        said = last_words(finished.stderr)
        what = next(a for a in arguments if a in ("clone", "checkout", "sparse-checkout"))
        raise Unscored(f"git {what} of {repo.source} failed: {said} ({repo.where})")


async def run_hook(
    name: str, hook: HookPlan, workspace: Path | None, plan: WorkspacePlan, ports: Ports, told: Mapping[str, object]
) -> None:
    """Run a hook, which reads the path of the workspace and `told` from its standard input. Raises Unscored if it fails."""
    if not hook.command:
        return  # it only says how the workspace is reset
    path = None if workspace is None else str(workspace)
    known = {"workspace_path": path, "test_id": f"__{'target_' if hook.of_target else ''}{name}__", **told}
    stdin = json_input(known)
    variables = dict(plan.variables) if path is None else {**dict(plan.variables), VARIABLE: path}
    cwd = workspace if workspace is not None and hook.cwd == Path() else hook.cwd
    argv = argv_of(_filled(hook.command, known), Variables(variables, ports.environment))
    program = Program(argv, cwd, stdin, variables, hook.time_limit, _OUTPUT_LIMIT)
    finished = await _run(ports, program, hook.where, f"the hook {name}: ")
    if finished.exit_code:
        said = failure_words(finished)
        end = ended_words(finished.exit_code)
        raise Unscored(f"the hook {name} {end}{f': {said}' if said else ''} ({hook.where})")


def _filled(command: tuple[str, ...] | str, known: Mapping[str, object]) -> tuple[str, ...] | str:
    """A command with its placeholders filled in; quoted for a shell."""
    words = {name: _word(value) for name, value in known.items()}
    if isinstance(command, str):
        return _NAME.sub(lambda m: shlex.quote(words[m[1]]) if m[1] in words else m[0], command)
    return tuple(_NAME.sub(lambda m: words.get(m[1], m[0]), part) for part in command)


def _word(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)
