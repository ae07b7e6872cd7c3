"""The language: dialects and rules."""

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS, PROMPTFOO
from rubric_core.language.file_extensions import TABLES
from rubric_core.language.file_kinds import TEXTS, FileKind
from rubric_core.language.model import Suite
from rubric_core.loading.file_kind import kind_by_name
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.line_document import LineDocument, PlainDocument
from rubric_core.validation.rule import (
    Rule,
    by_class,
)
from rubric_core.validation.rules import RULES

__all__ = ["Language"]


#: Combinations of a class and fields of which the rules are remembered: suites have a few hundred.
_MOST_JUDGES = 4_096


class Language:
    """Everything that is known about eval YAML: dialects and rules. Immutable; one is enough for a process."""

    def __init__(self, dialects: Sequence[Dialect] = DIALECTS, rules: Sequence[Rule[Any]] = RULES) -> None:
        self.dialects = tuple(dialects)
        self.rules = tuple(rules)
        self._by_name = {d.name: d for d in (*dialects, PROMPTFOO)}
        self._by_code = {r.code: r for r in rules}
        self._by_class = by_class(rules)
        self._visitors: dict[type, tuple[Rule[Any], ...]] = {}
        #: By the class and the fields that are written.
        self._judges: dict[tuple[object, ...], tuple[Rule[Any], ...]] = {}
        #: The top-level keys whose lists hold the cases, in any dialect.
        self.item_keys = frozenset(s.name for d in dialects for s in d.table(Suite).values() if s.field == "cases")

    def document(self, text: str, path: PurePath | None = None, known: FileKind | None = None) -> Document:
        """`text` cut into blocks by the keys of this language; how, depends on what stands at `path`, or is `known` better."""
        if known in TEXTS:
            return PlainDocument.of(text)
        kind = FileKind.SUITE if path is None else kind_by_name(path)
        if kind is FileKind.DATASET:
            return LineDocument.of(text)
        if kind is FileKind.PROMPT or (path is not None and path.suffix.lower() in TABLES):
            return PlainDocument.of(text)
        return Document.of(text, self.item_keys if kind is FileKind.SUITE else self.item_keys | {ROOT_LIST})

    def dialect(self, name: str) -> Dialect:
        """The dialect of that name. Raises KeyError."""
        return self._by_name[name]

    def related(self, dialect: Dialect) -> tuple[Dialect, ...]:
        """The dialects that a text of `dialect` can be confused with: for promptfoo only itself."""
        return self.dialects if dialect in self.dialects else (dialect,)

    def rule(self, code: str) -> Rule[Any] | None:
        """The rule behind a code."""
        return self._by_code.get(code)

    def visitors(self, visited: type) -> tuple[Rule[Any], ...]:
        """The rules for a class, those for its base classes included."""
        found = self._visitors.get(visited)
        if found is None:
            found = tuple(r for base in visited.__mro__ for r in self._by_class.get(base, ()))
            self._visitors[visited] = found
        return found

    def judges(self, visited: type, fields: Iterable[str] = ()) -> tuple[Rule[Any], ...]:
        """The rules that may find something in one of a class in which these fields are written (see `Rule.needed`)."""
        key = visited, *fields
        found = self._judges.get(key)
        if found is None:
            if len(self._judges) >= _MOST_JUDGES:
                self._judges.clear()
            needs = ((rule, rule.needed(visited)) for rule in self.visitors(visited))
            found = self._judges[key] = tuple(r for r, need in needs if need is None or not need.isdisjoint(fields))
        return found
