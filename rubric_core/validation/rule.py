"""Rules, their findings and fixes."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar, get_args

from rubric_core.cached_properties import cached_property
from rubric_core.distribution import page_address
from rubric_core.language.dialect import Dialect
from rubric_core.lazy_compilation import dataclass, field, pattern, replace
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.text import Edit, Span

__all__ = [
    "SEVERITIES",
    "TEMPLATES",
    "Awaited",
    "Context",
    "Diagnostic",
    "Finding",
    "Fix",
    "Related",
    "Rule",
    "Severity",
    "SuiteDefaults",
    "Tag",
    "by_class",
    "checks",
    "group",
    "rule",
]  # fmt: skip

Severity = Literal["error", "warning", "information", "hint"]
#: The worst first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
Tag = Literal["deprecated", "unnecessary"]
#: What may be missing only because the author is still typing: an entry of a mapping, or an item of a list.
Awaited = Literal["", "entry", "item"]
T = TypeVar("T")

#: Phrases that show that a message says already what to do.
_PROPOSAL = pattern(r"did you mean|\bneeds `|(?:^|[:;] )(?:double|line up|describe|name|put|say|set|turn|use|write) ")
_COMMENT = pattern(r"[ \t]#")
_LINE = pattern(r"[^\r\n]*[^\s]")
_FIRST_WORD = pattern(r"(?:\s*#[^\r\n]*[\r\n])*\s*(?!\s)([^\r\n]*[^\s])")
#: The last key of a line, or the last dash of a line that has nothing else.
_LAST_WORD = pattern(r"(-|[^\s-].*)\Z", re.DOTALL)
#: The longest text of a finding, in characters.
_LONGEST = 1000
#: The most alternatives to the first fix that a message names.
_MOST_NAMED = 2


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    half = _LONGEST // 2
    return f"{text[:half]}…{text[1 - half :]}"


#: Signs without which some rules find nothing: those of templates, and those of marked turns.
_SIGNS = ("{{", "{%", "{#", "@[")


@lru_cache(maxsize=8)
def _has(text: str, word: str) -> bool:
    return word in text  # searched once, however many shapes ask


@lru_cache(maxsize=8)
def _signs_in(text: str) -> frozenset[str]:
    return frozenset(sign for sign in _SIGNS if sign in text)


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that is related to a finding."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that resolve a finding. A safe fix is the only plausible repair and can be applied unattended."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake found by a rule, at offsets of the block that was checked."""

    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    #: The engine's reaction, if it is silent or surprising: "agentv drops the case with a log line".
    consequence: str = ""
    #: Overrides the severity of the rule.
    severity: Severity | None = None
    tags: tuple[Tag, ...] = ()
    #: For a finding across blocks: findings with these codes that start at these places report the same mistake.
    explains: tuple[tuple[str, Span], ...] = ()
    #: The part of the text that is not checked while this finding exists; findings that appear in it later are not new.
    hides: Span | None = None

    def __post_init__(self) -> None:
        """Make no fix safe that has an alternative: which of them is right, only the author knows."""
        if len(self.fixes) > 1 and any(fix.safe for fix in self.fixes):
            object.__setattr__(self, "fixes", tuple(Fix(fix.title, fix.edits, safe=False) for fix in self.fixes))

    def within_limits(self) -> "Finding":
        """The same with its middle cut out, if it quotes a very long value."""
        said = (self.message, self.consequence, *(r.message for r in self.related), *(f.title for f in self.fixes))
        if max(map(len, said)) <= _LONGEST:
            return self
        related = tuple(Related(r.span, _cut(r.message)) for r in self.related)
        fixes = tuple(Fix(_cut(f.title), f.edits, f.safe) for f in self.fixes)
        return replace(
            self, message=_cut(self.message), consequence=_cut(self.consequence), related=related, fixes=fixes
        )


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding with its rule's code, at offsets of the whole text."""

    #: See `Rule.code`.
    code: str
    severity: Severity
    span: Span
    message: str
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    consequence: str = ""
    tags: tuple[Tag, ...] = ()
    #: See `Finding.hides`.
    hides: Span | None = None
    #: How many fixes are not among `fixes` because trying them would have taken too long.
    untried: int = 0
    #: See `rule`.
    about_name: bool = False
    #: How many more findings of the file it stands for.
    more: int = 0
    #: How many of those have a safe fix; only in the results of a check.
    more_fixable: int = 0
    #: See `Rule.group`; by default its own code.
    group: str = ""

    def __post_init__(self) -> None:
        """Make what has no other group a group of its own."""
        if not self.group:
            object.__setattr__(self, "group", self.code)

    @property
    def repeated(self) -> str:
        """The message, with the number of findings that it stands for."""
        return f"{self.message} (and {self.more:,} more in this file)" if self.more else self.message

    @property
    def advice(self) -> str:
        """The titles of its fixes as alternatives; of many, the first and how many others there are."""
        first, *others = (fix.title for fix in self.fixes)
        if len(others) > _MOST_NAMED:
            return f"{first}, or one of {len(others)} other fixes"
        return ", or ".join((first, *others))

    @property
    def in_full(self) -> str:
        """The message, its fixes if it does not contain one, and the consequence, one line each.

        Some editors show it as one line after the text and cut it at the edge of the window, so the fix precedes the
        consequence.
        """
        advised = bool(self.fixes) and _PROPOSAL.search(self.message) is None
        advice = f"fix: {self.advice}" if advised else ""
        return "\n".join(line for line in (self.repeated, advice, self.consequence) if line)


