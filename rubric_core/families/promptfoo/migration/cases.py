"""Converts tests of promptfoo, with their rows, into cases of agentv-5."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import PurePath
from typing import Any, NamedTuple

from rubric_core.families.promptfoo.migration.assertions import convert_assertion
from rubric_core.families.promptfoo.migration.commented_yaml import Commented
from rubric_core.families.promptfoo.migration.conversion import Conversion, NotCarriedError, Notes, Surroundings
from rubric_core.families.promptfoo.migration.scripts import transform_code
from rubric_core.families.promptfoo.migration.source import SourceFile, SourceTest
from rubric_core.lazy_compilation import dataclass, pattern, replace
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = [
    "CaseDraft",
    "CaseIds",
    "CaseReader",
    "Checks",
    "is_multiplied",
    "mapping_of",
    "repeat_count",
    "rows_of",
    "with_comments",
]

#: The most cases that the lists of one test are multiplied to.
_MOST_ROWS = 200
_LONGEST_ID = 60
_NO_WORD = pattern(r"[\W_]+")


def mapping_of(value: Any) -> Mapping[str, Any]:
    """A mapping; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def repeat_count(options: Mapping[str, Any]) -> int | None:
    """How often options repeat a case; None if they do not say."""
    found = options.get("repeat")
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 1 else None


def is_multiplied(value: Any) -> bool:
    """Whether the value of a variable makes a case of each of its items."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def rows_of(values: Mapping[str, Any], options: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Each combination of the items of lists, with a suffix for the id. Raises NotCarriedError."""
    lists = {name: value for name, value in values.items() if is_multiplied(value)}
    if lists and options.get("disableVarExpansion") is True:
        raise NotCarriedError("AgentV makes a case of each text in a list: write the list as one text, or as a mapping")
    count = prod(len(each) for each in lists.values())
    if count > _MOST_ROWS:
        raise NotCarriedError(f"its lists make {count} cases, too many to write out")
    return [
        ("".join(f"-{_words(str(value))}" for value in chosen), {**values, **dict(zip(lists, chosen, strict=True))})
        for chosen in product(*lists.values())
    ]


class CaseIds:
    """Gives each case a unique id."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, description: Any, values: Mapping[str, Any], number: int) -> str:
        """The base of the ids of a test's cases: its description, else its only short value, else its number."""
        if isinstance(description, str) and _NO_WORD.sub("", description):
            return _words(description)
        texts = [v for v in values.values() if isinstance(v, str | int) and not isinstance(v, bool)]
        alone = str(texts[0]) if len(texts) == 1 else ""
        is_name = bool(_NO_WORD.sub("", alone)) and len(alone) <= _LONGEST_ID // 2 and "://" not in alone
        return _words(alone) if is_name else f"test-{number}"

    def unique(self, name: str) -> str:
        """The name, with a number if it was given before."""
        count = self._known[name] = self._known.get(name, 0) + 1
        return name if count == 1 else self.unique(f"{name}-{count}")


def _words(text: str) -> str:
    name = _NO_WORD.sub("-", text.lower()).strip("-")
    if len(name) > _LONGEST_ID:
        name = name[: _LONGEST_ID + 1].rpartition("-")[0] or name[:_LONGEST_ID]
    return name or "x"


_LONGEST_NAME = 60
_READABLE = (".txt", ".md", ".html", ".json", ".csv", ".xml", "")
#: Keys of tests without an equivalent in AgentV, with what to do. A test with one of them is left out.
_LEFT_OUT: Mapping[str, str] = {
    "providerOutput": "AgentV checks no given output: serve it by a provider of the kind `replay`",
    "assertScoringFunction": "AgentV runs no scoring function: write one `javascript` or `python` check that gives the score",
}
#: The same for its options.
_OPTIONS_LEFT_OUT: Mapping[str, str] = {
    "transformVars": "AgentV does not transform `vars`: write the values as they should be",
    "prefix": "AgentV has no `prefix` for a single test: write it into a prompt of its own",
    "suffix": "AgentV has no `suffix` for a single test: write it into a prompt of its own",
    "storeOutputAs": "AgentV does not keep an output for later cases: write a conversation with `turns`",
}
_OPTIONS_KNOWN = frozenset({
    "transform", "postprocess", "provider", "rubricPrompt", "disableDefaultAsserts", "disableVarExpansion", "repeat", "runSerially",
    "disableConversationVar", "factuality",
})  # fmt: skip


