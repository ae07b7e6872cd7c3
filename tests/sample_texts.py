"""Hundreds of files around evals, out of the fixtures of many tests; and what becomes of them under small, always the same, damage."""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import yaml
from harness import Page, files, unmarked

from rubric_core.validation.rules import all_rules

__all__ = ["damaged", "sample_texts"]

_TESTS = Path(__file__).parent
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)
_VALUE = re.compile(r"(?P<key>[\w$-]+): *(?P<value>[^\s{\[|>&*#][^,}\]\n]*)")
#: In place of a value.
_VALUES = (
    "''",
    "7",
    "[a, 3]",
    "{b: c}",
    "true",
    "null",
    "-1.5",
    "0",
    "{{ x }}",
    "file://gone.txt",
    "*gone",
    '"a',
    "no",
)


def sample_texts() -> dict[str, str]:
    """Texts by their names: a single file, or several under lines `--- name`, as `harness.analysis_of` takes them."""
    found: dict[str, str] = {}
    for kind in ("mistakes", "legal"):
        for page in sorted((_TESTS / "core" / kind).glob("*.txt")):
            _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
            for name, body in zip(parts[::2], parts[1::2], strict=True):
                found[f"{kind} {page.stem}: {name}"] = unmarked(body)[0]
    for rule in all_rules():
        page = Page(rule.page)
        for heading in ("Example", "Fixed"):
            for number, block in enumerate(page.blocks(heading)):
                found[f"page {rule.code}: {heading} {number}"] = unmarked(block.text)[0]
    for path in sorted((_TESTS / "migration" / "fixtures").glob("**/*.txt")):
        text = path.read_text(encoding="utf-8")
        before = files(text[text.index("--- ") :])["before"]
        found[f"fixture {path.stem}"] = f"{_first_line(text)}{before}"
    for path in sorted((_TESTS / "parity" / "suites").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            found[f"suite {document['suite']}"] = document["yaml"]
    for path in sorted((_TESTS / "parity" / "promptfoo" / "suites").glob("*.yaml")):
        found[f"promptfoo {path.stem}"] = f"# promptfooconfig.yaml\n{path.read_text(encoding='utf-8')}"
    return found


def _first_line(fixture: str) -> str:
    """What says how a fixture of a migration is read."""
    source = fixture.partition(" ")[0]
    return f"# rubric: dialect={source}\n" if source.startswith("agentv") else "# promptfooconfig.yaml\n"


def damaged(name: str, text: str, number: int) -> Iterator[str]:
    """A text with `number` kinds of damage, one at a time: a line gone, there twice or further in, a key misspelt, another value."""
    lines = text.split("\n")
    places = [at for at, line in enumerate(lines) if line.strip() and not line.startswith(("#", "--- "))]
    for each in range(number if places else 0):
        chance = zlib.crc32(f"{name} {each}".encode())
        at = places[chance % len(places)]
        yield "\n".join([*lines[:at], *_damaged(lines[at], chance // len(places)), *lines[at + 1 :]])


def _damaged(line: str, chance: int) -> list[str]:
    kind, chance = chance % 8, chance // 8
    values = list(_VALUE.finditer(line))
    if kind == 0 or (kind > 2 and not values):
        return []
    if kind == 1:
        return [line, line]
    if kind == 2:
        return [f"  {line}"]
    found = values[chance % len(values)]
    if kind == 3:
        middle = (found.start("key") + found.end("key")) // 2
        return [f"{line[:middle]}{line[middle + 1 :]}"]
    new = _VALUES[chance // len(values) % len(_VALUES)]
    return [f"{line[: found.start('value')]}{new}{line[found.end('value') :]}"]
