"""`rubric trust [FOLDER]`: allow suites in a folder to be run from an editor, take that back, or list such folders."""

import argparse
import sys
from pathlib import Path

from rubric_core.trust import Trust

__all__ = ["add_arguments", "main"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric trust`."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the folder to trust; this one without"
    )
    parser.add_argument("--remove", action="store_true", help="trust it no longer")
    parser.add_argument("--list", action="store_true", help="list what is trusted")


def main(options: argparse.Namespace) -> int:
    """Change or list what is trusted. Exit code 2 for a folder that does not exist."""
    trust = Trust()
    if options.list:
        for folder in trust.folders():
            print(folder)
        return 0
    if not options.folder:
        print("rubric: an empty name is no folder; write . for the current one", file=sys.stderr)
        return 2
    folder = Path(options.folder)
    if options.remove:
        print(f"{trust.remove(folder)} is not trusted any more")
        return 0
    if not folder.is_dir():
        print(f"rubric: {folder} is no folder", file=sys.stderr)
        return 2
    print(
        f"{trust.add(folder)} is trusted: its suites can be run from the editor (rubric trust --remove takes it back)"
    )
    return 0
