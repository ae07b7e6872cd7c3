"""Completion of values: words of a list, names, paths, types."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from rubric_core.language.dialect import Dialect, SpellingStatus, TypeName
from rubric_core.language.evaluators import Evaluator, Rubric
from rubric_core.language.model import Suite
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry, Provider, Target
from rubric_core.language.usage_counts import type_word
from rubric_core.language.value_kinds import Boolean, Choice, Kind, NodeUnion, Ranges, Text, usual
from rubric_core.syntax.edit import plain_or_quoted
from rubric_lsp.features.completion.bands import bands
from rubric_lsp.features.completion.context import Completion, CompletionSite
from rubric_lsp.features.completion.family_completion import completion_of
from rubric_lsp.features.completion.ranking import name_ranks, word_ranks
from rubric_lsp.features.completion.required_fields import required_fields
from rubric_lsp.features.key_docs import summary, type_markdown

__all__ = ["types", "values"]

#: The statuses of types that are worth offering.
_OFFERED = frozenset(
    {SpellingStatus.CURRENT, SpellingStatus.DEPRECATED, SpellingStatus.LEAVING, SpellingStatus.TOLERATED}
)
_PATHS = frozenset({"file", "directory", "program"})


def values(site: CompletionSite, kind: Kind[object] | None) -> Iterator[Completion]:
    """Completions for the value at the cursor."""
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    # If any text is allowed, the two words of a boolean are not offered.
    free = any(isinstance(each, Text) and each.blank for each in branches)
    for each in map(usual, branches):
        if isinstance(each, Choice):
            yield from _words(site, each.options)
        elif isinstance(each, Boolean) and not free:
            yield from _words(site, (("true", ""), ("false", "")))
        elif isinstance(each, Text) and each.refers_to:
            yield from _references(site, each)
        elif isinstance(each, Ranges) and site.cursor.quote == "":
            yield from bands(site)
    yield from completion_of(site.dialect).values(site)


def _words(site: CompletionSite, options: Sequence[tuple[str, str]]) -> Iterator[Completion]:
    """Words with their meanings."""
    shape, key = site.place.shape, site.place.key
    words = [word for word, _ in options]
    ranks = word_ranks(site, shape, key.field, words) if shape is not None and key is not None else {}
    for order, (word, meaning) in enumerate(options):
        yield Completion(word, "value", site.span, word, detail=meaning, sort=f"0{ranks.get(word, order):02}")


def _references(site: CompletionSite, kind: Text) -> Iterator[Completion]:
    refers_to = kind.refers_to
    if refers_to == "type":
        yield from types(site)
    elif refers_to == "provider":
        yield from _kinds(site)
    elif refers_to == "case":
        yield from _cases(site)
    elif refers_to in _PATHS:
        yield from completion_of(site.dialect).paths(site, kind)
    else:
        own = _own_targets(site) if refers_to == "target" else ()
        names = list(dict.fromkeys((*site.names(refers_to), *own)))
        ranks = name_ranks(site, refers_to, names)
        yield from _name_completions(site, sorted(names, key=lambda name: ranks[name]))


def _name_completions(site: CompletionSite, names: Iterable[str]) -> Iterator[Completion]:
    for order, name in enumerate(dict.fromkeys(names)):
        written = name if site.cursor.quote else plain_or_quoted(name)
        yield Completion(name, "reference", site.span, written, sort=f"0{order:03}")


def _own_targets(site: CompletionSite) -> list[str]:
    """The target names that the document itself defines."""
    if site.local.in_frame and site.place.shape is not None and issubclass(site.place.shape, Entry):
        own = site.cursor.siblings.get("name", "").strip("\"'")
    else:
        own = ""
    return [name for name in sorted(site.analysis.own_targets) if name != own]


def _cases(site: CompletionSite) -> Iterator[Completion]:
    here = site.analysis.case_at(site.offset)
    own = here.case.id if here is not None else None
    included = [case.id for each in site.analysis.external for case in each.found.cases]
    listed = [*(e.case.id for e in site.analysis.cases if e.case.id), *included, *sorted(site.analysis.siblings or ())]
    yield from _name_completions(site, [name for name in dict.fromkeys(listed) if name != own])


# Types


def types(site: CompletionSite, lead: str = "") -> Iterator[Completion]:
    """The types of evaluators, with the fields that each of them needs."""
    dialect = site.dialect
    possible = [known for known in dialect.types.values() if _is_offered(known, dialect)]
    # Of equally unused types, `rubric` comes last: its prefix is more often meant as `rubrics`.
    words = [type_word(known.shape, known.name) for known in sorted(possible, key=lambda known: known.shape is Rubric)]
    # They are counted as types of what all of them are.
    ranks = word_ranks(site, possible[0].shape, "type", words) if possible else {}
    for known in possible:
        gone = known.fate is SpellingStatus.DEPRECATED
        name = (dialect.type_name(known.shape) if gone else None) or known.name
        body = required_fields(site, known.shape)
        yield Completion(
            known.name, "type", site.span, lead + name, f"{lead}{name}{body}" if body else "", f"deprecated: use {name}" if gone else summary(known.shape),
            partial(type_markdown, known.shape, dialect), deprecated=gone,
            sort=f"{8 if gone else 2}{ranks[type_word(known.shape, known.name)]:03}", filter=known.name,
        )  # fmt: skip
    if dialect.properties.custom_types:
        for name in site.names("type"):
            yield Completion(
                name, "type", site.span, lead + name, detail="a program of this project", sort="7", filter=name
            )


def _is_offered(known: TypeName, dialect: Dialect) -> bool:
    """Whether a type is worth choosing. A deprecated one writes its successor, so without any it is not."""
    if known.fate is SpellingStatus.DEPRECATED and dialect.type_name(known.shape) is None:
        return False
    return known.fate in _OFFERED


def _kinds(site: CompletionSite) -> Iterator[Completion]:
    """The provider kinds."""
    shape = site.place.shape
    base: type[Shape] = Provider if shape is not None and issubclass(shape, Provider) else Target
    if site.place.shape is Suite:
        base = Provider
    every = site.dialect.types_of(base).values()
    possible = [known for known in every if _is_offered(known, site.dialect) and not issubclass(known.shape, Evaluator)]
    ranks = word_ranks(site, base, base.tag, (known.name for known in possible))
    for known in possible:
        gone = known.fate is not SpellingStatus.CURRENT
        name = (site.dialect.type_name(known.shape) if gone else None) or known.name
        body = required_fields(site, known.shape)
        yield Completion(
            known.name, "type", site.span, name, f"{name}{body}" if body else "", f"deprecated: use {name}" if gone else summary(known.shape),
            partial(type_markdown, known.shape, site.dialect), deprecated=gone,
            sort=f"{8 if gone else 2}{ranks[known.name]:03}", filter=known.name,
        )  # fmt: skip
