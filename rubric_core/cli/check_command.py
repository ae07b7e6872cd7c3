"""`rubric check` with its options."""

import argparse
import gc
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from rubric_core.analysis import Language
from rubric_core.cli import check_output
from rubric_core.cli.check_result import CheckedFile, CheckRound
from rubric_core.cli.check_run import CheckRun
from rubric_core.cli.file_checker import CheckOptions, FileChecker, FileSettings
from rubric_core.cli.last_report import LastReport, PrintedReport, StoredReport, tee_streams
from rubric_core.cli.source_writer import SourceWriter
from rubric_core.cli.sources import STANDARD_INPUT, SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import replace

__all__ = ["check", "write_fixed"]

WRONG_USE = 2


class _WrongUseError(Exception):
    """Contradictory options, or a path that does not exist."""


def check(options: argparse.Namespace, last: LastReport) -> int:
    """Check everything named, and store the output as the `last` report of its kind. Returns the exit code."""
    language = Language()
    try:
        wishes = _wishes(options, language)
        _agree(options)
    except _WrongUseError as error:
        print(f"rubric: {error}", file=sys.stderr)
        return WRONG_USE
    configurations = Configurations(language)

    def sources(*, keeps_account: bool = False) -> SourceCollector:
        return SourceCollector(options.paths, Discovery(configurations, keeps_account=keeps_account), options.path)

    if options.watch:
        from rubric_core.cli.watch import watch  # noqa: PLC0415  # one check needs none of it

        gc.enable()  # the output of --watch has no end
        return watch(FileChecker(language, configurations, wishes), sources)
    last.begin()
    if last.stored is not None:
        patched = _patched(last.stored, options, last, FileSettings(language, configurations, wishes), sources())
        if patched is not None:
            return patched
    run = CheckRun(language, configurations, wishes, sources(keeps_account=not options.no_cache), last.since)
    return _once(run, language, options, last)


def _patched(
    stored: StoredReport,
    options: argparse.Namespace,
    last: LastReport,
    settings: FileSettings,
    sources: SourceCollector,
) -> int | None:
    """Print a stored report with what changed since. Returns the exit code; None if everything has to be looked at."""
    from rubric_core.cli.report_patch import ReportPatch, UnpatchableError  # noqa: PLC0415  # most checks are of a few files

    printed = None if options.quiet else stored.output(last.key())
    known = None if printed is None else printed.pieces()
    try:
        patch = ReportPatch(stored, sources, settings)
        numbers = patch.shown(everything=known is None)
        files = tuple(patch.files(numbers))
    except UnpatchableError:
        return None
    done = CheckRound(files, (), last.seconds, _most(options), options.quiet, others=patch.others(numbers))
    texts = check_output.texts_of(done.shown().files, options, sys.stdout)
    pieces = None
    if texts is not None:
        pieces = known or [""] * len(patch.index.files)
        for number, text in zip(numbers, texts, strict=True):
            pieces[number] = text
    printed = _print(done, patch.index.left_alone, settings.language, options, pieces)
    inputs = patch.inputs(last.since())
    if inputs is not None:
        last.keep_patched(printed, *inputs, patch.index if stored.changed else None)
    return done.exit_code


def _most(options: argparse.Namespace) -> int | None:
    return 0 if options.strict else options.max_warnings


def _once(run: CheckRun, language: Language, options: argparse.Namespace, last: LastReport) -> int:
    done = replace(run.round(cached=not options.no_cache), most_warnings=_most(options), quiet=options.quiet)
    if options.fix and not options.diff:
        done = _write_fixes(done, run, options)
    left_out = run.left_out() if options.verbose else ()
    printed = _print(done, run.left_alone, language, options, None, left_out)
    if not done.failures and not options.verbose and run.inputs is not None and run.index is not None:
        last.keep(printed, run.inputs, run.index)
    return done.exit_code


