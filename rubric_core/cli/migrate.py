"""`rubric migrate --to DIALECT PATH…`: upgrades suites, and the files that they refer to, to a newer dialect."""

import argparse
import sys
from pathlib import Path

from rubric_core.cli.file_migration import MigratedFile, MigrationRun
from rubric_core.cli.source_writer import SourceWriter
from rubric_core.cli.sources import STANDARD_INPUT, Source
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.cli.unified_diff import difference
from rubric_core.family import part_of
from rubric_core.language.dialects import DIALECTS
from rubric_core.text import LineIndex
from rubric_core.validation.wording import count

__all__ = ["add_arguments", "main"]

DONE, WOULD_CHANGE, FAILED = 0, 1, 2
_NAMES = tuple(dialect.name for dialect in DIALECTS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric migrate`."""
    parser.epilog = (
        "Whatever cannot be migrated stays unchanged and is listed with its line. A promptfoo configuration is never changed: "
        "`--to agentv-5 promptfooconfig.yaml` writes a suite beside it, and lists what has no equivalent in AgentV. "
        "Exit code: 0 done, 1 --check found something to change, 2 usage error or unreadable input."
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a suite, a file that belongs to one (targets, cases, data set, template, prompt, config), or a folder of suites",
    )
    add("--to", required=True, choices=_NAMES, metavar="DIALECT", help=f"the dialect to write: {', '.join(_NAMES[1:])}")
    add(
        "--from",
        dest="source",
        choices=_NAMES,
        metavar="DIALECT",
        help="the dialect of files that do not name one (default: detected)",
    )
    add("--targets", action="store_true", help="also migrate the targets file of every suite")
    add(
        "--around",
        action="store_true",
        help="also migrate the files that suites refer to: cases, data sets, templates, judges' prompts, targets",
    )
    add("--rename", action="store_true", help="rename a targets file to the name that the newer dialect looks for")
    add(
        "-o",
        "--output",
        metavar="FILE",
        help="the suite to write for a promptfoo configuration (default: promptfoo.eval.yaml beside it)",
    )
    add("--check", action="store_true", help="show the changes as a diff, without making them")


def main(options: argparse.Namespace) -> int:
    """Migrate everything named. Returns the exit code."""
    if STANDARD_INPUT in options.paths:
        print("rubric: migrate changes files, so it needs their names", file=sys.stderr)
        return FAILED
    work = MigrationRun(options)
    outcomes = list(work.outcomes())
    writer = SourceWriter(options.paths)
    changed = sum([_settled(outcome, options, writer, work.failures) for outcome in outcomes])
    written = _write_suites(work, options)
    for line in (*work.left_alone, *work.passed):
        print(line)
    for failure in work.failures:
        print(f"rubric: {failure}", file=sys.stderr)
    if outcomes or not work.foreign:
        print(_summary(outcomes, changed, options))
    if work.failures:
        return FAILED
    return WOULD_CHANGE if (changed or written) and options.check else DONE


def _write_suites(work: MigrationRun, options: argparse.Namespace) -> int:
    """Write a suite for each named file of another family. Returns how many were, or would be, written."""
    if options.output and len(work.foreign) != 1:
        work.failures.append("-o names the suite for one promptfoo configuration: name exactly one")
        return 0
    return sum([_write_suite(source, family, work, options) for source, family in work.foreign])


def _write_suite(source: Source, family: str, work: MigrationRun, options: argparse.Namespace) -> bool:
    """Write a suite for a file of another family. Returns whether it was, or would be, written."""
    part = part_of(family, "migration")
    written: bool = part is not None and part.write_suite(source, options, work.failures)
    return written


def _settled(outcome: MigratedFile, options: argparse.Namespace, writer: SourceWriter, failures: list[str]) -> bool:
    """Write the file, or show what would be written; list what is left to the author. Returns whether it changes."""
    if options.check:
        sys.stdout.writelines(difference(outcome.shown, outcome.before, outcome.after.text, TerminalStyle.of()))
    elif outcome.changed:
        try:
            _write(outcome, writer)
        except OSError as error:
            failures.append(
                f"{outcome.shown}: cannot be written, and stays {outcome.source}: {error.strerror or error}"
            )
            return False
        named = "" if outcome.home == outcome.path else f", now {outcome.home.name}"
        print(f"{outcome.shown}: {outcome.source} → {options.to}{named}")
    index = LineIndex(outcome.after.text)
    for note in outcome.after.notes:
        print(f"{outcome.shown}:{index.line_of(note.offset) + 1}: {note.words}")
    _report_recordings(outcome, options, writer, failures)
    return outcome.changed


def _write(outcome: MigratedFile, writer: SourceWriter) -> None:
    """Write the file, and remove it from its old path. Raises OSError."""
    writer.write(outcome.home, outcome.after.text.encode())
    if outcome.home != outcome.path:
        outcome.path.unlink()


def _report_recordings(
    outcome: MigratedFile, options: argparse.Namespace, writer: SourceWriter, failures: list[str]
) -> None:
    """Migrate the recordings; list those that are no longer usable."""
    found = outcome.recordings
    if found is None or isinstance(found, str):
        if found:
            print(f"{outcome.shown}: its recordings stay unchanged: {found}")
        return
    shown = str(Path(outcome.shown).with_name(found.path.name))
    if found.changed:
        if not options.check:
            try:
                writer.permitted(found.path)
                found.write(outcome.path)
            except OSError as error:
                failures.append(
                    f"{shown}: cannot be written, so its recordings no longer match the suite: {error.strerror or error}"
                )
                return
        verb = "would be" if options.check else "is" if found.changed == 1 else "are"
        print(f"{shown}: {count(found.changed, 'recording')} {verb} migrated")
    for line, case, file in found.lost:
        if file is None:
            why = f"no judge of `{case}` is asked this any more; record it again with `rubric run --record`"
        else:
            why = f"`{case}` is in {file.name}, which was not migrated: use --around, or record it again"
        print(f"{shown}:{line}: {why}")


def _summary(outcomes: list[MigratedFile], changed: int, options: argparse.Namespace) -> str:
    left = sum(len(o.after.notes) + len(getattr(o.recordings, "lost", ())) for o in outcomes)
    notes = f" · {count(left, 'place')} left to you" if left else ""
    verb = "would change" if options.check else "changed"
    return f"{count(changed, 'file')} of {len(outcomes)} {verb}{notes}"
