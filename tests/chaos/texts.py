"""Texts to begin with: the project's own examples and tests, and the corpus of real suites where it is there."""

import re
from functools import cache
from pathlib import Path

from corpus import CORPUS

__all__ = ["has_corpus", "rows_of_cases", "suite_texts", "texts"]

REPOSITORY = Path(__file__).parents[2]
_PAGES = ("tests/core/legal", "tests/core/mistakes", "tests/migration/fixtures")
_SUITES = ("examples", "tests/core/documents", "tests/bench/planted", "tests/parity/suites", "tests/editors/workspace")
_HEADING = re.compile(r"^#{2,4} .+\n", re.MULTILINE)
_FILE = re.compile(r"^--- (\S+)\n", re.MULTILINE)
_KINDS = (".yaml", ".yml", ".jsonl", ".toml")
#: Characters; a longer text only makes everything slower.
_LONGEST = 100_000


@cache
def texts() -> tuple[tuple[str, bytes], ...]:
    """Names and contents of files of every kind that rubric reads."""
    own = [path for folder in _SUITES for path in sorted((REPOSITORY / folder).rglob("*"))]
    far = sorted(CORPUS.rglob("*")) if has_corpus() else []
    files = [path for path in (*own, *far) if path.suffix in _KINDS and path.is_file()]
    found = [(path.name, path.read_bytes()) for path in files if path.stat().st_size < _LONGEST]
    found += [("a.eval.yaml", text.encode()) for text in _written()]
    return tuple(found)


@cache
def suite_texts(longest: int = 6_000) -> tuple[str, ...]:
    """The texts of suites that are not long."""
    named = [
        content.decode("utf-8", "replace")
        for name, content in texts()
        if ".eval." in name or name.startswith(("dataset", "targets"))
    ]
    return tuple(text for text in dict.fromkeys(named) if 0 < len(text) < longest)


def _written() -> list[str]:
    """What stands on the pages of other tests, file by file."""
    found: list[str] = []
    for folder in _PAGES:
        for page in sorted((REPOSITORY / folder).glob("*.txt")):
            for part in _HEADING.split(page.read_text(encoding="utf-8")):
                first, *parts = _FILE.split(part)
                found += [first, *parts[1::2]]
    return [text for text in found if text.strip()]


def has_corpus() -> bool:
    """Whether the corpus of real suites is beside the checkout."""
    return (CORPUS / "INDEX.tsv").exists()


def rows_of_cases(count: int, more: str = "") -> str:
    """So many cases that pass against the answer `hello`."""
    return "".join(
        f"  - id: c{number}\n    input: hi\n    criteria: x\n{more}    assertions: [{{type: contains, value: hello}}]\n"
        for number in range(count)
    )
