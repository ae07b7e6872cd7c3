"""The output of the last check, printed again if none of its inputs has changed."""

# Paths as strings: a check without other work needs only these.
# ruff: noqa: PTH208

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from rubric_core.user_dirs import cache_folder

if TYPE_CHECKING:
    from rubric_core.cli.cache_files import CacheFile
    from rubric_core.cli.check_inputs import CheckInputs, DiskTime

__all__ = ["LastReport", "PrintedReport", "TeeStream", "tee_streams"]

_KIND = "report"


class PrintedReport(NamedTuple):
    """The output and exit code of a check."""

    code: int
    out: str
    err: str
    #: The stream whose last line has the duration: "out", "err" or "" for none.
    timed: str

    @classmethod
    def of(cls, code: int, out: str, err: str, timed: str, seconds: float) -> "PrintedReport":
        """The output of a check, with the duration in the last line of one stream."""
        end = _took(seconds)
        streams = [text.removesuffix(end) if name == timed else text for name, text in (("out", out), ("err", err))]
        return cls(code, streams[0], streams[1], timed)

    def again(self, seconds: float) -> int:
        """Print it again. Returns the exit code."""
        for name, text, stream in (("err", self.err, sys.stderr), ("out", self.out, sys.stdout)):
            if text:
                stream.write(text)
            if name == self.timed:
                stream.write(_took(seconds))
        return self.code


def _took(seconds: float) -> str:
    return f"{seconds:.2f} s\n"


class TeeStream:
    """A stream that also records its text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pieces: list[str] = []

    def write(self, text: str) -> int:
        """See `io.TextIOBase.write`."""
        self._pieces.append(text)
        return self._stream.write(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """See `io.IOBase.writelines`."""
        for line in lines:
            self.write(line)

    def text(self) -> str:
        """The recorded text."""
        return "".join(self._pieces)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def tee_streams() -> Iterator[tuple[TeeStream, TeeStream]]:
    """Within this context, printed text is recorded, too."""
    streams = sys.stdout, sys.stderr
    copies = TeeStream(sys.stdout), TeeStream(sys.stderr)
    sys.stdout, sys.stderr = (cast("TextIO", each) for each in copies)
    try:
        yield copies
    finally:
        sys.stdout, sys.stderr = streams


class LastReport:
    """The stored report of the last check of a kind."""

    def __init__(self, options: argparse.Namespace) -> None:
        #: By the monotonic clock in seconds, and by the system clock, which may be set meanwhile, in nanoseconds.
        self._begun, self._clock = time.monotonic(), time.time_ns()
        self._options = options
        self._file: CacheFile | None = None
        self._since: DiskTime | None = None

    def printed(self) -> int | None:
        """Print the stored report. Returns the exit code; None without a report, or if something has changed."""
        printed = self._unchanged()
        return None if printed is None else printed.again(time.monotonic() - self._begun)

    def _unchanged(self) -> PrintedReport | None:
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            folder = self._folder()
            # Most checks of a few files end here, without looking up anything about rubric itself.
            if folder is None or not any(name.startswith(_KIND) for name in os.listdir(folder)):
                return None
            import json  # noqa: PLC0415  # see above

            from rubric_core.cli.check_inputs import CheckInputs  # noqa: PLC0415

            stamp, listed, *printed = json.loads(self._opened(folder).read())
            inputs = CheckInputs(*listed)
            if inputs.hold() and inputs.stamp() == stamp:
                return PrintedReport(*printed)
        return None

    def begin(self) -> None:
        """Start recording inputs."""
        with contextlib.suppress(OSError, ValueError):
            folder = self._folder()
            if folder is not None and folder.is_dir():
                from rubric_core.cli.check_inputs import DiskTime  # noqa: PLC0415  # a few files need none of it

                self._since = DiskTime.of(folder)

    def since(self) -> "DiskTime | None":
        """The time of the disk at the beginning; None if it is not known."""
        from rubric_core.cli.check_inputs import DiskTime  # noqa: PLC0415  # a few files need none of it

        with contextlib.suppress(OSError, ValueError):
            folder = self._folder()
            if folder is not None and folder.is_dir():
                return self._since or DiskTime.before(folder, self._clock, time.monotonic() - self._begun)
        return None

    def keep(self, printed: PrintedReport, inputs: "CheckInputs") -> None:
        """Store the output of a check, unless one of its inputs may have changed meanwhile."""
        import json  # noqa: PLC0415  # a few files need none of these

        with contextlib.suppress(OSError, ValueError):
            folder, since = self._folder(), self.since()
            if folder is not None and since is not None:
                body = (inputs.stamp(since), inputs, *printed)
                self._opened(folder).write(json.dumps(body, separators=(",", ":"), check_circular=False))

    def _folder(self) -> Path | None:
        options = self._options
        reads_input = options.path is not None or "-" in options.paths
        if options.no_cache or options.watch or options.fix or reads_input:
            return None
        return cache_folder(options.paths)

    def _opened(self, folder: Path) -> "CacheFile":
        from rubric_core.cli.cache_files import CacheFile  # noqa: PLC0415  # a few files need none of these
        from rubric_core.cli.terminal_style import TerminalStyle, columns_of  # noqa: PLC0415

        if self._file is None:
            options = sorted((name, value) for name, value in vars(self._options).items() if name != "func")
            streams = [
                (stream.encoding, TerminalStyle.of(stream).colour, columns_of(stream))
                for stream in (sys.stdout, sys.stderr)
            ]
            self._file = CacheFile(folder, _KIND, [repr(options), streams])
        return self._file
