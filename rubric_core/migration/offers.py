"""Migration to the next dialect in parts that an editor can offer: one change, one item, one step, the whole file."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import Literal

from rubric_core.analysis import Analysis
from rubric_core.cached_properties import cached_property
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.migration.draft import Draft, Reader
from rubric_core.migration.line_diff import edits_between
from rubric_core.migration.route import NotMigratableError, migrate, steps_into, with_final_newline
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationState, MigrationStep, disjoint_groups
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.lines import BLANK
from rubric_core.syntax.parse import parse
from rubric_core.text import Edit, Span

__all__ = ["Offer", "Scope", "steps", "steps_at"]

#: The scope of an offer: one line, one case or entry, or the whole text.
Scope = Literal["line", "item", "file"]
#: A byte order mark, which is not part of the YAML; some files begin with several.
_MARK = "\ufeff"
#: In characters. The text around the cases is analysed with them, which would take too long in a longer text.
_LARGEST = 100_000
_ITEMS = {
    FileKind.SUITE: "case",
    FileKind.CASES: "case",
    FileKind.TARGETS: "target",
    FileKind.TEMPLATE: "evaluator",
}
#: The empty lines and comments with which an edit may begin.
_FIRST = re.compile(rf"(?:{BLANK})*")
_WORD = re.compile(r"[\w.:-]{1,40}\Z")
Made = tuple[tuple[Edit, ...], tuple[MigrationNote, ...]]


class Offer:
    """A change that brings a text closer to a dialect. Edits and notes are computed on demand."""

    def __init__(self, title: str, scope: Scope, dialect: str, make: Callable[[], Made]) -> None:
        self.title = title
        self.scope: Scope = scope
        #: The target dialect.
        self.dialect = dialect
        self._make = make

    @cached_property
    def _made(self) -> Made:
        return self._make()

    @property
    def edits(self) -> tuple[Edit, ...]:
        """Edits of the text; empty if there is nothing to change."""
        return self._made[0]

    @property
    def notes(self) -> tuple[MigrationNote, ...]:
        """Notes on what the author has to do, at offsets of the changed text."""
        return self._made[1]


def steps_at(
    analysis: Analysis, offset: int, read: Reader = lambda _: None, path: PurePath | None = None
) -> Sequence[Offer]:
    """The offers to migrate what is at the cursor to the next dialect, the smallest first.

    Only the item under the cursor is looked at, so that this takes milliseconds in a text of any length; what carries
    the whole file over is computed when its edits are asked for. A text that is carried over in pieces mixes two
    dialects on the way: the spellings left over are findings with fixes.

    Args:
        analysis: The text.
        offset: Where the cursor is, in characters.
        read: Gives the text of a file that the text refers to, by the path as written, or None.
        path: Where the text is kept, as far as that tells its dialect.

    Gives offers whose edits do not depend on each other: to make two of them, ask again after the first. Nothing for
    a text in the newest dialect, for files that are not migrated, and in an item that is no YAML.
    """
    following = _next(analysis.dialect)
    if following is None or analysis.kind not in _ITEMS:
        return []
    piece = _Piece(analysis, offset, following, read)
    offers = [*piece.lines(), *piece.item()]

    def whole() -> Made:
        text = analysis.document.text
        try:
            made = migrate(text, analysis.dialect.name, following.name, kind=analysis.kind, read=read, path=path)
        except NotMigratableError:
            return (), ()
        return edits_between(text, made.text), made.notes

    return [*offers, Offer(f"Migrate this file to {following.name}", "file", following.name, whole)]


def _next(dialect: Dialect) -> Dialect | None:
    names = [each.name for each in DIALECTS]
    at = names.index(dialect.name) + 1 if dialect.name in names else len(names)
    return DIALECTS[at] if at < len(DIALECTS) else None


class _Piece:
    """The item under the cursor and the text around all items, as a text of its own."""

    def __init__(self, analysis: Analysis, offset: int, following: Dialect, read: Reader) -> None:
        self._kind = analysis.kind
        self._source, self._target = analysis.dialect, following
        self._read = read
        local = analysis.local(offset)
        blocks = analysis.document.blocks
        if local.in_frame:
            self._text = analysis.document.text if len(analysis.document) <= _LARGEST else ""
            self._shift = 0
            self.within: Span | None = None
        else:
            head = "" if blocks[local.number].key == ROOT_LIST else blocks[0].text
            tail = "" if blocks[-1].key else blocks[-1].text
            self._text = head + local.text + tail
            self._shift = analysis.document.start(local.number) - len(head)
            self.within = Span(len(head), len(head) + len(local.text))
        self._offset = offset - self._shift
        self._mark = len(self._text) - len(self._text.lstrip(_MARK))
        #: A text already known to be broken is not parsed again, since that would repair it.
        broken = (
            any(state.tree.problems for state in analysis.states.values()) if local.in_frame else local.tree.problems
        )
        self._sound = not broken and not parse(self._text[self._mark :]).problems

    def lines(self) -> Iterator[Offer]:
        """Offers for single changes that begin on the line of the cursor."""
        if not self._sound:
            return
        begun = with_final_newline(self._text[self._mark :])
        draft = Draft(begun, self._kind, self._source, self._target, self._read)
        at = self._offset - self._mark
        line = Span(max(begun.rfind("\n", 0, at), begun.rfind("\r", 0, at)) + 1, _line_end(begun, at))
        # Changes on one line with the same title are one offer: users could not tell them apart.
        found: dict[str, list[EditGroup]] = {}
        for step in (each for each in steps_into(self._target, self._kind) if not each.whole_only):
            for change in step.work(draft):
                if isinstance(change, EditGroup) and self._here(begun, change, line):
                    found.setdefault(_words(begun, change) or step.title, []).append(change)
        for title, changes in found.items():
            edits = tuple(Edit(self._outer(e.span), e.new_text) for e in disjoint_groups(changes))
            yield self._offer(title, "line", (edits, ()))

    def _here(self, text: str, change: EditGroup, line: Span) -> bool:
        inner = self._inner()
        if inner is not None and not all(_inside(e.span, inner) for e in change.edits):
            return False
        starts = (_FIRST.match(text, e.span.start, e.span.end) for e in change.edits)
        return any(s is not None and line.start <= s.end() <= line.end for s in starts)

    def item(self) -> Iterator[Offer]:
        """The offer to apply all steps to the item under the cursor."""
        inner = self._inner()
        if not self._sound or inner is None:
            return
        begun = with_final_newline(self._text[self._mark :])
        progress = MigrationState(begun, self._kind, self._read, within=inner)
        for step in steps_into(self._target, self._kind):
            if progress.make(step, self._source, self._target) and step.whole_only:
                return
        if progress.text != begun and progress.within is not None:
            added = len(begun) + self._mark - len(self._text) if inner.end == len(begun) else 0
            old, new = begun[inner.start : inner.end], progress.text[progress.within.start : progress.within.end]
            edits = edits_between(old[: len(old) - added], new[: len(new) - added])
            moved = tuple(Edit(self._outer(e.span.moved(inner.start)), e.new_text) for e in edits)
            held = (n for n in progress.notes if progress.within.start <= n.offset < progress.within.end)
            notes = tuple(MigrationNote(self._outer(Span(n.offset, n.offset)).start, n.words) for n in held)
            yield self._offer(f"Migrate this {_ITEMS[self._kind]} to {self._target.name}", "item", (moved, notes))

    def _inner(self) -> Span | None:
        """The place of the item in the text without a byte order mark, including its line break."""
        if self.within is None:
            return None
        end = self.within.end if self.within.end < len(self._text) else len(with_final_newline(self._text))
        return Span(max(self.within.start - self._mark, 0), end - self._mark)

    def _outer(self, span: Span) -> Span:
        return span.moved(self._shift + self._mark)

    def _offer(self, title: str, scope: Scope, made: Made) -> Offer:
        shown = title if scope == "item" else f"{title} ({self._target.name})"
        return Offer(shown, scope, self._target.name, lambda: made)


def _words(text: str, change: EditGroup) -> str | None:
    """The title of a change of a single word."""
    old, new = (text[slice(*change.edits[0].span)], change.edits[0].new_text) if len(change.edits) == 1 else ("", "")
    return f"Write `{old}` as `{new}`" if _WORD.match(old) and _WORD.match(new) else None


def _inside(span: Span, outer: Span) -> bool:
    return outer.start <= span.start and span.end <= outer.end


def _line_end(text: str, offset: int) -> int:
    ends = [at for at in (text.find("\n", offset), text.find("\r", offset)) if at >= 0]
    return min(ends, default=len(text))


def steps(analysis: Analysis, read: Reader = lambda _: None) -> list[Offer]:
    """The steps that would change a text, one by one: those left from the way into its dialect, then those to the next."""
    if parse(analysis.document.text).problems:
        return []
    at = next(i for i, dialect in enumerate(DIALECTS) if dialect.name == analysis.dialect.name)
    return [
        offer
        for new in DIALECTS[max(at, 1) : at + 2]
        for step in steps_into(new, analysis.kind)
        if new is not analysis.dialect or not step.before_all
        for offer in _whole(step, analysis, DIALECTS[DIALECTS.index(new) - 1], new, read)
    ]


def _whole(step: MigrationStep, analysis: Analysis, old: Dialect, new: Dialect, read: Reader) -> Iterator[Offer]:
    text = analysis.document.text
    body = text.lstrip(_MARK)
    mark = text[: len(text) - len(body)]
    progress = MigrationState(with_final_newline(body), analysis.kind, read)
    if progress.make(step, old, new):
        made = mark + progress.text[: len(progress.text) - len(with_final_newline(text)) + len(text)]
        notes = tuple(MigrationNote(note.offset + len(mark), note.words) for note in progress.notes)
        found = (edits_between(text, made), notes)
        yield Offer(f"{step.title} ({new.name})", "file", new.name, lambda: found)
