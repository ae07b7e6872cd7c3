"""`rubric check [PATH…]`: check suites, for people, editors and CI; with --fix, fix them."""

import argparse
import gc

from rubric_core.cli.last_report import LastReport

__all__ = ["FORMATS", "add_arguments", "main"]

#: See `printing`, which is imported only if something new is printed.
FORMATS = ("text", "json", "sarif", "github", "agent")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric check`."""
    parser.epilog = "Exit code: 0 clean, 1 findings of severity error or more warnings than allowed, 2 usage error or unreadable input."
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="a suite, a folder to look for suites in, a pattern, or - for standard input (default: the current folder)",
    )
    add(
        "--format",
        choices=FORMATS,
        default="text",
        help="code frames for people, JSON, SARIF 2.1.0, annotations of GitHub Actions, or a line per finding for coding agents",
    )
    add("--dialect", metavar="NAME", help="the dialect of files that do not name one")
    add("--select", metavar="CODE,…", action="append", help="show only these codes")
    add("--ignore", metavar="CODE,…", action="append", help="do not show these codes")
    add("--fix", action="store_true", help="apply every safe fix first")
    add("--diff", action="store_true", help="show what --fix would change, without changing it")
    add("--statistics", action="store_true", help="count findings per code")
    add("--strict", action="store_true", help="fail on warnings, too; same as --max-warnings 0")
    add("--max-warnings", metavar="N", type=_amount, help="fail when there are more than N warnings")
    add("-q", "--quiet", action="store_true", help="show only what fails the check, and no summary")
    add("-v", "--verbose", action="store_true", help="name the YAML files of a folder that are left out, and why")
    add("--no-cache", action="store_true", help="analyse every file, including unchanged ones")
    add("--watch", action="store_true", help="check again whenever a file changes; Ctrl-C ends it")
    add("--path", metavar="NAME", help="the file name to assume for standard input")


def _amount(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a number of warnings; write 0 or more")
    return int(text)


def main(options: argparse.Namespace) -> int:
    """Check everything named. Returns the exit code."""
    # Nearly everything that a check creates lives to its end; collecting garbage would double the time.
    gc.disable()
    try:
        last = LastReport(options)
        code = last.printed()
        if code is not None:
            return code
        from rubric_core.cli.check_command import check  # noqa: PLC0415  # more than half of the time of a small check

        return check(options, last)
    finally:
        # The process ends: its last collection would visit every object for nothing.
        gc.freeze()
        gc.enable()
