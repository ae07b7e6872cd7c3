"""What the tests of the command line share: example suites, and how a command ended."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CLEAN = "tests:\n  - id: refund\n    input: Can I return this?\n    criteria: Names the 30 day window\n"
#: One error without a safe fix, one warning with one.
BROKEN = """\
tests:
  - id: refund
    input: Can I return this?
    criteria: Names the 30 day window
    assertions:
      - type: rubrics
        criteria:
          - {id: tone, outcome: Stays friendly, weight: -1, required: true}
      - {type: contains, wieght: 2, value: 30 days}
"""


@dataclass
class Ran:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        return [row["code"] for row in self.json]


Run = Callable[..., Ran]


def write(path: str, text: str | bytes) -> Path:
    """A file below the current folder, with the folders that it needs."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file