@dataclass(frozen=True, slots=True)
class SuiteDefaults:
    """The facts about a suite that rules for one case may use. A change checks every case again."""

    #: Whether the suite has evaluators that grade every case.
    asserts: bool = False
    #: Whether the suite has the scalar key `evaluator`.
    evaluator: bool = False
    threshold: float | None = None
    #: Whether the suite has an `input` that precedes that of every case.
    asks: bool = False
    #: The suite's template filters; None if it is another file, which is not known.
    filters: frozenset[str] | None = None
    #: For a file of cases, what the files that name it define; None if unknown.
    names: DefinedNames | None = None
    #: Whether the common settings of cases have a prompt for judges.
    judge_prompt: bool = False
    #: The variables that every case gets from a suite; None if they are not known.
    variables: frozenset[str] | None = None
    #: Whether the content of a file takes the place of any text that begins with `file://`.
    inlines: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """The information available to a rule besides the node that it visits."""

    #: The text of the block.
    text: str
    dialect: Dialect
    defaults: SuiteDefaults = field(default_factory=SuiteDefaults)

    @property
    def engine(self) -> str:
        """The program that reads the text, as messages name it."""
        return self.dialect.properties.engine

    @property
    def signs(self) -> frozenset[str]:
        """The signs of `Rule.signs` that occur anywhere in the text."""
        return _signs_in(self.text)

    def contains(self, word: str) -> bool:
        """Whether a word occurs anywhere in the text."""
        return _has(self.text, word)

    @property
    def templated(self) -> bool:
        """Whether the text may have templates in it."""
        return not TEMPLATES.isdisjoint(_signs_in(self.text))

    def written(self, span: Span) -> str:
        """The text at `span`."""
        return self.text[span.start : span.end]

    def underlined(self, span: Span) -> Span:
        """The span to underline for `span`: its first line; if it is empty, the key or dash before it."""
        if not self.written(span).strip(" \r\n"):
            end = len(self.text[: span.start].rstrip())
            line = max(self.text.rfind("\n", 0, end), self.text.rfind("\r", 0, end)) + 1
            # Looked for from the start only: from each of thousands of empty lines it would take minutes.
            begun = max(line, *(self.text.rfind(sign, line, end) + 1 for sign in ",{}[]"))
            last = _LAST_WORD.search(self.text, begun, end) or (
                _FIRST_WORD.match(self.text) if self.text.strip() else None
            )
            return Span(*last.span(1)) if last else span
        first = _LINE.match(self.text, span.start, span.end)
        if first is None or first.end() == span.end:
            return span
        # A `#` before a quote does not start a comment.
        quoted = max(span.start, *(self.text.rfind(quote, span.start, first.end()) + 1 for quote in "\"'"))
        comment = _COMMENT.search(self.text, quoted, first.end())
        if comment is None:
            return Span(span.start, first.end())
        return Span(span.start, quoted + len(self.text[quoted : comment.start()].rstrip(" \t")))


#: What a text has that is a template.
TEMPLATES = frozenset({"{{", "{%"})
#: See `rule`.
Needs = Collection[str] | Callable[[type], Collection[str] | None] | None


