"""`rubric view [RUN [RUN]]`: the page of a run in a browser, updated during the run."""

import argparse
import contextlib
import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from html import escape
from pathlib import Path

from rubric_core.cli.report import selected_runs
from rubric_core.cli.report_server import ReportServer
from rubric_core.evaluation.report_page.live_report import LiveReport
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.records import RunNotFoundError
from rubric_core.evaluation.results.store_errors import ResultStoreError

__all__ = ["add_arguments", "main"]

ENDED, USAGE_ERROR = 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric view`."""
    parser.epilog = (
        "RUN is as in `rubric report`. The page is served to this computer alone, until Ctrl-C; its address holds a secret. "
        "It only reads: nothing is run and nothing is changed."
    )
    parser.add_argument(
        "runs",
        nargs="*",
        metavar="RUN",
        help="the run to show, by default the last one and any that begins later; with two, the second compared with the first",
    )
    parser.add_argument("--no-open", action="store_true", help="print the address, and open no browser")


def main(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C. Returns the exit code."""
    database = ResultDatabase.at(Path.cwd())
    try:
        base, run = selected_runs(database, options.runs)
    except (RunNotFoundError, ResultStoreError, ValueError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return USAGE_ERROR
    report = LiveReport(database, base=base.id if base else "", run=run.id if options.runs else "")
    with ReportServer(report) as server, contextlib.suppress(KeyboardInterrupt):
        print(f"{server.address}  (Ctrl-C ends it)", flush=True)
        with _browser(server.address, wanted=not options.no_open and _has_screen()):
            server.serve_forever()
    return ENDED


def _has_screen() -> bool:
    """Whether a browser would open a window: a text browser would take over the terminal."""
    screen = sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.stdout.isatty() and bool(screen)


@contextlib.contextmanager
def _browser(address: str, *, wanted: bool) -> Iterator[None]:
    """Within this context, a browser is open. It is redirected by a private file: command lines are visible to others."""
    if not wanted:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="rubric-view-") as folder:  # readable by the owner alone
        page = Path(folder) / "open.html"
        page.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={escape(address)}">', "utf-8")
        webbrowser.open(page.as_uri())
        yield
