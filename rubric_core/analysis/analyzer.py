"""Analyses a document, and analyses only changed blocks again."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import PurePath

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.block_state import BlockState, Frame, signs_in
from rubric_core.analysis.finding_list import FindingList, shift_findings
from rubric_core.analysis.further_documents import analyze_further_documents
from rubric_core.analysis.incremental import Check, items_of
from rubric_core.analysis.language import Language, default_language
from rubric_core.analysis.result import Analysis
from rubric_core.language.detect_dialect import DialectChoice, Sign, choose, modeline
from rubric_core.language.detect_file_dialect import choose_file_dialect
from rubric_core.language.file_extensions import TABLES
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.releases import Releases
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.detect_file_kind import kind_of
from rubric_core.loading.engine_release import engine_releases
from rubric_core.loading.family_recognition import recognised_kind
from rubric_core.loading.files import absolute
from rubric_core.loading.infer_dialect import infer_dialect
from rubric_core.loading.project import Project, TrackedLookup
from rubric_core.syntax.blocks import Block, Document, UnreadBlock
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.parse import unread
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.validation.rule import Diagnostic
from rubric_core.validation.rules.several_documents import SEVERAL_DOCUMENTS
from rubric_core.validation.rules.unused_ignore import UNUSED_IGNORE
from rubric_core.validation.selection import EVERYTHING, Selection

__all__ = ["analyze", "stated_dialect"]


def analyze(
    document: Document | str,
    language: Language | None = None,
    *,
    previous: Analysis | None = None,
    dialect: str | None = None,
    selection: Selection = EVERYTHING,
    path: PurePath | None = None,
    kind: FileKind | None = None,
    project: Project | None = None,
    siblings: Collection[str] | None = None,
    defined_names: DefinedNames | None = None,
) -> Analysis:
    """Analyze `document`. Never raises, whatever the text is. Raises TypeError for anything but a text.

    Args:
        document: The text, or the text cut by `language.document`.
        language: The dialects and rules; all of them by default.
        previous: An analysis of an earlier version in the same language, whose unchanged parts are reused.
        dialect: The name of the dialect in the workspace's settings, if any.
        selection: The selected findings, with their severities.
        path: The file of the text, which may determine its kind.
        kind: The kind of the text, if it is known better than by its path and content.
        project: The files around it, for its references; without it, only the text itself is checked.
        siblings: For a case file, the ids of the other cases of the suite that includes it; None if no suite is known.
        defined_names: For a kind of file that takes names, what the files that name it define; None if none is known.
    """
    language = language or default_language()
    if isinstance(document, str):
        earlier = previous.document if previous is not None else None
        document = language.document(document, path, kind, earlier)
    elif not isinstance(document, Document):
        raise TypeError(
            f"document must be a string or a Document, found {type(document).__name__}; `load_suite` reads a file"
        )
    alone = partial(
        _analyze_alone, language=language, selection=selection, path=path, project=project, siblings=siblings, defined_names=defined_names,
    )  # fmt: skip
    analysis = alone(document, previous=previous, dialect=dialect, kind=kind)
    if analysis.kind in (FileKind.SUITE, FileKind.TARGETS):
        said = modeline(document.head) or dialect
        read = partial(alone, dialect=said, kind=analysis.kind)
        analysis.further = tuple(
            analyze_further_documents(analysis, read, previous.further if previous is not None else ())
        )
        _add_further(analysis)
    return analysis


def stated_dialect(text: str, language: Language, path: PurePath | None = None) -> DialectChoice:
    """The dialect of a text and the reason, from its path and its content alone."""
    document = language.document(text, path)
    frame, states, _ = _read(document, language, None)
    root = states[frame.block].tree.root
    kind = _kind(document, frame, items_of(document, states, root), root, path, None)
    return _choose(document, states, root, kind, language, None, signs_in(states.values()))


def _add_further(analysis: Analysis) -> None:
    """Add the findings of further documents; their existence is reported once."""
    if not analysis.further:
        return
    found = [*analysis.every]
    ignored = [*analysis.ignored]
    for at, other in analysis.further:
        own = (each for each in other.every if each.code != SEVERAL_DOCUMENTS.code)
        found += (shift_findings(each, at) for each in own if not _is_said_before(each, other))
        ignored += (shift_findings(each, at) for each in other.ignored)
        analysis.depends_on |= other.depends_on
    analysis.ignored = tuple(ignored)
    analysis.take(FindingList(loose=tuple(found)))


def _is_said_before(found: Diagnostic, other: Analysis) -> bool:
    """Whether an ignore comment beside a document marker was already checked with the finding about the marker."""
    return found.code == UNUSED_IGNORE.code and other.document.position(found.span.start).line == 0


def _analyze_alone(
    document: Document,
    previous: Analysis | None,
    language: Language,
    dialect: str | None,
    selection: Selection,
    path: PurePath | None,
    kind: FileKind | None,
    project: Project | None,
    siblings: Collection[str] | None,
    defined_names: DefinedNames | None,
) -> Analysis:
    """The first YAML document of a text. See `analyze`."""
    frame, states, change = _read(document, language, previous)
    root = states[frame.block].tree.root
    outside = project.look() if project is not None else None
    given, kind = kind, kind or _kind(document, frame, items_of(document, states, root), root, path, outside)
    signs = _signs(states, change, previous)
    choice = _choose(document, states, root, kind, language, dialect, signs)
    if not choice.certain and outside is not None and path is not None:
        told = infer_dialect(
            outside, absolute(path), kind, root, items_of(document, states, root), (d.name for d in language.dialects)
        )
        choice = told or choice
    if not kind.dialect:
        choice = choice._replace(releases=selection.releases or _releases(root, outside, path))
    analysis = Analysis(document, language, states, frame, choice, kind, selection)
    analysis.siblings, analysis.signs = siblings, signs
    analysis.case_file = path.name if path is not None and not kind.is_root else ""
    analysis.defined_names = defined_names if kind.takes_names else None
    analysis.read = partial(
        analyze, language=language, dialect=dialect, selection=selection, path=path, kind=given, project=project, siblings=siblings,
        defined_names=defined_names,
    )  # fmt: skip
    at = absolute(path) if path is not None else None
    name = path.name if path is not None else ""
    Check(analysis, None if project is None or at is None else (project, at), name).run(previous, change)
    if outside is not None:
        analysis.depends_on |= outside.seen
    return analysis


def _releases(root: Node | None, outside: TrackedLookup | None, path: PurePath | None) -> Releases | None:
    """The releases of the engine that a file asks for, that are installed, or that its configurations require."""
    asked = root.get("requires") if isinstance(root, MappingNode) else None
    wanted = asked.get("agentv") if isinstance(asked, MappingNode) else None
    own = Releases.of(wanted.text) if isinstance(wanted, Scalar) else None
    if own is not None or outside is None or path is None:
        return own
    return engine_releases(absolute(path).parent, outside)


def _kind(
    document: Document,
    frame: Frame,
    items: Iterator[Node],
    root: Node | None,
    path: PurePath | None,
    outside: TrackedLookup | None,
) -> FileKind:
    """The kind of a text."""
    first = next(items, None)
    recognised = recognised_kind(modeline(document.head), path, document.head, root, first)
    if recognised is not None:
        return recognised
    if path is not None and path.suffix.lower() in TABLES:
        return FileKind.TABLE
    listed = frame.item_key == ROOT_LIST or isinstance(root, SequenceNode)
    return kind_of(path, root, first if listed else None, outside)


def _read(
    document: Document, language: Language, previous: Analysis | None
) -> tuple[Frame, dict[Block, BlockState], BlockChange | None]:
    """The frame, the tree of every block, and the changes; unchanged parts come from `previous`."""
    frame = Frame(document)
    # Equal texts that were cut in another way are parsed differently.
    cut_alike = previous is not None and type(previous.document) is type(document)
    if previous is None or previous.language is not language or not cut_alike:
        blocks = [frame.block, *(b for b in document.blocks if b.key)]
        return frame, {b: _state(b, document, language, frame) for b in blocks}, None
    if frame.read_alike(previous.frame):
        frame.block = previous.frame.block
    change = BlockChange.between(previous, document, frame)
    # A copy with a few replaced entries: building it anew would take longer than everything else in a long text.
    states = previous.states.copy()
    for block in change.removed:
        states.pop(block, None)
    for block in change.added:
        states[block] = previous.states.get(block) or _state(block, document, language, frame)
    return frame, states, change


def _state(block: Block, document: Document, language: Language, frame: Frame) -> BlockState:
    tree = unread(block.text) if isinstance(block, UnreadBlock) else document.parse(block.text)
    if block is frame.block:
        return BlockState(block.text, frame.tree(tree), language.item_keys, frame=True)
    return BlockState(block.text, tree, language.item_keys, frame=False)


def _signs(states: Mapping[Block, BlockState], change: BlockChange | None, previous: Analysis | None) -> Sign:
    """The signs of a dialect in the whole text."""
    if previous is not None and change is not None and change.alike(previous.states, states, _signs_of):
        return previous.signs
    return signs_in(states.values())


def _signs_of(state: BlockState) -> int:
    return state.signs


def _choose(
    document: Document,
    states: Mapping[Block, BlockState],
    root: Node | None,
    kind: FileKind,
    language: Language,
    dialect: str | None,
    signs: Sign,
) -> DialectChoice:
    """The dialect as far as the text and the settings determine it."""
    if kind.dialect:
        stated = modeline(document.head) == kind.dialect
        why = "its modeline says so" if stated else f"its name, its schema or its keys are those of {kind.family}"
        if kind.by_reference:
            why = "of the configuration that names it"
        return DialectChoice(kind.dialect, why, certain=True, stated=stated)
    items = [] if kind is FileKind.SUITE else [*items_of(document, states, root)]
    around = None if kind is FileKind.SUITE else choose_file_dialect(kind, root, items, document.text)
    return choose(signs, modeline(document.head), dialect, (d.name for d in language.dialects), around)
