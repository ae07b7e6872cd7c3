"""A server without a wire and with a clock of its own, and somebody who writes in front of it."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from rubric_core.analysis import Language
from rubric_core.text import LineIndex, Span, apply_edits
from rubric_core.validation.rule import Diagnostic
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.deferral import IDLE, Deferral
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.deferred_findings import leave_out_deferred
from rubric_lsp.routes import make_server
from typed.texts import Text
from typed.ways import Pen

__all__ = ["Desk", "Flash", "Noise"]

#: Severity, code and message.
_Shown = tuple[str, str, str]


@dataclass(frozen=True)
class Flash:
    """A finding that came while correct text was written, and went without anything having been mended."""

    severity: str
    code: str
    message: str
    #: Whether it stood on the line that was being written.
    on_line: bool
    #: The end of the text in front of the cursor when it came.
    text: str


@dataclass
class Noise:
    """What somebody saw who wrote a text."""

    strokes: int = 0
    flashes: list[Flash] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Flashes a keystroke."""
        return len(self.flashes) / max(1, self.strokes)

    def add(self, other: "Noise") -> None:
        """Count what somebody else saw as well."""
        self.strokes += other.strokes
        self.flashes += other.flashes

    def codes(self) -> Counter[tuple[str, str]]:
        """How often each code flashed."""
        return Counter((f.severity, f.code) for f in self.flashes)


class Desk:
    """One server; `quiet` is off to see what it would show if nothing waited."""

    def __init__(self, language: Language, folder: Path, *, quiet: bool = True) -> None:
        self._now = 0.0
        self._quiet = quiet
        self.folder = folder
        self.server = make_server()
        self.server.documents.language = language
        self.server.documents.encoding = "utf-32"
        self.server.deferral = Deferral(lambda: self._now)

    def write(self, wanted: Text, pen: Pen) -> Noise:
        """Type a text; the findings shown at the end must be those of the text."""
        for name, text in wanted.around.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        uri = (self.folder / wanted.name).as_uri()
        self.server.documents.open(uri, "eval-yaml", 0, pen.start)
        self.server.deferral.forget(uri)
        noise = self._watch(uri, pen)
        final = self.server.documents.get(uri)
        assert final is not None
        assert final.document.text == pen.text
        self._now += IDLE + 0.01
        assert not self.server.deferral.numbers(final), "everything is said when nobody writes any more"
        self.server.documents.close(uri)
        self.server.deferral.forget(uri)
        return noise

    def _watch(self, uri: str, pen: Pen) -> Noise:
        noise = Noise()
        live: dict[_Shown, Flash] = {}
        first = self.server.documents.get(uri)
        assert first is not None
        there = set(self._shown(first))
        for version, stroke in enumerate(pen.strokes, start=1):
            if stroke.after > IDLE:
                self._now += IDLE + 0.01
                self._count(uri, noise, live, there)
            self._now += max(0.0, stroke.after - (IDLE + 0.01 if stroke.after > IDLE else 0))
            if not stroke.edits:
                continue
            before = self.server.documents.get(uri)
            assert before is not None
            text, changes = before.document.text, []
            for edit in stroke.edits:
                changes.append(ContentChange(LineIndex(text).range(edit.span, "utf-32"), edit.new_text))
                text = apply_edits(text, [edit])
            snapshot = self.server.documents.change(uri, version, changes)
            assert snapshot is not None
            self.server.deferral.edited(snapshot)
            noise.strokes += len(stroke.edits)
            self._count(uri, noise, live, there)
        return noise

    def _count(self, uri: str, noise: Noise, live: dict[_Shown, Flash], there: set[_Shown]) -> None:
        snapshot = self.server.documents.get(uri)
        assert snapshot is not None
        shown = self._shown(snapshot)
        for key in [key for key in live if key not in shown]:
            noise.flashes.append(live.pop(key))
        for key, span in shown.items():
            if key not in live and key not in there:
                live[key] = _flash(snapshot, key, span)
        there &= shown.keys()

    def _shown(self, snapshot: Snapshot) -> dict[_Shown, Span]:
        if not snapshot.is_ours:
            return {}
        deferred = self.server.deferral.numbers(snapshot) if self._quiet else frozenset()
        said = leave_out_deferred(snapshot.analysis.listed, deferred).placed(snapshot.document)
        return {_key(each): each.span for each in said}


def _key(found: Diagnostic) -> _Shown:
    return (found.severity, found.code, found.message)


def _flash(snapshot: Snapshot, key: _Shown, span: Span) -> Flash:
    at = snapshot.writing.at if snapshot.writing is not None else 0
    index = LineIndex(snapshot.document.text)
    on_line = index.line_of(span.start) <= index.line_of(at) <= index.line_of(span.end)
    return Flash(*key, on_line, snapshot.document.text[max(0, at - 80) : at])
