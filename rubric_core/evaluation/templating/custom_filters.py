"""Template filters of a suite: `nunjucks_filters: {shout: ./shout.js}`.

A filter is a function in a file, run in its own process. Rendering is synchronous; so a filter whose value is not known
yet interrupts it, is run, and the template is rendered again.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rubric_core.evaluation.code.scripts import language_of, run_function
from rubric_core.evaluation.model.template_filters import FilterNeeded, TemplateFilters
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.language.model import Suite
from rubric_core.loading.directory_search import URL
from rubric_core.ports import Ports

__all__ = ["CustomFilters", "with_filters"]

T = TypeVar("T")


@dataclass(eq=False)
class CustomFilters:
    """The filters of a suite, with the values they have returned so far."""

    #: The file of each filter, by name.
    files: Mapping[str, str]
    suite: Suite
    directory: Path
    #: Seconds that a filter may take.
    time_limit: float
    #: The line of `nunjucks_filters` in the suite, from 1.
    line: int

    def __post_init__(self) -> None:
        self._known: dict[str, Any] = {}

    def value(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """The result of a filter for a value and arguments. Raises FilterNeeded if it has not been run for these."""
        key = _key(name, arguments)
        if key not in self._known:
            raise FilterNeeded(name, arguments)
        return self._known[key]

    async def run(self, needed: FilterNeeded, ports: Ports) -> None:
        """Run a filter. Raises Unscored."""
        path = self.files[needed.name]
        code = path if path.startswith(URL) else f"{URL}{path}"
        told = {f"a{number}": value for number, value in enumerate(needed.arguments)}
        try:
            made = await run_function(
                code, language_of(code), told, ports, self.directory, self.time_limit, self.suite, function=needed.name
            )
        except Unscored as problem:
            raise Unscored(f"the filter {needed.name}: {problem.reason} (line {self.line})") from None
        self._known[_key(needed.name, needed.arguments)] = made


def _key(name: str, arguments: tuple[Any, ...]) -> str:
    return json.dumps([name, *arguments], default=str)


async def with_filters(filters: TemplateFilters | None, work: Callable[[], Awaitable[T]], ports: Ports) -> T:
    """The result of `work` once every filter that it needs has been run. Raises Unscored."""
    while True:
        try:
            return await work()
        except FilterNeeded as needed:
            if filters is None:
                raise Unscored(str(needed)) from None
            await filters.run(needed, ports)
