"""Starts rubric as users do, and records the exit code, the output, the memory, and what is left behind."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rubric_core.evaluation.results.database import ResultDatabase

from .tally import Tally

__all__ = [
    "RUBRIC",
    "Ended",
    "cpu_seconds",
    "end",
    "left_behind",
    "limited",
    "limited_memory",
    "rubric",
    "sound",
    "stored",
    "suite_folder",
]

RUBRIC = (sys.executable, "-m", "rubric_core.cli")
#: Seconds. Whoever needs longer hangs; the machine may be busy.
PATIENCE = 120.0
#: What an internal error looks like to a person.
_MISTAKES = ("Traceback (most recent", "(--debug shows more)", "this is a mistake in rubric")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    #: None where it had to be killed.
    code: int | None
    out: str
    err: str
    seconds: float
    #: The most memory that the process had at once.
    megabytes: int

    @property
    def said(self) -> str:
        """Everything that was printed."""
        return self.out + self.err


def rubric(
    folder: Path,
    *arguments: str | bytes,
    patience: float = PATIENCE,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], object] | None = None,
) -> Ended:
    """Run a command in a folder. `before` is called in the process before it begins."""
    begun = time.monotonic()
    running = subprocess.Popen(
        [*RUBRIC, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        env={**os.environ, "XDG_STATE_HOME": str(folder / ".state"), **(environment or {})}, preexec_fn=before,  # noqa: PLW1509  # it only sets limits
    )  # fmt: skip
    over, most = threading.Event(), [0]
    watching = threading.Thread(target=_watch, args=(running.pid, over, most), daemon=True)
    watching.start()
    code: int | None = None
    try:
        out, err = running.communicate(timeout=patience)
        code = running.returncode
    except subprocess.TimeoutExpired:
        running.kill()
        out, err = running.communicate()
    finally:
        over.set()
    watching.join()
    return Ended(code, out.decode(errors="replace"), err.decode(errors="replace"), time.monotonic() - begun, most[0])


def _watch(pid: int, over: threading.Event, most: list[int]) -> None:
    while not over.wait(0.03):
        with suppress(OSError, StopIteration):
            status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
            most[0] = max(most[0], next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM")))


def sound(tally: Tally, name: str, ended: Ended, *, megabytes: int = 600) -> bool:
    """Whether a command ended by itself, without a mistake of ours, in bounded memory, and commanded no terminal."""
    tally.count("commands")
    tally.most("MB at most", ended.megabytes)
    found = [f"says {words!r}" for words in _MISTAKES if words in ended.said]
    if ended.code is None:
        found.append(f"hangs: killed after {ended.seconds:.0f} s")
    if ended.megabytes > megabytes:
        found.append(f"takes {ended.megabytes} MB")
    found += [f"sends {sign!r}" for sign in ("\x1b[2J", "\x1b]0", "\u202e", "\x9b") if sign in ended.said]
    for each in found:
        tally.fault(f"{name}: {each}: {ended.said[-400:]}", said=ended.said[-4_000:])
    return not found


def left_behind(mark: str) -> list[int]:
    """The processes with `mark` in their command lines."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


def end(pids: Sequence[int]) -> None:
    """End what a command left behind, so that nothing of it stays on the machine."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def limited(size: int) -> Callable[[], None]:
    """What makes every file end after so many bytes, as a full disk does."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def cpu_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def suite_folder(folder: Path, suite: str, *targets: Mapping[str, object]) -> Path:
    """A repository with one suite `s.eval.yaml` and its targets; without any, a mock that answers `hello`."""
    listed = targets or ({"name": "default", "provider": "mock", "response": "hello"},)
    (folder / ".agentv").mkdir(parents=True, exist_ok=True)
    (folder / ".git").mkdir(exist_ok=True)
    (folder / ".agentv/targets.yaml").write_text(json.dumps({"targets": listed}), encoding="utf-8")
    (folder / "s.eval.yaml").write_text(suite, encoding="utf-8", errors="surrogatepass")
    return folder


def stored(folder: Path) -> set[str]:
    """The cases of the suite in such a folder that have a result."""
    return set(ResultDatabase.of(folder / "s.eval.yaml").latest(folder / "s.eval.yaml"))


def limited_memory(size: int) -> Callable[[], None]:
    """What keeps a process from taking the memory of the whole machine, in bytes of addresses."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))
