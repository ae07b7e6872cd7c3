"""A run while it goes on: on a terminal a few lines that are redrawn in place, elsewhere a plain line for each case that is done."""

import asyncio
import contextlib
import shutil
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from rubric_core.cli.inline import ROLES
from rubric_core.cli.style import Style, width
from rubric_core.evaluation.events import (
    Answered,
    CaseDone,
    CaseStarted,
    CriterionJudged,
    EvaluatorStarted,
    Event,
    Noted,
)
from rubric_core.evaluation.marks import case_words, seconds_words, shortened
from rubric_core.evaluation.result import CaseResult, Verdict

__all__ = ["Live"]

_TICK = 0.1
#: Running cases that are shown at once, and cases that were done last.
_MOST_RUNNING = 8
_LATEST = 4
_NARROWEST = 40
_LONGEST_ID = 60
#: Seconds before plain lines are printed.
_PATIENCE = 2.0


@dataclass(slots=True)
class _Running:
    """A case on its way."""

    began: float
    words: str = "asking"


class Live:
    """Shows on standard error how a run goes on.

    Args:
        count: How many cases there are.
        say: Makes a line what the terminal can show.
        shown: Whether anything is shown at all.
        plain: Whether a line is printed for each case where nobody looks at a terminal.
    """

    def __init__(self, count: int, say: Callable[[str], str], *, shown: bool, plain: bool) -> None:
        self._count = count
        self._say = say
        self._style = Style.of(sys.stderr)
        self._drawn = 0
        self._draws = shown and sys.stderr.isatty()
        self._plain = shown and plain and not self._draws
        self._waiting: list[str] = []
        self._running: dict[str, list[_Running]] = {}
        self._latest: list[CaseResult] = []
        self._verdicts: Counter[Verdict] = Counter()
        self._spent = 0.0
        self._began = time.monotonic()

    def heard(self, event: Event) -> None:
        """Take note of what happens; it is drawn with the next tick."""
        if isinstance(event, Noted):
            self.clear()
            print(self._say(f"rubric: {event.message}"), file=sys.stderr)
        elif isinstance(event, CaseStarted):
            self._running.setdefault(event.case_id, []).append(_Running(time.monotonic()))
        elif isinstance(event, CaseDone):
            # Several targets may be answering the case: nobody says which one is done, and the first one will do.
            several = self._running.pop(event.case_id, [])[1:]
            if several:
                self._running[event.case_id] = several
            self._verdicts[event.result.verdict] += 1
            self._spent += event.result.cost_usd or 0.0
            self._latest = [*self._latest[1 - _LATEST :], event.result]
            if self._plain:
                self._print(event.result)
        elif event.case_id in self._running:
            last = self._running[event.case_id][-1]
            last.words = _words(event) or last.words

    def _print(self, result: CaseResult) -> None:
        """A line for a case; a run that is over at once needs none."""
        self._waiting.append(f"{sum(self._verdicts.values())}/{self._count}  {self._listed(result)}\n")
        if time.monotonic() - self._began > _PATIENCE:
            sys.stderr.write(self._say("".join(self._waiting)))
            sys.stderr.flush()
            self._waiting.clear()

    @asynccontextmanager
    async def drawing(self) -> AsyncIterator[None]:
        """Redraw until the block ends, and leave nothing behind."""
        ticking = asyncio.ensure_future(self._tick()) if self._draws else None
        try:
            yield
        finally:
            if ticking is not None:
                ticking.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await ticking
            self.clear()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK)
            self._draw()

    def clear(self) -> None:
        """Take away what is drawn, so that something else can be printed."""
        if self._drawn:
            sys.stderr.write(f"\x1b[{self._drawn}A\r\x1b[J" if self._drawn > 1 else "\x1b[A\r\x1b[J")
            sys.stderr.flush()
            self._drawn = 0

    def _draw(self) -> None:
        size = shutil.get_terminal_size()
        columns = max(_NARROWEST, size.columns)
        lines = [*self._rows(max(1, size.lines - 2)), self._footer()]
        text = "".join(f"{self._say(_cut(line, columns - 1))}\x1b[0m\x1b[K\n" for line in lines)
        up = f"\x1b[{self._drawn}A\r" if self._drawn else ""
        sys.stderr.write(f"{up}{text}\x1b[J")
        sys.stderr.flush()
        self._drawn = len(lines)

    def _rows(self, room: int) -> list[str]:
        now = time.monotonic()
        going_on = [(shortened(name, _LONGEST_ID), each) for name, several in self._running.items() for each in several]
        shown = going_on[: min(_MOST_RUNNING, room)]
        wide = max((width(name) for name, _ in shown), default=0)
        running = [
            f"⟳ {seconds_words((now - each.began) * 1000):>5}  {name}{' ' * (wide - width(name))}  {each.words}"
            for name, each in shown
        ]
        more = len(going_on) - len(running)
        running += [f"  … and {more} more"] if more > 0 else []
        latest = [self._listed(result) for result in self._latest]
        return [*latest[max(0, len(latest) + len(running) - room) :], *running][:room]

    def _listed(self, result: CaseResult) -> str:
        return f"{self._style.paint(case_words(result), ROLES[result.verdict])}  {shortened(result.id, _LONGEST_ID)}"

    def _footer(self) -> str:
        """3/12  2 passed, 1 failed  4.2s  $0.01  ~13s left."""
        done, elapsed = sum(self._verdicts.values()), time.monotonic() - self._began
        verdicts = ", ".join(f"{self._verdicts[v]} {v.value}" for v in Verdict if self._verdicts[v])
        left = seconds_words(elapsed / done * (self._count - done) * 1000) if done else ""
        parts = (
            f"{done}/{self._count}",
            verdicts,
            seconds_words(elapsed * 1000),
            f"${self._spent:.4f}" if self._spent else "",
            f"~{left} left" if left else "",
        )
        return "  ".join(part for part in parts if part)


def _words(event: Event) -> str:
    if isinstance(event, Answered):
        return "answered"
    if isinstance(event, EvaluatorStarted):
        return f"grading {event.position}/{event.count} {event.name}"
    return f"judging {event.result.id}" if isinstance(event, CriterionJudged) else ""


def _cut(line: str, columns: int) -> str:
    """A line that fits; painted ones are only cut where they are too long without their colours."""
    plain = line if "\x1b" not in line else None
    if plain is not None:
        return shortened(plain, columns) if width(plain) > columns else plain
    head, _, tail = line.rpartition("\x1b[0m")
    room = columns - width(head.partition("m")[2])
    return f"{head}\x1b[0m{tail if width(tail) <= room else tail[: max(0, room - 1)] + '…'}"
