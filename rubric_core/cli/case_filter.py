"""Filters of `rubric run`: by names, tags and metadata, one shard of the cases, or a sample."""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from rubric_core.cached_properties import cached_property
from rubric_core.cli.keyword_expression import KeywordError, KeywordExpression
from rubric_core.evaluation.cases.case_labels import metadata_of, tags_of
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets, target_name
from rubric_core.language.closest_name import closest
from rubric_core.syntax.plain_data import plain

__all__ = [
    "CaseFilter", "CaseNames", "Condition", "Shard", "condition", "dependency_groups", "id_pattern", "keywords", "sampled", "shard",
]  # fmt: skip

_PATHS = ("dialect", "file", "id", "metadata", "suite", "tags", "target", "vars")


class CaseNames:
    """The names, tags and metadata by which a case is selected."""

    def __init__(self, case: Runnable, suite: str) -> None:
        """`suite` is the path of its suite, with slashes."""
        self.case = case
        self.suite = suite

    @property
    def key(self) -> str:
        """A key unique to the case, equal on every machine that runs the same suites from the same folder."""
        return f"{self.suite}::{self.case.id}@{self.target}"

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Its tags, including those of its suite."""
        return tags_of(self.case)

    @cached_property
    def target(self) -> str:
        """The target that answers it."""
        return target_name(self.case.suite, self.case.options.target, shared_targets(self.case, self.case.files))

    @property
    def words(self) -> list[str]:
        """The names that `-k` matches: of its file, its suite and itself, and its tags."""
        files = (self.suite.rpartition("/")[2], self.case.file_name.rpartition("/")[2])
        return [*filter(None, files), self.case.suite.name or "", self.case.id, *self.tags]

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        case = self.case
        variables = case.variables if case.has_prompts else plain(case.case.vars, case.anchors)
        return {
            "id": [case.id, case.base_id], "suite": [self.suite, case.suite.name], "file": case.file_name or self.suite, "dialect": case.dialect.name,
            "target": self.target, "tags": self.tags, "metadata": metadata_of(case), "vars": variables,
        }  # fmt: skip

    def values(self, path: str) -> Iterator[str]:
        """The value at a path such as `metadata.owner`, as text; for a list, each entry."""
        for value in _at(self._values, path):
            for each in value if isinstance(value, list | tuple) else [value]:
                yield "" if each is None else str(each).lower() if isinstance(each, bool) else str(each)


def _at(value: Any, path: str) -> Iterator[Any]:
    """The value at a path; a key may contain dots."""
    if not path:
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _at(each, path)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if path == name or path.startswith(f"{name}."):
                yield from _at(inner, path[len(name) + 1 :])


class Condition(NamedTuple):
    """A condition of `--where`: a path has a value, or does not have it."""

    path: str
    value: str
    equal: bool

    def __str__(self) -> str:
        return f"{self.path}{'' if self.equal else '!'}={self.value}"

    def holds(self, names: CaseNames) -> bool:
        """Whether a case meets the condition."""
        return (self.value in names.values(self.path)) == self.equal


class Shard(NamedTuple):
    """One of several disjoint parts of nearly equal size that together cover everything."""

    #: From 1 to `total`.
    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"

    def has(self, key: str) -> bool:
        """Whether the shard contains `key`. That depends on the key alone: added cases move no others."""
        return _rank(key, "") % self.total == self.number - 1


class _Named(Protocol):
    @property
    def key(self) -> str: ...


def sampled(names: Sequence[_Named], number: int, seed: int) -> list[int]:
    """The positions of a random sample of `names`, in their order. The same seed gives the same sample on every machine."""
    ranked = sorted(range(len(names)), key=lambda place: (_rank(names[place].key, str(seed)), place))
    return sorted(ranked[:number])


def _rank(key: str, salt: str) -> int:
    return int.from_bytes(sha256(f"{salt}\0{key}".encode("utf-8", "surrogatepass")).digest()[:8], "big")


def dependency_groups(cases: Iterable[Runnable]) -> Mapping[str, str]:
    """For the id of each case with dependencies, the name of its group of connected cases."""
    leads: dict[str, str] = {}

    def first(name: str) -> str:
        while leads.setdefault(name, name) != name:
            leads[name] = leads[leads[name]]
            name = leads[name]
        return name

    for case in cases:
        for other in case.case.depends_on or ():
            if isinstance(other, str):
                one, two = sorted((first(case.base_id), first(other)))
                leads[two] = one
    return {name: first(name) for name in list(leads)}


class CaseFilter:
    """The options `-k`, `--tag` and `--where`, which all have to match."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._keywords: KeywordExpression | None = options.keywords
        self._tags: Sequence[str] = options.tag or ()
        self._conditions: Sequence[Condition] = options.where or ()

    def __str__(self) -> str:
        """The options as written."""
        keywords = [f"-k {str(self._keywords)!r}"] if self._keywords is not None else []
        return " ".join([*keywords, *(f"--tag {t}" for t in self._tags), *(f"--where {c}" for c in self._conditions)])

    def takes(self, names: CaseNames) -> bool:
        """Whether a case matches."""
        return (
            (self._keywords is None or self._keywords.matches(names.words))
            and all(tag in names.tags for tag in self._tags)
            and all(each.holds(names) for each in self._conditions)
        )

    def refusal(self, every: Iterable[CaseNames]) -> str:
        """The error if none of these cases matches, with what was probably meant."""
        known = list(every)
        tags = list(dict.fromkeys(tag for names in known for tag in names.tags))
        hints = [f"; no case has the tag {tag}{_advice(tag, tags)}" for tag in self._tags if tag not in tags]
        hints += [
            f"; no case has {each.path}"
            for each in self._conditions
            if not any(True for names in known for _ in names.values(each.path))
        ]
        return f"no case is selected: {self} leaves none of {len(known)}{hints[0] if hints else ''}"


def _advice(tag: str, tags: Sequence[str]) -> str:
    meant = closest(tag, tags)
    if meant:
        return f"; did you mean {meant}?"
    return f"; there are {', '.join(tags[:10])}" if tags else ""


def id_pattern(name: str) -> re.Pattern[str] | None:
    """The pattern of a name with `*` or `?`; None for a name without. Brackets, as in variations, are literal."""
    if not {"*", "?"} & set(name):
        return None
    return re.compile(translate(name.replace("[", "[[]")))


# Called by argparse: each raises ArgumentTypeError


def keywords(text: str) -> KeywordExpression:
    """The expression of `-k`."""
    try:
        return KeywordExpression(text)
    except KeywordError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None


def condition(text: str) -> Condition:
    """A condition of `--where`."""
    path, equals, value = text.partition("=")
    root = path.removesuffix("!").partition(".")[0]
    if not equals:
        raise argparse.ArgumentTypeError(f"write PATH=VALUE or PATH!=VALUE, such as metadata.owner=x, not {text!r}")
    if root not in _PATHS:
        raise argparse.ArgumentTypeError(f"a path begins with one of {', '.join(_PATHS)}, not {root!r}")
    return Condition(path.removesuffix("!"), value, not path.endswith("!"))


def shard(text: str) -> Shard:
    """The part of `--shard`."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError(f"write I/N with I from 1 to N, such as 2/5, not {text!r}")
    return Shard(int(number), int(count))
