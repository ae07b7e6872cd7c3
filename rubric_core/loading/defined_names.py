"""What the configurations of promptfoo that name a prompt, a program or a file of cases define for it."""

from collections.abc import Iterable

from rubric_core.lazy_compilation import dataclass

__all__ = ["DefinedNames"]


@dataclass(frozen=True, slots=True)
class DefinedNames:
    """What one configuration defines for the files that it names, or several together for one of them."""

    #: The variables of cases; None if there may be more than the texts show.
    variables: frozenset[str] | None = None
    #: The filters besides those of Nunjucks; None if unknown.
    filters: frozenset[str] | None = None

    @staticmethod
    def joined(several: "Iterable[DefinedNames | None]") -> "DefinedNames | None":
        """What a file may use that all of these name; None if nothing is known."""
        known: DefinedNames | None = None
        for each in several:
            if each is None:
                return None
            if known is None or known is each:
                known = each
                continue
            known = DefinedNames(_both(known.variables, each.variables), _both(known.filters, each.filters))
        return known


def _both(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    return None if some is None or others is None else some | others
