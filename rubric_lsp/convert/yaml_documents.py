"""Files with several YAML documents: a request is about the document at its position, or about all of them."""

from collections.abc import Callable
from typing import Any

from rubric_lsp import convert
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.protocol.json_array import JsonArray

__all__ = ["per_yaml_document"]


def per_yaml_document(work: Callable[[Snapshot, Any], Any], snapshot: Snapshot, params: Any) -> Any:
    """What `work` gives for the YAML document that is asked about; for a file as a whole, the lists of all of them."""
    if len(snapshot.parts) == 1:
        return work(snapshot, params)
    line = convert.line(params)
    if line is not None:
        return work(snapshot.part_at(line), params)
    found = [work(part, params) or () for part in snapshot.parts]
    if any(isinstance(each, JsonArray) for each in found):
        return JsonArray.joined(each for each in found if isinstance(each, JsonArray))
    return [each for listed in found for each in listed]
