"""`rubric check` with its options."""

import argparse
import gc
import sys
from collections.abc import Iterable
from pathlib import Path

from rubric_core.analysis import Language
from rubric_core.cli import check_output
from rubric_core.cli.check_result import CheckedFile, CheckRound
from rubric_core.cli.check_run import CheckRun
from rubric_core.cli.file_checker import CheckOptions, FileChecker
from rubric_core.cli.last_report import LastReport, PrintedReport, tee_streams
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
    run = CheckRun(language, configurations, wishes, sources(keeps_account=not options.no_cache), last.since)
    return _once(run, options, last)


def _once(run: CheckRun, options: argparse.Namespace, last: LastReport) -> int:
    most = 0 if options.strict else options.max_warnings
    done = replace(run.round(cached=not options.no_cache), most_warnings=most, quiet=options.quiet)
    if options.fix and not options.diff:
        done = _write_fixes(done, run, options)
    passed_over = () if options.quiet else map(check_output.passed_over, done.passed_over)
    with tee_streams() as (out, err):
        for each in (*done.failures, *(() if options.quiet else run.left_alone), *passed_over):
            print(f"rubric: {each}", file=sys.stderr)
        for each in run.left_out() if options.verbose else ():
            print(each, file=sys.stderr)
        ended = check_output.write(done.shown(), run.language, options)
    if not done.failures and not options.verbose and (inputs := run.inputs) is not None:
        timed = {id(out): "out", id(err): "err"}.get(id(ended), "")
        last.keep(PrintedReport.of(done.exit_code, out.text(), err.text(), timed, done.seconds), inputs)
    return done.exit_code


def _wishes(options: argparse.Namespace, language: Language) -> CheckOptions:
    dialects = [d.name for d in language.dialects]
    if options.dialect is not None and options.dialect not in dialects:
        raise _WrongUseError(f"there is no dialect {options.dialect}; there are {', '.join(dialects)}")
    codes = list(language.codes)
    select = None if options.select is None else _codes("--select", options.select, codes)
    return CheckOptions(
        options.dialect, select, _codes("--ignore", options.ignore or [], codes), options.fix or options.diff
    )


def _codes(option: str, given: Iterable[str], known: list[str]) -> frozenset[str]:
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
