"""The checks of families of files: rules about their shapes, in a package of each family that only its own files load."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from rubric_core.family import FAMILIES, part_of
from rubric_core.validation.rule import Rule, by_class

__all__ = ["checks_by_class", "checks_of", "family_group"]


@cache
def checks_of(family: str) -> tuple[Rule[Any], ...]:
    """The checks that the modules of a family declare."""
    package = part_of(family, "checks")
    return tuple(_declared(package)) if package is not None else ()


@cache
def checks_by_class(family: str) -> Mapping[type, tuple[Rule[Any], ...]]:
    """The checks of a family by the classes that they name."""
    return by_class(checks_of(family))


def family_group(code: str) -> Rule[Any]:
    """The group of that code, which a family may declare in a module `groups` beside its checks. Raises KeyError."""
    packages = (part_of(family.name, "checks") for family in FAMILIES)
    named = (f"{each.__name__}.groups" for each in packages if each is not None)
    modules = (import_module(name) for name in named if find_spec(name) is not None)
    groups: Mapping[str, Rule[Any]] = {each.code: each for module in modules for each in module.GROUPS}
    return groups[code]


def _declared(package: ModuleType) -> Iterator[Rule[Any]]:
    # Without a table of modules: nearly every file of a family needs nearly all of them.
    (folder,) = package.__path__
    for name in sorted(each.stem for each in Path(folder).glob("*.py")):
        module = import_module(f"{package.__name__}.{name}")
        found = (each for each in vars(module).values() if isinstance(each, Rule))
        # Another module may have imported a check from where it is declared.
        yield from (each for each in found if each.check.__module__ == module.__name__)
