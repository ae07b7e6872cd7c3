"""`rubric trust [FOLDER]`: allow suites in a folder to run from editors, revoke that, or list such folders."""

import argparse
import sys
from pathlib import Path

from rubric_core.trust import Trust, is_wide

__all__ = ["add_arguments", "main"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric trust`."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the folder to trust (default: the current one)"
    )
    parser.add_argument(
        "--yes", action="store_true", help="trust even a folder that holds more than suites, such as the home folder"
    )
    wish = parser.add_mutually_exclusive_group()
    wish.add_argument("--remove", action="store_true", help="stop trusting it")
    wish.add_argument("--list", action="store_true", help="list trusted folders")


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
    trust.remove(folder)  # so that its next run is its first
    print(f"{trust.add(folder)} is trusted: its suites can be run from the editor (undo with rubric trust --remove)")
    return 0


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
