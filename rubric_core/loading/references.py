"""Whether what a suite refers to is there: targets, files, templates, programs, cases in other files."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from rubric_core.language.around import FileKind, kind_behind
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator, LlmJudge, LlmRubric, Scripted
from rubric_core.language.model import ContentBlock, Suite
from rubric_core.language.shape import Shape, children
from rubric_core.language.targets import Entry, Provider
from rubric_core.loading.case_files import CaseSet, cases_behind, without_function
from rubric_core.loading.issues import Issue, UnknownType
from rubric_core.loading.kind import PROMPTS
from rubric_core.loading.mentions import Mention, is_open, is_script, mentions, words_of
from rubric_core.loading.names import (
    KnownTargets,
    installed_evaluators,
    known_targets,
    programs,
    template_of,
    templates,
)
from rubric_core.loading.project import Look, Project
from rubric_core.loading.reference_issues import (
    BrokenCases,
    EmptyFile,
    MissingFile,
    PromptText,
    UnknownTarget,
    UnknownTemplate,
    UnusedTarget,
)
from rubric_core.loading.search import URL, find_file, places_of
from rubric_core.loading.template_files import template_trouble
from rubric_core.syntax.tree import Scalar

__all__ = ["References", "Referred"]

_PROMPT = re.compile(r"[^\s{}<>|*?\"']+\.(?:md|markdown|txt|j2|njk|prompt)\Z")
_GLOB = re.compile(r"[*?\[]")
#: What may follow a path: the name of a function, or of a hook.
_FUNCTION = re.compile(r"(?<=\.\w\w):[A-Za-z_]\w*\Z|(?<=\.\w\w\w):[A-Za-z_]\w*\Z")
_NOTHING_ASKED = "agentv leaves it out of the question with a log line"
_NOT_RUN = "agentv cannot run the suite"


class Referred(NamedTuple):
    """What one block refers to in other files."""

    issues: list[Issue]
    #: Everything that this depends on, missing files included.
    seen: frozenset[Path]
    #: The files that are there and can be checked, and what they are.
    files: dict[Path, FileKind]


class References:
    """Looks up what one file refers to. Equal keys mean equal answers, as long as no file changes that was seen.

    Args:
        project: The files around it.
        path: The file.
        kind: What it is.
        dialect: The dialect that it is read in.
        own: The names that the file itself gives to targets.
    """

    def __init__(
        self, project: Project, path: Path, kind: FileKind, dialect: Dialect, own: frozenset[str] = frozenset()
    ) -> None:
        self.project = project
        self.path = path
        self.directory = path.parent
        self.dialect = dialect
        self.own = own
        self.kind = kind
        self._led: dict[Path, FileKind] = {}
        self.key = (project, path, kind, dialect.name, own)

    def referred(self, shapes: Iterable[Shape], deferred: Iterable[UnknownType]) -> Referred:
        """What is not there, and what is.

        Args:
            shapes: The shapes of one block, outermost ones.
            deferred: Types that nobody has, unless a program of their name is there.
        """
        look = self.project.look()
        found: list[Issue] = []
        self._led = {}
        for shape in (inner for outer in shapes for inner in children(outer)):
            for mention in mentions(shape):
                found += _RESOLVERS[mention.refers_to](self, look, shape, mention)
            if isinstance(shape, Entry) and self.kind is FileKind.TARGETS:
                found += self._unused(look, shape)
        for issue in deferred:
            if not self._is_ones_own(look, issue):
                found.append(issue)
        return Referred(found, frozenset(look.seen), self._led)

    def _is_ones_own(self, look: Look, issue: UnknownType) -> bool:
        """Whether somebody has written what a type stands for."""
        if not issubclass(issue.base, Evaluator):
            return issue.name in programs(look, "providers", self.directory)
        beside = any(issue.name in programs(look, kind, self.directory) for kind in ("assertions", "evaluators"))
        return beside or issue.name in installed_evaluators(look)

    def cases(self, node: Scalar) -> tuple[CaseSet, list[Issue], frozenset[Path]]:
        """The cases behind a path in the case list, what is wrong with it, and the files that this depends on."""
        name = without_function(node.text)
        if is_open(name):
            return CaseSet(complete=False), [], frozenset()
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
                    known=self._beside(look, name),
                )
            )
        elif trouble := found.trouble or self._trouble(found):
            wrong.append(BrokenCases(span=node.span, node=node, name=name.removeprefix(URL), trouble=trouble))
        return found, wrong, frozenset(look.seen)

    def _trouble(self, found: CaseSet) -> str:
        """The newest releases take no suite for a file of cases."""
        newest = self.dialect.spelled(Suite, "providers") is not None
        return f"{found.suite.name} is a suite; only cases can be taken over" if newest and found.suite else ""

    def targets(self, look: Look) -> KnownTargets:
        """The targets in reach of the file."""
        home = self.kind is FileKind.TARGETS and self.directory.name.startswith(".agent")
        return known_targets(look, self.directory.parent if home else self.directory)

    def _unused(self, look: Look, entry: Entry) -> Iterator[Issue]:
        """A target whose name stands in no suite below the folder, and nowhere else in its own file."""
        place = entry.places.get("name")
        name = vars(entry).get("name")
        home = self.directory.parent if self.directory.name.startswith(".agent") else self.directory
        suites = look.suites_below(home)
        if place is None or not isinstance(name, str) or not suites or name == "default" or is_open(name):
            return
        word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")

        def names(path: Path, look: Look) -> bool:
            return word.search(look.text(path) or "") is not None

        # One by one: after an edit of one suite the others need not be searched again.
        used = any(look.once(("names", name, path), partial(names, path)) for path in suites)
        if not used and len(word.findall(look.text(self.path) or "")) < 2 and place.node is not None:
            yield UnusedTarget(span=place.value, borrowed=place.borrowed, node=place.node, name=name)

    # One way to look for each kind of reference

    def target(self, look: Look, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A name of a target."""
        name = mention.text
        if mention.field == "name" and "use_target" in shape.places:
            return  # a name of the author's choice, beside the one that is looked up
        if name.startswith(URL):
            # A file with targets stands in the place of their names.
            yield from self._file_of_targets(look, mention)
            return
        known = self.targets(look)
        newest = self.dialect.spelled(Suite, "providers") is not None
        if name in self.own or name in known.names or (newest and self.dialect.type_of(name, Provider) is not None):
            return
        if known.path is not None and not known.more:
            judges = isinstance(shape, Entry | Evaluator)
            names = tuple(sorted({*known.names, *self.own}))
            yield UnknownTarget(
                span=mention.span, borrowed=mention.borrowed, node=mention.node, name=name, known=names, path=known.path, judges=judges
            )  # fmt: skip

    def _file_of_targets(self, look: Look, mention: Mention) -> Iterator[Issue]:
        if self._exists(look, mention.text):
            self._lead(look, mention, FileKind.TARGETS)
        else:
            yield self._missing(look, mention, _NOT_RUN)

    def file(self, look: Look, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A path of a file."""
        if isinstance(shape, LlmJudge | LlmRubric) and mention.field == "prompt":
            yield from self._prompt(look, mention)
        elif mention.field in ("cases", "cases[]", "tests[]"):
            return  # these are read, too
        elif isinstance(shape, ContentBlock):
            if shape.type == "file":
                yield from self._asked(look, mention)
        elif isinstance(shape, Scripted):
            if mention.text.startswith(URL) and not self._exists(look, mention.text):
                yield self._missing(look, mention, "agentv gives this check the score 0")
        elif mention.field == "input_files[]":
            yield from self._asked(look, mention)
        elif self._exists(look, mention.text):
            self._lead(look, mention, kind_behind(type(shape).keys[mention.field.removesuffix("[]")].kind))
        else:
            yield self._missing(look, mention, _NOT_RUN if isinstance(shape, Suite) else "")

    def _asked(self, look: Look, mention: Mention) -> Iterator[Issue]:
        """A file whose content is part of the question."""
        name = mention.text.removeprefix(URL)
        if _GLOB.search(name):
            return
        found = next((p for p in places_of(name, self.directory, look, self.project.fallback) if look.is_file(p)), None)
        if found is None:
            yield self._missing(look, mention, _NOTHING_ASKED)
        elif look.is_blank(found):
            yield EmptyFile(span=mention.span, borrowed=mention.borrowed, name=name)

    def directory_of(self, look: Look, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A path of a directory. That of a target is relative to suites, of which there are many."""
        if not isinstance(shape, Entry):
            places = places_of(mention.text, self.directory, look, self.project.fallback)
            if not any(look.is_directory(place) for place in places):
                yield self._missing(look, mention, "", severity="warning", what="directory")

    def template(self, look: Look, _: Shape, mention: Mention) -> Iterator[Issue]:
        """The name of a template of evaluators."""
        path = template_of(look, mention.text, self.directory)
        trouble = template_trouble(look, path) if path is not None else ""
        if path is not None:
            self._led.setdefault(path, FileKind.TEMPLATE)
        if path is None or trouble:
            known = tuple(templates(look, self.directory)) if path is None else ()
            yield UnknownTemplate(
                span=mention.span, borrowed=mention.borrowed, node=mention.node, name=mention.text, known=known, trouble=trouble
            )  # fmt: skip

    def url(self, look: Look, _: Shape, mention: Mention) -> Iterator[Issue]:
        """A path that is marked as one."""
        name = _FUNCTION.sub("", mention.text.removeprefix(URL))
        if not self._exists(look, name):
            yield self._missing(look, mention, _NOT_RUN, name=name)

    def program(self, look: Look, shape: Shape, mention: Mention) -> Iterator[Issue]:
        """A command line, or a part of one: the script in it has to be there. Those of targets are relative to suites."""
        cwd = vars(shape).get("cwd")
        cwd = cwd if isinstance(cwd, str) else ""
        if isinstance(shape, Entry) or is_open(cwd):
            return
        for word in words_of(mention):
            if is_script(word) and not self._runs(look, word, cwd):
                consequence = "agentv scores what it cannot start with 0" if isinstance(shape, Evaluator) else ""
                yield self._missing(look, mention, consequence, severity="warning", name=word)

    # Files

    def _runs(self, look: Look, word: str, cwd: str) -> bool:
        if cwd:
            places = places_of(cwd, self.directory, look, self.project.fallback)
            bases = [place for place in places if look.is_directory(place)]
            # A directory that is not there is reported by itself.
            if not bases or any(find_file(word, base, look) is not None for base in bases):
                return True
        return self._exists(look, word)

    def _lead(self, look: Look, mention: Mention, kind: FileKind | None) -> None:
        """Keep in mind a file that can be checked as what it is."""
        path = find_file(mention.text.removeprefix(URL), self.directory, look, self.project.fallback)
        if path is not None and kind is not None and path.suffix in (".yaml", ".yml"):
            self._led.setdefault(path, kind)

    def _exists(self, look: Look, name: str) -> bool:
        name = name.removeprefix(URL)
        if _GLOB.search(name):
            return True
        places = places_of(name, self.directory, look, self.project.fallback)
        return any(look.is_file(place) or look.is_directory(place) for place in places)

    def _missing(
        self,
        look: Look,
        mention: Mention,
        consequence: str,
        *,
        severity: Literal["error", "warning"] = "error",
        what: Literal["file", "directory"] = "file",
        name: str = "",
    ) -> MissingFile:
        name = name or mention.text.removeprefix(URL)
        return MissingFile(
            span=mention.span, borrowed=mention.borrowed, node=mention.node, name=name, what=what, severity=severity,
            consequence=consequence, known=self._beside(look, name),
        )  # fmt: skip

    def _beside(self, look: Look, name: str) -> tuple[str, ...]:
        """What there is in the directory in which the file should be, spelt as its name is."""
        folder, slash, _ = name.removeprefix(URL).rpartition("/")
        places = places_of(folder or ".", self.directory, look)
        existing = next((place for place in places if look.is_directory(place)), None)
        return tuple(f"{folder}{slash}{n}" for n in look.names(existing)) if existing is not None else ()

    def _prompt(self, look: Look, mention: Mention) -> Iterator[Issue]:
        marked = mention.text.startswith(URL)
        if not marked and not _PROMPT.match(mention.text):
            return
        path = find_file(mention.text.removeprefix(URL), self.directory, look, self.project.fallback)
        content = look.text(path) if path is not None else None
        if path is None:
            consequence = "agentv skips the case" if marked else "agentv gives the judge this text as its prompt"
            yield self._missing(look, mention, consequence, severity="error" if marked else "warning")
        elif content is not None and _PROMPT.match(path.name):
            if path.suffix in PROMPTS:
                self._led.setdefault(path, FileKind.PROMPT)
            # Since plain strings are criteria, a bare path is no path any more.
            bare = mention.node if self.dialect.properties.string_assertions and not marked else None
            yield PromptText(
                span=mention.span,
                borrowed=mention.borrowed,
                text=content,
                path=path,
                bare=bare,
                checked=self.project.is_checked(path),
            )


_RESOLVERS: dict[str, Callable[[References, Look, Shape, Mention], Iterator[Issue]]] = {
    "target": References.target,
    "file": References.file,
    "directory": References.directory_of,
    "template": References.template,
    "program": References.program,
    "url": References.url,
}
