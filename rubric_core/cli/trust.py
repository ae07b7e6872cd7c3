"""`rubric trust [FOLDER]`: show what suites in a folder do, allow that, revoke it, or list such folders."""

import argparse
import shlex
import sys
from pathlib import Path

from rubric_core.trust import Trust, is_wide, real_path
from rubric_core.validation.wording import count

__all__ = ["add_arguments", "main"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric trust`."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the folder to trust (default: the current one)"
    )
    parser.add_argument(
        "--yes", action="store_true", help="trust even a folder that holds more than suites, such as the home folder"
    )
    add = parser.add_argument
    add("--target", metavar="NAME", help="allow runs with this target, too, as for pytest with --rubric-target")
    add("--grader-target", metavar="NAME", help="allow runs with this judge, too")
    add("--targets", metavar="FILE", type=Path, help="allow runs with this targets file")
    parser.add_argument(
        "--make-cases",
        action="store_true",
        help="start the programs that make cases, and allow what these cases do, too",
    )
    wish = parser.add_mutually_exclusive_group()
    wish.add_argument("--remove", action="store_true", help="stop trusting it")
    wish.add_argument("--list", action="store_true", help="list trusted folders")


_AGAIN = """\
Anything else asks in an editor, and is refused by rubric mcp and pytest: another program, argument, directory, variable, host,
function or inline code, or another file outside of the folder. Changed prompts, answers and criteria do not, nor does a script that
changes behind the same command."""


def main(options: argparse.Namespace) -> int:
    """Change or list trusted folders. Exit code 1 for a folder that stays trusted, 2 for one that does not exist."""
    trust = Trust()
    if options.list:
        for folder in trust.folders():
            print(folder)
        return 0
    if not options.folder:
        print("rubric: an empty name is not a folder; write . for the current one", file=sys.stderr)
        return 2
    folder = Path(options.folder)
    if options.remove:
        return _removed(trust, folder)
    if not folder.is_dir():
        print(f"rubric: {folder} is not a folder", file=sys.stderr)
        return 2
    if is_wide(folder) and not options.yes and not _confirmed(folder):
        return 2
    if options.targets is not None and not options.targets.is_file():
        print(f"rubric: {options.targets} is not a file", file=sys.stderr)
        return 2
    _add(trust, real_path(folder), options)
    return 0


def _add(trust: Trust, folder: Path, options: argparse.Namespace) -> None:
    """Trust a folder, remember what its suites do, and print that."""
    from rubric_core.cli.folder_plan import plan_folder  # noqa: PLC0415  # what a run needs
    from rubric_core.cli.plan_output import plan_lines  # noqa: PLC0415
    from rubric_core.evaluation.cases.options import Options  # noqa: PLC0415

    choice = Options(target=options.target, grader_target=options.grader_target, targets_file=options.targets)
    plan, suites, missing = plan_folder(folder, choice, makes_cases=options.make_cases)
    trust.add(folder)
    trust.remember(folder, [plan])
    lines = list(plan_lines(plan, folder))
    if suites:
        does = "does" if suites == 1 else "do"
        what = "the following" if lines else "nothing outside of rubric"
        print(
            f"{folder} is trusted: {count(suites, 'suite')} {does} {what} when run from an editor, an agent or pytest."
        )
    else:
        print(f"{folder} is trusted: there is no suite in it yet.")
    for line in lines:
        print(f"  {line}")
    for line in missing:
        print(f"rubric: {line}", file=sys.stderr)
    print(_AGAIN)
    print(f"Undo it: rubric trust --remove {shlex.quote(str(folder))}")


def _confirmed(folder: Path) -> bool:
    """Whether the user confirms. Without a terminal, `--yes` has to be given."""
    print(
        f"rubric: every suite below {folder.resolve()} could then run programs and send files from an editor",
        file=sys.stderr,
    )
    if not sys.stdin.isatty():
        print("rubric: nothing was trusted; name the folder of the suites, or pass --yes", file=sys.stderr)
        return False
    print("Trust all of it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _removed(trust: Trust, folder: Path) -> int:
    known = trust.folders()
    real = trust.remove(folder)
    if trust.allows(real):
        above = next(each for each in trust.folders() if each in real.parents)
        print(f"rubric: {real} is trusted because it is inside {above}; rubric trust --remove {above}", file=sys.stderr)
        return 1
    print(f"{real} is not trusted any more" if real in known else f"{real} was not trusted")
    return 0
