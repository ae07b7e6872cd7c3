"""Variables without which promptfoo refuses an assertion."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.case_summary import NEEDED_BY_GRADERS, CaseSummary, PlacedCase
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS
from rubric_core.language.closest_name import is_typo
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit
from rubric_core.validation.rule import Finding, Fix

__all__ = ["needed_by_graders"]


def needed_by_graders(placed: PlacedCase, summary: CaseSummary, names: frozenset[str]) -> Iterator[Finding]:
    """Variables without which promptfoo refuses an assertion."""
    for check in summary.bound:
        has_context = check.has("context_transform")
        for name in NEEDED_BY_GRADERS[:1] if has_context else NEEDED_BY_GRADERS:
            place = check.places.get("type")
            slip = next((own for own in summary.own if is_typo(own, name)), None) if name not in names else None
            node = placed.case.places["vars"].node if slip is not None else None
            entry = node.entry(slip or "") if isinstance(node, Mapping) else None
            if entry is not None:
                at = placed.outer(entry.key.span)
                # A prompt may use it by this name.
                fixes = (Fix(f"change it to `{name}`", (Edit(at, name),), safe=False),)
                words = f"`{check.type_name}` needs the variable `{name}`, which `{slip}` is a slip of"
                yield Finding(at, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)
                break
            if name not in names and place is not None:
                words = f"`{check.type_name}` needs the variable `{name}`"
                words += "" if name == NEEDED_BY_GRADERS[0] else ", or `contextTransform`"
                yield Finding(placed.outer(place.value), words, severity="error", consequence=ROW_ERRORS)
                break