class Checks(NamedTuple):
    """The converted assertions of a test, with their nodes, and comments in place of the others."""

    #: Where they are written.
    file: SourceFile
    made: tuple[tuple[Conversion, Mapping[str, Any], Node], ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def converted(self) -> list[Conversion]:
        """The evaluators."""
        return [each for each, _, _ in self.made]


@dataclass(frozen=True, slots=True)
class CaseDraft:
    """One case before its evaluators are written."""

    id: str
    test: SourceTest
    #: Keys that come before and after the evaluators.
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    checks: Checks
    #: The score from which the case passes, whatever the single checks say; None without one.
    threshold: float | None
    #: The comments around the test.
    comments: Commented | None = None
    #: Whether it is the first case of its test, which has the comments.
    is_first: bool = True

    @property
    def is_emptied(self) -> bool:
        """Whether none of the assertions of the test itself was carried over."""
        return bool(self.test.assertions) and not self.checks.made

    def around_entry(self, name: str, value: Any) -> Any:
        """`value` with the comments of a key of the test."""
        return _around_entry(self.test, name, value) if self.is_first else value


class CaseReader:
    """Converts tests into cases, and notes what is lost."""

    def __init__(
        self, default: Mapping[str, Any], around: Surroundings, notes: Notes, read: Callable[[str], str | None]
    ) -> None:
        self._default, self._around, self._notes, self._read = default, around, notes, read
        self._ids = CaseIds()
        #: What has to be done for the graders of an evaluator.
        self.grader_notes: Callable[[Mapping[str, Any]], list[str]] = lambda _: []
        #: The labels of prompts, and the names of providers, that references mean; None for nothing that is carried over.
        self.prompts: Callable[[Any], list[str] | None] = lambda _: None
        self.providers: Callable[[Any], list[str] | None] = lambda _: None

    def checks(
        self, pairs: Sequence[tuple[Mapping[str, Any], Node]], options: Mapping[str, Any], file: SourceFile
    ) -> Checks:
        """The evaluators for assertions."""
        made: list[tuple[Conversion, Mapping[str, Any], Node]] = []
        lost: list[str] = []
        around = replace(self._around, options=options)
        for settings, node in pairs:
            line = file.line_of(node.span.start)
            try:
                converted = convert_assertion(settings, around)
            except NotCarriedError as error:
                self._notes.add(file.shown, line, f"not carried over: {error}")
                lost.append(_lost_comment(str(settings.get("type")), file, line))
                continue
            for words in converted.differs:
                self._notes.add(file.shown, line, f"`{settings['type']}`: {words}")
            for words in self.grader_notes(converted.keys):
                self._notes.add(file.shown, line, words)
            for kind, words in converted.lost:
                self._notes.add(file.shown, line, f"not carried over in the set: {words}")
                lost.append(_lost_comment(kind, file, line))
            made.append((converted, settings, node))
        return Checks(file, tuple(made), tuple(lost))

    def cases(self, test: SourceTest, number: int) -> Iterator[CaseDraft]:
        """The cases of a test: one for each combination of its lists. None if it has to be left out."""
        try:
            self._refuse(test)
            values = {name: self._value(test, name, value) for name, value in mapping_of(test.data.get("vars")).items()}
            rows = rows_of(values, mapping_of(test.data.get("options")))
            rest = self._remaining_keys(test)
        except NotCarriedError as error:
            self._notes.add(test.file.shown, test.line, f"the test {_shown(test, number)} is left out: {error}")
            return
        checks = self.checks(test.assertions, mapping_of(test.data.get("options")), test.file)
        threshold = self._threshold(test)
        around = test.file.comments.around(test.node, None)
        for position, (words, row) in enumerate(rows):
            own = self._own_values(test, row)
            name = self._ids.unique(
                f"{self._ids.of(test.data.get('description'), own if not words else {}, number)}{words}"
            )
            before: dict[str, Any] = {"id": name}
            description = test.data.get("description")
            if isinstance(description, str) and description.strip() and description != name:
                before["description"] = _around_entry(test, "description", description)
            if own:
                before["vars"] = self._vars(test, own) if position == 0 else own
            yield CaseDraft(name, test, before, rest, checks, threshold, around, is_first=position == 0)

    # The parts of a case

    def _refuse(self, test: SourceTest) -> None:
        """Raises NotCarriedError for a test that would mean something else."""
        if test.trouble:
            raise NotCarriedError(test.trouble)
        for name, words in _LEFT_OUT.items():
            if test.data.get(name) is not None:
                raise NotCarriedError(words)
        options = mapping_of(test.data.get("options"))
        for name, words in _OPTIONS_LEFT_OUT.items():
            if options.get(name) and not (
                name in ("prefix", "suffix") and options[name] == mapping_of(self._default.get("options")).get(name)
            ):
                raise NotCarriedError(words)
        if (
            test.data.get("provider") is not None
            and test.data["provider"] != self._default.get("provider")
            and self.providers([test.data["provider"]]) is None
        ):
            raise NotCarriedError(
                "its `provider` is none of the configured ones: add it to the providers, and name it under `providers`"
            )
        for name, found in (("prompts", self.prompts), ("providers", self.providers)):
            if isinstance(test.data.get(name), list) and not found(test.data[name]):
                raise NotCarriedError(f"its `{name}` match nothing that was carried over")

    def _value(self, test: SourceTest, name: str, value: Any) -> Any:
        """The value of a variable; the text of a file that it names."""
        if isinstance(value, list):
            return [self._value(test, name, each) for each in value]
        if value is None:
            return ""
        if not isinstance(value, str) or not value.startswith(URL):
            return value
        path = value.removeprefix(URL)
        text = self._read(path) if PurePath(path).suffix.lower() in _READABLE and "*" not in path else None
        if text is None:
            raise NotCarriedError(
                f"AgentV fills no file into `vars`, and {path} is none that can be copied here: write the value of `{name}`"
            )
        self._notes.add(
            test.file.shown, test.line, f"the text of {path} is now in the suite: AgentV fills no file into `vars`"
        )
        return text.strip()

    def _own_values(self, test: SourceTest, row: Mapping[str, Any]) -> dict[str, Any]:
        """The values that are not those of `default_test`, in the order of the text."""
        shared = self.default_values
        written = test.node.get("vars") if isinstance(test.node, MappingNode) else None
        names = [entry.name or "" for entry in written.entries] if isinstance(written, MappingNode) else []
        order = dict.fromkeys([*(name for name in names if name in row), *row])
        return {name: row[name] for name in order if name not in shared or shared[name] != row[name]}

    @property
    def default_values(self) -> dict[str, Any]:
        """The values that all cases share: a list of texts is written out in each case."""
        written = mapping_of(self._default.get("vars"))
        return {
            name: "" if value is None else value
            for name, value in written.items()
            if not is_multiplied(value) and not (isinstance(value, str) and value.startswith(URL))
        }

    def _vars(self, test: SourceTest, own: Mapping[str, Any]) -> Any:
        entry = test.node.entry("vars") if isinstance(test.node, MappingNode) else None
        if entry is None:
            return dict(own)
        return _around_entry(test, "vars", test.file.comments.data(entry.value, dict(own), test.file.anchors))

    def _threshold(self, test: SourceTest) -> float | None:
        written = test.data.get("threshold")
        if isinstance(written, bool) or not isinstance(written, int | float):
            return None
        if 0 <= written <= 1:
            return written
        self._notes.add(test.file.shown, test.line, f"`threshold: {written}` is not carried over: AgentV takes 0 to 1")
        return None

    def _remaining_keys(self, test: SourceTest) -> dict[str, Any]:
        """The keys that follow the evaluators."""
        found: dict[str, Any] = {}
        options, default = mapping_of(test.data.get("options")), mapping_of(self._default.get("options"))
        transform = options.get("transform", options.get("postprocess"))
        if transform is not None and transform != default.get("transform", default.get("postprocess")):
            found["options"] = {"transform": transform_code(transform)}
        for name, known in (("prompts", self.prompts), ("providers", self.providers)):
            written = test.data.get(name)
            if isinstance(written, list) and written != self._default.get(name):
                found[name] = known(written)
        provider = test.data.get("provider")
        if provider is not None and provider != self._default.get("provider"):
            found["providers"] = self.providers([provider])
        metadata = {
            k: v
            for k, v in mapping_of(test.data.get("metadata")).items()
            if mapping_of(self._default.get("metadata")).get(k) != v
        }
        if metadata:
            found["metadata"] = metadata
        if not test.inherits:
            found["execution"] = {"skip_defaults": True}
        repeat = repeat_count(options)
        if repeat is not None and repeat != repeat_count(default):
            found["run"] = {"repeat": repeat}
        for name in options.keys() - _OPTIONS_KNOWN - _OPTIONS_LEFT_OUT.keys() - default.keys():
            self._notes.add(
                test.file.shown,
                test.line,
                f"`options.{name}` is not carried over: write it under `config` of a provider",
            )
        return found


def _lost_comment(kind: str, file: SourceFile, line: int) -> str:
    """The comment in place of an assertion."""
    return f"# not carried over: {' '.join(kind.split())} ({file.shown}:{line})"


def _shown(test: SourceTest, number: int) -> str:
    description = test.data.get("description")
    return f"`{' '.join(str(description).split())[:_LONGEST_NAME]}`" if description else f"number {number}"


def _around_entry(test: SourceTest, name: str, value: Any) -> Any:
    entry = test.node.entry(name) if isinstance(test.node, MappingNode) and not test.node.flow else None
    return value if entry is None else test.file.comments.around(entry.key, value, entry.value)


def with_comments(value: Any, above: Sequence[str], beside: str = "") -> Any:
    """A value with additional comments above it."""
    if isinstance(value, Commented):
        return replace(value, above=(*above, *value.above))
    return Commented(value, tuple(above), beside) if above or beside else value
