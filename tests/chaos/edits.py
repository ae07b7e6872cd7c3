"""Random edits and every request in three encodings: a server that follows says what one says that reads afresh.

Positions are random, also outside of lines; several edits come in one notification; texts are undone, replaced as a whole and
have every kind of line break. Differences, internal errors and errors in the log are faults.
"""

import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from client import VSCODE
from edit_scripts import random_edit
from everywhere import AT, WHOLE, Direct, params_at

from rubric_core.text import Edit, Encoding, LineIndex, Position, Span, apply_edits
from rubric_lsp.protocol.transport import encoded

from .tally import Setting, Tally
from .texts import suite_texts

__all__ = ["compare_edits", "run"]

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
#: What few people type.
_ODD = (
    "e\u0301", "\u05d0\u05d1", "\u202e", "\u2029", "\u0085", "\x0b", "{{ x }}", "${{ A }}", "👩‍👩‍👧", "\U0001f1e6", "> ", "# rubric: dialect=agentv-5\n",
)  # fmt: skip
_LONGEST = 6_000
#: Edits in one notification: as people type, as a formatter or a search with replacement changes a text, and as a merge does.
_AT_ONCE = (1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 10, 10, 16, 100, 1_000)
#: Edits that are not taken back yet. More of them, and a text is too damaged for anything to be found in it.
_MOST_OPEN = 24
_MOST_FAULTS = 20
_INTERNAL_ERROR = -32603
#: Each change of a text is followed by the diagnostics and so many other requests.
_OTHERS = 5
_DELTA = "semanticTokens/full/delta"


def run(setting: Setting, tally: Tally) -> None:
    """Edit texts one after the other: half of the edits come a thousand at a time."""
    edits = setting.edits or setting.of(2_000, 250_000)
    compare_edits(setting, tally, edits, seconds=setting.seconds)


def compare_edits(setting: Setting, tally: Tally, edits: int, seconds: float) -> None:
    """Make so many edits, and stop after so many seconds."""
    rng, texts = setting.random("edits"), suite_texts(longest=2_500)
    pairs = {encoding: _Pair(encoding, tally) for encoding in ENCODINGS}
    end = time.monotonic() + seconds
    while tally.counts["edits"] < edits and time.monotonic() < end and len(tally.faults) < _MOST_FAULTS:
        encoding = rng.choice(ENCODINGS)
        text = rng.choice(texts)
        if rng.random() < 0.15:
            text = text.replace("\n", rng.choice(("\r\n", "\r")))
        pairs[encoding].follow(text, rng, steps=20)
        tally.count("texts")
    for pair in pairs.values():
        pair.follower.end()
        pair.fresh.end()


