"""Hooks: the programs around cases, as a suite or a target names them."""

from collections.abc import Iterator
from pathlib import Path

from rubric_core.evaluation.workspaces.declared import DeclaredWorkspace
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Hook, Hooks
from rubric_core.lazy_compilation import dataclass, field

__all__ = ["HOOKS", "HookPlan", "command_in", "hooks_in", "seconds_in"]

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
    #: Its place, for messages: "line 4".
    where: str = field(compare=False)
    #: Whether it belongs to a target.
    of_target: bool = False


def hooks_in(written: DeclaredWorkspace, block: object) -> Iterator[tuple[str, HookPlan]]:
    """The hooks of a block, or of a workspace with hooks beside its other keys, with their names."""
    if isinstance(block, Hooks) and block.enabled is False:
        return
    for name in HOOKS if isinstance(block, Shape) else ():
        hook = vars(block).get(name)
        if isinstance(hook, Hook):
            yield name, _hook(hook, written)


def _hook(hook: Hook, written: DeclaredWorkspace) -> HookPlan:
    cwd = written.directory
    if isinstance(hook.cwd, str) and "{{" not in hook.cwd:
        # Without that directory the program cannot be started, which stops nothing after the cases.
        cwd = written.find_directory(hook.cwd) or written.directory / hook.cwd
    return HookPlan(
        command_in(hook.command), cwd, seconds_in(hook.timeout_ms), hook.reset or "none", written.where(hook)
    )


def command_in(value: object) -> tuple[str, ...] | str:
    """A command: a text for a shell, or a list of arguments."""
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else str(value or "")


def seconds_in(milliseconds: object) -> float:
    """The time limit of a program, in seconds."""
    return milliseconds / 1000 if isinstance(milliseconds, int | float) else _SECONDS
