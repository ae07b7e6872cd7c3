"""unknown-type: an unknown evaluator type."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from rubric_core.language.closest_name import is_typo
from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.misnomers import types_called
from rubric_core.language.targets import Provider
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import UnknownType
from rubric_core.syntax.edit import newline_of
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest, names

__all__ = ["UNKNOWN_TYPE"]

_KEYS_OF_PROVIDERS = ("id", "label", "config")
#: What stands in front of a type that has a line to itself.
_OWN_LINE = pattern(r"[ ]*(?:- +)*(?=type:[ ]*\Z)")


@rule("unknown-type", "warning", "An evaluator type that the dialect does not have", about_name=True)
def UNKNOWN_TYPE(issue: UnknownType, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Offer the type that was probably meant; a program of that name may also stand for it."""
    graded = issubclass(issue.base, Evaluator)
    if issubclass(issue.base, Provider) and issue.name in _KEYS_OF_PROVIDERS:
        words = f"`{issue.name}` is a key of a provider, not a kind of provider"
        yield Finding(issue.span, words, severity="error", consequence="agentv rejects the file")
        return
    elsewhere = list(types_called(context.dialect, issue.name)) if graded else []
    turned = issue.name[4:] if graded and issue.name.startswith(("not-", "not_")) else ""
    if turned in issue.known and context.dialect.spelled(Evaluator, "negate"):
        yield _turned_round(issue, turned, context)
        return
    meant = elsewhere[0] if len(elsewhere) == 1 else None if elsewhere else _nearest(issue, context)
    noun, folder = ("evaluator type", "assertions") if graded else ("kind of provider", "providers")
    advice = f"; {names(elsewhere, 'or')} comes near" if elsewhere else f"; did you mean `{meant}`?" if meant else ""
    message = f"{context.dialect.name} has no {noun} `{issue.name}`{advice}"
    fixes: tuple[Fix, ...] = ()
    if meant and not issue.borrowed:
        fixes = (Fix(f"change it to `{meant}`", (Edit(issue.span, meant),), safe=is_typo(issue.name, meant)),)
    consequence = (
        f"agentv looks for a program `.agentv/{folder}/{issue.name}`"
        if issue.custom
        else "agentv skips this evaluator and only logs it"
        if graded
        else "agentv cannot ask it"
    )
    yield Finding(issue.span, message, fixes=fixes, consequence=consequence)


def _nearest(issue: UnknownType, context: Context) -> str | None:
    """The type with the nearest name, if possible among those that have every key that is written."""
    base: Any = issue.base  # mypy takes no class for hashable
    fitting = _fitting(context.dialect, base, frozenset(entry.name for entry in issue.mapping.entries))
    return closest(issue.name, [name for name in fitting if name in issue.known]) or closest(issue.name, issue.known)


@lru_cache(maxsize=256)
def _fitting(dialect: Dialect, base: Any, keys: frozenset[str | None]) -> tuple[str, ...]:
    """The types that have every key; entries of one file mostly have the same few."""
    types = dialect.types_of(base).values()
    return tuple(known.name for known in types if _has(dialect.table(known.shape), keys))


def _has(table: Mapping[str, Spelling], keys: Iterable[str | None]) -> bool:
    """Whether a shape with these spellings has every key."""
    spellings = (table.get(key) if key is not None else None for key in keys)
    return all(spelling is not None and spelling.fate is SpellingStatus.CURRENT for spelling in spellings)


def _turned_round(issue: UnknownType, name: str, context: Context) -> Finding:
    """`not-contains` of other tools is `contains` with `negate: true`."""
    text, start = context.text, issue.span.start
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    own = _OWN_LINE.match(line)
    between = f"{newline_of(text)}{' ' * own.end()}" if own else ", "
    written = f"{name}{between}negate: true"
    fixes = () if issue.borrowed else (Fix(f"write `{name}` and `negate: true`", (Edit(issue.span, written),)),)
    words = f"{context.dialect.name} has no evaluator type `{issue.name}`; write `{name}` with `negate: true`"
    return Finding(
        issue.span, words, fixes=fixes, consequence=f"agentv looks for a program `.agentv/assertions/{issue.name}`"
    )
