"""Infers the dialect of a text without own signs: from its cases in other files, or from its data set."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from rubric_core.language.detect_dialect import DialectChoice, Sign, choose, signs_of
from rubric_core.language.detect_file_dialect import choose_file_dialect
from rubric_core.language.file_extensions import DATASETS, YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.case_files import cases_behind
from rubric_core.loading.directory_search import URL
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.reference_collector import is_open
from rubric_core.syntax.json_text import parse_json
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["infer_dialect"]

#: The maximum number of files, and of lines of a data set, that are examined.
_MOST_FILES, _MOST_LINES = 3, 20


def infer_dialect(
    look: TrackedLookup, path: Path, kind: FileKind, root: Node | None, items: Iterable[Node], names: Iterable[str]
) -> DialectChoice | None:
    """The dialect and the reason, None if no other file shows it.

    Args:
        look: Reads the files.
        path: The file.
        kind: Its kind.
        root: The root of its tree, or of the text around its items.
        items: The items of its list.
        names: The names of the dialects.
    """
    if kind is FileKind.SIDECAR:
        files = [path.with_suffix(ending) for ending in DATASETS]
    elif kind is FileKind.SUITE:
        files = [f for name in _paths(root, items) for f in cases_behind(look, name, path.parent).files]
    else:
        return None
    known = tuple(names)
    for file in files[:_MOST_FILES]:
        choice = look.answer(("dialect of cases", file, known), partial(_dialect_of_cases, file, known))
        if choice is not None and choice.certain:
            return DialectChoice(choice.name, f"{choice.reason} in {file.name}", certain=True)
    return None


def _paths(root: Node | None, items: Iterable[Node]) -> Iterator[str]:
    """The paths among the cases, or in place of them."""
    values = [e.value for e in root.entries if e.name in ("tests", "eval_cases")] if isinstance(root, Mapping) else []
    for node in (*values, *items):
        for each in node.items if isinstance(node, Sequence) else [node]:
            usable = isinstance(each, Scalar) and isinstance(each.value, str) and not is_open(each.text)
            if usable and isinstance(each, Scalar) and (each.text.startswith(URL) or each is node):
                yield each.text


def _dialect_of_cases(file: Path, names: tuple[str, ...], look: TrackedLookup) -> DialectChoice | None:
    text = look.text(file)
    if text is None:
        return None
    if file.suffix in DATASETS:
        lines = [line for line in text.splitlines() if line.strip()][:_MOST_LINES]
        kind, items = FileKind.DATASET, [n for line in lines if (n := parse_json(line).root) is not None]
    elif file.suffix in YAML:
        tree = look.tree(file)
        root = tree.root if tree is not None else None
        root = root.get("tests") if isinstance(root, Mapping) else root
        kind, items = FileKind.CASES, root.items if isinstance(root, Sequence) else []
    else:
        return None
    signs = signs_of(None, text, frame=False)
    for item in items:
        signs |= signs_of(item, "", frame=False)
    return choose(Sign(signs), None, None, names, choose_file_dialect(kind, None, items, text))
