"""Parts of a suite in separate files: templates of evaluators, a default test."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator, Include
from rubric_core.language.model import EVALUATORS, DefaultTest
from rubric_core.language.shape import Shape, as_list, children
from rubric_core.language.shape_kinds import Shaped
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.directory_search import URL, current_directory, find_file
from rubric_core.loading.known_names import template_file
from rubric_core.loading.lower import Lowering
from rubric_core.ports import Files
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.tree import Mapping, Node, SyntaxTree
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import LineIndex

__all__ = ["Filler", "IncludedKeys"]

#: The maximum depth of templates that include templates.
_DEEPEST = 3

#: Fills in the references in the tree of another file; returns the root unchanged while no values are known.
Filler = Callable[[SyntaxTree], Node | None]


@dataclass
class IncludedKeys:
    """The keys that a case takes from other files, read on first use."""

    directory: Path
    files: Files
    dialect: Dialect
    dialects: Sequence[Dialect]
    filled: Filler
    #: The file and the lines of each part, by the identity of its shape; the shapes are kept alive with it.
    _places: dict[int, tuple[Shape, Path, LineIndex]] = field(default_factory=dict)
    #: Why a requested include does not exist, by its name.
    troubles: dict[str, str] = field(default_factory=dict)

    def place(self, shape: Shape) -> str:
        """The place of a part, as in "safety.yaml:3"; empty for a part of the suite."""
        known = self._places.get(id(shape))
        return "" if known is None else f"{known[1].name}:{known[2].line_of(shape.span.start) + 1}"

    @property
    def is_untouched(self) -> bool:
        """Whether the case has taken nothing from other files so far, and has not tried to."""
        return not self._places and not self.troubles

    @property
    def paths(self) -> list[Path]:
        """The non-empty files that were read so far."""
        return list(dict.fromkeys(path for _, path, _ in self._places.values()))

    def default_test(self, name: str) -> DefaultTest | None:
        """The default test in a file."""
        name = name.removeprefix(URL).removeprefix("ref://")
        path = find_file(name, self.directory, self.files, current_directory())
        if path is None:
            self.troubles[name] = f"the file {name} of the default test does not exist"
            return None
        lowered = self._lowered(path, name, Shaped(DefaultTest), lambda root: root)
        return lowered if isinstance(lowered, DefaultTest) else None

    def expanded(self, evaluators: Sequence[Evaluator]) -> list[Evaluator]:
        """Evaluators, with each include replaced by those of its template; an unreadable include stays."""
        return list(self._expanded(evaluators, self.directory, ()))

    def _expanded(self, items: Sequence[Any], directory: Path, above: tuple[Path, ...]) -> Iterator[Any]:
        for item in items:
            if not isinstance(item, Include) or not item.include:
                yield item
                continue
            members = self._template(item.include, directory, above)
            if members is None:
                yield item
            else:
                yield from members

    def _template(self, name: str, directory: Path, above: tuple[Path, ...]) -> list[Any] | None:
        path = template_file(self.files, name, directory)
        if path is None or path in above or len(above) >= _DEEPEST:
            self.troubles[name] = (
                f"there is no template {name}" if path is None
                else f"the template {name} includes itself" if path in above
                else f"the template {name} is more than {_DEEPEST} levels deep"
            )  # fmt: skip
            return None
        items = self._lowered(path, name, EVALUATORS, _listed)
        if not isinstance(items, list):
            self.troubles.setdefault(name, f"the template {path.name} is not a list of evaluators")
            return None
        return list(self._expanded(items, path.parent, (*above, path)))

    def _lowered(self, path: Path, name: str, kind: Any, part: Callable[[Node | None], Node | None]) -> Any:
        try:
            text = self.files.read(path, LARGEST).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            self.troubles[name] = f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}"
            return None
        tree = parse(text)
        root = part(self.filled(tree))
        if root is None:
            return None
        made = Lowering(text, self.dialect, self.dialects, tree.anchors).value(kind, root, "")
        lines = LineIndex(text)
        for shape in as_list(made):
            if isinstance(shape, Shape):
                self._places |= {id(inner): (inner, path, lines) for inner in children(shape)}
        return made


def _listed(root: Node | None) -> Node | None:
    """The evaluators of a template: a list, or a mapping with a list under `assertions` or `assert`."""
    if isinstance(root, Mapping):
        root = root.get("assertions") or root.get("assert")
    return root if isinstance(root, SequenceNode) else None
