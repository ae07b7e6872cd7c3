"""Programs that make tests of promptfoo: `tests: file://make.py:tests`. They run with `rubric run`, never to inspect a configuration."""

import json
from typing import Any, NamedTuple

__all__ = ["TestProgram", "program_of"]


class TestProgram(NamedTuple):
    """A function in a file with its arguments, or a list that a JavaScript file exports."""

    #: As it is written: `make.py:tests`, with or without `file://`.
    text: str
    #: Its argument; None for a call without any.
    config: Any = None

    @property
    def key(self) -> str:
        """The key under which its tests are found, see `program_of`."""
        return (
            self.text if self.config is None else json.dumps([self.text, self.config], ensure_ascii=False, default=str)
        )


def program_of(key: str) -> TestProgram:
    """The program with this key."""
    try:
        text, config = json.loads(key)
    except ValueError:
        return TestProgram(key)
    return TestProgram(text, config)
