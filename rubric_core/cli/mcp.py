"""`rubric mcp [FOLDER]`: a server of the Model Context Protocol for coding agents, on standard input and output."""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["add_arguments", "main"]

DONE, WRONG_USE = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric mcp`."""
    parser.description = (
        "Serve coding agents by the Model Context Protocol, on standard input and output, until the client leaves."
    )
    parser.epilog = "Runs a case only in a folder that `rubric trust` allows. docs/agents.md lists the tools."
    parser.add_argument(
        "folder",
        nargs="?",
        default=".",
        metavar="FOLDER",
        help="the only folder that is read (default: the current one)",
    )


def main(options: argparse.Namespace) -> int:
    """Serve. Exit code 2 for a folder that does not exist, and without the extra `mcp`."""
    if find_spec("mcp") is None:
        print("rubric: `rubric mcp` needs the package mcp: pip install 'mcp>=2'", file=sys.stderr)
        return WRONG_USE
    folder = Path(options.folder)
    if not options.folder or not folder.is_dir():
        print(f"rubric: {options.folder or 'an empty name'} is not a folder", file=sys.stderr)
        return WRONG_USE
    from rubric_lsp.mcp.server import serve  # noqa: PLC0415  # the SDK is an extra, and loads a web server

    serve(folder)
    return DONE
