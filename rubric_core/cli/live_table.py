"""The live view of a run: a table of its cases that is redrawn in place, with the progress below it."""

import asyncio
import contextlib
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TextIO

from rubric_core.cli.annotated_suite import ROLES
from rubric_core.cli.case_progress import CaseProgress, Slot
from rubric_core.cli.run_progress import RunProgress
from rubric_core.cli.sanitize import StreamSanitizer
from rubric_core.cli.stdout_capture import capture_stdout
from rubric_core.cli.terminal_region import TerminalRegion, can_redraw
from rubric_core.cli.terminal_style import TerminalStyle, width
from rubric_core.evaluation.engine.events import (
    Answered,
    CaseDone,
    CaseStarted,
    CriterionJudged,
    EvaluatorStarted,
    Event,
    Noted,
)
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.reporting.inline_marks import case_words, seconds_words, shortened

__all__ = ["Live"]

_TICK = 0.1
#: How many running cases, and how many finished ones, are shown if there is no room for all.
_MOST_RUNNING = 8
_LATEST = 4
#: In a narrower terminal, ids are shortened to half of the width.
_LONGEST_ID = 60
#: The width in columns of the text before an id: a sign, and the score or the elapsed time.
_HEAD = 6
#: Seconds before plain lines are printed.
_PATIENCE = 2.0


