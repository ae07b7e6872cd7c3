"""`rubric explain [CODE]`: the page of a code, or the table of all codes."""

import argparse
import shutil
import sys

from rubric_core.analysis import Language
from rubric_core.cli.terminal_markdown import render_markdown
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.language.closest_name import closest
from rubric_core.language.departures import departures_section

__all__ = ["add_arguments", "main"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric explain`."""
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="a code such as overlapping-bands (default: list all codes)"
    )


def main(options: argparse.Namespace) -> int:
    """Print the page. Exit code 2 for a code that does not exist."""
    language = Language()
    if options.code is None:
        _table(language)
        return 0
    rule = language.rule(options.code)
    if rule is None:
        meant = closest(options.code, [r.code for r in language.rules])
        advice = f"; did you mean {meant}?" if meant else "; `rubric explain` lists them all"
        print(f"rubric: there is no code {options.code}{advice}", file=sys.stderr)
        return 2
    departures = departures_section(rule.code)
    page = rule.page.read_text(encoding="utf-8") + (f"\n{departures}" if departures else "")
    # Whoever pipes it into a file or a viewer wants the Markdown.
    print(
        render_markdown(page, TerminalStyle.of(), shutil.get_terminal_size().columns)
        if sys.stdout.isatty()
        else page.rstrip()
    )
    return 0


def _table(language: Language) -> None:
    style = TerminalStyle.of()
    widest = max(len(r.code) for r in language.rules)
    for rule in sorted(language.rules, key=lambda r: r.code):
        severity = style.paint(rule.severity.ljust(11), rule.severity)
        print(f"{style.paint(rule.code.ljust(widest), 'bold')}  {severity}  {rule.summary}")
    if sys.stdout.isatty():
        print(f"\n{len(language.rules)} codes · rubric explain CODE explains one")
