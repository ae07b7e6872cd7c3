"""Resolves the references of one block to other files."""

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from pathlib import Path
from typing import Any, Literal, NamedTuple

from rubric_core.language.file_extensions import CASE_PROGRAMS, DATASETS, PROMPTS, TABLES
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Suite, TargetChoice
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.case_files import CaseFileContents
from rubric_core.loading.defined_names import CountedNames
from rubric_core.loading.issues import Issue, UnknownType
from rubric_core.loading.known_names import entry_name
from rubric_core.loading.program_uses import ProgramUse
from rubric_core.loading.references import References
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["NO_LINKS", "NO_NAMES", "BlockReferences", "OutsideText", "look_up_references", "own_targets"]

#: A shared empty set: a new one takes memory, and thousands of cases need one.
NO_NAMES: frozenset[str] = frozenset()


class OutsideText(NamedTuple):
    """Content that a file takes from others; `node` is the reference."""

    what: Literal["prompt", "cases", "defaults", "vars"]
    node: Node
    #: The texts of prompts; None if they are only known at run time.
    texts: tuple[str, ...] | None = None
    #: Those of them in files that are not checked by themselves.
    unchecked: tuple[str, ...] = ()
    #: The variables of cases, or those in a file under `vars`; None if they are only known at run time.
    names: frozenset[str] | None = None
    #: The words of files with cases or defaults: each may be a variable that they use.
    words: frozenset[str] = NO_NAMES
    #: How many cases in all files that it refers to have each variable; None if unknown.
    counted: CountedNames | None = None


@dataclass
class BlockReferences:
    """The resolved references of a block; spans are those of the block."""

    issues: tuple[Issue, ...] = ()
    #: The places of paths in the case list, the included cases, and the paths.
    cases: tuple[tuple[Span, CaseFileContents, str], ...] = ()
    #: The existing checkable files, with their kinds.
    files: tuple[tuple[Path, FileKind], ...] = ()
    #: The files that this depends on.
    seen: frozenset[Path] = frozenset()
    #: The resolved words, so that references to them are not reported again.
    told: frozenset[int] = frozenset()
    #: The prompts and cases in other files, of families that use them as texts.
    outside: tuple[OutsideText, ...] = ()
    #: The files whose templates read secrets from the environment, with the names of these.
    secrets: tuple[tuple[Span, frozenset[str]], ...] = ()
    #: The functions of programs that the engine calls.
    called: frozenset[ProgramUse] = frozenset()
    #: The variables that these programs read by name.
    read: frozenset[str] = NO_NAMES
    #: The findings of the rules for these issues.
    findings: tuple[Any, ...] = field(default=())


#: The fields that define target names.
_NAMING = (Entry, TargetChoice, Suite)
NO_LINKS = BlockReferences()


def look_up_references(
    references: References,
    shapes: tuple[Shape, ...],
    root: Node | None,
    deferred: Iterable[UnknownType],
    above: SequenceOf[frozenset[int]] = (),
    *,
    marked: bool = True,
    every: SequenceOf[Shape] | None = None,
) -> BlockReferences:
    """Resolve the references of a block.

    Args:
        references: Resolves them.
        shapes: The outermost shapes of the block.
        root: The root of its tree, for paths among the cases.
        deferred: Unknown types, unless a program of their name exists.
        above: The words that were reported in the blocks to which this one refers.
        marked: Whether any value may begin with `file://`.
        every: The shapes and those inside them, if already computed.
    """
    issues, seen, files, told = references.referred(shapes, deferred, above, marked=marked, every=every)
    cases: list[tuple[Span, CaseFileContents, str]] = []
    for node in _case_paths(shapes, root):
        found, wrong, more = references.cases(node)
        cases.append((node.span, found, node.text))
        # A text is reported at its reference, and a program is run for its cases.
        tables = () if references.dialect.spelled(Suite, "prompts") is not None else TABLES
        others = (*PROMPTS, *CASE_PROGRAMS, *tables)
        files |= {path: _kind_of_cases(path) for path in found.files if path.suffix.lower() not in others}
        issues += wrong
        seen |= more
    return BlockReferences(tuple(issues), tuple(cases), tuple(files.items()), seen, told)


def _kind_of_cases(path: Path) -> FileKind:
    """A data set or a table by its name, a case in a directory of its own, else a case file."""
    if path.suffix in DATASETS:
        return FileKind.DATASET
    if path.suffix.lower() in TABLES:
        return FileKind.TABLE
    return FileKind.CASE if path.stem == "case" else FileKind.CASES


def _case_paths(shapes: tuple[Shape, ...], root: Node | None) -> Iterator[Scalar]:
    """The paths in the case list: items of a block, or the value in place of the list."""
    suite = next((s for s in shapes if isinstance(s, Suite)), None)
    node = root
    if suite is not None:
        node = suite.places["cases"].node if suite.has("cases") else None
    elif isinstance(root, Mapping):
        return
    items = node.items if isinstance(node, Sequence) else [node]
    for item in items:
        alone = node is item and suite is None
        if alone or not isinstance(item, Scalar) or not isinstance(item.value, str) or not item.text.strip():
            continue
        if node is item or item.text.startswith("file://"):
            yield item


def own_targets(shapes: Iterable[Shape]) -> frozenset[str]:
    """The target names that a text defines; `shapes` are all of its shapes, nested ones included."""
    return frozenset(_own(shapes)) or NO_NAMES


def _own(shapes: Iterable[Shape]) -> Iterator[str]:
    for shape in shapes:
        if not isinstance(shape, _NAMING):
            continue
        if isinstance(shape, Entry):
            yield from _name_of(shape)
        elif isinstance(shape, TargetChoice) and shape.has("use_target"):
            yield from _name_of(shape)  # a name chosen by the author, by which cases select from the matrix
        elif isinstance(shape, Suite):
            for field_name in ("providers", "targets", "graders"):
                place = shape.places.get(field_name)
                nodes = place.node.items if place is not None and isinstance(place.node, Sequence) else []
                yield from (name for n in nodes if isinstance(n, Mapping) and (name := entry_name(n)))


def _name_of(entry: Entry | TargetChoice) -> Iterator[str]:
    name = vars(entry).get("name")
    if isinstance(name, str):
        yield name