@dataclass
class _Pair:
    """A server that follows, and one that is given each version as a new text."""

    encoding: Encoding
    tally: Tally
    follower: Direct = field(default_factory=Direct)
    fresh: Direct = field(default_factory=Direct)
    opened: int = 0

    def __post_init__(self) -> None:
        text_document = {**VSCODE["textDocument"], "diagnostic": {}}
        text_document["codeAction"] = {
            **text_document["codeAction"],
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
        workspace = {**VSCODE["workspace"], "diagnostics": {"refreshSupport": True}}
        general = {"positionEncodings": [self.encoding]}
        for server in (self.follower, self.fresh):
            # The survey of all files comes at its own time; suggestions stand in the order of what it has seen by then.
            server.server.workspace_check.changed = lambda **_: None  # type: ignore[method-assign]
            server.initialize({**VSCODE, "general": general, "textDocument": text_document, "workspace": workspace})

    def follow(self, text: str, rng: random.Random, steps: int) -> None:
        """Make edits and compare after each notification."""
        self.opened += 1
        uri = f"file:///chaos/{self.encoding}-{self.opened}.eval.yaml"
        self.follower.open(uri, text, 0)
        colors = _Colors()
        edited = _Edited(text)
        for step in range(1, steps + 1):
            changes = [edited.change(rng, self.encoding) for _ in range(rng.choice(_AT_ONCE))]
            text = edited.text
            self.follower.change(uri, step, changes)
            self.fresh.open(uri, text, step)
            self.tally.count("edits", len(changes))
            self.tally.count("versions")
            self.tally.most("edits in one notification", len(changes))
            if not self._compared(uri, text, rng, colors):
                break
            self.fresh.close(uri)
        self.follower.close(uri)

    def _compared(self, uri: str, text: str, rng: random.Random, colors: "_Colors") -> bool:
        for method, params in _requests(uri, text, self.encoding, rng):
            ours = _asked(self.follower, f"textDocument/{method}", params)
            theirs = _asked(self.fresh, f"textDocument/{method}", params)
            self.tally.count("requests", 2)
            if method == "semanticTokens/full":
                ours, theirs = colors.of(self.follower, uri, ours), theirs["result"]["data"] if theirs["result"] else []
            if not self._same(method, params, text, ours, theirs):
                return False
            if method in _RESOLVED and not self._resolved(method, text, rng, ours, theirs):
                return False
        return True

    def _resolved(self, method: str, text: str, rng: random.Random, ours: Any, theirs: Any) -> bool:
        """What one of the suggestions or actions means at length."""
        items, others = (_items(each.get("result")) for each in (ours, theirs))
        if not items:
            return True
        chosen = rng.randrange(len(items))
        if len(items) != len(others):
            return self._same(method, None, text, items, others)
        answers = [
            _asked(server, _RESOLVED[method], each[chosen])
            for server, each in ((self.follower, items), (self.fresh, others))
        ]
        self.tally.count("requests", 2)
        return self._same(_RESOLVED[method], items[chosen], text, *answers)

    def _same(self, method: str, params: Any, text: str, ours: Any, theirs: Any) -> bool:
        code = ours.get("error", {}).get("code") if isinstance(ours, dict) else None
        log = self.follower.log + self.fresh.log
        fine = _cleaned(ours) == _cleaned(theirs) and code != _INTERNAL_ERROR and not log
        if not fine:
            self.tally.fault(
                f"{method} in {self.encoding}: another answer than after a fresh reading, or an error {log[:300]}",
                params=params, text=text, follower=ours, fresh=theirs, log=log,
            )  # fmt: skip
        return fine


_RESOLVED = {"completion": "completionItem/resolve", "codeAction": "codeAction/resolve"}


def _asked(server: Direct, method: str, params: Any) -> Any:
    """An answer as a client reads it."""
    return json.loads(encoded(server.answer(server.start(method, params))).partition(b"\r\n\r\n")[2])


def _items(result: Any) -> list[Any]:
    found = result.get("items", []) if isinstance(result, dict) else result
    return list(found or ())


@dataclass
class _Colors:
    """The tokens of a client that asks for what has changed since it last asked."""

    name: str | None = None
    numbers: list[int] = field(default_factory=list)

    def of(self, server: Direct, uri: str, full: Any) -> list[int]:
        """The tokens of this version: by what has changed, where an earlier version is known."""
        if self.name is None:
            told = full["result"] or {}
        else:
            params = {"textDocument": {"uri": uri}, "previousResultId": self.name}
            told = _asked(server, f"textDocument/{_DELTA}", params)["result"] or {}
        for edit in told.get("edits", ()):
            self.numbers[edit["start"] : edit["start"] + edit["deleteCount"]] = edit.get("data", [])
        if "data" in told:
            self.numbers = list(told["data"])
        self.name = told.get("resultId")
        return list(self.numbers)


@dataclass
class _Edited:
    """A text that is edited at random. As many edits are taken back, the last first: so it stays a suite, however many there are."""

    text: str
    #: What takes back each edit, and the texts of before for those that replace everything.
    _open: list[Edit] = field(default_factory=list)
    _before: list[str] = field(default_factory=list)

    def change(self, rng: random.Random, encoding: Encoding) -> dict[str, Any]:
        """Make one more edit, and give it as it is sent."""
        text = self.text
        if self._before and rng.random() < 0.02:
            edit, self._open = Edit(Span(0, len(text)), rng.choice(self._before)), []
        elif self._open and (len(self._open) >= _MOST_OPEN or rng.random() < 0.4):
            edit = self._open.pop()
        else:
            edit = _edit(text, rng)
            start, end = edit.span
            self._open.append(Edit(Span(start, start + len(edit.new_text)), text[start:end]))
            self._before = [*self._before[-5:], text]
        self.text = apply_edits(text, [edit])
        return _change(text, edit, encoding, whole=rng.random() < 0.5)


def _edit(text: str, rng: random.Random) -> Edit:
    if len(text) > _LONGEST:
        return Edit(Span(len(text) // 2, len(text)), "")
    at = rng.randint(0, len(text))
    return Edit(Span(at, at), rng.choice(_ODD)) if rng.random() < 0.15 else random_edit(text, rng)


def _change(text: str, edit: Edit, encoding: Encoding, *, whole: bool) -> dict[str, Any]:
    """An edit as it is sent; no position of the protocol lies between the two characters of a line break."""
    start, end = edit.span
    if whole and edit.span == (0, len(text)):
        return {"text": edit.new_text}
    if text[start - 1 : start + 1] == "\r\n" or text[end - 1 : end + 1] == "\r\n":
        return {"text": apply_edits(text, [edit])}
    where = LineIndex(text).range(edit.span, encoding)
    return {"range": {"start": _json(where.start), "end": _json(where.end)}, "text": edit.new_text}


def _json(position: Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _requests(uri: str, text: str, encoding: Encoding, rng: random.Random) -> Iterator[tuple[str, Any]]:
    index = LineIndex(text)

    def place() -> dict[str, int]:
        if rng.random() < 0.07:
            return {"line": rng.randint(0, 400), "character": rng.randint(0, 300)}
        return _json(index.position(rng.randint(0, len(text)), encoding))

    yield "diagnostic", {"textDocument": {"uri": uri}}
    for method in rng.sample((*WHOLE, "formatting", *AT), _OTHERS):
        if method == "formatting":
            yield method, {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}}
        elif method in WHOLE:
            yield method, {"textDocument": {"uri": uri}}
        else:
            yield method, params_at(method, place(), uri)


def _cleaned(answer: Any) -> Any:
    """An answer without the name that it can be asked about by."""
    if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
        return {**answer, "id": 0, "result": {k: v for k, v in answer["result"].items() if k != "resultId"}}
    return {**answer, "id": 0} if isinstance(answer, dict) else answer
