"""Case files as a suite sees them: the ids of their cases, or why they cannot be read."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rubric_core.language.dialect import Dialect
from rubric_core.language.file_extensions import CASE_PROGRAMS, DATASETS, TABLES, YAML
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.case_table import TableError, UnactedColumnError, cases_in_table
from rubric_core.loading.directory_search import URL, is_pattern, places_of, without_function
from rubric_core.loading.path_matches import TOO_MANY_FOLDERS, PathMatches, path_matches
from rubric_core.loading.project import TrackedLookup
from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["CaseFileContents", "ExternalCase", "cases_behind", "unread_case_file"]

_MADE = (".json", *CASE_PROGRAMS)
_SUITE = pattern(r"(?is).*\.eval\.ya?ml\Z|suite\.ya?ml\Z")


class ExternalCase(NamedTuple):
    """A case in another file."""

    id: str
    path: Path
    #: The cases that have to run before it.
    depends_on: tuple[str, ...] = ()


class CaseFileContents(NamedTuple):
    """The content of a path in the case list."""

    cases: tuple[ExternalCase, ...] = ()
    #: Whether these are all cases.
    complete: bool = True
    #: Why they cannot be read, for the author of the suite.
    trouble: str = ""
    #: Whether the path matches nothing at all.
    missing: bool = False
    #: The files of the cases.
    files: tuple[Path, ...] = ()
    #: A file among them that is named like a suite.
    suite: Path | None = None
    #: A file among them that is a mapping with a list of cases.
    wrapped: Path | None = None
    #: Whether the search was incomplete, because there are too many folders.
    given_up: bool = False

    @property
    def is_without_cases(self) -> bool:
        """Whether a suite has one entry for the path itself: it cannot be read, or is a program, which is run for its cases."""
        return bool(self.trouble) or not self.files or any(f.suffix.lower() in CASE_PROGRAMS for f in self.files)


def cases_behind(look: TrackedLookup, name: str, directory: Path) -> CaseFileContents:
    """The cases of a path as a suite in `directory` writes it: a file, a directory, or a pattern."""
    name = without_function(name.removeprefix(URL))
    return look.answer(("cases behind", name, directory), partial(_cases_behind, name, directory))


def unread_case_file(found: CaseFileContents, dialect: Dialect) -> str:
    """Why a release takes one of the files for no file of cases; empty if it takes them all."""
    known = dialect.properties.case_files
    file = next((each for each in found.files if each.suffix.lower() not in known), None)
    return f"{file.name} is none of the files from which {dialect.name} reads cases: {', '.join(known)}" if file else ""


def _cases_behind(name: str, directory: Path, look: TrackedLookup) -> CaseFileContents:
    if is_pattern(name):
        found = look.once(("matches", name, directory), partial(_matches, name, directory))
        if found.given_up:
            return CaseFileContents(complete=False, trouble=TOO_MANY_FOLDERS, given_up=True)
        return _read_files(look, found.paths)
    for place in places_of(name, directory, look, beside=True):
        if look.is_file(place):
            return look.once(("cases", place), partial(_read_file, path=place))
        if look.is_directory(place):
            return look.once(("case directory", place), partial(_read_directory, path=place))
    return CaseFileContents(missing=True, complete=False)


def _matches(name: str, directory: Path, look: TrackedLookup) -> PathMatches:
    """The files that match a pattern."""
    return path_matches(name, (directory,), look)


def _read_files(look: TrackedLookup, paths: tuple[Path, ...]) -> CaseFileContents:
    if not paths:
        return CaseFileContents(missing=True, complete=False)
    sets = [look.once(("cases", p), partial(_read_file, path=p)) for p in paths]
    return CaseFileContents(
        tuple(c for s in sets for c in s.cases),
        all(s.complete for s in sets),
        next((s.trouble for s in sets if s.trouble), ""),
        files=paths,
        suite=next((s.suite for s in sets if s.suite), None),
        wrapped=next((s.wrapped for s in sets if s.wrapped), None),
    )


def _read_file(look: TrackedLookup, path: Path) -> CaseFileContents:
    suffix = path.suffix.lower()
    text = look.text(path)
    if suffix in _MADE or (text is None and look.is_too_long(path)):
        return CaseFileContents(complete=False, files=(path,))
    if text is None:
        return CaseFileContents(complete=False, trouble=f"{path.name} cannot be read", files=(path,))
    if suffix in DATASETS:
        return _read_json_lines(path, text)
    if suffix in TABLES:
        return _read_table(path, text)
    return _read_yaml(look, path) if suffix in YAML else CaseFileContents(complete=False, files=(path,))


def _read_yaml(look: TrackedLookup, path: Path) -> CaseFileContents:
    tree = look.tree(path)
    root = tree.root if tree is not None else None
    items = root.get("tests") if isinstance(root, Mapping) else root
    if tree is not None and any(p.kind == "syntax" for p in tree.problems):
        return CaseFileContents(complete=False, trouble=f"{path.name} is not YAML", files=(path,))
    if not isinstance(items, Sequence):
        return CaseFileContents(complete=False, trouble=f"{path.name} is not a list of cases", files=(path,))
    wrapped = path if isinstance(root, Mapping) else None
    suite = wrapped if _SUITE.match(path.name) else None
    return CaseFileContents(tuple(_cases(items.items, path)), files=(path,), suite=suite, wrapped=wrapped)


def _cases(items: list[Node], path: Path) -> Iterator[ExternalCase]:
    for item in items:
        name = item.get("id") if isinstance(item, Mapping) else None
        if isinstance(name, Scalar) and name.text:
            yield ExternalCase(name.text, path, _before(item))


def _before(case: Node | None) -> tuple[str, ...]:
    listed = case.get("depends_on") if isinstance(case, Mapping) else None
    return tuple(n.text for n in listed.items if isinstance(n, Scalar)) if isinstance(listed, Sequence) else ()


def _read_json_lines(path: Path, text: str) -> CaseFileContents:
    found: list[Node] = []
    for number, line in enumerate(re.split(r"\r\n?|\n", text), 1):
        tree = parse_json(line)
        if tree.problems:
            return CaseFileContents(
                complete=False, trouble=f"{path.name}:{number} is not JSON: {tree.problems[0].message}", files=(path,)
            )
        if tree.root is not None:
            found.append(tree.root)
    return CaseFileContents(tuple(_cases(found, path)), files=(path,))


def _read_table(path: Path, text: str) -> CaseFileContents:
    try:
        named = [str(row.case["id"]) for row in cases_in_table(text, ()) if row.case.get("id")]
    except UnactedColumnError:
        return CaseFileContents(complete=False, files=(path,))
    except TableError as error:
        return CaseFileContents(complete=False, trouble=f"{path.name}:{error}", files=(path,))
    return CaseFileContents(tuple(ExternalCase(name, path) for name in named), files=(path,))


def _read_directory(look: TrackedLookup, path: Path) -> CaseFileContents:
    """A directory of cases: each of its directories holds a `case.yaml`, whose id is the name of the directory."""
    cases: list[ExternalCase] = []
    files: list[Path] = []
    for name in look.names(path):
        file = next((f for n in ("case.yaml", "case.yml") if look.is_file(f := path / name / n)), None)
        if file is not None:
            tree = look.tree(file)
            written = tree.root.get("id") if tree is not None and isinstance(tree.root, Mapping) else None
            own = written.text if isinstance(written, Scalar) and written.text else name
            cases.append(ExternalCase(own, file, _before(tree.root if tree is not None else None)))
            files.append(file)
    if not cases:
        return CaseFileContents(complete=False, trouble=f"no directory in {path.name} has a case.yaml")
    return CaseFileContents(tuple(cases), files=tuple(files))