class Live:
    """Shows the progress of a run, and prints results above it.

    Args:
        out: The destination of results.
        count: The number of cases in all suites.
        plain: Whether, without a terminal, a line for each case is printed on standard error after a while.
        whole: Whether the table keeps all lines until its suite is done; otherwise lines printed above leave it.
    """

    def __init__(self, out: TextIO, count: int, *, plain: bool, whole: bool) -> None:
        self._out = out
        self._whole = whole
        self._safe = StreamSanitizer(sys.stderr)
        self._region = TerminalRegion(sys.stderr, out) if can_redraw(sys.stderr, out) else None
        #: Whether results and the table are on the same terminal.
        self._shared = self._region is not None and out.isatty()
        self._plain = plain and self._region is None
        self._waiting: list[str] = []
        #: Results that the next tick prints above the table, so that a thousand per second cost no more than ten.
        self._above: list[str] = []
        self._holds = False
        self.table = CaseProgress(())
        #: The first position whose line was not printed above.
        self._first = 0
        self._before = 0
        self._count = count
        self._verdicts: Counter[Verdict] = Counter()
        self._spent = 0.0
        self._errors = 0
        #: Cases with a cached answer.
        self._recorded = 0
        #: The number of workers of a cluster; 0 without one.
        self.workers = 0
        self._began = time.monotonic()

    @property
    def draws(self) -> bool:
        """Whether a terminal shows the table."""
        return self._region is not None

    def begin(self, cases: Sequence[tuple[str, str]], expected: int) -> None:
        """Begin the next suite: pairs of an id and a target, of which the first `expected` were announced."""
        self._before += len(self.table.slots)
        self._count += len(cases) - expected
        self.table, self._first = CaseProgress(cases), 0

    def heard(self, event: Event) -> int:
        """Handle an event; the next tick draws it. Returns the position of a finished case, else -1."""
        if isinstance(event, Noted):
            self.say(f"rubric: {event.message}")
        elif isinstance(event, CaseStarted):
            self.table.begin(event.case_id)
        elif isinstance(event, CaseDone):
            return self._done(event.result)
        elif self.draws and (words := _words(event)):
            self.table.at(event.case_id, words)
        return -1

    def _done(self, result: CaseResult) -> int:
        place = self.table.end(result.id, result.target)
        self._verdicts[result.verdict] += 1
        self._spent += result.cost_usd or 0.0
        self._errors += len(result.grader_errors)
        self._recorded += bool((result.details or {}).get("cached_answer"))
        if place >= 0 and self.draws:
            self.table.slots[place].line = self.line(result, self._safe.style)
        elif self._plain:
            line = self.line(result, self._safe.style)
            self._waiting.append(f"{self._ended}/{self._count}  {line}\n")
            if time.monotonic() - self._began > _PATIENCE:
                sys.stderr.write(self._safe("".join(self._waiting)))
                sys.stderr.flush()
                self._waiting.clear()
        return place

    @property
    def _ended(self) -> int:
        return sum(self._verdicts.values())

    # Lines printed above

    def put(self, text: str, upto: int | None = None) -> None:
        """Print results; positions below `upto` may leave the table."""
        if upto is not None and not self._whole:
            self._first = upto
        if self._shared:
            self._above.append(text)
        else:
            self._out.write(text)
            if not self._holds:
                self._out.flush()

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Buffer what is printed within the block until its end, if it is not too much."""
        self._holds = True
        try:
            yield
        finally:
            self._holds = False
            if not self._shared:
                self._out.flush()

    def say(self, line: str) -> None:
        """Print a line that is not a result on standard error."""
        if self._region is not None:
            self._flush()
            self._region.print_notice(self._safe(line))
        else:
            print(self._safe(line), file=sys.stderr)

    def line(self, result: CaseResult, style: TerminalStyle) -> str:
        """The line of a finished case: sign, score, id and details."""
        sign, _, words = case_words(result).partition(" ")
        if result.score is not None:
            score, _, words = words.partition("  ")
            sign = f"{sign} {score}"
        name = f"{result.id} ({result.target})" if self.table.several_targets else result.id
        head = style.paint(f"{sign:<{_HEAD}}", ROLES[result.verdict])
        return f"{head}  {shortened(name, _LONGEST_ID)}{f'  {words.strip()}' if words.strip() else ''}"

    # The table

    @asynccontextmanager
    async def drawing(self) -> AsyncIterator[None]:
        """Redraw within the block, and leave only lines printed above. Output of other code goes there, too."""
        if self._region is None:
            yield
            return
        self._flush()
        apart = capture_stdout(self._heard_print) if sys.platform != "win32" else contextlib.nullcontext()
        try:
            with apart:
                ticking = asyncio.ensure_future(self._tick())
                try:
                    yield
                finally:
                    ticking.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await ticking
        finally:
            self._flush()
            self._region.clear()

    def _heard_print(self, line: str) -> None:
        assert self._region is not None
        self._region.print_notice(self._safe(line))

    async def _tick(self) -> None:
        assert self._region is not None
        while True:
            await asyncio.sleep(_TICK)
            self._flush()
            columns, rows = self._region.size()
            lines = [*self._rows(columns, max(1, rows - 2)), self._footer(columns)]
            self._region.draw([self._safe(line) for line in lines])

    def close(self) -> None:
        """Stop showing the table."""
        if self._region is not None:
            self._flush()
            self._region.close()
        self._out.write("".join(self._above))
        self._above.clear()

    def _flush(self) -> None:
        """Print complete lines."""
        lines, end, rest = "".join(self._above).rpartition("\n")
        if end and self._region is not None:
            self._above = [rest]
            self._region.above(lines + end)

    def _rows(self, columns: int, room: int) -> list[str]:
        """The cases in file order: all if there is room, else the running ones and the last finished ones."""
        slots = self.table.slots[self._first :]
        if self._whole and len(slots) <= room:
            shown, more = slots, 0
        else:
            running = [slot for slot in slots if slot.began and not slot.ended]
            shown = running[: min(_MOST_RUNNING, room)]
            more = len(running) - len(shown)
            latest = room - len(shown) - bool(more) if self._whole else min(_LATEST, room - len(shown) - bool(more))
            done = (
                sorted((slot for slot in slots if slot.ended), key=lambda slot: slot.ended)[-latest:]
                if latest > 0
                else []
            )
            chosen = {id(slot) for slot in (*shown, *done)}
            shown = [slot for slot in slots if id(slot) in chosen]
        lines = list(self._listed(shown, max(8, columns // 2)))
        return [*lines, f"{'':{_HEAD}}  … and {more} more"][-room:] if more > 0 else lines

    def _listed(self, slots: Sequence[Slot], longest: int) -> Iterator[str]:
        now = time.monotonic()
        names = [shortened(slot.id, min(longest, _LONGEST_ID)) for slot in slots]
        going_on = [width(name) for name, slot in zip(names, slots, strict=True) if slot.began and not slot.ended]
        wide = max(going_on, default=0)
        for name, slot in zip(names, slots, strict=True):
            if slot.ended:
                yield slot.line
            elif slot.began:
                taken = f"⟳ {seconds_words((now - slot.began) * 1000)}"
                yield f"{taken:<{_HEAD}}  {name}{' ' * (wide - width(name))}  {slot.words}"
            else:
                yield self._safe.style.paint(f"{'·':<{_HEAD}}  {name}", "dim")

    def _footer(self, columns: int) -> str:
        progress = RunProgress(
            self._verdicts,
            self._count,
            self._errors,
            self._spent,
            time.monotonic() - self._began,
            self._recorded,
            self.workers,
        )
        return progress.line(columns)


def _words(event: Event) -> str:
    if isinstance(event, Answered):
        return "answered"
    if isinstance(event, EvaluatorStarted):
        return f"grading {event.position}/{event.count} {event.name}"
    return f"judging {event.result.label}" if isinstance(event, CriterionJudged) else ""
