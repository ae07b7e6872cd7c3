"""`rubric explain [CODE]`: the page of a code, the table of all codes, or the reference of a dialect."""

import argparse
import shutil
import sys
from typing import Any

from rubric_core.analysis import Language
from rubric_core.cli.terminal_markdown import render_markdown
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.family import FAMILIES
from rubric_core.language.closest_name import closest
from rubric_core.language.departures_page import departures_section
from rubric_core.language.dialects import dialect_named
from rubric_core.language.family_reference import reference_of
from rubric_core.validation.codes import codes_in, family_codes
from rubric_core.validation.rule import Rule

__all__ = ["add_arguments", "main", "page_of", "unknown_code"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric explain`."""
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="a code such as overlapping-bands (default: list all codes)"
    )
    parser.add_argument(
        "--language",
        choices=[name for family in FAMILIES for name in family.dialects],
        metavar="DIALECT",
        help="print the reference of a dialect as one Markdown page, sized for the context of a model",
    )


def main(options: argparse.Namespace) -> int:
    """Print the page. Exit code 2 for an unknown code."""
    if options.language is not None:
        if options.code is not None:
            print("rubric: --language explains a whole dialect; leave out the code", file=sys.stderr)
            return 2
        _show(reference_of(dialect_named(options.language)))
        return 0
    language = Language()
    if options.code is None:
        _table(language)
        return 0
    page = page_of(options.code, language)
    if page is None:
        print(f"rubric: {unknown_code(options.code, language)}", file=sys.stderr)
        return 2
    _show(page)
    return 0


def page_of(code: str, language: Language) -> str | None:
    """The page of a code with the related departures; None for an unknown code."""
    rule = language.rule(code)
    if rule is None:
        return None
    page = rule.page.read_text(encoding="utf-8")
    # They are departures from agentv, which reads no file of another family.
    departures = departures_section(rule.code)
    return "\n".join(part for part in (page, _related(rule), departures) if part)


def _related(rule: Rule[Any]) -> str:
    """The codes of families that belong to a rule, as a section of its page; of one of these, a sentence about its rule."""
    if rule.code != rule.group:
        return f"`{rule.group}` selects and ignores it together with the others of its group.\n"
    own = [f"- `{each.code}`: {each.summary}" for each in codes_in(rule.code)]
    return "\n".join(["## Codes of its group", "", *own, ""]) if own else ""


def unknown_code(code: str, language: Language) -> str:
    """The message for an unknown code."""
    meant = closest(code, language.codes)
    advice = f"; did you mean {meant}?" if meant else "; `rubric explain` lists them all"
    return f"there is no code {code}{advice}"


def _show(page: str) -> None:
    """Print a page; as Markdown if it is piped."""
    drawn = sys.stdout.isatty()
    print(render_markdown(page, TerminalStyle.of(), shutil.get_terminal_size().columns) if drawn else page.rstrip())


def _table(language: Language) -> None:
    style = TerminalStyle.of()
    rules = [*language.rules, *(each for family in FAMILIES for each in family_codes(family.name))]
    widest = max(len(rule.code) for rule in rules)
    for rule in sorted(rules, key=lambda rule: ("/" in rule.code, rule.code)):
        severity = style.paint(rule.severity.ljust(11), rule.severity)
        print(f"{style.paint(rule.code.ljust(widest), 'bold')}  {severity}  {rule.summary}")
    if sys.stdout.isatty():
        print(f"\n{len(rules)} codes · rubric explain CODE explains one")
