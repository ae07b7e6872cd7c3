"""The result of a check in the requested format."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TextIO

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

__all__ = ["FORMATS", "frames", "passed_over", "summary", "write"]


def write(done: CheckRound, language: Language, options: argparse.Namespace) -> TextIO | None:
    """Print the result. Returns the stream whose last line has the duration."""
    # A fixed text goes to standard output alone: messages about it must not be mixed with it.
    piped = options.fix and STANDARD_INPUT in options.paths
    out = sys.stderr if piped else sys.stdout
    if options.diff:
        from rubric_core.cli.unified_diff import differences  # noqa: PLC0415  # each format loads what it needs

        out.writelines(differences(done.files, TerminalStyle.of(out)))
        return _end(done, sys.stderr, fixed=False, diff=True)
    if options.statistics:
        from rubric_core.cli.statistics import as_rows, table  # noqa: PLC0415

        text = options.format == "text"
        print(
            table(done.files, language, TerminalStyle.of(out)) if text else _json(as_rows(done.files, language)),
            file=out,
        )
        return _end(done, out if text else sys.stderr, fixed=options.fix)
    masked = replace(done, files=tuple(map(mask_findings, done.files)))
    return FORMATS[options.format](masked, language, out, options.fix)


def _end(done: CheckRound, out: TextIO, *, fixed: bool, diff: bool = False) -> TextIO | None:
    if done.quiet:
        return None
    print(summary(done, fixed=fixed, diff=diff), file=out)
    return out


def _json(value: object) -> str:
    import json  # noqa: PLC0415  # each format loads what it needs

    # A name that is not UTF-8 is written with its escaped bytes: another file may have the replaced name.
    return escape_json(json.dumps(value, ensure_ascii=False, indent=2))


def _write_text(done: CheckRound, _: Language, out: TextIO, fixed: bool) -> TextIO | None:
    safe = StreamSanitizer(out)
    for text in frames(done.files, safe.style, columns_of(out)):
        print(safe(f"{text}\n"), file=out)
    return _end(done, out, fixed=fixed) if any(not each.passed_over for each in done.files) else None


def _write_json(done: CheckRound, _: Language, out: TextIO, _fixed: bool) -> None:
    print(_json(as_json(done.files)), file=out)


def _write_sarif(done: CheckRound, language: Language, out: TextIO, _: bool) -> None:
    from rubric_core.cli.sarif import sarif  # noqa: PLC0415  # each format loads what it needs

    print(_json(sarif(done, language)), file=out)


def _write_github(done: CheckRound, _: Language, out: TextIO, fixed: bool) -> TextIO | None:
    from rubric_core.cli.github import commands  # noqa: PLC0415  # each format loads what it needs

    out.writelines(f"{line}\n" for line in commands(done.files))
    return _end(done, sys.stderr, fixed=fixed)


def _write_agent(done: CheckRound, _: Language, out: TextIO, fixed: bool) -> TextIO | None:
    from rubric_core.cli.agent_lines import agent_lines  # noqa: PLC0415  # each format loads what it needs

    out.writelines(f"{line}\n" for line in agent_lines(done.files))
    return _end(done, sys.stderr, fixed=fixed)


#: The writer of each format; the last argument is whether findings were fixed first.
FORMATS: Mapping[str, Callable[[CheckRound, Language, TextIO, bool], TextIO | None]] = {
    "text": _write_text,
    "json": _write_json,
    "sarif": _write_sarif,
    "github": _write_github,
    "agent": _write_agent,
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
    found = [d.severity for each in done.files for d in each.diagnostics]
    parts = [_fixes(done, "would be fixed" if diff else "fixed")] if fixed or diff else []
    if done.unwritten:
        parts.append(f"{count(done.unwritten, 'file')} could not be written")
    parts.append(f"{_amounts(found)} in {_where(done)}" if found else f"no findings in {_all(done)}")
    fixable = sum(each.fixable for each in done.files)
    if fixable and not fixed and not diff:
        parts.append(f"{fixable} fixable with --fix")
    if done.too_many_warnings:
        most = f"at most {count(done.most_warnings, 'warning')}" if done.most_warnings else "no warnings"
        parts.append(f"failed: {most} allowed")
    ignored = sum(len(each.ignored) for each in done.files)
    if ignored:
        parts.append(f"{ignored} ignored by comments")
    return " · ".join([*parts, f"{done.seconds:.2f} s"])


def _fixes(done: CheckRound, words: str) -> str:
    changed = [each for each in done.files if each.changed]
    mended = sum(each.fixed for each in changed)
    return f"{count(mended, 'finding')} {words} in {count(len(changed), 'file')}" if changed else "nothing to fix"


def _amounts(severities: Sequence[str]) -> str:
    amounts = [(severities.count(s), s) for s in SEVERITIES]
    return ", ".join(count(n, s) if s != "information" else f"{n} information" for n, s in amounts if n)


def _all(done: CheckRound) -> str:
    checked = [each for each in done.files if not each.passed_over]
    return count(len(checked), "suite" if all(each.is_suite for each in checked) else "file")


def _where(done: CheckRound) -> str:
    return f"{sum(1 for each in done.files if each.diagnostics)} of {_all(done)}"
