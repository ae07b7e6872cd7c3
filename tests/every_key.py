"""Every place of the language where a key can be typed: the text before it, made from the catalogue."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Band
from rubric_core.language.file_kinds import FileKind, root_of
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Messages, Shaped, Tagged
from rubric_core.language.value_kinds import Kind, ListOf, MapOf, NodeUnion, Ranges, usual

__all__ = ["FILES", "KeyPlace", "each_key_once", "places_of_keys", "typed"]

#: A file of each kind in which people write keys, as it is named; the first is a suite.
_AGENTV = {
    FileKind.SUITE: "a.eval.yaml",
    FileKind.TARGETS: ".agentv/targets.yaml",
    FileKind.CONFIG: ".agentv/config.yaml",
}
FILES = [
    *((dialect, kind, name) for dialect in DIALECTS for kind, name in _AGENTV.items()),
    (PROMPTFOO, PromptfooFile.CONFIGURATION, "promptfooconfig.yaml"),
]


@dataclass(frozen=True)
class KeyPlace:
    """A place for the keys of one shape. All of them can be typed there, one below the other."""

    file: str
    dialect: Dialect
    shape: type[Shape]
    #: The text up to the place, on its last line the indentation or the dash.
    lead: str
    #: The column of the keys.
    column: int
    #: Each key with the kind of its value.
    keys: dict[str, Kind[Any]] = field(hash=False)

    @property
    def is_ours(self) -> bool:
        """Whether the file has a language of its own in editors; others are any YAML there."""
        return self.file not in (_AGENTV[FileKind.TARGETS], _AGENTV[FileKind.CONFIG])

    def __str__(self) -> str:
        return f"{self.dialect.name} {self.file} {self.shape.__name__} at {len(self.lead)}"


def places_of_keys() -> Iterator[KeyPlace]:
    """Every shape, in a mapping and as the item of a list, in every dialect of both families."""
    for dialect, kind, name in FILES:
        yield from _Walk(dialect, name).values(root_of(kind), f"# rubric: dialect={dialect.name}\n", 0)


def each_key_once() -> Iterator[KeyPlace]:
    """Places with every key of both families, each of them in the newest dialect that has it, and in a suite rather than elsewhere."""
    seen: set[tuple[bool, str]] = set()
    newest = reversed(list(places_of_keys()))
    for place in sorted(newest, key=lambda place: not place.is_ours):
        family = place.dialect is PROMPTFOO
        new = {name: kind for name, kind in place.keys.items() if (family, name) not in seen}
        seen |= {(family, name) for name in new}
        if new:
            yield replace(place, keys=new)


def typed(place: KeyPlace) -> str:
    """The text after all keys of a place were typed, each with a colon and Enter, and the next one step further left."""
    lines = "".join(f"{key}:\n{' ' * place.column}" for key in place.keys)
    return f"{place.lead}{lines}  "


class _Walk:
    def __init__(self, dialect: Dialect, file: str) -> None:
        self.dialect, self.file = dialect, file
        self.seen: set[tuple[type[Shape], bool]] = set()

    def values(self, kind: Kind[Any] | None, above: str, column: int) -> Iterator[KeyPlace]:
        """The places in a value of a kind, on the lines below `above`."""
        kind = usual(kind)
        for each in kind.branches if isinstance(kind, NodeUnion) else (kind,):
            each = usual(each)  # noqa: PLW2901  # what a branch usually is
            if isinstance(each, ListOf | Messages):
                yield from self.mappings(each.item, above, " " * column + "- ", column + 2)
            elif isinstance(each, Ranges):
                yield from self.mappings(Shaped(Band), above, " " * column + "- ", column + 2)
            elif isinstance(each, MapOf):
                yield from self.values(each.value, f"{above}{' ' * column}x:\n", column + 2)
            else:
                yield from self.mappings(each, above, " " * column, column)

    def mappings(self, kind: Kind[Any] | None, above: str, begin: str, column: int) -> Iterator[KeyPlace]:
        """The places in mappings whose first key follows `begin` on its line."""
        for each in kind.branches if isinstance(kind, NodeUnion) else (kind,):
            if isinstance(each, Shaped):
                yield from self.shape(each.shape, f"{above}{begin}", column)
            elif isinstance(each, Tagged):
                yield from self.shape(each.base, f"{above}{begin}", column)
                tag = self.dialect.spelled(each.base, each.base.tag) or each.base.tag
                for known in self.dialect.types_of(each.base).values():
                    if known.fate is SpellingStatus.CURRENT:
                        lead = f"{above}{begin}{tag}: {known.name}\n{' ' * column}"
                        yield from self.shape(known.shape, lead, column)

    def shape(self, shape: type[Shape], lead: str, column: int) -> Iterator[KeyPlace]:
        where = (shape, lead.endswith("- "))
        if where in self.seen:
            return
        self.seen.add(where)
        keys = {spelling.name: key.kind for spelling, key in self.dialect.fields(shape)}
        yield KeyPlace(self.file, self.dialect, shape, lead, column, keys)
        for name, kind in keys.items():
            yield from self.values(kind, f"{lead}{name}:\n", column + 2)


if __name__ == "__main__":
    every = [
        {"file": p.file, "ours": p.is_ours, "lead": p.lead, "column": p.column, "keys": list(p.keys)}
        for p in each_key_once()
    ]
    json.dump(sorted(every, key=lambda each: str(each["file"])), sys.stdout)
