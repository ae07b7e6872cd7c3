"""From a document to what is in it and what is wrong with it. Only blocks that changed are looked at again."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import compress
from operator import or_
from pathlib import Path, PurePath
from typing import Any

from rubric_core.language.around import ITEMS, PROVIDER_ITEM, ROOTS, FileKind
from rubric_core.language.detect import Choice, choose, modeline, signs_of
from rubric_core.language.detect_around import around_choice
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.kinds import Kind
from rubric_core.language.model import CASE, Case, Execution, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.language.targets import Entry
from rubric_core.loading.files import absolute
from rubric_core.loading.grading import suite_list
from rubric_core.loading.issues import Issue, NotASuite, NotYaml, UnknownKey, UnknownType, WrongRoot
from rubric_core.loading.kind import kind_by_name, kind_of
from rubric_core.loading.links import NO_LINKS, linked, own_targets
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.loading.reference_issues import PromptText
from rubric_core.loading.references import References
from rubric_core.loading.told_by_others import told_by_others
from rubric_core.syntax.blocks import FRAME, ROOT_LIST, Block, Document
from rubric_core.syntax.line_document import LineDocument, PlainDocument, still_json
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, Tree
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Edit, Span
from rubric_core.validation.ignores import ignores_in
from rubric_core.validation.rule import (
    CaseEntry,
    CaseList,
    Context,
    Diagnostic,
    ExternalCases,
    Finding,
    Fix,
    Related,
    Rule,
    SuiteDefaults,
    TargetEntry,
    TargetList,
    by_class,
)
from rubric_core.validation.rules import RULES
from rubric_core.validation.selection import EVERYTHING, Selection
from rubric_core.validation.suppression import Placed, Suppression, UnusedIgnore

__all__ = ["Analysis", "Language", "analyze"]

Found = tuple[Rule[Any], Finding]


class Language:
    """Everything that is known about eval YAML: dialects and rules. Immutable; one is enough for a process."""

    def __init__(self, dialects: Sequence[Dialect] = DIALECTS, rules: Sequence[Rule[Any]] = RULES) -> None:
        self.dialects = tuple(dialects)
        self.rules = tuple(rules)
        self._by_name = {d.name: d for d in dialects}
        self._by_code = {r.code: r for r in rules}
        self._by_class = by_class(rules)
        self._visitors: dict[type, tuple[Rule[Any], ...]] = {}
        #: The top-level keys whose lists hold the cases, in any dialect.
        self.item_keys = frozenset(s.name for d in dialects for s in d.table(Suite).values() if s.field == "cases")

    def document(self, text: str, path: PurePath | None = None) -> Document:
        """`text` cut into blocks by the keys of this language; how, depends on what stands at `path`."""
        kind = FileKind.SUITE if path is None else kind_by_name(path)
        if kind is FileKind.DATASET:
            return LineDocument.of(text)
        if kind is FileKind.PROMPT:
            return PlainDocument.of(text)
        return Document.of(text, self.item_keys if kind is FileKind.SUITE else self.item_keys | {ROOT_LIST})

    def dialect(self, name: str) -> Dialect:
        """The dialect of that name. Raises KeyError."""
        return self._by_name[name]

    def rule(self, code: str) -> Rule[Any] | None:
        """The rule behind a code."""
        return self._by_code.get(code)

    def visitors(self, visited: type) -> tuple[Rule[Any], ...]:
        """The rules for a class, those for its base classes included."""
        found = self._visitors.get(visited)
        if found is None:
            found = tuple(r for base in visited.__mro__ for r in self._by_class.get(base, ()))
            self._visitors[visited] = found
        return found


class _State:
    """What is known of one block: its tree, and what it means in the context named by `key`."""

    __slots__ = (
        "borrows", "deferred", "findings", "ignores", "judged", "key", "linked", "linked_at", "links", "own_targets", "shapes", "signs", "tree",
    )  # fmt: skip

    def __init__(self, text: str, tree: Tree, item_keys: frozenset[str], *, frame: bool) -> None:
        self.tree = tree
        self.ignores = ignores_in(text, self.tree, item_keys if frame else None)
        self.signs = signs_of(self.tree.root, text, frame=frame)
        #: Names of anchors that are used here and defined elsewhere.
        self.borrows = frozenset(a.name for a in self.tree.aliases if a.target is None)
        self.key: object = None
        self.shapes: tuple[Shape, ...] = ()
        self.findings: tuple[Found, ...] = ()
        #: What was judged where it stands, so that a reference to it is not judged again.
        self.judged: frozenset[object] = frozenset()
        #: Types that nobody has, unless a program of their name is there.
        self.deferred: tuple[UnknownType, ...] = ()
        #: What stands in other files, looked up in the context named by `linked`.
        self.links = NO_LINKS
        self.linked: object = None
        #: The version of the project at that time.
        self.linked_at = 0
        #: The names that it gives to targets.
        self.own_targets: frozenset[str] = frozenset()


class _Frame:
    """The text around the cases, put together so that it can be parsed as one, and the way back."""

    def __init__(self, document: Document) -> None:
        pieces = [b for b in (document.blocks[0], document.blocks[-1]) if not b.key]
        self.head = pieces[0].text
        tail = pieces[1].text if len(pieces) > 1 and len(document.blocks) > 1 else ""
        self.shift = len(document) - len(self.head) - len(tail)
        self.item_key = document.blocks[1].key if len(document.blocks) > 1 else ""
        self.block = pieces[0] if not tail else Block(self.head + tail, FRAME)

    def outer(self, span: Span) -> Span:
        """A span of the frame in the whole text. What starts at the seam stands behind the cases."""
        behind = span.start > len(self.head) or (span.start == len(self.head) < span.end)
        return Span(
            span.start + self.shift if behind else span.start,
            span.end + self.shift if span.end > len(self.head) else span.end,
        )

    def inner(self, offset: int) -> int:
        """An offset of the whole text in the frame."""
        return offset if offset <= len(self.head) else max(len(self.head), offset - self.shift)


class Analysis:
    """One version of a text, understood. Offsets are those of the whole text unless said otherwise."""

    def __init__(
        self,
        document: Document,
        language: Language,
        states: dict[Block, _State],
        frame: _Frame,
        choice: Choice,
        kind: FileKind,
    ) -> None:
        self.document = document
        self.language = language
        #: What the file is.
        self.kind = kind
        #: The dialect and why it was taken.
        self.choice = choice
        self.dialect = language.dialect(choice.name)
        self.suite: Suite | None = None
        self.cases: tuple[CaseEntry, ...] = ()
        self.diagnostics: tuple[Diagnostic, ...] = ()
        #: Findings that a comment in the text covers.
        self.ignored: tuple[Diagnostic, ...] = ()
        #: Other files that the findings depend on, those included that are not there.
        self.depends_on: frozenset[Path] = frozenset()
        #: The files that it refers to and that can be checked, and what they are.
        self.refers_to: Mapping[Path, FileKind] = {}
        #: The paths in the case list, and the cases behind them, in the order of the text.
        self.external: tuple[ExternalCases, ...] = ()
        self._states = states
        self._frame = frame
        self._anchors = _Anchors(self)

    @property
    def case_files(self) -> tuple[Path, ...]:
        """The files with cases that the suite takes over."""
        return tuple(f for each in self.external for f in each.found.files)

    def span_of(self, entry: CaseEntry | None, span: Span) -> Span:
        """A span of a case, or of the suite (None), in the whole text."""
        if entry is None or entry.block < 0:
            return self._frame.outer(span)
        return span.moved(entry.offset)

    def case_at(self, offset: int) -> CaseEntry | None:
        """The case whose text holds `offset`."""
        number = self.document.block_at(offset)
        if self.document.blocks[number].key:
            at = bisect_left(self.cases, number, key=lambda e: e.block)
            return self.cases[at] if at < len(self.cases) and self.cases[at].block == number else None
        inner = self._frame.inner(offset)
        held = (e for e in self.cases if e.block < 0 and e.case.node is not None)
        return next((e for e in held if e.case.node is not None and e.case.node.whole.covers(inner)), None)

    def case_named(self, name: str) -> CaseEntry | None:
        """The first case with that id."""
        return next((e for e in self.cases if e.case.id == name), None)

    def local(self, offset: int) -> "LocalText":
        """The block that holds `offset`, for features that look at one place."""
        number = self.document.block_at(offset)
        block = self.document.blocks[number]
        if not block.key:
            return LocalText(self, -1, self._frame.block, self._frame.inner(offset))
        return LocalText(self, number, block, offset - self.document.start(number))

    @property
    def own_targets(self) -> frozenset[str]:
        """The names that the text gives to targets."""
        return frozenset[str]().union(*(state.own_targets for state in self._states.values()))

    def anchors(self, block: int) -> Mapping[str, Node]:
        """The anchors that can be referred to in block number `block` (-1: the frame)."""
        return self._anchors.visible(block)


class LocalText:
    """One block with its tree: offsets are those of the block, `outer` leads back."""

    def __init__(self, analysis: Analysis, number: int, block: Block, offset: int) -> None:
        self.analysis = analysis
        self.number = number
        self.text = block.text
        self.tree: Tree = analysis._states[block].tree  # noqa: SLF001  # a view of the analysis
        self.shapes = analysis._states[block].shapes  # noqa: SLF001
        self.offset = offset

    @property
    def in_frame(self) -> bool:
        """Whether this is the text around the cases."""
        return self.number < 0

    def outer(self, span: Span) -> Span:
        """A span of the block in the whole text."""
        if self.number >= 0:
            return span.moved(self.analysis.document.start(self.number))
        return self.analysis.span_of(None, span)


class _Anchors:
    """Anchors across blocks: which node a name means in a block, and what that depends on."""

    def __init__(self, analysis: Analysis) -> None:
        self._document = analysis.document
        self._states = analysis._states  # noqa: SLF001
        self._frame = analysis._frame.block  # noqa: SLF001
        self._head = len(analysis._frame.head)  # noqa: SLF001
        self._definers: dict[str, list[int]] | None = None

    def _state(self, number: int) -> _State:
        return self._states[self._frame if number < 0 else self._document.blocks[number]]

    def _defined_in(self, name: str, before: int) -> int | None:
        """The last block before block number `before` that has the anchor; -1 is the frame, around all of them."""
        if self._definers is None:
            self._definers = {}
            for number, block in enumerate(self._document.blocks):
                if block.key:
                    for anchor in self._states[block].tree.anchors:
                        self._definers.setdefault(anchor, []).append(number)
        numbers = self._definers.get(name, [])
        at = bisect_left(numbers, before if before >= 0 else len(self._document.blocks)) - 1
        if at >= 0:
            return numbers[at]
        return -1 if before >= 0 and name in self._states[self._frame].tree.anchors else None

    def sources(self, number: int) -> tuple[int, ...]:
        """The numbers of all blocks whose anchors block number `number` uses, directly or not, nearest first."""
        found: list[int] = []
        waiting = [number]
        while waiting:
            current = waiting.pop()
            for name in self._borrowed(current):
                source = self._defined_in(name, current)
                if source is not None and source not in found and source != number:
                    found.append(source)
                    waiting.append(source)
        return tuple(sorted(found, reverse=True))

    def _borrowed(self, number: int) -> Iterable[str]:
        """Names that a block takes from elsewhere; in front of the cases there is nothing to take."""
        state = self._state(number)
        if number >= 0 or not state.borrows:
            return state.borrows
        return {a.name for a in state.tree.aliases if a.target is None and a.span.start >= self._head}

    def key(self, number: int) -> tuple[Block, ...]:
        """Equal keys mean equal anchors."""
        return tuple(self._frame if n < 0 else self._document.blocks[n] for n in self.sources(number))

    def visible(self, number: int) -> Mapping[str, Node]:
        """The anchors that can be used in a block, its own among them."""
        own = self._state(number)
        return {**own.tree.anchors, **self.outer(number)} if own.borrows else own.tree.anchors

    def outer(self, number: int) -> Mapping[str, Node]:
        """The anchors of other blocks that can be used in a block."""
        names: dict[str, Node] = {}
        if self._state(number).borrows:
            for source in reversed(self.sources(number)):
                names.update(self._state(source).tree.anchors)
        return names


def analyze(
    document: Document,
    language: Language,
    *,
    previous: Analysis | None = None,
    dialect: str | None = None,
    selection: Selection = EVERYTHING,
    path: PurePath | None = None,
    kind: FileKind | None = None,
    project: Project | None = None,
) -> Analysis:
    """Understand `document`. Never raises, whatever the text is.

    Args:
        document: The text, cut by `language.document`.
        language: What is known of eval YAML.
        previous: An analysis of an earlier version; what did not change since is not looked at again.
        dialect: The name of the dialect that the workspace's settings give, if any.
        selection: Which findings are wanted, and how severe they are.
        path: Where the text is kept; what it is depends on that.
        kind: What the text is, when that is known better than by its path and content.
        project: The files around it, for what it refers to; without, only the text itself is judged.
    """
    frame = _Frame(document)
    old = previous._states if previous is not None and previous.language is language else {}  # noqa: SLF001  # the memo
    if previous is not None and previous._frame.block.text == frame.block.text:  # noqa: SLF001
        frame.block = previous._frame.block  # noqa: SLF001

    def state_of(block: Block) -> _State:
        known = old.get(block)
        in_frame = block is frame.block
        return known or _State(block.text, document.parse(block.text), language.item_keys, frame=in_frame)

    states = {block: state_of(block) for block in (frame.block, *(b for b in document.blocks if b.key))}
    root = states[frame.block].tree.root
    first = next(_items(states), None) if frame.item_key == ROOT_LIST else None
    outside = project.look() if project is not None else None
    kind = kind or kind_of(path, root, first, outside)
    signs = reduce(or_, (state.signs for state in states.values()))
    around = None if kind is FileKind.SUITE else around_choice(kind, root, [*_items(states)], document.text)
    choice = choose(signs, modeline(document.blocks[0].text), dialect, (d.name for d in language.dialects), around)
    if not choice.certain and outside is not None and path is not None:
        told = told_by_others(outside, absolute(path), kind, root, _items(states), (d.name for d in language.dialects))
        choice = told or choice
    analysis = Analysis(document, language, states, frame, choice, kind)
    at = absolute(path) if path is not None else None
    _Check(analysis, None if project is None or at is None else (project, at)).run(selection)
    if outside is not None:
        analysis.depends_on |= outside.seen
    return analysis


def _items(states: Mapping[Block, _State]) -> Iterator[Node]:
    """The items that have blocks of their own."""
    roots = (state.tree.root for block, state in states.items() if block.key)
    return (item for root in roots for item in (root.items if isinstance(root, SequenceNode) else [root]) if item)


class _Check:
    """Lowers and judges what is new, then puts everything together."""

    def __init__(self, analysis: Analysis, around: tuple[Project, Path] | None) -> None:
        self.analysis = analysis
        self.around = around
        self.language = analysis.language
        self.dialect = analysis.dialect
        self.states = analysis._states  # noqa: SLF001  # the check fills the analysis
        self.anchors = analysis._anchors  # noqa: SLF001
        self.frame = analysis._frame  # noqa: SLF001
        self.item_kind = _item_kind(analysis)
        #: Equal contexts mean equal shapes for equal texts.
        self.context = (self.dialect.name, analysis.kind, self.item_kind, around is None)

    def run(self, selection: Selection) -> None:
        analysis = self.analysis
        frame = self.states[self.frame.block]
        self._refresh_frame(frame)
        analysis.suite = next((s for s in frame.shapes if isinstance(s, Suite)), None)
        # What a file of cases inherits stands in the suites that refer to it.
        defaults = _defaults(analysis.suite if analysis.kind is FileKind.SUITE else None)
        plain = (self.context, defaults, ())
        cases: list[CaseEntry] = []
        written = analysis.suite.cases if analysis.suite else None
        if isinstance(written, list):
            cases += (CaseEntry(c, -1, 0) for c in written if isinstance(c, Case))
        start = analysis.document.start
        for number, block in enumerate(analysis.document.blocks):
            if block.key:
                state = self.states[block]
                key = plain if not state.borrows else (self.context, defaults, self.anchors.key(number))
                if state.key != key:
                    self._refresh_item(state, block, key, defaults, number)
                cases += (CaseEntry(c, number, start(number)) for c in state.shapes if isinstance(c, Case))
        analysis.cases = tuple(cases)
        if self.around is not None:
            self._link(*self.around)
        found = self._suppressed(sorted(self._diagnostics(), key=lambda d: (d.span, d.code)))
        analysis.diagnostics = tuple(found if selection is EVERYTHING else selection.of(found))

    def _link(self, project: Project, path: Path) -> None:
        """Look up what the text refers to in other files, in every block for which that may have changed."""
        analysis = self.analysis
        blocks = [self.frame.block, *(b for b in analysis.document.blocks if b.key)]
        own = frozenset[str]().union(*(self.states[block].own_targets for block in blocks))
        references = References(project, path, analysis.kind, self.dialect, own)
        for block in blocks:
            state = self.states[block]
            key = (state.key, references.key)
            since = state.linked_at
            state.linked_at = project.version
            if state.linked != key or project.changed_since(since, state.links.seen):
                state.linked = key
                state.links = linked(references, state.shapes, state.tree.root, state.deferred)
                context = Context(block.text, self.dialect)
                state.links.findings = self._judge(state.links.issues, context)
        known = references.targets(outside := project.look())
        analysis.depends_on = frozenset(outside.seen).union(*{self.states[b].links.seen for b in blocks})
        analysis.refers_to = {
            **{f: k for b in blocks for f, k in self.states[b].links.files},
            **({known.path: FileKind.TARGETS} if known.path is not None and analysis.kind is FileKind.SUITE else {}),
        }
        analysis.external = tuple(sorted(self._external(), key=lambda each: each.span))

    def _external(self) -> Iterator[ExternalCases]:
        outer = self.analysis.span_of
        for at, found, text in self.states[self.frame.block].links.cases:
            yield ExternalCases(outer(None, at), found, text)
        for number, block in enumerate(self.analysis.document.blocks):
            if block.key and self.states[block].links.cases:
                start = self.analysis.document.start(number)
                for at, found, text in self.states[block].links.cases:
                    yield ExternalCases(at.moved(start), found, text)

    def _refresh_frame(self, state: _State) -> None:
        key = (self.context, self.frame.item_key, self.anchors.key(-1))
        if state.key == key:
            return
        lowering = Lowering(self.frame.block.text, self.dialect, self.language.dialects, self.anchors.outer(-1))
        broken = any(p.kind in ("syntax", "size") for p in state.tree.problems)
        skipped = self.analysis.kind not in ROOTS or (state.tree.root is None and broken)
        shapes = [] if skipped else lowering.root(state.tree.root, self.analysis.kind, self.frame.item_key)
        lowering.references(state.tree.aliases)
        suite = next((s for s in shapes if isinstance(s, Suite)), None)
        context = Context(self.frame.block.text, self.dialect, _defaults(suite))
        if self.analysis.kind is FileKind.PROMPT:
            lowering.issues.append(PromptText(span=Span(0, 0), text=self.frame.block.text))
        self._fill(state, key, tuple(shapes), lowering.issues, context, frozenset())

    def _refresh_item(self, state: _State, block: Block, key: object, defaults: SuiteDefaults, number: int) -> None:
        lowering = Lowering(block.text, self.dialect, self.language.dialects, self.anchors.outer(number))
        root = state.tree.root
        items = root.items if isinstance(root, SequenceNode) else [root] if root is not None else []
        kind = self.item_kind if block.key == ROOT_LIST else CASE
        name = "" if block.key == ROOT_LIST else self.dialect.spelled(Suite, "cases") or ""
        shapes = tuple(s for i in items if kind is not None and (s := lowering.item(kind, i, name)) is not None)
        lowering.references(state.tree.aliases)
        judged = (
            frozenset().union(*(self.states[b].judged for b in self.anchors.key(number)))
            if state.borrows
            else frozenset()
        )
        self._fill(state, key, shapes, lowering.issues, Context(block.text, self.dialect, defaults), judged)

    def _fill(
        self,
        state: _State,
        key: object,
        shapes: tuple[Shape, ...],
        issues: list[Issue],
        context: Context,
        judged: frozenset[object],
    ) -> None:
        state.key = key
        state.shapes = shapes
        visited: list[Issue | Shape] = [NotYaml(span=p.span, problem=p) for p in state.tree.problems]
        state.deferred = tuple(i for i in issues if self.around and isinstance(i, UnknownType) and i.custom)
        issues = [i for i in issues if i not in state.deferred]
        half_typed = {p.span for p in state.tree.problems}
        visited += (i for i in issues if not (isinstance(i, UnknownKey) and i.span in half_typed))
        inner = [c for s in shapes for c in children(s)]
        state.own_targets = own_targets(inner)
        visited += inner
        state.judged = frozenset(_origin(each) for each in visited if not each.borrowed) - {None}
        visited = [each for each in visited if not each.borrowed or _origin(each) not in state.judged | judged]
        state.findings = self._judge(visited, context)

    def _judge(self, visited: Iterable[Issue | Shape], context: Context) -> tuple[Found, ...]:
        """What the rules find in shapes and issues; the same thing said twice is said once."""
        found = [
            (rule, replace(finding, span=context.underlined(finding.span)))
            for each in visited for rule in self.language.visitors(type(each)) for finding in rule.check(each, context)
        ]  # fmt: skip
        if self.analysis.kind is FileKind.DATASET:
            found = [
                (r, replace(f, fixes=tuple(x for x in f.fixes if still_json(context.text, x.edits)))) for r, f in found
            ]
        return tuple({(rule.code, finding.span, finding.message): (rule, finding) for rule, finding in found}.values())

    def _diagnostics(self) -> Iterator[Diagnostic]:
        analysis = self.analysis
        frame = self.states[self.frame.block]
        for rule, finding in (*frame.findings, *frame.links.findings):
            diagnostic = _diagnostic(rule, finding, lambda span: analysis.span_of(None, span))
            if self.frame.item_key == ROOT_LIST and rule.visits in (NotASuite, WrongRoot):
                # Nothing but comments stands around a bare list: its first item is underlined.
                first = Context(analysis.document.blocks[1].text, self.dialect).underlined(Span(0, 0))
                diagnostic = replace(diagnostic, span=first.moved(analysis.document.start(1)))
            yield diagnostic
        for number, block in enumerate(analysis.document.blocks):
            state = self.states[block] if block.key else frame
            if block.key and (state.findings or state.links.findings):
                start = analysis.document.start(number)
                for rule, finding in (*state.findings, *state.links.findings):
                    yield _diagnostic(rule, finding, lambda span, by=start: span.moved(by))
        whole = CaseList(analysis.suite, analysis.cases, analysis.span_of, analysis.external)
        context = Context("", self.dialect)
        found = [(rule, f) for rule in self.language.visitors(CaseList) for f in rule.check(whole, context)]
        if analysis.kind is FileKind.TARGETS:
            targets = TargetList(tuple(self._entries()))
            found += ((rule, f) for rule in self.language.visitors(TargetList) for f in rule.check(targets, context))
        # Put together only when there is something to underline.
        written = Context(analysis.document.text if found else "", self.dialect)
        for rule, finding in found:
            shown = replace(finding, span=written.underlined(finding.span))
            yield _diagnostic(rule, shown, lambda span: span)

    def _entries(self) -> Iterator[TargetEntry]:
        """The entries of a targets file, wherever their list stands."""
        for shape in (c for s in self.states[self.frame.block].shapes for c in children(s)):
            if isinstance(shape, Entry):
                yield TargetEntry(shape, partial(self.analysis.span_of, None))
        for number, block in enumerate(self.analysis.document.blocks):
            if block.key == ROOT_LIST:
                outer = partial(Span.moved, by=self.analysis.document.start(number))
                yield from (TargetEntry(s, outer) for s in self.states[block].shapes if isinstance(s, Entry))

    def _suppressed(self, found: list[Diagnostic]) -> list[Diagnostic]:
        """What no comment covers, and the comments that cover nothing."""
        suppression = Suppression(self._ignores())
        if not suppression:
            return found
        covered = [suppression.covers(d) for d in found]
        self.analysis.ignored = tuple(compress(found, covered))
        shown = [d for d, hidden in zip(found, covered, strict=True) if not hidden]
        context = Context("", self.dialect)
        for unused in suppression.unused([r.code for r in self.language.rules], self._settled):
            for rule in self.language.visitors(UnusedIgnore):
                shown += (_diagnostic(rule, finding, lambda span: span) for finding in rule.check(unused, context))
        return sorted(shown, key=lambda d: (d.span, d.code))

    def _ignores(self) -> Iterator[Placed]:
        analysis = self.analysis
        for ignore in self.states[self.frame.block].ignores:
            yield Placed(-1, ignore, partial(analysis.span_of, None))
        for number, block in enumerate(analysis.document.blocks):
            if block.key and self.states[block].ignores:
                outer = partial(Span.moved, by=analysis.document.start(number))
                yield from (Placed(number, ignore, outer) for ignore in self.states[block].ignores)

    def _settled(self, number: int | None) -> bool:
        blocks = (
            self.states
            if number is None
            else [self.frame.block if number < 0 else self.analysis.document.blocks[number]]
        )
        return not any(p.kind == "syntax" for b in blocks for p in self.states[b].tree.problems)


def _item_kind(analysis: Analysis) -> Kind[Any] | None:
    """What the items of a list are that is the whole text; None where there should be no list."""
    if analysis.kind is FileKind.TARGETS:
        items = _items(analysis._states)  # noqa: SLF001  # a part of the check
        if any(isinstance(i, MappingNode) and i.get("label") is not None for i in items):
            return PROVIDER_ITEM
    return ITEMS.get(analysis.kind)


def _origin(each: Issue | Shape) -> object:
    """The same for everything of one class that is about one place in the text, referred to or not; None where unknown."""
    entry = getattr(each, "entry", None)
    node = entry.key if entry is not None else getattr(each, "node", None)
    return None if node is None else (type(each), id(node))


def _diagnostic(rule: Rule[Any], finding: Finding, outer: Any) -> Diagnostic:
    return Diagnostic(
        rule.code,
        finding.severity or rule.severity,
        outer(finding.span),
        finding.message,
        tuple(Related(outer(r.span), r.message) for r in finding.related),
        tuple(Fix(f.title, tuple(Edit(outer(e.span), e.new_text) for e in f.edits), f.safe) for f in finding.fixes),
        finding.consequence,
        finding.tags,
    )


def _defaults(suite: Suite | None) -> SuiteDefaults:
    if suite is None:
        return SuiteDefaults(asserts=True)
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    threshold = execution.threshold if execution is not None and execution.has("threshold") else None
    return SuiteDefaults(asserts=bool(suite_list(suite)), evaluator=suite.has("evaluator"), threshold=threshold)
