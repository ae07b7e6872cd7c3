"""Completion of paths: files and folders that fit at the cursor, those with the extensions of its neighbours first."""

from collections import Counter
from collections.abc import Iterator

from rubric_core.language.file_extensions import CASES
from rubric_core.language.model import Case
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import NodeUnion
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.loading.files import is_suite_name
from rubric_core.syntax.edit import plain_or_quoted
from rubric_lsp.features.completion.context import Completion, CompletionSite
from rubric_lsp.features.completion.ranking import blocks_near
from rubric_lsp.features.names import FILES, names_in

__all__ = ["paths"]

#: A program with the function of it that is typed.
_PROGRAM = pattern(r"(?P<path>.*\.(?:py|rb|[cm]?[jt]s)):[\w$.]*\Z")


def paths(site: CompletionSite, what: str, endings: tuple[str, ...], *, marked: bool = False) -> Iterator[Completion]:
    """Paths as they are written at the cursor.

    Args:
        site: The cursor.
        what: "file", "directory" or "script".
        endings: The extensions of files; empty for any.
        marked: Whether a text is a path only with `file://` before it.
    """
    program = _PROGRAM.match(site.cursor.typed)
    if program is not None:
        yield from _functions(site, program["path"])
        return
    beside_cases = _beside_cases(site)
    marked = marked or beside_cases
    typed, used = site.cursor.typed, _used(site, endings)
    mark = URL if marked or typed.startswith(URL) or (not typed and _prefer(used, URL)) else ""
    here = "./" if not typed and _prefer(used, f"{mark}./") else ""
    lowest = 0 if typed.startswith(("file:", ".")) or not marked or (used and not beside_cases) else 3
    found = site.names(what, typed.removeprefix(URL), lambda path: _fits(path, endings))
    written_as = [f"{mark}{'' if path.startswith('.') else here}{path}" for path in found]
    for order, name in enumerate(sorted(written_as, key=lambda name: -used[name])):
        # A URL scheme is plain in YAML: no space follows its colon.
        written = name if site.cursor.quote or (mark and _is_plain(name)) else plain_or_quoted(name)
        yield Completion(name, "file", site.span, written, sort=f"{lowest}{order:03}")


def _functions(site: CompletionSite, path: str) -> Iterator[Completion]:
    """The functions of the program whose path is typed already, with a colon after it."""
    for order, name in enumerate(site.names("function", path.removeprefix(URL))):
        written = f"{path}:{name}"
        yield Completion(name, "reference", site.span, written, detail=path, sort=f"0{order:03}", filter=written)


def _is_plain(name: str) -> bool:
    path = name.removeprefix(URL)
    return plain_or_quoted(path) == path


def _prefer(used: Counter[str], lead: str) -> bool:
    """Whether most neighbouring paths that could have this prefix do."""
    able = [name for name in used if not name.removeprefix(URL).startswith("../")] if lead != URL else list(used)
    return 2 * sum(name.startswith(lead) for name in able) > len(able)


def _fits(path: str, endings: tuple[str, ...]) -> bool:
    """Whether a file has one of the extensions. A suite is not data: it fits only where cases are included."""
    if is_suite_name(path.rpartition("/")[2]):
        return endings == CASES
    return not endings or path.lower().endswith(endings)


def _beside_cases(site: CompletionSite) -> bool:
    """Whether a path in the case list needs `file://`: beside cases, a plain text would not be a path."""
    kind = site.place.kind
    return isinstance(kind, NodeUnion) and isinstance(kind.mapping, Shaped) and issubclass(kind.mapping.shape, Case)


def _used(site: CompletionSite, endings: tuple[str, ...]) -> Counter[str]:
    """How often neighbours refer to each file that fits, as they write it."""
    names = (name for local in blocks_near(site.analysis, site.local) for name in names_in(local))
    return Counter(name.name for name in names if name.kind in FILES and _fits(name.name, endings))
