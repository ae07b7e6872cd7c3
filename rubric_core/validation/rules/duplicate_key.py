"""duplicate-key: a key twice in one mapping."""

from collections.abc import Iterator

from rubric_core.loading.issues import DuplicateKey
from rubric_core.syntax.edit import remove_entry
from rubric_core.syntax.tree import Entry, Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, Related, rule

__all__ = ["DUPLICATE_KEY"]


@rule("duplicate-key", "error", "The same key twice in one mapping")
def DUPLICATE_KEY(issue: DuplicateKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Which of the two was meant only the author knows; keys that begin again are an item without its dash."""
    related = (Related(issue.first, f"`{issue.name}` is here already"),)
    again = issue.dash is not None and not _says_the_same(issue)
    fixes: tuple[Fix, ...] = (
        (Fix("start an item here", (Edit(issue.dash, "- "),), safe=False),) if again and issue.dash is not None else ()
    )
    if not issue.borrowed and not again:
        fixes += tuple(_without(issue, context))
    yield Finding(
        issue.span,
        f"`{issue.name}` is in this mapping twice{'; is a dash missing in front of it?' if again else ''}",
        related=related,
        fixes=fixes,
        consequence=f"{context.engine} rejects the whole file",
    )


def _without(issue: DuplicateKey, context: Context) -> Iterator[Fix]:
    """One of the two goes: any when they say the same, else the author chooses."""
    last = remove_entry(context.text, issue.node, issue.entry)
    if last is not None:
        yield Fix("remove this one", (last,), safe=_says_the_same(issue))
    first = _first(issue)
    gone = remove_entry(context.text, issue.node, first) if first is not None and first is not issue.entry else None
    if gone is not None and not _says_the_same(issue):
        yield Fix("remove the other one", (gone,), safe=False)


def _first(issue: DuplicateKey) -> Entry | None:
    """The entry that has the key already."""
    first = issue.node.entry(issue.name)
    return first if first is not None and first.key.span == issue.first else None


def _says_the_same(issue: DuplicateKey) -> bool:
    entry = _first(issue)
    first = entry.value if entry is not None else None
    value = issue.entry.value
    if not isinstance(value, Scalar) or not isinstance(first, Scalar) or value.anchor or first.anchor:
        return False
    return bool(value.text) and type(value.value) is type(first.value) and value.value == first.value
