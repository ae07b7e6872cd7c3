"""Breaks rubric on purpose, seeded: damaged inputs, edits, messages, programs, servers, disks, names and hostile repositories.

`python -m chaos` with `tests` on the path; `make chaos` calls it. Short forms of all parts are among the tests.
"""

import sys
from pathlib import Path

# What other tests have: clients, servers, edit scripts, the corpus.
for _folder in ("lsp", "core", "evaluation"):
    if (_path := str(Path(__file__).parents[1] / _folder)) not in sys.path:
        sys.path.append(_path)
