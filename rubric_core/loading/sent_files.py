"""Files of AgentV's suites whose templates are filled in and sent: their secrets, and those outside of the repository.

`outside_files` handles files that a suite names with `file://`; this module handles those named in other ways: by a
pattern, in a prompt with a label, and in the messages of prompts and variables.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from rubric_core.language.file_extensions import TABLES, YAML
from rubric_core.language.model import Case, DefaultTest, Scenario, Suite
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL, find_file, is_pattern, without_function
from rubric_core.loading.issues import Issue
from rubric_core.loading.outside_files import outside_file, repository_of
from rubric_core.loading.path_matches import path_matches
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.reference_collector import is_open
from rubric_core.loading.secrets_read import secrets_read
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span

__all__ = ["SecretsInFile", "files_in_messages", "messages_in_file", "secrets_of_table", "sent_files"]

#: The keys of a prompt that name its file; with `id`, only one that begins with `file://`.
_PATHS = ("function_file", "path", "file", "id")
#: Files with messages as data.
_DATA = (".json", *YAML)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsInFile(Issue):
    """A file that is filled in and sent, with secrets of the environment in it."""

    names: frozenset[str]


def sent_files(shapes: Iterable[Shape], look: TrackedLookup, directory: Path, fallback: Path | None) -> Iterator[Issue]:
    """The issues of the files that prompts, rows of scenarios, and messages name."""
    looked = _SentFiles(look, directory, fallback)
    for shape in shapes:
        if isinstance(shape, Suite | Case | DefaultTest):
            for field in ("prompts", "vars"):
                place = shape.places.get(field)
                if place is not None and not place.borrowed:
                    yield from looked.in_messages(place.node)
                    yield from looked.prompts(place.node) if field == "prompts" else ()
        elif isinstance(shape, Scenario):
            place = shape.places.get("config")
            for node in place.node.items if place is not None and isinstance(place.node, Sequence) else ():
                yield from looked.rows(node)


def secrets_of_table(node: Scalar, paths: Iterable[Path], look: TrackedLookup) -> Iterator[SecretsInFile]:
    """The secrets in case tables, which are not checked otherwise."""
    tables = (path for path in paths if path.suffix.lower() in TABLES)
    yield from _secrets(node.span, (secrets_read(path, look, cases=True, references=True) for path in tables))


def files_in_messages(value: object) -> Iterator[str]:
    """The files that messages in plain data name, verbatim, wherever they stand: variables and prompts hold messages, too.

    A text that is a JSON list may become messages when it is filled in.
    """
    if isinstance(value, str):
        if value.lstrip().startswith("[") and '"file"' in value:
            yield from files_in_messages(messages_in_file("", value))
    elif isinstance(value, list):
        for item in value:
            yield from files_in_messages(item)
    elif isinstance(value, dict):
        if value.get("type") == "file" and isinstance(value.get("value"), str):
            yield value["value"]
        for item in value.values():
            if isinstance(item, list | dict | str):
                yield from files_in_messages(item)


def messages_in_file(name: str, text: str) -> object:
    """The messages in a prompt file, as plain data; None for a prompt that is a text."""
    if name.lower().endswith(_DATA):
        from rubric_core.syntax.parse import parse  # noqa: PLC0415  # few suites have such prompts

        tree = parse(text)
        return plain(tree.root, tree.anchors)
    if not text.lstrip().startswith("["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


class _SentFiles:
    """The files that one block names."""

    def __init__(self, look: TrackedLookup, directory: Path, fallback: Path | None) -> None:
        self._look, self._directory, self._fallback = look, directory, fallback

    def prompts(self, node: Node) -> Iterator[Issue]:
        """The files of prompts, and the files that these name in turn."""
        for each in node.items if isinstance(node, Sequence) else [node]:
            for word in _prompt_words(each):
                paths = self._paths(word.text.removeprefix(URL))
                yield from self._outside(word, paths)
                yield from _secrets(
                    word.span, (secrets_read(path, self._look, cases=False, references=True) for path in paths)
                )
                for path in paths:
                    for name in self._named_in(path):
                        yield from self._outside(word, self._paths(name), name)

    def in_messages(self, node: Node) -> Iterator[Issue]:
        """The files that messages in a prompt or variable name."""
        for each in walk(node):
            kind = each.get("type") if isinstance(each, Mapping) else None
            value = each.get("value") if isinstance(each, Mapping) else None
            if isinstance(kind, Scalar) and kind.text == "file" and isinstance(value, Scalar):
                yield from self._outside(value, self._paths(value.text))

    def rows(self, node: Node) -> Iterator[Issue]:
        """A file with rows of a scenario."""
        if isinstance(node, Scalar) and node.text.startswith(URL):
            paths = self._paths(node.text.removeprefix(URL))
            yield from _secrets(
                node.span, (secrets_read(path, self._look, cases=True, references=True) for path in paths)
            )

    def _paths(self, name: str) -> tuple[Path, ...]:
        if not name or is_open(name):
            return ()
        if is_pattern(name):
            return path_matches(name, (self._directory,), self._look).paths
        found = find_file(without_function(name), self._directory, self._look, self._fallback)
        return () if found is None else (found,)

    def _outside(self, word: Scalar, paths: tuple[Path, ...], name: str = "") -> Iterator[Issue]:
        root = repository_of(self._directory, self._look) if paths else None
        name = name or word.text.removeprefix(URL)
        issue = outside_file(word.span, name, paths, root, self._look) if root is not None else None
        if issue is not None:
            yield issue

    def _named_in(self, path: Path) -> Iterator[str]:
        def find(files: TrackedLookup) -> tuple[str, ...]:
            return tuple(files_in_messages(messages_in_file(path.name, files.text(path) or "")))

        yield from self._look.answer(("files in messages", path), find)


def _prompt_words(node: Node) -> Iterator[Scalar]:
    """The words of a prompt that name its file."""
    if isinstance(node, Scalar) and node.text.startswith(URL):
        yield node
    elif isinstance(node, Mapping) and node.get("role") is None:
        for key in _PATHS:
            value = node.get(key)
            if isinstance(value, Scalar) and (key != "id" or value.text.startswith(URL)):
                yield value
                return


def _secrets(span: Span, found: Iterable[frozenset[str]]) -> Iterator[SecretsInFile]:
    names = frozenset[str]().union(*found)
    if names:
        yield SecretsInFile(span=span, names=names)
