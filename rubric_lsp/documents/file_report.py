"""A compact report of each file for the workspace check: its diagnostics and its usage counts."""

import hashlib
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rubric_core.language.usage_counts import Counts
from rubric_core.lazy_compilation import dataclass
from rubric_lsp.protocol.json_array import JsonArray

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.diagnostics import Diagnostic

__all__ = ["NOTHING_WRONG", "FileReport", "PackedCounts", "Word", "digest"]

#: The values that are counted; see `Counts`.
Word = tuple[str, str, str]


@dataclass(slots=True)
class FileReport:
    """The diagnostics of one file."""

    uri: str
    version: int | None
    #: The diagnostics as they are sent.
    found: JsonArray
    #: Whether the client has the file open.
    is_open: bool = False
    _name: str = ""

    @property
    def items(self) -> list["Diagnostic"]:
        """Its diagnostics."""
        return self.found.items

    @property
    def name(self) -> str:
        """The digest of its diagnostics."""
        self._name = self._name or digest(self.found)
        return self._name


def digest(items: JsonArray | list["Diagnostic"]) -> str:
    """A hash of a list of diagnostics."""
    written = items if isinstance(items, JsonArray) else JsonArray.of(items)
    return hashlib.blake2b(written.text.encode(), digest_size=12).hexdigest()


#: The digest of an empty list.
NOTHING_WRONG = digest([])


class PackedCounts:
    """How often one suite uses keys and values.

    Args:
        counts: The counts.
        made_from: The inputs of the counts.
        words: A single object for each word, shared by thousands of suites.
    """

    __slots__ = ("_numbers", "_words", "made_from")

    def __init__(self, counts: Counts, made_from: tuple[object, ...], words: dict[Word, Word]) -> None:
        self.made_from = made_from
        self._words = tuple(words.setdefault(word, word) for word in counts)
        self._numbers = array("L", counts.values())

    def items(self) -> Iterator[tuple[Word, int]]:
        """Each word with its number of uses."""
        return zip(self._words, self._numbers, strict=True)
