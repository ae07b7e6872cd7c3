"""`rubric init` in a repository of promptfoo: prints what to do, or writes a first configuration."""

import shlex
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from rubric_core.atomic_write import write_new_file
from rubric_core.cli.init_plan import RefusedError
from rubric_core.families.promptfoo.language.reference import PROMPTFOO_EXAMPLE

__all__ = ["point_to", "write_first"]

_NAME = "promptfooconfig.yaml"
#: The maximum number that is listed.
_MOST_SHOWN = 5


def point_to(configurations: Iterable[str]) -> int:
    """Check the existing configurations, and print the next steps. Returns the exit code."""
    found = list(islice(configurations, _MOST_SHOWN + 1))
    shown = found[:_MOST_SHOWN]
    more = " and more" if len(found) > _MOST_SHOWN else ""
    print(f"This is a repository of promptfoo: {', '.join(shown)}{more}")
    print("rubric reads these configurations as they are; nothing was written.")
    first = shlex.quote(shown[0])
    _call(["check", *shown])
    print("\nNext:")
    print(f"  rubric check {first}   what is wrong in it, and what promptfoo swallows")
    print(f"  rubric run {first}   the same rows and scores as promptfoo, for what rubric runs")
    print("  rubric init --test example   a first suite of AgentV beside it")
    print(
        "Editors with rubric open these files by themselves. https://promptfoo.dev has the documentation of promptfoo."
    )
    return 0


def write_first(folder: Path) -> int:
    """Write a first configuration, check it and run it, offline. Returns the exit code. Raises RefusedError."""
    path = folder / _NAME
    if path.exists() or path.is_symlink():
        raise RefusedError(f"{path} exists already; nothing was written. Choose another FOLDER")
    try:
        write_new_file(path, PROMPTFOO_EXAMPLE.encode())
    except OSError as error:
        raise RefusedError(f"{path} cannot be written: {error.strerror or error}; nothing was written") from error
    print(f"wrote    {path}")
    code = _call(["check", str(path)]) or _call(["run", str(path)])
    print("\nNext: put your provider in the place of echo, and your cases in the place of this one")
    return code


def _call(command: list[str]) -> int:
    """Print and run a command of rubric."""
    from rubric_core.cli import main as rubric  # noqa: PLC0415  # it imports this module when asked for this command

    print(f"\n$ rubric {shlex.join(command)}", flush=True)
    return rubric(command)
