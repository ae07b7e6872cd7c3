"""Filters for templates that a suite brings itself: `nunjucks_filters: {shout: ./shout.js}`.

A filter is a function in a file, run in a process of its own. Templates are filled in without waiting for anything; so a
filter whose value is not known yet breaks that off, is run, and the template is filled in again.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rubric_core.evaluation.result import Unscored
from rubric_core.loading.search import URL
from rubric_core.ports import Ports
from rubric_core.syntax.plain import plain

if TYPE_CHECKING:
    from rubric_core.evaluation.runnable import Runnable

__all__ = ["FilterNeeded", "OwnFilters", "filters_of", "filters_written", "with_filters"]

T = TypeVar("T")


class FilterNeeded(Exception):  # noqa: N818  # it is no error: the filter is run, and the template filled in again
    """A filter has to be run before a template can be filled in."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        super().__init__(f"the filter {name} is run when the suite is")
        self.name, self.arguments = name, arguments


class OwnFilters:
    """The filters of a suite, with what they gave so far.

    Args:
        case: A case of the suite.
    """

    def __init__(self, case: "Runnable") -> None:
        self.files = filters_written(case)
        self._suite, self._directory, self._limit = case.suite, case.directory, case.options.time_limit
        self._line = case.suite_line(case.suite.key_at("nunjucks_filters"))
        self._known: dict[str, Any] = {}

    def value(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """What a filter makes of a value and further arguments. Raises FilterNeeded when it has not been run for these."""
        key = _key(name, arguments)
        if key not in self._known:
            raise FilterNeeded(name, arguments)
        return self._known[key]

    async def run(self, needed: FilterNeeded, ports: Ports) -> None:
        """Run a filter. Raises Unscored."""
        from rubric_core.evaluation.scripts import language_of, run_function  # noqa: PLC0415  # they know what graders are told, and so of this

        path = self.files[needed.name]
        code = path if path.startswith(URL) else f"{URL}{path}"
        told = {f"a{number}": value for number, value in enumerate(needed.arguments)}
        try:
            made = await run_function(
                code, language_of(code), told, ports, self._directory, self._limit, self._suite, function=needed.name
            )
        except Unscored as problem:
            raise Unscored(f"the filter {needed.name}: {problem.reason} (line {self._line})") from None
        self._known[_key(needed.name, needed.arguments)] = made


def _key(name: str, arguments: tuple[Any, ...]) -> str:
    return json.dumps([name, *arguments], default=str)


def filters_written(case: "Runnable") -> Mapping[str, str]:
    """The files of the filters, by name."""
    written = case.suite.nunjucks_filters
    found = plain(written, case.suite_anchors) if written else {}
    return {name: path for name, path in found.items() if isinstance(name, str) and isinstance(path, str)}


def filters_of(case: "Runnable") -> OwnFilters | None:
    """The filters of the suite of a case, which its cases share; None where it brings none."""
    if not case.suite.nunjucks_filters or not case.dialect.properties.nunjucks:
        return None
    found = case.shared.get("filters")
    if not isinstance(found, OwnFilters):
        found = case.shared["filters"] = OwnFilters(case)
    return found


async def with_filters(filters: OwnFilters | None, work: Callable[[], Awaitable[T]], ports: Ports) -> T:
    """What `work` gives once every filter that it needs has been run. Raises Unscored."""
    while True:
        try:
            return await work()
        except FilterNeeded as needed:
            if filters is None:
                raise Unscored(str(needed)) from None
            await filters.run(needed, ports)
