"""Suggests the key that an unknown one was meant to be: by spelling, by names in other tools, and by its value."""

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from functools import lru_cache
from typing import Any

from rubric_core.language.closest_name import closest, is_same_word, is_typo
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.misnomers import field_called, options_called
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.language.value_kinds import Boolean, Choice, Integer, Kind, NodeUnion, Number, Text
from rubric_core.loading.shape_choice import Tags
from rubric_core.loading.type_match import could_be_of
from rubric_core.syntax.reindent import dash_within
from rubric_core.syntax.tree import Mapping, Node, Scalar

__all__ = ["KeySuggestions", "has_entry"]

#: The bounds of a band.
_PAIR = 2
#: The field that had the same meaning before.
_BEFORE = {"assertions": "evaluators"}


class KeySuggestions(Tags):
    """Finds the key that an unknown one was meant to be."""

    def __init__(
        self, text: str, dialect: Dialect, dialects: SequenceOf[Dialect], anchors: MappingOf[str, Node]
    ) -> None:
        super().__init__(text, dialect, dialects, anchors)
        #: Candidates for unknown keys, by the shape that has them, and by whether it takes others as well.
        self._missing_keys: dict[tuple[int, bool], tuple[Shape, dict[str, str], dict[str, str]]] = {}
        #: Candidates that can have a value, by the shape and the relevant properties of the value.
        self._fitting_keys: dict[tuple[object, ...], tuple[dict[str, str], dict[str, str]]] = {}

    def meant_key(self, made: Shape, place: FieldPlace, *, any_key: bool) -> str | None:
        """The key that was probably meant, among those that are not written yet; it is then not reported as missing."""
        if dash_within(self.text, place.node) is not None:
            return None  # the key is in the wrong column
        node = place.node
        value = node.value if isinstance(node, Scalar) else None
        current, _ = self._not_there_yet(made, any_key=any_key)
        older, fitting = self._fitting(made, node, value, any_key=any_key)
        meant = next((name for name in fitting if is_same_word(place.name, name)), None)
        meant = meant or self._elsewhere(made, place, fitting, any_key=any_key)
        meant = meant or closest(place.name, fitting) or closest(place.name, older)
        if meant is not None:
            made.unread.setdefault({**older, **current}[meant], place)
        return meant

    def misspelt_key(self, made: Shape, place: FieldPlace) -> str | None:
        """The only key that is written with a typing error, for an evaluator that takes settings of its author, too."""
        name = place.name
        if not isinstance(made, Evaluator) or any(name in _evaluator_keys(dialect) for dialect in self.dialects):
            return None  # a word of the language is more likely to be meant as it is
        node = place.node
        value = node.value if isinstance(node, Scalar) else None
        current, older = self._not_there_yet(made, any_key=False)
        for known in (current, older):
            near = [each for each in known if is_typo(name, each) and self._fits(made, known[each], node, value)]
            if near:
                made.unread.setdefault(known[near[0]], place)
                return near[0] if len(near) == 1 else None
        return None

    def _not_there_yet(self, made: Shape, *, any_key: bool) -> tuple[dict[str, str], dict[str, str]]:
        """The fields by the keys that a mapping does not have: those of the dialect, and older names for them."""
        known = self._missing_keys.get((id(made), any_key))
        if known is not None and known[0] is made:
            return known[1], known[2]
        current = {
            s.name: s.field
            for s, _ in self.dialect.fields(type(made))
            if not has_entry(made, s.name)
            and (not any_key or s.field == made.tag or self.dialect.demanded(type(made), s.field))
        }
        table = self.dialect.table(type(made)) if not any_key else {}
        names = [e.name or "" for e in made.node.entries] if isinstance(made.node, Mapping) else []
        written = {table[name].field for name in names if name in table}
        older = {s.name: s.field for s in table.values() if s.fate.read and s.field and s.field not in written}
        self._missing_keys[id(made), any_key] = made, current, older
        return current, older

    def _fitting(
        self, made: Shape, node: Node, value: object, *, any_key: bool
    ) -> tuple[dict[str, str], dict[str, str]]:
        """The candidates that can have a value, older names first. Consecutive keys mostly have similar values."""
        content = (node.text, node.style) if isinstance(node, Scalar) else None
        length = len(node.entries) if isinstance(node, Mapping) else 0
        key = (id(made), type(node), type(value), content, length)  # the shapes are kept in `_missing_keys`
        known = self._fitting_keys.get(key)
        if known is None:
            current, older = self._not_there_yet(made, any_key=any_key)
            older = {n: f for n, f in older.items() if self._fits(made, f, node, value)}
            fitting = {n: f for n, f in current.items() if self._fits(made, f, node, value)}
            known = self._fitting_keys[key] = older, fitting
        return known

    def _fits(self, made: Shape, field: str, node: Node, value: object) -> bool:
        """Whether a key can have a value, judging by its shape, and for an enumeration by the word itself."""
        kind = type(made).keys[field].kind
        if field == type(made).tag and isinstance(node, Scalar):
            return True
        if field == "score_range" and isinstance(node, Mapping):
            return len(node.entries) == _PAIR  # otherwise it is a map of all bands
        if isinstance(node, Scalar):
            if isinstance(kind, Choice):
                return node.empty or _is_nearly(node.text, kind.names)
            if node.empty or node.style == "hole":
                return True
        classes: tuple[Any, ...] = type(made), type(node), type(value)  # mypy takes no class for hashable
        return _can_stand(field, *classes)

    def _elsewhere(self, made: Shape, place: FieldPlace, current: MappingOf[str, str], *, any_key: bool) -> str | None:
        """The key that other tools give this name; where any key is allowed, only one that identifies the shape."""
        field = field_called(self.dialect, type(made), place.name)
        if any_key:
            word = place.node.text if isinstance(place.node, Scalar) else ""
            field = field if field == made.tag and self.dialect.type_of(word) is not None else None
        fields = (field, _BEFORE.get(field)) if field else ()
        return next((spelled for wanted in fields for spelled, known in current.items() if known == wanted), None)


def has_entry(made: Shape, name: str) -> bool:
    """Whether a key is written in the mapping itself."""
    return isinstance(made.node, Mapping) and made.node.get(name) is not None


@lru_cache(maxsize=16)
def _evaluator_keys(dialect: Dialect) -> frozenset[str]:
    """The keys of all evaluators of a dialect."""
    classes, waiting = [], [Evaluator]
    while waiting:
        cls = waiting.pop()
        classes.append(cls)
        waiting += cls.__subclasses__()
    return frozenset(name for cls in classes for name in dialect.table(cls))


@lru_cache(maxsize=4_000)
def _can_stand(field: str, cls: Any, node: Any, value: Any) -> bool:
    """Whether a field can have a node of a type with a value of a type: an unknown key is compared with all of them."""
    kind = cls.keys[field].kind
    simple = all(isinstance(k, Text | Number | Integer | Boolean | Choice) for k in _branches(kind))
    return (simple and issubclass(node, Scalar)) or could_be_of(node, value, kind)


@lru_cache(maxsize=1_000)
def _is_nearly(text: str, words: tuple[str, ...]) -> bool:
    """Whether a text is one of a few words, or a misspelling of one."""
    return closest(text, words) is not None or bool(options_called(text, words))


def _branches(kind: Kind[Any]) -> tuple[Kind[Any], ...]:
    return kind.branches if isinstance(kind, NodeUnion) else (kind,)
