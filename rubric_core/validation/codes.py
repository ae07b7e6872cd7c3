"""The codes of findings: those of rules, and those of the checks of families."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from rubric_core.family import FAMILIES
from rubric_core.validation.family_checks import checks_of
from rubric_core.validation.rule import Rule
from rubric_core.validation.rules import VISITED, load_rule

__all__ = ["Codes", "codes_in", "family_codes", "rule_of"]


class Codes(Collection[str]):
    """Every code that selects or ignores findings. Checks of a family are loaded when one of its codes, or all codes, are asked for."""

    def __contains__(self, code: object) -> bool:
        """Whether there is this code. Loads no rule."""
        return code in VISITED or (isinstance(code, str) and any(each.code == code for each in _beside(code)))

    def __iter__(self) -> Iterator[str]:
        """The codes of rules in their order, then those of families."""
        yield from VISITED
        for family in FAMILIES:
            yield from (each.code for each in family_codes(family.name))

    def __len__(self) -> int:
        """How many there are."""
        return sum(1 for _ in self)


def rule_of(code: str) -> Rule[Any] | None:
    """The rule with a code, or the check of a family: the first one, if several have it."""
    return load_rule(code) if code in VISITED else next((each for each in _beside(code) if each.code == code), None)


def _beside(code: str) -> Iterable[Rule[Any]]:
    """The checks of the family that a code names; none for a code without a family."""
    name, separator, _ = code.partition("/")
    return checks_of(name) if separator and any(family.name == name for family in FAMILIES) else ()


def family_codes(family: str) -> Iterable[Rule[Any]]:
    """The checks of a family in the order of their codes, one for each code."""
    found: dict[str, Rule[Any]] = {}
    for each in sorted(checks_of(family), key=lambda each: each.code):
        found.setdefault(each.code, each)
    return found.values()


def codes_in(group: str) -> Iterator[Rule[Any]]:
    """The checks of all families that belong to a group, one for each code."""
    every = (each for family in FAMILIES for each in family_codes(family.name))
    return (each for each in every if each.group == group)
