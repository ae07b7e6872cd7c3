"""Checks that the references of a suite exist: targets, files, templates, programs, cases in other files."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from rubric_core.language.evaluators import (
    Aggregator,
    Evaluator,
    LlmJudge,
    LlmRubric,
    Preprocessor,
    PromptProgram,
    Scripted,
)
from rubric_core.language.file_extensions import YAML
from rubric_core.language.file_kinds import FileKind, kind_of_reference
from rubric_core.language.model import ContentBlock, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.language.targets import Entry, Provider
from rubric_core.language.workspace import Hook, Hooks, Workspace
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.case_files import CaseFileContents, cases_behind, unread_case_file
from rubric_core.loading.directory_search import URL, find_directory, without_function
from rubric_core.loading.file_lookup import FileLookup
from rubric_core.loading.issues import Issue, UnknownType
from rubric_core.loading.known_names import (
    installed_evaluators,
    is_target,
    known_targets,
    programs,
    targets_path,
    template_of,
    templates,
)
from rubric_core.loading.outside_files import outside_files
from rubric_core.loading.project import TrackedLookup
from rubric_core.loading.reference_collector import (
    Mention,
    collect_references,
    is_open,
    is_script,
    looks_beside,
    may_refer,
    names_program,
    words_of,
)
from rubric_core.loading.reference_issues import (
    BrokenCases,
    MissingFile,
    UnknownTarget,
    UnknownTemplate,
    UnusedTarget,
)
from rubric_core.loading.sent_files import secrets_of_table, sent_files
from rubric_core.loading.template_files import template_trouble
from rubric_core.syntax.tree import Node, Scalar, Sequence

__all__ = ["FoundReferences", "References"]

#: A whole word: the usual form of a target name.
_WORD = pattern(r"[\w-]+")
#: Replaces non-word characters of ASCII text by spaces.
_BETWEEN_WORDS = "".join(c if c.isalnum() or c in "_-" else " " for c in map(chr, range(128)))
#: A path of cases in a suite.
_CASES = pattern(
    r"""file://([^\s,'"\]}]+)|^(?:tests|evalcases|eval_cases)[ \t]*:[ \t]*['"]?([^\s'"\[{#&*!|>][^\s'"]*)""",
    re.MULTILINE,
)
_NOT_RUN = "agentv cannot run the suite"
_MADE = "agentv creates it and works there; rubric leaves the case unscored"
_NO_CASE = "agentv cannot run the cases"


class FoundReferences(NamedTuple):
    """The resolved references of one block."""

    issues: list[Issue]
    #: All dependencies, including missing files.
    seen: frozenset[Path]
    #: The existing checkable files, with their kinds.
    files: dict[Path, FileKind]
    #: The resolved words.
    told: frozenset[int]


