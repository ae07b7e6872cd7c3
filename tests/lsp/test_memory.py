"""Garbage is collected when nothing is at work, however work overlaps."""

import gc

from rubric_lsp.memory import Memory


def test_no_collection_while_anything_is_at_work() -> None:
    memory, was = Memory(), gc.isenabled()
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
