"""Where the cases and targets that a document defines are used, for reference lenses."""

from collections.abc import Callable, Iterable, Iterator

from rubric_core.lazy_compilation import dataclass, field
from rubric_core.text import Span
from rubric_core.validation.wording import count
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence

__all__ = ["NameUses", "uses"]

_KINDS: frozenset[NameKind] = frozenset({"case", "target"})


@dataclass(frozen=True, slots=True)
class NameUses:
    """A name and its references."""

    name: NameOccurrence
    places: list[tuple[Snapshot, Span]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The number of uses, in words."""
        return count(len(self.places), "reference")


def uses(
    document: Snapshot,
    others: Iterable[Snapshot],
    means: Callable[[Snapshot, str], Snapshot | None],
    with_cases: Iterable[Snapshot] = (),
) -> Iterator[NameUses]:
    """The targets that a document defines, and those of its cases that others depend on.

    Args:
        document: The document.
        others: Documents that may refer to its targets.
        means: The document that defines a target to which another document refers.
        with_cases: The documents whose cases are in the same suites.
    """
    found: dict[tuple[str, str], NameUses] = {}
    here = list(_names(document))
    for name in here:
        if name.defines:
            found.setdefault((name.kind, name.name), NameUses(name))
    for name in here:
        known = found.get((name.kind, name.name))
        if not name.defines and known is not None:
            known.places.append((document, name.span))
    targets = {name: each for (kind, name), each in found.items() if kind == "target"}
    for other in others if targets else ():
        for name in _names(other):
            known = targets.get(name.name) if name.kind == "target" and not name.defines else None
            where = means(other, name.name) if known is not None else None
            if known is not None and where is not None and where.path == document.path:
                known.places.append((other, name.span))
    cases = any(kind == "case" for kind, _ in found)
    for other in with_cases if cases else ():
        for name in _names(other):
            known = found.get(("case", name.name)) if name.kind == "case" and not name.defines else None
            if known is not None:
                known.places.append((other, name.span))
    yield from (each for each in found.values() if each.places or each.name.kind == "target")


def _names(document: Snapshot) -> Iterator[NameOccurrence]:
    for local, names in document.names(_KINDS):
        yield from (name.moved(local.outer(name.span)) for name in names if name.kind in _KINDS)
