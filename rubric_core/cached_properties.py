"""`functools.cached_property` as Python has it from 3.12 on: without a lock, which takes longer than most of what is cached.

Threads that ask at the same time may each compute the value; every one of them is the same.
"""

import sys
from typing import TYPE_CHECKING

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:
    from typing import Any

    class cached_property:  # noqa: N801  # as in the standard library
        """A property that is computed when it is first read, and is an attribute of the instance from then on."""

        def __init__(self, compute: Any) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """The value for an instance; the property itself for the class."""
            if instance is None:
                return self
            found = instance.__dict__[self._name] = self._compute(instance)
            return found
