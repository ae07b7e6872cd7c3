"""The command line: thin commands over `analyze` and `run_case`."""

import argparse
import errno
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from rubric_core.cli.parser import chosen_colour, make_parser

__all__ = ["main"]

WRONG_USE = 2
#: The exit code of a program that SIGPIPE ended, which `set -o pipefail` reports.
READER_GONE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 clean, 1 findings or failures, 2 usage error, 3 a case without a score.

    130 after Ctrl-C, 141 if the reader has closed the output.
    """
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:
        if not _is_interrupt(error):
            raise
        return 130
    finally:
        if arguments is None:  # the process ends and frees all memory: a last garbage collection is useless
            gc.freeze()


def _main(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # imported objects stay: collecting them takes a tenth of the start
        gc.disable()
    try:
        parser = make_parser(given[0] if given else "")
    finally:
        if arguments is None:
            gc.freeze()
            gc.enable()
    try:
        options = parser.parse_args(given)
    except OSError as error:  # after --help, --version and usage errors
        return _without_output(error)
    options.invocation = given
    from rubric_core.cli.sanitize import safe_streams  # noqa: PLC0415  # --help and --version need none of it

    _open_streams()
    _speak_utf8()
    try:
        with chosen_colour(options.color), safe_streams(text=_is_for_people(options)):
            code = int(import_module(f"{__name__}.{options.command}").main(options))
        sys.stdout.flush()  # so that a full disk is reported while it still can be
    except BrokenPipeError as error:
        return _without_output(error)
    except Exception as error:
        if options.debug or _is_interrupt(error):
            raise
        with suppress(OSError):  # both streams may lead to the same full disk
            print(f"rubric: {_words(error)} (--debug shows more)", file=sys.stderr)
        if isinstance(error, OSError):
            _give_up_output()
        return WRONG_USE
    return code


def _is_interrupt(error: Exception) -> bool:
    """Whether an exception stands for Ctrl-C: before Python 3.12, it may be the cause of a RuntimeError."""
    return isinstance(error, RuntimeError) and isinstance(error.__cause__, KeyboardInterrupt)


def _without_output(error: OSError) -> int:
    """The exit code if something cannot be printed."""
    if not isinstance(error, BrokenPipeError):
        with suppress(OSError):
            print(f"rubric: {_words(error)}", file=sys.stderr)
    _give_up_output()
    # The reader (head, less) has closed the output. The rest may have contained a finding, so this is not 0.
    return READER_GONE if isinstance(error, BrokenPipeError) else WRONG_USE


def _is_for_people(options: argparse.Namespace) -> bool:
    """Whether a command prints text for users, rather than a document, a patch, a schema or rows for programs."""
    asked = vars(options)
    data = options.command in ("schema", "completion") or asked.get("diff") or "-" in (asked.get("paths") or ())
    return not data and asked.get("format", "text") == "text"


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return f"the path …{str(error.filename or '')[-60:]} is longer than this system allows"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or _nameless(error)}: {error.strerror}"
    return f"{type(error).__name__}: {error}"


def _nameless(error: OSError) -> str:
    """The subject of a system error that names no file."""
    if isinstance(error, FileNotFoundError):  # nothing else is tried without a name
        return "the current folder is gone"
    return "the output cannot be written"


def _give_up_output() -> None:
    """Discard output that could not be written: Python would try again at exit and print its own error."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_streams() -> None:
    """Open closed standard streams: the next opened file would get their number, and what programs write there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the end


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
