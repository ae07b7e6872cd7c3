"""One case of a promptfoo configuration, as rules across cases see it."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from rubric_core.language.promptfoo.assertion import Assertion, AssertionSet
from rubric_core.language.promptfoo.case import CaseOptions, PromptfooCase
from rubric_core.language.promptfoo.graded_assertions import (
    Classifier,
    ClosedQa,
    ContextFaithfulness,
    ContextRelevance,
    Factuality,
    GEval,
    MaxScore,
    ModelRubric,
    SelectBest,
)
from rubric_core.language.shape import children
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span
from rubric_core.validation.promptfoo.foreign_placeholders import SIGNS
from rubric_core.validation.promptfoo.mapping_members import members_of, texts_of_files
from rubric_core.validation.promptfoo.repeated_assertions import content_of
from rubric_core.validation.promptfoo.templates import names_in
from rubric_core.validation.promptfoo.variables_in_code import ReadName, read_by_code

__all__ = [
    "NEEDED_BY_GRADERS",
    "PROGRAM",
    "CaseSummary",
    "PlacedCase",
    "assertions_of",
    "options_of",
    "pointers_in",
    "variable_nodes",
]

#: Programs that receive all variables and may read any of them, and prompts for judges in files, which may as well.
PROGRAM = pattern(
    r"file://[^\s\"']{1,300}\.(?:[cm]?[jt]s|py|rb|go)\b|\b(?:python|exec|golang|ruby|package):"
    r"|\brubricPrompt[\"']?:[\s\[\"'-]{1,60}file:"
)
#: Assertions whose text a judge reads.
_JUDGED = (ModelRubric, Factuality, ClosedQa, GEval, SelectBest)
#: The assertions that promptfoo refuses without certain variables.
_BOUND = (ContextFaithfulness, ContextRelevance)
NEEDED_BY_GRADERS = ("query", "context")
_WORD = pattern(r"[A-Za-z_]\w*")


class PlacedCase(NamedTuple):
    """A case and where its block starts; -1 is the number of the text around the cases."""

    case: PromptfooCase
    block: int
    #: Maps a span of the block with that number to a span of the whole text.
    place: Callable[[int, Span], Span]
    #: The text to which its spans refer.
    text: str

    def outer(self, span: Span) -> Span:
        """Convert one of its spans to a span of the whole text."""
        return self.place(self.block, span)

    @property
    def summary(self) -> "CaseSummary":
        """The summary of the case. Needed at every keystroke, so it is computed once."""
        known = self.case.summary
        if not isinstance(known, CaseSummary):
            known = self.case.summary = CaseSummary(self.case, self.text)
        return known


class CaseSummary:
    """The facts about one case that rules across cases read."""

    def __init__(self, case: PromptfooCase, text: str) -> None:
        self.case = case
        place = case.places.get("vars")
        #: The shared names with which its texts were last checked and found to use no undefined variable.
        self.clean_for: frozenset[str] | None = None
        #: What each code in it reads, and whether that is Python; None until somebody asks.
        self.read_by_code: tuple[tuple[tuple[ReadName, ...], bool], ...] | None = None
        self.variables = variable_nodes(case)
        self.names = frozenset(self.variables)
        self.maps = frozenset(name for name, node in self.variables.items() if isinstance(node, Mapping))
        self.file_texts = texts_of_files(self.variables) if "file://" in text else frozenset[str]()
        #: The members of those that are mappings: see `members_of`.
        self.members = members_of(self.variables) if self.maps else frozenset[str]()
        options = options_of(case)
        #: Whether all variables are defined in the text rather than in files or programs.
        self.is_plain = (
            place is None or (not place.borrowed and isinstance(place.meant or place.node, Mapping))
        ) and not (options is not None and options.has("transform_vars"))
        #: Whether those that are not in the text are in files of variables, which are read when references are resolved.
        self.is_in_files = place is not None and not place.borrowed and _are_files(place.node)
        stored = options.store_output_as if options is not None else None
        self.stored = frozenset({stored} if isinstance(stored, str) else ())
        self.checks = tuple(assertions_of(case))
        #: The texts in which variables are filled in, with the names that these use.
        self.rendered = tuple(
            (node, used, check) for check in self.checks for node in _rendered(check) if (used := names_in(node.text))
        )
        #: The values of variables that other variables are filled into, with the names that these use.
        self.inserting = (
            tuple(
                (node, used) for node in self.variables.values()
                if isinstance(node, Scalar) and "{{" in node.text and (used := names_in(node.text))
            )
            if place is not None and not place.borrowed
            else ()
        )  # fmt: skip
        #: Variables that templates and scripts in the case read, and those that it defines itself.
        self.used = frozenset({each.name for each in names_in(text)}.union(read_by_code(text)))
        self.own = (
            ()
            if place is None or place.borrowed
            else tuple(n for n in self.variables if _WORD.fullmatch(n) and n[0] != "_")
        )
        self.has_program = PROGRAM.search(text) is not None
        self.metrics = frozenset(check.metric for check in self.checks if isinstance(check.metric, str))
        #: The assertions that promptfoo refuses without certain variables.
        self.bound = tuple(check for check in self.checks if isinstance(check, _BOUND) and not check.borrowed)
        #: The assertions that need a model which classifies, and name none.
        self.classifiers = tuple(
            check for check in self.checks
            if isinstance(check, Classifier) and not check.borrowed and not check.has("provider") and not check.unread
        )  # fmt: skip
        self.graders = tuple(_graders(options, self.checks))
        self.compares = tuple(
            check for check in self.checks if isinstance(check, SelectBest | MaxScore) and not check.borrowed
        )
        #: The targets of `$ref`, into the configuration or other files.
        self.pointers = tuple(pointers_in(case.node)) if "$ref" in text else ()
        #: Rubrics without a text, and without a judge prompt that replaces it.
        self.unworded = (
            ()
            if options is not None and options.has("rubric_prompt")
            else tuple(
                check for check in self.checks if type(check) is ModelRubric and not check.borrowed
                and not check.has("value") and not check.has("rubric_prompt") and not check.unread
            )
        )  # fmt: skip
        self.named = any(case.has(field) for field in ("prompts", "providers"))

    @cached_property
    def for_judges(self) -> tuple[Scalar, ...]:
        """The texts for judges with braces or signs that other templates have."""
        places = (
            check.places.get("value") for check in self.checks if isinstance(check, _JUDGED) and not check.borrowed
        )
        nodes = (place.node for place in places if place is not None and not place.borrowed)
        return tuple(node for node in nodes if isinstance(node, Scalar) and SIGNS.search(node.text) is not None)

    @cached_property
    def content(self) -> str:
        """What the case says but for its description, equal for equal cases; empty if it refers to something."""
        node = self.case.node
        entries = [entry for entry in node.entries if entry.name != "description"] if isinstance(node, Mapping) else []
        found = [(entry.name, content_of(entry.value)) for entry in entries]
        return "" if any(name is None or value is None for name, value in found) else repr(sorted(found, key=repr))

    @cached_property
    def facts(self) -> object:
        """A comparable value: while it is equal, no finding about other cases or across cases can change."""
        return (
            self.names,
            self.maps,
            self.file_texts,
            self.members,
            self.is_plain,
            self.is_in_files,
            self.stored,
            self.used,
            self.metrics,
        )


def _are_files(variables: Node) -> bool:
    """Whether `vars` is the path of a file of variables, or a list of them."""
    nodes = variables.items if isinstance(variables, Sequence) else [variables]
    return bool(nodes) and all(
        isinstance(node, Scalar) and node.text.endswith((".yaml", ".yml", ".json")) and "://" not in node.text
        for node in nodes
    )


def _graders(options: CaseOptions | None, checks: tuple[Assertion, ...]) -> Iterator[tuple[Assertion | None, Scalar]]:
    """The graders that are named by a plain string, each with its assertion; None for the grader of the case."""
    own: Assertion | None = None
    for shape in (options, *checks):
        place = shape.places.get("provider") if shape is not None else None
        if (
            place is not None
            and not place.borrowed
            and isinstance(place.node, Scalar)
            and isinstance(place.node.value, str)
        ):
            own = shape if isinstance(shape, Assertion) else None
            if place.node.text.strip():
                yield own, place.node


def pointers_in(node: Node | None) -> Iterator[Scalar]:
    """The targets of every `$ref` below a node."""
    for each in walk(node) if node is not None else ():
        target = each.get("$ref") if isinstance(each, Mapping) else None
        if isinstance(target, Scalar) and isinstance(target.value, str):
            yield target


def _rendered(check: Assertion) -> Iterator[Scalar]:
    """The texts of an assertion in which variables are filled in."""
    for field in ("value", "metric"):
        place = check.places.get(field)
        if place is None or place.borrowed or check.borrowed:
            continue
        nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
        yield from (n for n in nodes if isinstance(n, Scalar) and "{" in n.text and not n.text.startswith("file://"))


def variable_nodes(case: PromptfooCase) -> dict[str, Node]:
    """The variables of a case by name, merged ones included, each with the node of its value."""
    place = case.places.get("vars")
    node = (place.meant or place.node) if place is not None else None
    if not isinstance(node, Mapping):
        return {}
    written = {e.name: e.value for e in node.entries if e.name is not None}
    if isinstance(case.vars, dict):
        for name in case.vars:
            written.setdefault(name, node)
    written.pop("<<", None)
    return written


def assertions_of(case: PromptfooCase) -> Iterator[Assertion]:
    """The assertions of a case, those in sets included."""
    listed: Any = case.assertions
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, Assertion):
            yield each
            if isinstance(each, AssertionSet):
                yield from (inner for inner in children(each)[1:] if isinstance(inner, Assertion))


def options_of(case: PromptfooCase | None) -> CaseOptions | None:
    """The options of a case, if they are a mapping."""
    found = case.options if case is not None else None
    return found if isinstance(found, CaseOptions) else None
