"""Completion of keys that authors name: members of a composite in its weights, bounds in a map of bands."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Composite, Evaluator
from rubric_core.language.shape import children
from rubric_core.loading.grading import default_name
from rubric_core.syntax.edit import plain_or_quoted
from rubric_lsp.features.completion.context import Completion, CompletionSite

__all__ = ["members"]


def members(site: CompletionSite) -> Iterator[Completion]:
    """The names for keys of the mapping at the cursor."""
    if site.cursor.path[-1:] != ("weights",):
        return
    composite = _composite(site)
    for each in (composite.assertions or []) if composite is not None else []:
        name = default_name(each) if isinstance(each, Evaluator) else ""
        if name and name not in site.cursor.siblings:
            written = name if site.cursor.quote else plain_or_quoted(name)
            colon = "" if site.cursor.has_colon else ": "
            snippet = f"{written}: ${{1:1.0}}" if colon and not site.cursor.quote else ""
            yield Completion(name, "reference", site.span, f"{written}{colon}", snippet, "a member", sort="0")


def _composite(site: CompletionSite) -> Composite | None:
    """The innermost composite around the cursor."""
    found: Composite | None = None
    for root in site.local.shapes:
        for shape in children(root):
            if (
                isinstance(shape, Composite)
                and shape.node is not None
                and shape.node.whole.start <= site.local.offset <= shape.node.whole.end + _SLACK
            ):
                found = shape
    return found


#: A mapping that is still being typed ends before the cursor, at its last complete key.
_SLACK = 200
