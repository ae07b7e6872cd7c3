"""Reads the entries of mappings: their own, and those from merge keys."""

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from typing import Any, NamedTuple

from rubric_core.language.dialect import Dialect
from rubric_core.language.value_kinds import Anything, MapOf
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import MergeKey, UnknownAlias
from rubric_core.loading.read_values import HOLE, ValueReader
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["MERGE", "EntryReader", "Merged", "MergedMapping"]

#: An entry of a mapping, and the reference it came through, if any.
Merged = tuple[Entry, Span | None]


class MergedMapping(NamedTuple):
    """The entries of a mapping, for references from elsewhere."""

    #: Its own entries, and those of its merge keys.
    entries: list[Merged]
    #: Merge keys without a target: missing keys may be there.
    lost: tuple[UnknownAlias, ...]


#: The merge key.
MERGE = "<<"
#: The maximum number of merged entries of a mapping; shapes have far fewer keys.
_MOST_MERGED = 2_000


class EntryReader(ValueReader):
    """Reads the entries of mappings."""

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        super().__init__(text, dialect, dialects, anchors)
        #: The mappings whose missing keys may be elsewhere: behind a merge key without a target, or as the key that the mapping belongs to.
        self._lacking: set[int] = set()
        self._merged: dict[int, list[Merged]] = {}
        #: What was read of mappings that can be referred to, by the id of the mapping: of those in this text, for texts
        #: that refer to it, ...
        self.merged_here: dict[int, MergedMapping] = {}
        #: ... and of those in texts that this one refers to.
        self.merged_above: MappingOf[int, MergedMapping] = {}

    def is_plain(self, node: Mapping) -> bool:
        """Whether the entries of a mapping have not been read yet, and no reference can lead to it."""
        return node.anchor is None and id(node) not in self._merged and not self.merged_above

    def entries(self, node: Mapping) -> list[Merged]:
        """The entries of a mapping, its own first, then those of its merge keys with the span of the reference."""
        known = self._merged.get(id(node))
        if known is not None:
            return known
        above = self.merged_above.get(id(node))
        if above is not None:
            at = self.at(node)
            self.issues += (replace(each, span=at, borrowed=True, known=self.known) for each in above.lost)
            self._merged[id(node)] = above.entries
            return above.entries
        complaints = len(self.issues)
        own: list[Merged] = []
        merged: list[Merged] = []
        #: The place of an issue about a merge key, and the first merged entry.
        refused: list[tuple[int, int]] = []
        self._merged[id(node)] = own
        for entry in node.entries:
            key = entry.key
            if isinstance(key, Scalar) and key.text == MERGE and key.style == "plain":
                sources = entry.value.items if isinstance(entry.value, Sequence) else [entry.value]
                if not self.dialect.properties.merges:
                    at = self.via or key.span
                    refused.append((len(self.issues), len(merged)))
                    self.issues.append(MergeKey(span=at, borrowed=self.via is not None, entry=entry, node=node))
                before = len(self.issues)
                for source in sources:
                    merged += self._merge(source)
                if len(self.issues) > before:
                    self._lacking.add(id(node))
            else:
                own.append((entry, None))
        if merged:
            names = {entry.name for entry, _ in own}
            for entry, span in merged:
                if entry.name not in names and len(own) < _MOST_MERGED:
                    names.add(entry.name)
                    own.append((entry, span))
        if refused:
            self._name_merged(own, merged, refused)
        if node.anchor is not None and self.via is None:
            lost = [each for each in self.issues[complaints:] if isinstance(each, UnknownAlias)]
            if complaints + len(lost) == len(self.issues):
                self.merged_here[id(node)] = MergedMapping(own, tuple(lost))
        return own

    def _name_merged(self, own: list[Merged], merged: list[Merged], refused: list[tuple[int, int]]) -> None:
        """Add the merged entries to the issue about each merge key."""
        taken = {id(entry) for entry, _ in own}
        for at, (number, start) in enumerate(refused):
            issue = self.issues[number]
            end = refused[at + 1][1] if at + 1 < len(refused) else len(merged)
            if isinstance(issue, MergeKey):
                through = tuple(entry for entry, _ in merged[start:end] if id(entry) in taken)
                self.issues[number] = replace(issue, merged=through)

    def _merge(self, source: Node) -> list[Merged]:
        if isinstance(source, Alias):
            span = source.span

            def take(target: Node) -> Any:
                if not isinstance(target, Mapping):
                    return self._wrong(MapOf(Anything()), target, MERGE)
                return [(entry, span) for entry, _ in self.entries(target)]

            result = self._behind(source, take)
            return [] if result is HOLE else list(result)
        if isinstance(source, Mapping):
            return [(entry, source.span) for entry, _ in self.entries(source)]
        self._wrong(MapOf(Anything()), source, MERGE)
        return []
