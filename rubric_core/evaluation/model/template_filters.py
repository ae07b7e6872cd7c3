"""The template filters of a suite, as a protocol for rendering."""

from collections.abc import Mapping
from typing import Any, Protocol

from rubric_core.ports import Ports

__all__ = ["FilterNeeded", "TemplateFilters"]


class FilterNeeded(Exception):  # noqa: N818  # not an error: the filter is run, and the template rendered again
    """A filter has to be run before a template can be rendered."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        super().__init__(f"the filter {name} runs only with the suite")
        self.name, self.arguments = name, arguments


class TemplateFilters(Protocol):
    """The filters of a suite, with the values they have returned so far."""

    #: The file of each filter, by name.
    files: Mapping[str, str]

    def value(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a filter for a value and arguments. Raises FilterNeeded if it has not been run for these."""

    async def run(self, needed: FilterNeeded, ports: Ports) -> None:
        """Run a filter. Raises Unscored."""
