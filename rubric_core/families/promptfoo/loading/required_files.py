"""Local files that a JavaScript program loads when it is loaded itself, and that do not exist."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from rubric_core.lazy_compilation import pattern
from rubric_core.loading.files import absolute
from rubric_core.loading.project import TrackedLookup

__all__ = ["missing_file"]

#: Only in these is each import of a name certainly carried out: compilers of TypeScript drop those of types.
_JAVASCRIPT = (".js", ".cjs", ".mjs")
#: A statement at the beginning of a line; those inside of functions or `try` are indented.
_LOADED = pattern(
    r"^(?:(?:const|let|var)[ \t][^=;`'\"]{1,300}=[ \t]{0,9}require\([ \t]{0,9}"
    r"|import[ \t]{1,9}(?!type\b)(?:[\w$*{},\s]{1,300}\bfrom[ \t]{1,9})?)(['\"])(?P<name>\.{1,2}/[^'\"?#\n]{1,200})\1",
    re.MULTILINE,
)
#: What loaders add to a name.
_ENDS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".json", ".node")
#: Folders that a build makes.
_MADE = frozenset({"build", "dist", "generated", "gen", "lib", "node_modules", "out", "target"})

#: No more of them are looked at.
_MOST = 50


def missing_file(path: Path, text: str, look: TrackedLookup) -> str:
    """The first such file that a program at `path` names; empty for none."""
    names = _loaded(text) if path.suffix in _JAVASCRIPT else ()
    return next((name for name in names if not _exists(absolute(path.parent / name), look)), "")


def _loaded(text: str) -> Iterator[str]:
    for found in islice(_LOADED.finditer(text), _MOST):
        before = text[: found.start()]
        is_code = before.count("`") % 2 == 0 and before.rfind("/*") <= before.rfind("*/")
        if is_code and _MADE.isdisjoint(found["name"].split("/")):
            yield found["name"]


def _exists(place: Path, look: TrackedLookup) -> bool:
    """Whether a name leads to a file, with an end that a loader adds or exchanges, or to a folder."""
    if look.is_file(place) or look.is_directory(place):
        return True
    stems = (place.name, place.stem) if place.suffix in _ENDS else (place.name,)
    return any(look.is_file(place.with_name(stem + end)) for stem in stems for end in _ENDS)
