"""Defers findings while the user types, until the cursor leaves the place or typing stops."""

import time
from collections.abc import Callable, Iterable, Mapping

from rubric_core.analysis.finding_list import same_findings
from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Edit
from rubric_core.validation.rule import Awaited, Diagnostic
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.deferred_findings import (
    CarriedFinding,
    EditingContext,
    FirstSeen,
    Numbered,
    number_findings,
    review_deferred,
    scene_of,
)
from rubric_lsp.features.edit_place import move_edit_place

__all__ = ["IDLE", "Deferral"]

#: Seconds without an edit after which every finding is published.
IDLE = 0.4


@dataclass(slots=True)
class _Followed:
    """The deferral state of one open document."""

    #: The version that was examined last, and the token that was being typed then.
    snapshot: Snapshot
    scene: EditingContext | None
    #: Its deferred findings.
    deferred: Mapping[Numbered, FirstSeen]
    #: The edits since then.
    edits: tuple[Edit, ...] = ()
    #: The token that was being typed when something was last typed.
    token: tuple[str, int] | None = None
    #: How many tokens were typed, and the offset of the last one in the newest version.
    tokens: int = 0
    token_start: int | None = None


class Deferral:
    """The deferred findings of each open document.

    Args:
        clock: Gives the time, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._followed: dict[str, _Followed] = {}
        #: The token being typed in the document that was edited last, and the time of that edit.
        self._scene: EditingContext | None = None
        self._edited_at = float("-inf")

    def edited(self, snapshot: Snapshot) -> None:
        """A document has another text."""
        self._edited_at = self._clock()
        known = self._followed.get(snapshot.uri)
        if snapshot.writing is None or known is None:
            self._scene = None
            return
        known.edits += snapshot.edits
        start = known.token_start
        for edit in snapshot.edits:
            start = move_edit_place(start, edit) if start is not None else None
        scene = scene_of(snapshot.uri, snapshot.document, snapshot.writing, known.tokens, start)
        self._scene, known.tokens = None if snapshot.writing.made else scene, scene.token[1]
        known.token_start = scene.unfinished.start if scene.unfinished is not None else None

    def numbers(self, snapshot: Snapshot) -> frozenset[Numbered]:
        """The numbers of a version's deferred findings."""
        known = self._followed.get(snapshot.uri)
        scene = self._seen_from(snapshot)
        if known is None or known.snapshot is not snapshot or known.scene != scene:
            known = self._look(snapshot, known, scene)
        return frozenset(known.deferred)

    def say_everything(self, snapshot: Snapshot) -> None:
        """Publish all findings of a version, whatever is being typed."""
        self._look(snapshot, self._followed.get(snapshot.uri), None)

    def _look(self, snapshot: Snapshot, known: _Followed | None, scene: EditingContext | None) -> _Followed:
        token = scene.token if scene is not None else None
        if known is None:
            known = self._followed[snapshot.uri] = _Followed(snapshot, scene, {})
        elif scene is None:
            known.deferred = {}
        else:
            known.deferred = _deferred(snapshot, known, scene, alone=known.token == token)
        known.snapshot, known.scene, known.edits = snapshot, scene, ()
        known.token = token or known.token
        return known

    def _seen_from(self, snapshot: Snapshot) -> EditingContext | None:
        """The token being typed, as far as it concerns a document."""
        scene = self._scene if self.remaining > 0 else None
        if scene is None or scene.stretch[0] == snapshot.uri:
            return scene
        return EditingContext(scene.stretch, scene.token)

    @property
    def remaining(self) -> float:
        """Seconds until every finding is published, if nothing more is typed."""
        return self._edited_at + IDLE - self._clock()

    def end(self) -> None:
        """End the typing: a document was saved, so its text is complete."""
        self._edited_at = float("-inf")

    def forget(self, uri: str) -> None:
        """A document was opened or closed."""
        self._followed.pop(uri, None)
        if self._scene is not None and self._scene.stretch[0] == uri:
            self._scene = None


def _deferred(
    snapshot: Snapshot, known: _Followed, scene: EditingContext, *, alone: bool
) -> Mapping[Numbered, FirstSeen]:
    """The deferred findings of a version. Unchanged blocks without deferred findings are skipped."""
    language, document, found = snapshot.analysis.language, snapshot.document, snapshot.analysis.listed
    earlier, listed = known.snapshot.document, known.snapshot.analysis.listed
    # Not by what is listed: a finding that counts others changes with them.
    start, end = same_findings(known.snapshot.analysis.found.blocks, snapshot.analysis.found.blocks)
    old, new = len(listed.blocks) - end, len(found.blocks) - end
    waiting = {block for block, _ in known.deferred if block >= 0}
    before = {*range(start, old), *waiting}
    now = {*range(start, new), *(n for n in waiting if n < start), *(n + new - old for n in waiting if n >= old)}

    def awaits(group: str) -> Awaited:
        rule = language.rule(group)
        return rule.awaits if rule is not None else ""

    told = [
        CarriedFinding(each, _moved(each.span.start, known.edits), known.deferred.get(number))
        for number, each in _in_order(number_findings(listed, before, earlier))
    ]
    looked_at = _in_order(number_findings(found, now, document))
    made = review_deferred(document, [each for _, each in looked_at], scene, told, awaits, alone=alone)
    return {looked_at[number][0]: birth for number, birth in made.items()}


def _in_order(found: Iterable[tuple[Numbered, Diagnostic]]) -> list[tuple[Numbered, Diagnostic]]:
    return sorted(found, key=lambda each: (each[1].span, each[1].group))


def _moved(offset: int, edits: Iterable[Edit]) -> int:
    for edit in edits:
        offset = move_edit_place(offset, edit)
    return offset
