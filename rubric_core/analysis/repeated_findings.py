"""Removes findings that recur at references: they are reported where they are written."""

from collections.abc import Iterable

from rubric_core.analysis.block_state import BlockState, Found

__all__ = ["without_repeats"]


def without_repeats(state: BlockState, above: Iterable[BlockState]) -> tuple[Found, ...]:
    """The findings of a block without those that recur at references, because they were reported where they are written, or at an earlier reference.

    Records in the block which of them blocks `above`, to which it refers directly, have.
    """
    references = {alias.span for alias in state.tree.aliases}
    here = [each for each in state.findings if each[1].span not in references]
    if len(here) == len(state.findings):
        return state.findings
    known = {key for each in above for key in (*map(_group_and_message, each.findings), *each.told)}
    told, kept = {*known, *map(_group_and_message, here)}, list[Found]()
    for each in state.findings:
        if each[1].span not in references or _group_and_message(each) not in told:
            kept.append(each)
            told.add(_group_and_message(each))
    state.told = frozenset(key for each in state.findings if (key := _group_and_message(each)) in known)
    return tuple(kept)


def _group_and_message(found: Found) -> tuple[str, str]:
    return found[0].group, found[1].message
