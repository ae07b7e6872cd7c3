"""The environment variables of a run, each of which is asked for by its name."""

from collections.abc import Collection, ItemsView, Iterator, Mapping, MutableSet

from rubric_core.evaluation.model.unscored import Unscored

__all__ = ["Variables", "every_variable", "peek"]


class Variables(Mapping[str, str]):
    """Environment variables, some of which may be withheld from a run, or written down when they are asked for.

    Args:
        values: The variables.
        behind: Further ones, of which those in `values` take the place.
        withheld: The names in `values` that may not be read: `[]` and `get` raise Unscored.
        asked: Takes the names of `values` that are asked for.
    """

    def __init__(
        self,
        values: Mapping[str, str],
        behind: Mapping[str, str] | None = None,
        *,
        withheld: Collection[str] = (),
        asked: MutableSet[str] | None = None,
    ) -> None:
        self._values, self._behind = values, behind or {}
        self._withheld, self._asked = withheld, asked

    def __getitem__(self, name: str) -> str:
        if name not in self._values:
            return self._behind[name]
        if name in self._withheld:
            raise Unscored(
                f"refused: the environment variable {name} was not in the question before this run; run it again"
            )
        if self._asked is not None:
            self._asked.add(name)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._behind

    def __iter__(self) -> Iterator[str]:
        """The names that may be asked for."""
        yield from (name for name in self._values if name not in self._withheld)
        yield from (name for name in self._behind if name not in self._values)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def items(self) -> ItemsView[str, str]:
        """The variables that may be asked for; none of them counts as asked for."""
        return {name: peek(self, name) or "" for name in self}.items()

    def every_name(self) -> Iterator[str]:
        """All names, also of variables that are withheld."""
        yield from dict.fromkeys((*_every_name(self._values), *_every_name(self._behind)))

    def peek(self, name: str) -> str | None:
        """The value of a variable for rubric's own decisions, also of one that is withheld; None if it is not set."""
        return peek(self._values if name in self._values else self._behind, name)


def peek(environment: Mapping[str, str], name: str) -> str | None:
    """The value of a variable for rubric's own decisions, see `Variables.peek`."""
    return environment.peek(name) if isinstance(environment, Variables) else environment.get(name)


def every_variable(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """All variables for rubric's own decisions, also those that are withheld: whatever a run may not read, a program may find."""
    for name in _every_name(environment):
        yield name, peek(environment, name) or ""


def _every_name(environment: Mapping[str, str]) -> Iterator[str]:
    return environment.every_name() if isinstance(environment, Variables) else iter(environment)