@dataclass(frozen=True)
class Rule(Generic[T]):
    """A code, the classes that it visits, and its check."""

    #: The code of its findings; of a family's check it begins with the name of the family.
    code: str
    #: The code of the rule that it belongs to, which selects and ignores its findings too: of a rule, its own.
    group: str
    severity: Severity
    #: A one-line summary for tables of rules.
    summary: str
    visits: type[T]
    check: Callable[[T, Context], Iterable[Finding]]
    #: For findings about missing parts: the kind of text that an author who is still typing may be about to add.
    awaits: Awaited = ""
    #: See `rule`.
    needs: "Needs" = None
    signs: frozenset[str] = frozenset()
    #: See `rule`.
    about_name: bool = False

    def needed(self, visited: type) -> frozenset[str] | None:
        """The fields of which one has to be written in a shape of a class for anything to be found; None for no such thing."""
        fields = self.needs(visited) if callable(self.needs) else self.needs
        return None if fields is None else frozenset(fields)

    @property
    def page(self) -> Path:
        """The Markdown page that explains the code, beside the rule or in `pages` beside the check; its examples are its tests."""
        if self.code == self.group:
            return Path(__file__).with_name("rules") / f"{self.code.replace('-', '_')}.md"
        name = self.code.partition("/")[2]
        module = sys.modules[self.check.__module__]
        return Path(str(module.__file__)).with_name("pages") / f"{name.replace('-', '_')}.md"

    @cached_property
    def url(self) -> str:
        """The address of its page."""
        return page_address(self.page)


def rule(
    code: str,
    severity: Severity,
    summary: str,
    *,
    awaits: Awaited = "",
    needs: Needs = None,
    signs: frozenset[str] = frozenset(),
    about_name: bool = False,
) -> Callable[[Callable[[T, Context], Iterable[Finding]]], Rule[T]]:
    """Declare a function as a rule; the type of its first parameter selects what it visits, subclasses included.

    `needs` are fields, by class if they differ, without which there is nothing to find, so that most shapes are not
    visited. None: all are. One of the `signs` has to occur in the text of a shape or issue; none: every text is
    checked. A rule is `about_name` if equal messages are one fact about one name, and so one warning.
    """

    def make(check: Callable[[T, Context], Iterable[Finding]]) -> Rule[T]:
        return Rule(code, code, severity, summary, _visited(check), check, awaits, needs, signs, about_name)

    return make


def checks(
    code: str,
    group: str,
    severity: Severity = "error",
    *,
    awaits: Awaited = "",
    needs: Needs = None,
    signs: frozenset[str] = frozenset(),
    about_name: bool = False,
    borrowed: bool = True,
) -> Callable[[Callable[[T], Iterable[Finding]] | Callable[[T, Context], Iterable[Finding]]], Rule[T]]:
    """Declare a function as a check of a family; in the family's files it replaces the rule of its `group` about equal classes.

    The context is passed if the function takes it. What is behind an alias is visited only if `borrowed`. The other
    parameters are those of `rule`; the first line of the docstring is the summary.
    """

    def make(check: Any) -> Rule[T]:
        is_alone = check.__code__.co_argcount == 1

        @wraps(check)
        def called(visited: Any, context: Context) -> Iterable[Finding]:
            if not borrowed and visited.borrowed:
                return ()
            found: Iterable[Finding] = check(visited) if is_alone else check(visited, context)
            return found

        function = called if is_alone or not borrowed else check
        summary = check.__doc__.partition("\n")[0].removesuffix(".")
        return Rule(code, group, severity, summary, _visited(check), function, awaits, needs, signs, about_name)

    return make


class _Nothing:
    """What a group visits that has no rule of its own."""


def group(
    code: str, severity: Severity, summary: str, *, awaits: Awaited = "", about_name: bool = False
) -> Rule[_Nothing]:
    """Declare a code under which there are only checks of a family."""
    return rule(code, severity, summary, awaits=awaits, about_name=about_name)(_find_nothing)


def _find_nothing(_: _Nothing, context: Context) -> Iterable[Finding]:  # noqa: ARG001  # the form of a check
    """Finds nothing: the checks of the group do."""
    return ()


def _visited(check: Callable[..., Iterable[Finding]]) -> Any:
    return next(iter(check.__annotations__.values()))


def by_class(rules: Iterable[Rule[Any]]) -> Mapping[type, tuple[Rule[Any], ...]]:
    """Rules by the class, or by every class of the union, that they name; `visitors` finds those for a subclass."""
    table: dict[type, list[Rule[Any]]] = {}
    for each in rules:
        for visited in get_args(each.visits) or (each.visits,):
            table.setdefault(visited, []).append(each)
    return {visited: tuple(found) for visited, found in table.items()}