class References(FileLookup):
    """Resolves the references of one file. Equal keys give equal results, as long as no file in `seen` changes."""

    #: The hooks of the block whose failure stops nothing, by identity.
    harmless: frozenset[int] = frozenset()

    def referred(
        self,
        shapes: Iterable[Shape],
        deferred: Iterable[UnknownType],
        above: SequenceOf[frozenset[int]] = (),
        *,
        marked: bool = True,
        every: SequenceOf[Shape] | None = None,
    ) -> FoundReferences:
        """The issues of references, and the resolved ones.

        Args:
            shapes: The outermost shapes of one block.
            deferred: Unknown types, unless a program of their name exists.
            above: The words that were reported in the blocks to which this one refers.
            marked: Whether any value in the block may begin with `file://`.
            every: These shapes and those inside them, if already computed.
        """
        look = self.project.look()
        found: list[Issue] = []
        self.led = {}
        shapes = tuple(shapes)
        every = [inner for each in shapes for inner in children(each)] if every is None else every
        self.harmless = _harmless_hooks(every)
        words = [(shape, mention) for shape in every if may_refer(type(shape)) for mention in collect_references(shape)]
        told = {id(mention.node) for _, mention in words if not mention.borrowed}
        for shape, mention in words:
            word = id(mention.node)
            if not mention.borrowed or not (word in told or any(word in known for known in above)):
                found += _RESOLVERS[mention.refers_to](self, look, shape, mention)
                told.add(word)
        found += outside_files(
            shapes if marked else (), (m for _, m in words), look, self.directory, self.project.fallback
        )
        if self.dialect.properties.interpolation:
            found += sent_files(every, look, self.directory, self.project.fallback)
        for outer in shapes if self.kind is FileKind.TARGETS else ():
            for shape in children(outer):
                if isinstance(shape, Entry):
                    found += self._unused(look, shape, outer)
        for issue in deferred:
            if not self._is_ones_own(look, issue):
                found.append(issue)
        return FoundReferences(found, frozenset(look.seen), self.led, frozenset(told))

    def _is_ones_own(self, look: TrackedLookup, issue: UnknownType) -> bool:
        """Whether a custom type is implemented."""
        if not issubclass(issue.base, Evaluator):
            return issue.name in programs(look, "providers", self.directory)
        beside = any(issue.name in programs(look, kind, self.directory) for kind in ("assertions", "evaluators"))
        return beside or issue.name in installed_evaluators(look)

    def cases(self, node: Scalar) -> tuple[CaseFileContents, list[Issue], frozenset[Path]]:
        """The cases of a path in the case list, the issues of the path, and its dependencies."""
        name = without_function(node.text)
        if is_open(name):
            return CaseFileContents(complete=False), [], frozenset()
        look = self.project.look()
        found = cases_behind(look, name, self.directory)
        wrong: list[Issue] = []
        if found.missing:
            wrong.append(
                MissingFile(
                    span=node.span,
                    node=node,
                    name=name.removeprefix(URL),
                    consequence=_NOT_RUN,
                    known=self.neighbours(look, name, self.directory, beside=True),
                    beside=True,
                    elsewhere=self.elsewhere(look, name.removeprefix(URL), self.directory),
                )
            )
        elif trouble := unread_case_file(found, self.dialect) or found.trouble or self._trouble(found):
            wrong.append(
                BrokenCases(
                    span=node.span,
                    node=node,
                    name=name.removeprefix(URL),
                    trouble=trouble,
                    consequence="rubric runs none of them" if found.given_up else "agentv rejects the suite",
                )
            )
        if self.dialect.properties.interpolation:
            wrong += secrets_of_table(node, found.files, look)
        return found, wrong, frozenset(look.seen)

    def _trouble(self, found: CaseFileContents) -> str:
        """No release accepts a mapping as a case file, such as a suite."""
        if self.dialect.spelled(Suite, "providers") is not None and found.suite:
            return f"{found.suite.name} is a suite; only cases can be included"
        return f"{found.wrapped.name} is a mapping; a file of cases is their list alone" if found.wrapped else ""

    @property
    def _of_targets(self) -> Path:
        """The directory whose targets the file refers to."""
        home = self.kind is FileKind.TARGETS and self.directory.name.startswith(".agent")
        return self.directory.parent if home else self.directory

    def targets_path(self, look: TrackedLookup) -> Path | None:
        """The effective targets file."""
        return targets_path(look, self._of_targets)

    def _unused(self, look: TrackedLookup, entry: Entry, outer: Shape) -> Iterator[Issue]:
        """A target whose name occurs in no suite below the folder, and nowhere else in its own file."""
        place = entry.places.get("name")
        name = vars(entry).get("name")
        home = self.directory.parent if self.directory.name.startswith(".agent") else self.directory
        suites = look.once(("suites below", home), lambda inner: inner.suites_below(home))
        if place is None or not isinstance(name, str) or not suites or name == "default" or is_open(name):
            return
        if name in look.once(("used below", home), partial(_used_below, home)):
            return
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        # One by one: after an edit of one suite the others need not be searched again.
        used = not _WORD.fullmatch(name) and any(
            look.once(("names", name, path), partial(_names, word, path)) for path in suites
        )
        if not used and len(word.findall(look.text(self.path) or "")) < 2 and place.node is not None:
            listed = next((p.node for p in outer.places.values() if _holds(p.node, entry.node)), None)
            yield UnusedTarget(
                span=place.value, borrowed=place.borrowed, node=place.node, name=name, entry=entry.node, listed=listed
            )

    # One method for each kind of reference

    def target(self, look: TrackedLookup, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A name of a target."""
        name = mention.text
        if mention.field == "name" and "use_target" in shape.places:
            return  # a name chosen by the author, besides the resolved one
        if name.startswith(URL):
            # A targets file instead of names.
            yield from self._file_of_targets(look, mention)
            return
        newest = self.dialect.spelled(Suite, "providers") is not None
        if name in self.own or (newest and self.dialect.type_of(name, Provider) is not None):
            return
        if is_target(look, name, self._of_targets):
            return
        known = known_targets(look, self._of_targets)
        if known.path is None and known.unusable is not None:
            file, trouble = known.unusable
            yield UnknownTarget(
                span=mention.span, borrowed=mention.borrowed, node=mention.node, name=name, known=(), path=Path(file), trouble=trouble
            )  # fmt: skip
        elif known.path is not None and not known.more:
            judges = isinstance(shape, Entry | Evaluator)
            names = tuple(sorted({*known.names, *self.own}))
            yield UnknownTarget(
                span=mention.span, borrowed=mention.borrowed, node=mention.node, name=name, known=names, path=known.path, judges=judges
            )  # fmt: skip

    def _file_of_targets(self, look: TrackedLookup, mention: Mention) -> Iterator[Issue]:
        if self.exists(look, mention.text):
            self.lead(look, mention, FileKind.TARGETS)
        else:
            yield self.missing(look, mention, _NOT_RUN)

    def file(self, look: TrackedLookup, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A path of a file."""
        if isinstance(shape, Aggregator | LlmJudge | LlmRubric) and mention.field == "prompt":
            yield from self.prompt(look, mention, is_aggregator=isinstance(shape, Aggregator))
        elif mention.field in ("cases", "cases[]", "tests[]"):
            return  # these are read, too
        elif isinstance(shape, ContentBlock):
            if shape.type == "file":
                yield from self.question_file(look, mention)
        elif isinstance(shape, Scripted):
            name = without_function(mention.text.removeprefix(URL))
            if mention.text.startswith(URL) and not self.exists(look, name):
                yield self.missing(look, mention, "agentv scores this check 0", name=name)
        elif mention.field == "input_files[]":
            yield from self.question_file(look, mention)
        elif self.exists(look, mention.text, beside=self.beside(mention)):
            self.lead(look, mention, kind_of_reference(type(shape).keys[mention.field.removesuffix("[]")].kind))
        else:
            yield self.missing(look, mention, _NOT_RUN if isinstance(shape, Suite) else "")

    def directory_of(self, look: TrackedLookup, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A path of a directory. That of a target is relative to suites, which may be many."""
        beside = self.beside(mention)
        if isinstance(shape, Entry) or find_directory(
            mention.text, self.directory, look, self.project.fallback, beside=beside
        ):
            return
        if isinstance(shape, Workspace) and mention.field in ("path", "static_path"):
            # An absolute one may be on another machine.
            static = mention.field == "static_path" or shape.mode == "static"
            if static and not Path(mention.text).is_absolute():
                yield self.missing(look, mention, _MADE, severity="warning", what="directory")
            return
        refused = isinstance(shape, Workspace) or (isinstance(shape, Hook) and id(shape) not in self.harmless)
        consequence = _NO_CASE if refused else ""
        yield self.missing(look, mention, consequence, severity="error" if refused else "warning", what="directory")

    def template(self, look: TrackedLookup, _: Shape, mention: Mention) -> Iterator[Issue]:
        """The name of a template of evaluators."""
        path = template_of(look, mention.text, self.directory)
        trouble = template_trouble(look, path) if path is not None else ""
        if path is not None:
            self.led.setdefault(path, FileKind.TEMPLATE)
        if path is None or trouble:
            known = tuple(templates(look, self.directory)) if path is None else ()
            yield UnknownTemplate(
                span=mention.span, borrowed=mention.borrowed, node=mention.node, name=mention.text, known=known, trouble=trouble
            )  # fmt: skip

    def url(self, look: TrackedLookup, _: Shape, mention: Mention) -> Iterator[Issue]:
        """A path with `file://`."""
        name = without_function(mention.text.removeprefix(URL))
        if not self.exists(look, name):
            yield self.missing(look, mention, _NOT_RUN, name=name)

    def program(self, look: TrackedLookup, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A command line, or a part of one: its script has to exist. Those of targets are relative to suites."""
        cwd = vars(shape).get("cwd")
        cwd = cwd if isinstance(cwd, str) else ""
        if isinstance(shape, Entry) or is_open(cwd):
            return
        base = self.directory
        if cwd and not isinstance(shape, Aggregator):  # agentv runs a program that aggregates beside the suite
            found = find_directory(cwd, base, look, self.project.fallback, beside=looks_beside(type(shape), "cwd"))
            if found is None:
                return  # a missing directory is reported by itself
            base = found
        for word in filter(is_script, words_of(mention)):
            if not self._runs(look, word, mention, base):
                consequence, severity = self._without_program(shape, word)
                within = (cwd, base) if base != self.directory else None
                yield self.missing(look, mention, consequence, severity=severity, name=word, within=within)

    def _runs(self, look: TrackedLookup, word: str, mention: Mention, base: Path) -> bool:
        """Whether a script in a command line exists, where the engine runs the command, or where it searches it."""
        if base == self.directory:
            return self.exists(look, word, beside=self.beside(mention))
        place = base / word
        return look.is_file(place) or look.is_directory(place)

    def _without_program(self, shape: Shape, word: str) -> tuple[str, Literal["error", "warning"]]:
        """The engine's reaction to a script that is not there, and how bad that is."""
        if isinstance(shape, Hook):
            refused = id(shape) not in self.harmless and names_program(word)
            return (_NO_CASE, "error") if refused else ("agentv only logs it", "warning")
        if isinstance(shape, PromptProgram | Preprocessor):
            return "agentv skips the case", "error" if names_program(word) else "warning"
        return ("agentv scores a check that it cannot start 0" if isinstance(shape, Evaluator) else ""), "warning"


def _harmless_hooks(shapes: Iterable[Shape]) -> frozenset[int]:
    """The hooks whose failure stops nothing: those that run after the cases, and those that are switched off."""
    found: set[int] = set()
    for shape in shapes:
        if isinstance(shape, Hooks | Workspace):
            off = isinstance(shape, Hooks) and shape.enabled is False
            names = ("before_all", "before_each") if off else ()
            found |= {id(vars(shape).get(name)) for name in (*names, "after_each", "after_all")}
    return frozenset(found)


_RESOLVERS: dict[str, Callable[[References, TrackedLookup, Shape, Mention], Iterator[Issue]]] = {
    "target": References.target,
    "file": References.file,
    "directory": References.directory_of,
    "template": References.template,
    "program": References.program,
    "url": References.url,
}


def _used_below(home: Path, look: TrackedLookup) -> frozenset[str]:
    """The words of the suites below a folder, and the names of its default targets."""
    return _words_below(home, look) | known_targets(look, home).defaults


def _words_below(home: Path, look: TrackedLookup) -> frozenset[str]:
    """Every word in the suites below a folder, for all targets. After an edit only that suite is read again."""
    below: set[str] = set()
    for path in look.suites_below(home):
        below.update(look.once(("words", path), partial(_words, path)))
    return frozenset(below)


def _words(path: Path, look: TrackedLookup) -> tuple[str, ...]:
    """The words in a suite and its case files, each once, as shared objects: those of many suites are the same."""
    found: set[str] = set()
    for text in _texts(path, look):
        # The same words in a third of the time: a check of thousands of suites spends much of its time here.
        found.update(text.translate(_BETWEEN_WORDS).split() if text.isascii() else _WORD.findall(text))
    return tuple(map(sys.intern, found))


def _names(word: re.Pattern[str], path: Path, look: TrackedLookup) -> bool:
    return any(word.search(text) for text in _texts(path, look))


def _texts(path: Path, look: TrackedLookup) -> Iterator[str]:
    """The text of a suite, and those of the files with its cases, which may name targets as well."""
    text = look.glance(path) or ""
    yield text
    for found in _CASES.finditer(text) if path.suffix in YAML else ():
        name = found[1] or found[2]
        if not is_open(name):
            yield from (look.glance(file) or "" for file in cases_behind(look, name, path.parent).files)


def _holds(listed: Node, item: Node | None) -> bool:
    return isinstance(listed, Sequence) and any(each is item for each in listed.items)
