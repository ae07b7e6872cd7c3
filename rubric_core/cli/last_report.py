"""The last check of some paths: its output, printed again if none of its inputs has changed, and what a patch of it needs."""

# Paths as strings: a check without other work needs only these.
# ruff: noqa: PTH208

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, cast

from rubric_core.user_dirs import cache_folder

if TYPE_CHECKING:
    from rubric_core.cli.cache_files import CacheFile
    from rubric_core.cli.check_inputs import CheckInputs, DiskTime
    from rubric_core.cli.report_index import ReportIndex

__all__ = ["LastReport", "PrintedReport", "StoredReport", "TeeStream", "tee_streams"]

_KIND = "report"
#: The options that change the findings.
_OF_FINDINGS = ("paths", "dialect", "select", "ignore", "diff")
#: Those that change what is printed of the findings.
_OF_OUTPUT = ("format", "max_warnings", "quiet", "statistics", "strict")
#: Outputs that are kept of one check, the newest first.
_MOST_OUTPUTS = 4
#: Whatever is wrong with a stored report, there is none.
_DAMAGES = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class PrintedReport(NamedTuple):
    """The output and exit code of a check."""

    code: int
    out: str
    err: str
    #: The stream whose last line has the duration: "out", "err" or "" for none.
    timed: str
    #: The offsets in `out` of the beginning and the end of the text of each file; None if not every file has its own.
    places: Sequence[int] | None

    @classmethod
    def of(
        cls, code: int, streams: tuple[str, str], timed: str, seconds: float, pieces: Sequence[str] | None
    ) -> "PrintedReport":
        """The output of a check, with the duration in the last line of one stream. `pieces` are in it, in order."""
        end = _took(seconds)
        named = zip(("out", "err"), streams, strict=True)
        out, err = (text.removesuffix(end) if name == timed else text for name, text in named)
        return cls(code, out, err, timed, None if pieces is None else [*_places(out, pieces)])

    def again(self, seconds: float) -> int:
        """Print it again. Returns the exit code."""
        for name, text, stream in (("err", self.err, sys.stderr), ("out", self.out, sys.stdout)):
            if text:
                stream.write(text)
            if name == self.timed:
                stream.write(_took(seconds))
        return self.code

    def pieces(self) -> list[str] | None:
        """The text of each file."""
        if self.places is None:
            return None
        return [self.out[start:end] for start, end in [*pairwise(self.places)][::2]]


def _took(seconds: float) -> str:
    return f"{seconds:.2f} s\n"


def _places(text: str, pieces: Iterable[str]) -> Iterator[int]:
    end = 0
    for piece in pieces:
        start = text.index(piece, end)
        end = start + len(piece)
        yield start
        yield end


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


class StoredReport:
    """A check as it was stored: a line of JSON for its inputs, one for its index, and one for each output."""

    def __init__(self, body: bytes) -> None:
        """Raises one of `_DAMAGES` for anything else."""
        import json  # noqa: PLC0415  # a few files need none of these

        from rubric_core.cli.check_inputs import CheckInputs  # noqa: PLC0415

        header, self.index_line, *self._outputs = body.split(b"\n")
        inputs, stamps, self._keys = json.loads(header)
        self.inputs: CheckInputs = CheckInputs(*inputs)
        self.stamps: list[str] = stamps
        #: The paths with another stamp than before; None if something changed that has none.
        self.changed = self.inputs.changed(self.stamps)

    def output(self, key: str) -> PrintedReport | None:
        """The output of that key; see `LastReport.key`."""
        import json  # noqa: PLC0415  # a few files need none of it

        return PrintedReport(*json.loads(self._outputs[self._keys.index(key)])) if key in self._keys else None

    def other_outputs(self, key: str) -> dict[str, bytes]:
        """The lines of the other outputs, by their keys."""
        return {each: line for each, line in zip(self._keys, self._outputs, strict=True) if each != key}


class LastReport:
    """The stored report of the last check of a kind."""

    def __init__(self, options: argparse.Namespace) -> None:
        #: By the monotonic clock in seconds, and by the system clock, which may be set meanwhile, in nanoseconds.
        self._begun, self._clock = time.monotonic(), time.time_ns()
        self._options = options
        self._file: CacheFile | None = None
        self._since: DiskTime | None = None
        #: The report as it was found, if it can be used: patched, or for another format.
        self.stored: StoredReport | None = None

    @property
    def seconds(self) -> float:
        """How long the check has taken."""
        return time.monotonic() - self._begun

    def printed(self) -> int | None:
        """Print the stored report. Returns the exit code; None without a report, or if something has changed."""
        with contextlib.suppress(*_DAMAGES):
            stored = self._read()
            if stored is not None and stored.changed is not None:
                printed = None if stored.changed else stored.output(self.key())
                if printed is not None:
                    return printed.again(self.seconds)
                self.stored = stored
        return None

    def _read(self) -> StoredReport | None:
        folder = None if self._options.verbose else self._folder()
        # Most checks of a few files end here, without looking up anything about rubric itself.
        if folder is None or not any(name.startswith(_KIND) for name in os.listdir(folder)):
            return None
        return StoredReport(self._opened(folder).read())

    def key(self) -> str:
        """Everything that changes what is printed, but not the findings."""
        from rubric_core.cli.terminal_style import TerminalStyle, columns_of  # noqa: PLC0415  # as above

        options = [(name, getattr(self._options, name)) for name in _OF_OUTPUT]
        streams = [
            (stream.encoding, TerminalStyle.of(stream).colour, columns_of(stream))
            for stream in (sys.stdout, sys.stderr)
        ]
        return repr((options, streams))

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

    def keep(self, printed: PrintedReport, inputs: "CheckInputs", index: "ReportIndex") -> None:
        """Store the output of a check and what a patch of it needs."""
        with contextlib.suppress(OSError, ValueError):
            since = self.since()
            if since is not None:
                self._write(printed, inputs, inputs.stamps(since), _line(index), {})

    def keep_patched(
        self, printed: PrintedReport, inputs: "CheckInputs", stamps: Sequence[str], index: "ReportIndex | None"
    ) -> None:
        """Store a patched report. Without an index, nothing but its output is new."""
        stored = self.stored
        if stored is not None:
            with contextlib.suppress(OSError, ValueError):
                others = {} if index is not None else stored.other_outputs(self.key())
                line = stored.index_line if index is None else _line(index)
                self._write(printed, inputs, stamps, line, others)

    def _write(
        self,
        printed: PrintedReport,
        inputs: "CheckInputs",
        stamps: Sequence[str],
        index: bytes,
        others: dict[str, bytes],
    ) -> None:
        folder = self._folder()
        if folder is not None:
            outputs = dict([(self.key(), _line(printed)), *others.items()][:_MOST_OUTPUTS])
            lines = [_line((inputs, stamps, [*outputs])), index, *outputs.values()]
            self._opened(folder).write(b"\n".join(lines))

    def _folder(self) -> Path | None:
        options = self._options
        reads_input = options.path is not None or "-" in options.paths
        if options.no_cache or options.watch or options.fix or reads_input:
            return None
        return cache_folder(options.paths)

    def _opened(self, folder: Path) -> "CacheFile":
        from rubric_core.cli.cache_files import CacheFile  # noqa: PLC0415  # a few files need none of it

        if self._file is None:
            options = [getattr(self._options, name) for name in _OF_FINDINGS]
            self._file = CacheFile(folder, _KIND, options)
        return self._file


def _line(value: object) -> bytes:
    import json  # noqa: PLC0415  # a few files need none of it

    return json.dumps(value, separators=(",", ":"), check_circular=False).encode()
