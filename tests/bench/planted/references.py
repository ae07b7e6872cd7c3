"""Names of things in other files."""

import random
import re
from collections.abc import Iterator

from planted.slips import drop
from planted.suite import LOST, Plant, Planted, Suite, replaced
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import children
from rubric_core.loading.directory_search import URL
from rubric_core.loading.reference_collector import Mention, collect_references, is_script

__all__ = ["KINDS"]


def _mentions(suite: Suite, refers_to: str) -> Iterator[tuple[Mention, int]]:
    """The words that refer to something which is there, in the cases and in front of them."""
    head = suite.analysis.frame.head
    around = [(s, 0) for s in children(suite.analysis.suite)] if suite.analysis.suite is not None else []
    said = " ".join(d.message for d in suite.analysis.diagnostics)
    for shape, offset in (*suite.shapes, *around):
        for mention in collect_references(shape):
            inside = offset or mention.node.span.end <= len(head)
            if mention.refers_to == refers_to and not mention.borrowed and inside and mention.text not in said:
                yield mention, offset


def refer(refers_to: str, to_kind: FileKind | None = None) -> Plant:
    """Misspell the name of something in another file."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        if to_kind is not None and to_kind not in suite.analysis.refers_to.values():
            return None
        found = [
            (m, o)
            for m, o in _mentions(suite, refers_to)
            if m.node.style in ("plain", "single", "double") and len(_stem(m.text)) > 3 and _is_certain(m, suite)
        ]
        if not found:
            return None
        mention, offset = rng.choice(found)
        stem = _stem(mention.text)
        start = suite.text.index(stem, mention.node.span.start + offset)
        return replaced(suite, start, start + len(stem), drop(stem, rng))

    return plant


def _stem(text: str) -> str:
    """The part of a path that names its file."""
    return text.removeprefix(URL).rpartition("/")[2].partition(".")[0]


def _is_certain(mention: Mention, suite: Suite) -> bool:
    """Whether the word, at its place, is a reference that is resolved."""
    if mention.refers_to == "program":
        return is_script(mention.text)
    if mention.refers_to == "file":
        name = mention.text.removeprefix(URL)
        return any((place / name).is_file() for place in (suite.file.parent, *suite.file.parents))
    return True


def _no_cases(suite: Suite, _: random.Random) -> Planted | None:
    match = re.search(r"^(tests):\n", suite.text, re.MULTILINE)
    if match is None or suite.analysis.dialect.name == "agentv-1":
        return None
    at = match.end()
    column = re.match(r" *", suite.text[at:])
    blanks = column[0] if column else ""
    if not suite.text[at:].lstrip().startswith("-") or not suite.text[at + len(blanks) :].startswith("-"):
        return None
    return replaced(suite, at, at, f"{blanks}- file://cases/planted.yaml\n", at, LOST)


KINDS: dict[str, Plant] = {
    "target misspelt": refer("target", FileKind.TARGETS),
    "path of a file misspelt": refer("file"),
    "path of a program misspelt": refer("program"),
    "path of a directory misspelt": refer("directory"),
    "template misspelt": refer("template"),
    "cases in a file that is not there": _no_cases,
}
