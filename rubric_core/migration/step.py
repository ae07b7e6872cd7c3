"""Migration steps and their application: groups of edits, and notes on what the author has to do."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import replace
from rubric_core.migration.draft import Draft, Reader
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.text import Edit, Span, apply_edits

__all__ = ["EditGroup", "MigrationNote", "MigrationState", "MigrationStep", "Work", "disjoint_groups"]

#: The most repetitions of a step, which is applied until it finds nothing more to do; no real suite is nested deeper.
_MOST_ROUNDS = 60
_SUITES = frozenset({FileKind.SUITE, FileKind.CASES, FileKind.CASE, FileKind.TEMPLATE})


@dataclass(frozen=True, slots=True)
class EditGroup:
    """Edits that only make sense together."""

    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class MigrationNote:
    """A change that the author has to make, at an offset of the text."""

    offset: int
    words: str
    #: The file that has to change, verbatim; `.` if this one needs another name.
    file: str = ""


#: Analyses a text and gives the changes and notes.
Work = Callable[[Draft], Iterable[EditGroup | MigrationNote]]


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """A part of the migration to the next dialect that can be applied by itself."""

    title: str
    work: Work
    #: The kinds of files that it is for.
    kinds: frozenset[FileKind] = _SUITES
    #: Whether it depends on what the text means in the older dialect: it writes a default out.
    before_all: bool = False
    #: Whether the older dialect would misread the result without an error; such a step is not offered for parts of a
    #: file.
    whole_only: bool = False


@dataclass(slots=True)
class MigrationState:
    """A text in migration, with the notes collected so far."""

    text: str
    kind: FileKind
    read: Reader
    notes: list[MigrationNote] = field(default_factory=list)
    #: The range in which changes may be made (None: anywhere), adjusted as changes are applied.
    within: Span | None = None
    #: The tree of the text, if it has been parsed.
    tree: SyntaxTree | None = None
    _draft: Draft | None = None

    def make(self, step: MigrationStep, source: Dialect, target: Dialect) -> bool:
        """Apply a step until it finds nothing more to do. Returns whether the text changed."""
        begun = self.text
        draft = self._drafted(source, target)
        found = list(step.work(draft))
        for _ in range(_MOST_ROUNDS):
            edits = disjoint_groups(each for each in found if isinstance(each, EditGroup) and self._allowed(each))
            if not edits:
                break
            draft = Draft(apply_edits(self.text, edits), self.kind, source, target, self.read)
            if draft.tree.problems:
                # Better left alone than broken: YAML has more ways to be written than edits of lines can know.
                self.notes.append(
                    MigrationNote(edits[0].span.start, f"this cannot be done the way it is written: {step.title}")
                )
                break
            self._apply(edits, draft)
            found = list(step.work(draft))
        # Of several notes about the same place, the first is the most specific.
        known = {note.offset for note in self.notes}
        self.notes += (each for each in found if isinstance(each, MigrationNote) and each.offset not in known)
        return self.text != begun

    def _drafted(self, source: Dialect, target: Dialect) -> Draft:
        """The draft of the text, reusing that of the previous step if the text is unchanged."""
        known = self._draft
        if known is None or known.text != self.text or known.source is not source or known.target is not target:
            # The next dialect reads the same tree.
            tree = known.tree if known is not None and known.text == self.text else self.tree
            known = self._draft = Draft(self.text, self.kind, source, target, self.read, tree)
        return known

    def _allowed(self, change: EditGroup) -> bool:
        inner = self.within
        return inner is None or all(inner.start <= e.span.start and e.span.end <= inner.end for e in change.edits)

    def _apply(self, edits: Sequence[Edit], draft: Draft) -> None:
        self._draft, self.tree = draft, draft.tree
        self.text = draft.text
        self.notes = [replace(note, offset=_moved(note.offset, edits)) for note in self.notes]
        if self.within is not None:
            self.within = Span(self.within.start, _moved(self.within.end, edits))


def disjoint_groups(changes: Iterable[EditGroup]) -> list[Edit]:
    """The edits of all groups that do not overlap an earlier group, in the order of the text."""
    chosen: list[Edit] = []
    for change in changes:
        if not any(_touches(edit, chosen) for edit in change.edits):
            for edit in change.edits:
                chosen.insert(bisect_left(chosen, edit), edit)
    return chosen


def _touches(edit: Edit, chosen: list[Edit]) -> bool:
    at = bisect_left(chosen, edit)
    before, behind = chosen[at - 1 : at], chosen[at : at + 1]
    return any(e.span.start <= edit.span.end and edit.span.start <= e.span.end for e in (*before, *behind))


def _moved(offset: int, edits: Sequence[Edit]) -> int:
    """The offset after `edits`; one inside replaced text moves to its start."""
    shift = 0
    for edit in edits:
        if edit.span.end <= offset:
            shift += len(edit.new_text) - (edit.span.end - edit.span.start)
        elif edit.span.start < offset:
            return edit.span.start + shift
    return offset + shift
