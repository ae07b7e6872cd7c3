"""The `file://` addresses in some data."""

from collections.abc import Mapping

from rubric_core.loading.directory_search import URL

__all__ = ["file_addresses"]


def file_addresses(value: object) -> list[str]:
    """The texts in a value that are `file://` addresses, in their order."""
    found: list[str] = []
    _gather(value, found)
    return found


def _gather(value: object, found: list[str]) -> None:
    if isinstance(value, str):
        if value.startswith(URL):
            found.append(value)
    elif isinstance(value, list):
        for item in value:
            _gather(item, found)
    elif isinstance(value, dict | Mapping):  # a dict is recognised ten times as fast
        for item in value.values():
            _gather(item, found)
