"""Files with several YAML documents: a request is about the one in which its place is, or about each of them."""

from collections.abc import Callable
from typing import Any

from rubric_lsp import convert
from rubric_lsp.snapshot import Snapshot

__all__ = ["in_parts"]


def in_parts(work: Callable[[Snapshot, Any], Any], snapshot: Snapshot, params: Any) -> Any:
    """What `work` gives for the YAML document that is asked about; for a file as a whole, the lists of all of them."""
    if len(snapshot.parts) == 1:
        return work(snapshot, params)
    line = convert.line(params)
    if line is not None:
        return work(snapshot.part_at(line), params)
    return [each for part in snapshot.parts for each in work(part, params) or ()]
