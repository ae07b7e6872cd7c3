"""PyYAML, imported without compiling the regular expressions of its parser in Python.

That takes longer than reading a suite of a hundred lines, nearly all of it for one character class. libyaml needs
none of it; without libyaml, each expression is compiled when it is first used.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rubric_core.lazy_compilation import pattern

__all__ = ["yaml"]


@contextmanager
def _deferred_expressions() -> Iterator[None]:
    """While this lasts, regular expressions are left to be compiled at their first use."""
    compiled = re.compile
    re.compile = pattern
    try:
        yield
    finally:
        re.compile = compiled


with _deferred_expressions():
    import yaml
