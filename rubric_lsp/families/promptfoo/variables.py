"""The values of template variables at a place in files of promptfoo."""

from collections.abc import Mapping
from itertools import islice

from rubric_core.analysis import Analysis, LocalText
from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase
from rubric_lsp.features.block_memo import blocks_of

__all__ = ["values_at_place"]

#: How many cases are searched for the names that a prompt of the configuration can use.
_MOST_CASES = 100


def values_at_place(analysis: Analysis, local: LocalText) -> Mapping[str, object]:
    """The values of the case, before those of `defaultTest`; around the cases, the first of all names."""
    frame = analysis.local(0)
    around = [s for s in (frame.every if frame.in_frame else ()) if isinstance(s, PartialCase)]
    held = [s for s in local.every if isinstance(s, PromptfooCase) and (not local.in_frame or _holds(s, local.offset))]
    cases = held or [
        s for each in islice(blocks_of(analysis), _MOST_CASES) for s in each.every if isinstance(s, PromptfooCase)
    ]
    every: dict[str, object] = {}
    for case in reversed([*cases, *around]):
        every.update(case.vars if isinstance(case.vars, dict) else {})
    return every


def _holds(case: PromptfooCase, offset: int) -> bool:
    return case.node is not None and case.node.whole.covers(offset)
