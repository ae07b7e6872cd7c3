"""Garbage is collected when nothing is at work, however work overlaps; and versions of a text are no garbage that waits for it."""

import gc
import weakref

import pytest
from client import VSCODE
from everywhere import AT, URI, WHOLE, Direct, params_at
from thorough import only_thorough

from rubric_core.analysis import Language, analyze
from rubric_lsp.documents.gc_control import GcControl
from rubric_lsp.documents.snapshot import Snapshot

LANGUAGE = Language()
SUITE = (
    "tests:\n  - id: a\n    criteria: Is polite\n    input: hello\n    assertions: [{type: contains, value: hello}]\n"
)


def test_no_collection_while_anything_is_at_work() -> None:
    memory, was = GcControl(), gc.isenabled()
    gc.enable()
    try:
        with memory.busy():
            with memory.busy(100_000):
                assert not gc.isenabled()
            assert not gc.isenabled(), "results are still being read in a thread"
        assert gc.isenabled()
    finally:
        gc.unfreeze()
        (gc.enable if was else gc.disable)()


@only_thorough
def test_many_small_files_are_set_aside_as_a_large_one_is() -> None:
    """What is not set aside is walked by the next collection, in which the server answers nothing: a second for 1,600 suites."""
    memory, was, before = GcControl(), gc.isenabled(), gc.get_freeze_count()
    gc.collect()
    analyses, left = [], []
    try:
        for _ in range(60):
            with memory.busy(len(SUITE) * 10):
                analyses.append(analyze(SUITE + "  - {id: b, input: x}\n" * 9, LANGUAGE))
            left.append(len(gc.get_objects()))
        # No more of them than make up 20,000 characters are left, however many there are.
        assert gc.get_freeze_count() - before > 10 * (max(left) - left[0])
    finally:
        gc.unfreeze()
        (gc.enable if was else gc.disable)()


@only_thorough
def test_everything_is_looked_through_when_much_was_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    memory, thawed = GcControl(), list[int]()
    monkeypatch.setattr(gc, "unfreeze", lambda: thawed.append(1))
    monkeypatch.setattr(gc, "freeze", lambda: None)
    for length in (1_999_999, 1, 1, 5):
        memory.released(length)
        memory._collect()
    assert thawed == [1]


@pytest.mark.parametrize("documents", [1, 3])
def test_versions_that_were_overtaken_are_let_go_of_without_a_collection(documents: int) -> None:
    """A collection may be long in coming, and what was set aside (frozen) in a pause is never collected at all."""
    server, text = Direct(), "---\n".join([SUITE] * documents)
    server.initialize(VSCODE)
    server.open(URI, text, 0)
    _ask_everything(server)
    known, was = [], gc.isenabled()
    gc.collect()
    gc.disable()
    gc.freeze()
    try:
        for version in range(1, 20):
            known.append(weakref.ref(_newest(server)))
            known.append(weakref.ref(_newest(server).analysis))
            where = {"line": 2, "character": 13}
            server.change(URI, version, [{"range": {"start": where, "end": where}, "text": "x"}])
            _ask_everything(server)
        # The look at all suites, in the background, may hold the version that it saw last.
        assert len({number // 2 for number, each in enumerate(known) if each() is not None}) <= 1
    finally:
        gc.unfreeze()
        (gc.enable if was else gc.disable)()
        server.end()


def _newest(server: Direct) -> Snapshot:
    snapshot = server.server.documents.get(URI)
    assert snapshot is not None
    return snapshot


def _ask_everything(server: Direct) -> None:
    """Every request, whose answers may keep something of the version that they are about."""
    at = {"line": 2, "character": 5}
    document = {"textDocument": {"uri": URI}}
    asked = [(method, document) for method in WHOLE] + [(method, params_at(method, at, URI)) for method in AT]
    for method, params in asked:
        server.answer(server.start(f"textDocument/{method}", params))
