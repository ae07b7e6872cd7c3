"""`rubric check PATH…`: what is wrong in suites, as code frames or JSON; with --fix, mended."""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.cli.frames import frame
from rubric_core.cli.style import Style
from rubric_core.fixing import fixed, safe_fix
from rubric_core.loading.files import UnreadableError, find_suites, read_text
from rubric_core.text import Span
from rubric_core.validation.words import count

__all__ = ["add_arguments", "as_json", "main"]

CLEAN, FOUND, UNREADABLE = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric check`."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a suite, or a folder to look for suites in")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text with code frames, or JSON")
    parser.add_argument(
        "--dialect", metavar="NAME", help="the dialect to read files in that do not name one themselves"
    )
    parser.add_argument("--fix", action="store_true", help="make every safe fix first")


@dataclass(frozen=True, slots=True)
class _Checked:
    path: str
    analysis: Analysis


def main(options: argparse.Namespace) -> int:
    """Check everything named. Exit code 1 for an error among the findings, 2 for a file that cannot be read."""
    begun = time.monotonic()
    language = Language()
    if options.dialect is not None and options.dialect not in {d.name for d in language.dialects}:
        known = ", ".join(d.name for d in language.dialects)
        print(f"rubric: there is no dialect {options.dialect}; there are {known}", file=sys.stderr)
        return UNREADABLE
    checked: list[_Checked] = []
    unreadable = False
    for path in _paths(options.paths):
        try:
            checked.append(_Checked(path, _check(path, language, options)))
        except UnreadableError as error:
            unreadable = True
            print(f"rubric: {error}", file=sys.stderr)
    if options.format == "json":
        print(
            json.dumps(
                [row for each in checked for row in as_json(each.path, each.analysis)], ensure_ascii=False, indent=2
            )
        )
    else:
        _print(checked, time.monotonic() - begun)
    if unreadable:
        return UNREADABLE
    return FOUND if any(d.severity == "error" for each in checked for d in each.analysis.diagnostics) else CLEAN


def _paths(named: Sequence[str]) -> Iterator[str]:
    for name in named:
        path = Path(name)
        if path.is_dir():
            yield from map(str, find_suites(path))
        else:
            yield name


def _check(path: str, language: Language, options: argparse.Namespace) -> Analysis:
    text = read_text(Path(path))
    if not options.fix:
        return analyze(language.document(text), language, dialect=options.dialect)
    analysis = fixed(text, language, dialect=options.dialect)
    if analysis.document.text != text:
        Path(path).write_bytes(analysis.document.text.encode())
    return analysis


def as_json(path: str, analysis: Analysis) -> list[dict[str, object]]:
    """The diagnostics of one file as plain data; positions are 0-based and count UTF-16 units, as in LSP."""

    def place(span: Span) -> dict[str, object]:
        start, end = analysis.document.range(span)
        return {
            "start": {"line": start.line, "character": start.character},
            "end": {"line": end.line, "character": end.character},
        }

    return [
        {
            "path": path,
            "code": d.code,
            "severity": d.severity,
            "message": d.message,
            "range": place(d.span),
            "fixes": [
                {"title": f.title, "edits": [{"range": place(e.span), "newText": e.new_text} for e in f.edits]}
                for f in d.fixes
            ],
        }
        for d in analysis.diagnostics
    ]


def _print(checked: Sequence[_Checked], seconds: float) -> None:
    style = Style.of()
    for each in checked:
        for diagnostic in each.analysis.diagnostics:
            print(frame(each.path, each.analysis.document, diagnostic, style))
            print()
    print(_summary(checked, seconds))


def _summary(checked: Sequence[_Checked], seconds: float) -> str:
    found = [d for each in checked for d in each.analysis.diagnostics]
    suites = count(len(checked), "suite")
    if not found:
        return f"no findings in {suites} · {seconds:.2f} s"
    amounts = [(sum(d.severity == s for d in found), s) for s in ("error", "warning", "information", "hint")]
    words = ", ".join(count(n, s) if s != "information" else f"{n} information" for n, s in amounts if n)
    touched = sum(1 for each in checked if each.analysis.diagnostics)
    fixable = sum(1 for d in found if safe_fix(d))
    fix = f" · {fixable} fixable with --fix" if fixable else ""
    return f"{words} in {touched} of {suites}{fix} · {seconds:.2f} s"
