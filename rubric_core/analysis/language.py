"""The language: dialects and rules."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePath
from typing import Any

from rubric_core.family import FAMILIES
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS, dialect_named
from rubric_core.language.file_extensions import TABLES
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.releases import Releases
from rubric_core.loading.detect_file_kind import kind_by_name
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.line_document import LineDocument, PlainDocument
from rubric_core.syntax.parse import LARGEST
from rubric_core.text import smallest_edit
from rubric_core.validation.codes import Codes, rule_of
from rubric_core.validation.family_checks import checks_by_class
from rubric_core.validation.rule import Rule, by_class
from rubric_core.validation.rules import all_rules, rules_for

__all__ = ["Language", "default_language"]


#: How many combinations of a class and fields are cached: suites have a few hundred.
_MOST_JUDGES = 4_096
#: The names of dialects that are not AgentV's.
_OF_OTHER_FAMILIES = frozenset(name for family in FAMILIES for name in family.dialects) - {d.name for d in DIALECTS}


class Language:
    """Everything about eval YAML: dialects and rules. Immutable; one is enough for a process."""

    def __init__(
        self,
        dialects: Sequence[Dialect] = DIALECTS,
        rules: Sequence[Rule[Any]] | None = None,
        *,
        most: int = LARGEST,
    ) -> None:
        """Without `rules`, all rules of `validation.rules`, each loaded when needed; cases behind `most` characters are not read."""
        self._most = most
        self.dialects = tuple(dialects)
        self._own_rules = None if rules is None else {r.code: r for r in rules}
        #: Those of other families are added when they are first asked for.
        self._by_name = {d.name: d for d in dialects}
        self._visitors: dict[tuple[type, str], tuple[Rule[Any], ...]] = {}
        #: By the class, the family, the signs in the text and the written fields.
        self._judges: dict[tuple[object, ...], tuple[Rule[Any], ...]] = {}
        #: The top-level keys whose lists hold the cases, in any family.
        self.item_keys = frozenset(name for family in FAMILIES for name in family.case_keys)

    def document(
        self, text: str, path: PurePath | None = None, known: FileKind | None = None, earlier: Document | None = None
    ) -> Document:
        """`text` cut into blocks by the keys of this language, for the kind of file at `path` or the `known` kind.

        It shares the unchanged blocks of an `earlier` version that was cut in the same way.
        """
        cut, keys = self._way_to_cut(path, known)
        if type(earlier) is cut and earlier.item_keys == keys:
            return earlier.edited(smallest_edit(earlier.text, text))
        return cut.of(text, keys, self._most)

    def _way_to_cut(self, path: PurePath | None, known: FileKind | None) -> tuple[type[Document], frozenset[str]]:
        """The class of a document, and the top-level keys whose lists hold its cases."""
        kind = FileKind.SUITE if path is None else kind_by_name(path)
        if known is not None and known.is_text:
            return PlainDocument, frozenset()
        if kind is FileKind.DATASET:
            return LineDocument, frozenset()
        if kind is FileKind.PROMPT or (path is not None and path.suffix.lower() in TABLES):
            return PlainDocument, frozenset()
        is_suite = kind is FileKind.SUITE and known in (None, FileKind.SUITE)
        return Document, self.item_keys if is_suite else self.item_keys | {ROOT_LIST}

    def dialect(self, name: str, releases: Releases | None = None) -> Dialect:
        """The dialect of that name, as the newest of some releases reads it. Raises KeyError."""
        found = self._by_name.get(name)
        if found is None:
            if name not in _OF_OTHER_FAMILIES:
                raise KeyError(name)
            found = self._by_name[name] = dialect_named(name)
        return found if releases is None else found.at(releases.nearest(found.release))

    def related(self, dialect: Dialect) -> tuple[Dialect, ...]:
        """The dialects that a text of `dialect` can be confused with: for one of another family only itself."""
        if dialect in self.dialects:
            return self.dialects
        own = any(each.name == dialect.name for each in self.dialects)  # as another release reads it
        return tuple(dialect if d.name == dialect.name else d for d in self.dialects) if own else (dialect,)

    @property
    def codes(self) -> Collection[str]:
        """The codes of all rules, and of the checks of families."""
        return Codes() if self._own_rules is None else tuple(self._own_rules)

    @property
    def rules(self) -> tuple[Rule[Any], ...]:
        """All rules, without the checks of families."""
        return all_rules() if self._own_rules is None else tuple(self._own_rules.values())

    def rule(self, code: str) -> Rule[Any] | None:
        """The rule of a code, or the check of a family."""
        return rule_of(code) if self._own_rules is None else self._own_rules.get(code)

    def visitors(self, visited: type, family: str) -> tuple[Rule[Any], ...]:
        """The rules for a class in the files of a family, including those for its base classes.

        A check of the family about a class stands in for the rule of its group.
        """
        found = self._visitors.get((visited, family))
        if found is None:
            candidates = rules_for(visited.__mro__) if self._own_rules is None else self._own_rules.values()
            rules, own = by_class(candidates), checks_by_class(family) if self._own_rules is None else {}
            every = (r for base in visited.__mro__ for r in (*_others(rules, own, base), *own.get(base, ())))
            # Of a group by code: where two of its findings begin and end alike, their order depends on no module.
            found = self._visitors[visited, family] = tuple(sorted(every, key=lambda r: (r.group, r.code)))
        return found

    def judges(
        self, visited: type, family: str, signs: frozenset[str], fields: Iterable[str] = ()
    ) -> tuple[Rule[Any], ...]:
        """The rules that may apply to a shape of a class, in a text with these signs and written fields (see `rule`)."""
        key = visited, family, signs, *fields
        found = self._judges.get(key)
        if found is None:
            if len(self._judges) >= _MOST_JUDGES:
                self._judges.clear()
            visitors = self.visitors(visited, family)
            likely = (rule for rule in visitors if not rule.signs or not rule.signs.isdisjoint(signs))
            needs = ((rule, rule.needed(visited)) for rule in likely)
            found = self._judges[key] = tuple(r for r, need in needs if need is None or not need.isdisjoint(fields))
        return found


def _others(
    rules: Mapping[type, tuple[Rule[Any], ...]], own: Mapping[type, tuple[Rule[Any], ...]], visited: type
) -> Iterator[Rule[Any]]:
    """The rules about a class whose groups have no check of a family about it."""
    groups = {each.group for each in own.get(visited, ())}
    return (each for each in rules.get(visited, ()) if each.group not in groups)


@cache
def default_language() -> Language:
    """The language with all dialects and rules: one for the process, because analyses share parts only within one."""
    return Language()
