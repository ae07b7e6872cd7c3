"""The short menu of a light bulb: of all code actions at a place, those that users choose most."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rubric_lsp.features.run_actions import RUN, RUN_RESULTS

if TYPE_CHECKING:
    from rubric_lsp.features.code_actions import Action

__all__ = ["MOST", "MOST_AT_FINDING", "menu"]

#: The most entries of a menu at a finding, and elsewhere.
MOST_AT_FINDING, MOST = 5, 6
#: The commands of a menu, by rank. All other run commands are rare; palettes, key mappings and other menus have
#: them.
_RANK_OF_COMMAND = {
    "rubric.runCase": 3,
    "rubric.cancel": 3,
    "rubric.runEvaluator": 4,
    "rubric.openReport": 4,
    "rubric.runFailed": 5,
    "rubric.runFile": 6,
}
_REFACTORING, _FIX_ALL, _MIGRATION, _RARE = 5, 7, 8, 99


def menu(found: "Sequence[Action]") -> "list[Action]":
    """The entries of a menu without a particular kind of action, in their original order.

    At a finding, one ignore action stays, however many fixes there are. Actions of two findings with the same title are
    listed once.
    """
    once: dict[object, Action] = {}
    for action in found:
        once.setdefault((action.title, action.edits or action.at), action)
    found = list(once.values())
    ranks = _ranks(found)
    at_finding = any(action.code and action.at is not None for action in found)
    most = MOST_AT_FINDING if at_finding else MOST
    chosen = sorted((rank, number) for number, rank in enumerate(ranks) if rank < _RARE)[:most]
    return [found[number] for number in sorted(number for _, number in chosen)]


def _ranks(found: "Sequence[Action]") -> list[int]:
    """The rank of each action, smallest first; equal ones keep their order."""
    fixed = set[object]()
    ignored = False
    ranks: list[int] = []
    for action in found:
        if action.kind in (RUN, RUN_RESULTS):
            ranks.append(_RANK_OF_COMMAND.get(action.command, _RARE))
        elif action.kind == "quickfix" and action.ignores:
            ranks.append(2 if ignored else 0)
            ignored = True
        elif action.kind == "quickfix":
            first = action.at is not None and (action.code, action.at) not in fixed
            ranks.append(0 if first else 1)
            fixed.add((action.code, action.at))
        elif action.kind == "source.fixAll.rubric":
            ranks.append(_FIX_ALL)
        else:
            ranks.append(_MIGRATION if action.kind == "refactor.rewrite.migrate" else _REFACTORING)
    return ranks
