"""`rubric format [PATH…]`: formats indentation and spacing, and changes nothing else."""

import argparse
import sys
from collections.abc import Iterator

from rubric_core.analysis import Language, analyze
from rubric_core.cli.source_writer import SourceWriter
from rubric_core.cli.sources import STANDARD_INPUT, Source, SourceCollector
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.cli.unified_diff import difference
from rubric_core.configuration import CONFIGURATION_FILES, Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.formatting import format_edits, obstacle
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.files import UnreadableError
from rubric_core.text import apply_edits
from rubric_core.validation.wording import count

__all__ = ["add_arguments", "main"]

DONE, WOULD_CHANGE, FAILED = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric format`."""
    parser.description = (
        "Format the indentation and spacing of suites. A file keeps its indentation step, quotes, comments, blank "
        "lines, aligned columns and meaning; a file with a syntax error is left untouched."
    )
    parser.epilog = (
        "Exit code: 0 done, 1 --check or --diff found a file to format, 2 usage error or a file that cannot be read."
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="a suite, a folder to look for suites in, a pattern, or - for standard input (default: the current folder)",
    )
    add("--check", action="store_true", help="list the files that would be formatted, without changing them")
    add("--diff", action="store_true", help="show the changes as a diff, without making them")
    add("--path", metavar="NAME", help="the file name to assume for standard input")


@dataclass(frozen=True, slots=True)
class _Formatted:
    source: Source
    before: str
    after: str
    #: Whether an obstacle kept it from being formatted.
    blocked: bool = False

    @property
    def changed(self) -> bool:
        return self.after != self.before


def main(options: argparse.Namespace) -> int:
    """Format everything named. Returns the exit code."""
    if options.path is not None and STANDARD_INPUT not in options.paths:
        print("rubric: --path needs standard input: pass - as well", file=sys.stderr)
        return FAILED
    language = Language()
    sources = SourceCollector(options.paths, Discovery(Configurations(language)), options.path)
    failures: list[str] = []
    done = [*_formatted(sources, language, failures)]
    writer = SourceWriter(options.paths)
    written = [each for each in done if _write(each, options, writer, failures)]
    for failure in (*sources.left_alone, *sources.failures, *failures):
        print(f"rubric: {failure}", file=sys.stderr)
    _summarise(done, len(written), options)
    if failures or sources.failures:
        return FAILED
    return WOULD_CHANGE if written and (options.check or options.diff) else DONE


def _formatted(sources: SourceCollector, language: Language, failures: list[str]) -> Iterator[_Formatted]:
    for source in sources.found():
        if source.path.name in CONFIGURATION_FILES:
            continue
        try:
            text = source.read()
        except UnreadableError as error:
            failures.append(str(error))
            continue
        analysis = analyze(language.document(text, source.place), language, path=source.place)
        found = obstacle(analysis)
        if found is not None:
            line = analysis.document.position(found.span.start).line + 1
            failures.append(f"{source.shown}:{line}: left untouched: {found.message.splitlines()[0]}")
        yield _Formatted(source, text, apply_edits(text, format_edits(analysis)), found is not None)


def _write(done: _Formatted, options: argparse.Namespace, writer: SourceWriter, failures: list[str]) -> bool:
    """Write the file, or show what would be written; returns whether it changes."""
    shown = done.source.shown
    if options.diff:
        sys.stdout.writelines(difference(shown, done.before, done.after, TerminalStyle.of()))
    elif options.check and done.changed:
        print(f"Would format: {shown}")
    elif not options.check and not done.source.is_file:
        sys.stdout.buffer.write(done.after.encode())
        sys.stdout.flush()
    elif not options.check and done.changed:
        try:
            writer.write(done.source.path, done.after.encode())
        except OSError as error:
            failures.append(f"{shown}: cannot be written: {error.strerror or error}")
            return False
    return done.changed


def _summarise(done: list[_Formatted], changed: int, options: argparse.Namespace) -> None:
    """The number of formatted files, as the last line; on standard error if standard output has a diff or a text."""
    would = options.check or options.diff
    verb = "would be formatted" if would else "formatted"
    kept = sum(not each.changed and not each.blocked for each in done)
    unchanged = f", {count(kept, 'file')} {'would be ' if would else ''}left unchanged" if kept else ""
    if any(each.source.is_file for each in done):
        print(f"{count(changed, 'file')} {verb}{unchanged}", file=sys.stderr if options.diff else sys.stdout)
