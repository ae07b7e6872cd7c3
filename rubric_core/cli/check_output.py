"""The result of a check in the requested format."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TextIO

from rubric_core.analysis import Language
from rubric_core.cli.check_result import CheckedFile, CheckRound, as_json
from rubric_core.cli.code_frames import FramedFile, frame
from rubric_core.cli.masked_findings import mask_findings
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.sources import STANDARD_INPUT
from rubric_core.cli.terminal_style import TerminalStyle, columns_of
from rubric_core.control_characters import escape_json, mask_name
from rubric_core.lazy_compilation import replace
from rubric_core.validation.rule import SEVERITIES
from rubric_core.validation.wording import count

__all__ = ["FORMATS", "Written", "frames", "passed_over", "summary", "texts_of", "write"]


class Written(NamedTuple):
    """What was printed."""

    #: The stream whose last line has the duration.
    timed: TextIO | None = None
    #: The text of each file on standard output, if each has its own in this format.
    pieces: Sequence[str] | None = None


def write(
    done: CheckRound, language: Language, options: argparse.Namespace, pieces: Sequence[str] | None = None
) -> Written:
    """Print the result. `pieces` are the texts of all files, also of those that are not in `done`, if they are known."""
    # A fixed text goes to standard output alone: messages about it must not be mixed with it.
    piped = options.fix and STANDARD_INPUT in options.paths
    out = sys.stderr if piped else sys.stdout
    if options.diff:
        from rubric_core.cli.unified_diff import differences  # noqa: PLC0415  # each format loads what it needs

        out.writelines(differences(done.files, TerminalStyle.of(out)))
        return Written(_end(done, sys.stderr, fixed=False, diff=True))
    if options.statistics:
        from rubric_core.cli.statistics import as_rows, table  # noqa: PLC0415

        text = options.format == "text"
        print(
            table(done.files, language, TerminalStyle.of(out)) if text else _json(as_rows(done.files, language)),
            file=out,
        )
        return Written(_end(done, out if text else sys.stderr, fixed=options.fix))
    form = FORMATS[options.format]
    if form is None:
        from rubric_core.cli.sarif import sarif  # noqa: PLC0415

        print(_json(sarif(replace(done, files=tuple(map(mask_findings, done.files))), language)), file=out)
        return Written()
    if pieces is None:
        pieces = [*_texts(form, done.files, out)]
    out.writelines(form.joined(pieces))
    timed = {"": None, "out": out, "err": sys.stderr}[form.ending]
    if timed is out and not done.tally.files:
        timed = None
    return Written(None if timed is None else _end(done, timed, fixed=options.fix), None if piped else pieces)


def texts_of(files: Iterable[CheckedFile], options: argparse.Namespace, out: TextIO) -> list[str] | None:
    """The text of each file as it is printed to a stream; None where the format has one text for all of them."""
    form = None if options.diff or options.statistics else FORMATS[options.format]
    return None if form is None else [*_texts(form, files, out)]


def _texts(form: "Format", files: Iterable[CheckedFile], out: TextIO) -> Iterator[str]:
    text_of = form.text_of(out)
    return (text_of(mask_findings(each)) for each in files)


def _end(done: CheckRound, out: TextIO, *, fixed: bool, diff: bool = False) -> TextIO | None:
    if done.quiet:
        return None
    print(summary(done, fixed=fixed, diff=diff), file=out)
    return out


def _json(value: object) -> str:
    import json  # noqa: PLC0415  # each format loads what it needs

    # A name that is not UTF-8 is written with its escaped bytes: another file may have the replaced name.
    return escape_json(json.dumps(value, ensure_ascii=False, indent=2))


class Format(NamedTuple):
    """A format in which each file has a text of its own."""

    #: Returns the text of a file for a stream.
    text_of: Callable[[TextIO], Callable[[CheckedFile], str]]
    #: The texts as they are printed one after another.
    joined: Callable[[Iterable[str]], Iterable[str]]
    #: The stream with the last line: "out", "err" or "" for none.
    ending: str


def _frames_for(out: TextIO) -> Callable[[CheckedFile], str]:
    safe, columns = StreamSanitizer(out), columns_of(out)
    return lambda checked: "".join(safe(f"{text}\n") + "\n" for text in frames((checked,), safe.style, columns))


def _rows_for(_: TextIO) -> Callable[[CheckedFile], str]:
    # Without the brackets of this list: one pair stands around the rows of all files.
    return lambda checked: _json(as_json((checked,)))[2:-2]


def _commands_for(_: TextIO) -> Callable[[CheckedFile], str]:
    from rubric_core.cli.github import commands  # noqa: PLC0415  # each format loads what it needs

    return lambda checked: "".join(f"{line}\n" for line in commands((checked,)))


def _lines_for(_: TextIO) -> Callable[[CheckedFile], str]:
    from rubric_core.cli.agent_lines import agent_lines  # noqa: PLC0415  # each format loads what it needs

    return lambda checked: "".join(f"{line}\n" for line in agent_lines((checked,)))


def _listed(texts: Iterable[str]) -> Iterator[str]:
    """A JSON list of the rows of several files."""
    first = True
    for text in filter(None, texts):
        yield f"{'[' if first else ','}\n{text}"
        first = False
    yield "[]\n" if first else "\n]\n"


#: The formats; None for one with a single text for all files.
FORMATS: Mapping[str, Format | None] = {
    "text": Format(_frames_for, iter, "out"),
    "json": Format(_rows_for, _listed, ""),
    "sarif": None,
    "github": Format(_commands_for, iter, "err"),
    "agent": Format(_lines_for, iter, "err"),
}


def frames(files: Iterable[CheckedFile], style: TerminalStyle, columns: int | None = None) -> Iterator[str]:
    """Every finding as a code frame of that many columns."""
    for each in files:
        source = FramedFile(each.path, each.document, each.hidden)
        yield from (frame(source, diagnostic, style, columns) for diagnostic in each.diagnostics)


def passed_over(checked: CheckedFile) -> str:
    """Why a named file was not checked."""
    return f"{mask_name(checked.path)}: {checked.passed_over}"


def summary(done: CheckRound, *, fixed: bool = False, diff: bool = False) -> str:
    """The last line: the number of findings and files, the available fixes, the duration."""
    tally = done.tally
    parts = [_fixes(done, "would be fixed" if diff else "fixed")] if fixed or diff else []
    if done.unwritten:
        parts.append(f"{count(done.unwritten, 'file')} could not be written")
    every = count(tally.files, "suite" if tally.suites == tally.files else "file")
    found = ", ".join(
        count(number, severity) if severity != "information" else f"{number} information"
        for number, severity in zip(tally.findings, SEVERITIES, strict=True)
        if number
    )
    parts.append(f"{found} in {tally.with_findings} of {every}" if found else f"no findings in {every}")
    if tally.fixable and not fixed and not diff:
        parts.append(f"{tally.fixable} fixable with --fix")
    if done.too_many_warnings:
        most = f"at most {count(done.most_warnings, 'warning')}" if done.most_warnings else "no warnings"
        parts.append(f"failed: {most} allowed")
    if tally.ignored:
        parts.append(f"{tally.ignored} ignored by comments")
    return " · ".join([*parts, f"{done.seconds:.2f} s"])


def _fixes(done: CheckRound, words: str) -> str:
    changed = [each for each in done.files if each.changed]
    mended = sum(each.fixed for each in changed)
    return f"{count(mended, 'finding')} {words} in {count(len(changed), 'file')}" if changed else "nothing to fix"
