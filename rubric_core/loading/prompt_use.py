"""What the configurations of promptfoo that name a prompt file define for it."""

from collections.abc import Iterable

from rubric_core.lazy_compilation import dataclass

__all__ = ["PromptUse"]


@dataclass(frozen=True, slots=True)
class PromptUse:
    """What one configuration defines for its prompt files, or several together for one of them."""

    #: The variables of cases; None if there may be more than the texts show.
    variables: frozenset[str] | None = None
    #: The filters besides those of Nunjucks; None if unknown.
    filters: frozenset[str] | None = None

    @staticmethod
    def joined(several: "Iterable[PromptUse | None]") -> "PromptUse | None":
        """What a prompt may use that all of these name; None if nothing is known."""
        known: PromptUse | None = None
        for each in several:
            if each is None:
                return None
            if known is None or known is each:
                known = each
                continue
            known = PromptUse(_both(known.variables, each.variables), _both(known.filters, each.filters))
        return known


def _both(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    return None if some is None or others is None else some | others
