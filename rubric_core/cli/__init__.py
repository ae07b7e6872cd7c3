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
#: What a shell says of a program that SIGPIPE ended, so that `set -o pipefail` sees it.
READER_GONE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Gives its exit code: 0 clean, 1 findings or failures, 2 usage error, 3 a case without a score.

    130 after Ctrl-C, 141 where the reader of what is printed has gone.
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
        if arguments is None:  # the program ends, and all of its memory goes: no last looks for garbage in it
            gc.freeze()


def _main(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:  # what a program loads stays: to look through it for garbage takes a tenth of its start
        gc.disable()
    try:
        parser = make_parser(given[0] if given else "")
    finally:
        if arguments is None:
            gc.freeze()
            gc.enable()
    try:
        options = parser.parse_args(given)
    except OSError as error:  # of --help, --version and wrong use
        return _without_output(error)
    options.invocation = given
    from rubric_core.cli.sanitize import safe_streams  # noqa: PLC0415  # --help and --version need none of it

    _open_streams()
    _speak_utf8()
    try:
        with chosen_colour(options.color), safe_streams(text=_is_for_people(options)):
            code = int(import_module(f"{__name__}.{options.command}").main(options))
        sys.stdout.flush()  # a full disk is reported here, while it can be
    except BrokenPipeError as error:
        return _without_output(error)
    except Exception as error:
        if options.debug or _is_interrupt(error):
            raise
        print(f"rubric: {_words(error)} (--debug shows more)", file=sys.stderr)
        if isinstance(error, OSError):
            _give_up_output()
        return WRONG_USE
    return code


def _is_interrupt(error: Exception) -> bool:
    """Whether it stands for Ctrl-C: before Python 3.12 one that comes while a class is made is the cause of a RuntimeError."""
    return isinstance(error, RuntimeError) and isinstance(error.__cause__, KeyboardInterrupt)


def _without_output(error: OSError) -> int:
    """The exit code where something cannot be printed."""
    if not isinstance(error, BrokenPipeError):
        with suppress(OSError):
            print(f"rubric: {_words(error)}", file=sys.stderr)
    _give_up_output()
    # The reader (head, less) has seen enough. What it did not see may have been a finding: this is no 0.
    return READER_GONE if isinstance(error, BrokenPipeError) else WRONG_USE


def _is_for_people(options: argparse.Namespace) -> bool:
    """Whether a command prints sentences; else a document, a patch, a schema or rows for a program."""
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
    """What an error of the system that names no file is about."""
    if isinstance(error, FileNotFoundError):  # nothing else is looked for without a name
        return "the current folder is gone"
    return "the output cannot be written"


def _give_up_output() -> None:
    """Let what could not be written go: Python would try again at its end, and complain in its own way."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_streams() -> None:
    """Open what is closed: the next file to be opened would have its number, and get what a program writes there."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # until the end


def _speak_utf8() -> None:
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")