def _print(
    done: CheckRound,
    left_alone: Iterable[str],
    language: Language,
    options: argparse.Namespace,
    pieces: Sequence[str] | None,
    left_out: Iterable[str] = (),
) -> PrintedReport:
    """Print a result and what is said about paths. Returns what was printed."""
    passed_over = map(check_output.passed_over, done.passed_over)
    with tee_streams() as (out, err):
        for each in (*done.failures, *(() if options.quiet else (*left_alone, *passed_over))):
            print(f"rubric: {each}", file=sys.stderr)
        for each in left_out:
            print(each, file=sys.stderr)
        written = check_output.write(done.shown(), language, options, pieces)
    timed = {id(out): "out", id(err): "err"}.get(id(written.timed), "")
    return PrintedReport.of(done.exit_code, (out.text(), err.text()), timed, done.seconds, written.pieces)


def _wishes(options: argparse.Namespace, language: Language) -> CheckOptions:
    dialects = [d.name for d in language.dialects]
    if options.dialect is not None and options.dialect not in dialects:
        raise _WrongUseError(f"there is no dialect {options.dialect}; there are {', '.join(dialects)}")
    codes = language.codes
    select = None if options.select is None else _codes("--select", options.select, codes)
    return CheckOptions(
        options.dialect, select, _codes("--ignore", options.ignore or [], codes), options.fix or options.diff
    )


def _codes(option: str, given: Iterable[str], known: Collection[str]) -> frozenset[str]:
    codes = [code.strip() for each in given for code in each.split(",") if code.strip()]
    for code in codes:
        if code not in known:
            meant = closest(code, known)
            advice = f"did you mean {meant}?" if meant else "`rubric explain` lists them all"
            raise _WrongUseError(f"{option}: there is no code {code}; {advice}")
    if given and not codes:
        raise _WrongUseError(f"{option}: name at least one code; `rubric explain` lists them all")
    return frozenset(codes)


def _agree(options: argparse.Namespace) -> None:
    """Raise _WrongUseError for options that contradict each other."""
    reads_input = STANDARD_INPUT in options.paths
    for wrong, words in (
        (options.path is not None and not reads_input, "--path needs standard input: pass - as well"),
        (options.paths.count(STANDARD_INPUT) > 1, "- can be given only once"),
        (options.watch and reads_input, "--watch needs files; standard input does not change"),
        (
            options.watch and (options.fix or options.diff),
            "--watch changes nothing, so it cannot be combined with --fix or --diff",
        ),
        (options.strict and options.max_warnings is not None, "--strict means --max-warnings 0; use only one of them"),
        (
            options.watch and (options.strict or options.quiet or options.max_warnings is not None),
            "--watch shows everything and never fails, so it cannot be combined with --strict, --max-warnings or --quiet",
        ),
        (options.watch and options.format != "text", "--watch prints only text"),
        (
            options.verbose and (options.watch or options.quiet),
            "--verbose names what is left out, once, so it cannot be combined with --watch or --quiet",
        ),
        (
            options.diff and (options.fix or options.format != "text"),
            "--diff cannot be combined with --fix or --format",
        ),
        (options.statistics and options.format not in ("text", "json"), "--statistics needs --format text or json"),
        (options.statistics and options.diff, "--statistics cannot be combined with --diff"),
    ):
        if wrong:
            raise _WrongUseError(words)


def write_fixed(files: Iterable[CheckedFile], writer: SourceWriter) -> dict[str, str]:
    """Write the fixed files. Returns the files that could not be written, each with the reason."""
    refused: dict[str, str] = {}
    for each in files:
        if each.changed:
            try:
                writer.write(Path(each.path), each.document.text.encode())
            except OSError as error:
                refused[each.path] = f"{each.path}: cannot be written: {error.strerror or error}"
    return refused


def _write_fixes(done: CheckRound, run: CheckRun, options: argparse.Namespace) -> CheckRound:
    """Write the fixed files. Files that could not be written are named, and reported as they are on disk."""
    piped = (STANDARD_INPUT, options.path)
    for each in done.files:
        if each.path in piped and each.before is not None:
            sys.stdout.buffer.write(each.document.text.encode())
            sys.stdout.flush()
    refused = write_fixed((each for each in done.files if each.path not in piped), SourceWriter(options.paths))
    files = [run.unfixed(each.path) if each.path in refused else each for each in done.files]
    shown = (each for each in files if isinstance(each, CheckedFile))
    unreadable = (each for each in files if isinstance(each, str))
    failures = (*done.failures, *refused.values(), *unreadable)
    return replace(done, files=tuple(shown), failures=failures, unwritten=len(refused))
