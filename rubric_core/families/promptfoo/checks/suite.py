"""A promptfoo configuration with all of its cases, for rules across them."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rubric_core.cached_properties import cached_property
from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.suite_digest import SuiteDigest
from rubric_core.families.promptfoo.language.case import CaseSource, PartialCase, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.listed_entries import path_sign
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.lazy_compilation import replace
from rubric_core.loading.block_references import OutsideText
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Fix

__all__ = [
    "PromptEntry",
    "PromptfooSuite",
    "ProviderEntry",
    "placed_fix",
    "providers_of",
    "request_texts",
    "texts_of",
]

#: The settings of a provider by HTTP in which variables are filled in.
_REQUEST = ("url", "headers", "body", "queryParams", "request")


class PromptEntry(NamedTuple):
    """An entry of the list of prompts."""

    node: Node
    #: The prompt itself, or the path of its file.
    text: str
    label: str
    id: str


class ProviderEntry(NamedTuple):
    """An entry of the list of providers."""

    node: Node
    id: str
    label: str
    shape: ConfiguredProvider | None


class PromptfooSuite:
    """The input of rules across cases. Findings have offsets of the whole text."""

    def __init__(
        self,
        configuration: Configuration,
        cases: tuple[PlacedCase, ...],
        frame: PlacedCase,
        outside: tuple[OutsideText, ...] | None,
        secrets: tuple[tuple[Span, frozenset[str]], ...] = (),
        *,
        items: int = 0,
        read: frozenset[str] = frozenset(),
    ) -> None:
        """`outside` are the texts of the files that it names, None if files are not read; `read` is what its programs read."""
        self.configuration = configuration
        self.listed = cases
        #: Maps spans of the configuration itself to spans of the whole text, and holds its text.
        self.frame = frame
        self._outside = outside
        #: The files whose templates read secrets from the environment, with their places and the names of these.
        self.secrets = secrets
        #: The number of entries in the list of cases: cases, paths, and invalid entries.
        self.items = items
        #: The variables that programs read by name which the text around the cases names.
        self.read_by_programs = read

    @cached_property
    def outside(self) -> tuple[OutsideText, ...] | None:
        """The contents of the other files; None if some file was not read."""
        return () if self._outside is None and not self._names_files() else self._outside

    def _names_files(self) -> bool:
        """Whether prompts or cases may come from other files."""
        for field in ("tests", "scenarios", "default_test"):
            place = self.configuration.places.get(field)
            nodes = [] if place is None else place.node.items if isinstance(place.node, Sequence) else [place.node]
            if any(isinstance(node, Scalar) for node in nodes) or isinstance(self.configuration.tests, CaseSource):
                return True
        return self.prompts is None or any(path_sign(each.text) for each in self.prompts)

    @cached_property
    def refers_for_cases(self) -> bool:
        """Whether a `$ref` may stand for prompts, cases, or the variables or options of one; in assertions it stands for no more."""
        places = (self.configuration.places.get(f) for f in ("prompts", "tests", "scenarios", "default_test"))
        nodes = [self.configuration.node, *(each.node for each in places if each is not None)]
        nodes += [item for node in nodes if isinstance(node, Sequence) for item in node.items]
        for placed in self.bearers if "$ref" in self.frame.text or self.digest.pointing else ():
            nodes += [placed.case.node, *(p.node for f, p in placed.case.places.items() if f in ("vars", "options"))]
        return any(isinstance(node, Mapping) and node.get("$ref") is not None for node in nodes)

    @property
    def is_static(self) -> bool:
        """Whether the configuration has no `$ref`, so that all of it is known."""
        return "$ref" not in self.frame.text

    @cached_property
    def has_static_lists(self) -> bool:
        """Whether prompts and providers have no `$ref`."""
        if self.is_static:
            return True
        node = self.configuration.node
        entries = node.entries if isinstance(node, Mapping) else []
        lists = [entry.value for entry in entries if entry.name in ("prompts", "providers", "targets")]
        inner = (each for listed in lists for each in walk(listed))
        is_top = isinstance(node, Mapping) and node.get("$ref") is not None
        return not is_top and not any(isinstance(each, Mapping) and each.get("$ref") is not None for each in inner)

    @cached_property
    def defaults(self) -> PartialCase | None:
        """The defaults of all cases that are written in the configuration itself."""
        found = self.configuration.default_test
        return found if isinstance(found, PartialCase) else None

    @cached_property
    def scenarios(self) -> tuple[PromptfooScenario, ...]:
        """The scenarios that are written in the configuration itself."""
        found = self.configuration.scenarios
        return tuple(s for s in found if isinstance(s, PromptfooScenario)) if isinstance(found, list) else ()

    @cached_property
    def every_case(self) -> tuple[PlacedCase, ...]:
        """The cases of the list, and the parts and cases of scenarios."""
        inner = [
            c for s in self.scenarios for each in (s.config, s.tests) for c in (each if isinstance(each, list) else [])
        ]
        return (*self.listed, *(self.frame._replace(case=c) for c in inner if isinstance(c, PromptfooCase)))

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels of providers."""
        return frozenset(each.label for each in self.providers if each.label)

    @cached_property
    def bearers(self) -> tuple[PlacedCase, ...]:
        """Everything that has variables and assertions: the defaults, the cases of the list, and those of scenarios."""
        first = self.frame._replace(case=self.defaults or self.frame.case)
        return (first, *self.every_case)

    @cached_property
    def digest(self) -> SuiteDigest:
        """The digest of all cases."""
        return SuiteDigest(self.bearers, len(self.listed))

    @cached_property
    def prompts(self) -> tuple[PromptEntry, ...] | None:
        """The prompts; None if a path or program may give any number of them, or there is no list."""
        place = self.configuration.places.get("prompts")
        if place is None:
            return None
        nodes = place.node.items if isinstance(place.node, Sequence) else [place.node]
        return tuple(_prompt(node) for node in nodes) if not isinstance(place.node, Mapping) else None

    @cached_property
    def providers(self) -> tuple[ProviderEntry, ...]:
        """The providers, whichever key lists them."""
        return providers_of(self.configuration)


def providers_of(configuration: Configuration) -> tuple[ProviderEntry, ...]:
    """The providers of a configuration, whichever key lists them."""
    field = "targets" if configuration.has("targets") else "providers"
    place = configuration.places.get(field)
    if place is None:
        return ()
    shapes = vars(configuration).get(field)
    by_node = {id(s.node): s for s in shapes if isinstance(s, ConfiguredProvider)} if isinstance(shapes, list) else {}
    nodes = place.node.items if isinstance(place.node, Sequence) else [place.node]
    return tuple(_provider(node, by_node) for node in nodes)


def _prompt(node: Node) -> PromptEntry:
    if isinstance(node, Scalar):
        return PromptEntry(node, node.text, "", "")
    raw, label, name = (_text(node, key) for key in ("raw", "label", "id"))
    return PromptEntry(node, raw or name, label, name)


def _provider(node: Node, shapes: dict[int, ConfiguredProvider]) -> ProviderEntry:
    if isinstance(node, Scalar):
        return ProviderEntry(node, node.text, "", None)
    inner = node
    if (
        isinstance(node, Mapping)
        and len(node.entries) == 1
        and isinstance(node.entries[0].value, Mapping)
        and node.entries[0].name != "config"
    ):
        inner = node.entries[0].value
        return ProviderEntry(
            node, _text(inner, "id") or node.entries[0].name or "", _text(inner, "label"), shapes.get(id(inner))
        )
    return ProviderEntry(node, _text(node, "id"), _text(node, "label"), shapes.get(id(node)))


def _text(node: Node | None, name: str) -> str:
    value = node.get(name) if isinstance(node, Mapping) else None
    return value.text if isinstance(value, Scalar) else ""


def texts_of(configuration: Configuration) -> Iterator[tuple[Scalar, bool]]:
    """The texts of inline prompts, with whether they may be a path."""
    place = configuration.places.get("prompts")
    nodes = (
        place.node.items if place is not None and isinstance(place.node, Sequence) else [place.node] if place else []
    )
    for node in nodes:
        raw = node.get("raw") if isinstance(node, Mapping) else node
        if isinstance(raw, Scalar) and isinstance(raw.value, str):
            yield raw, raw is node


def request_texts(provider: Node | None) -> Iterator[Scalar]:
    """The texts of the request that a provider by HTTP sends, which it renders for each call."""
    identity = provider.get("id") if isinstance(provider, Mapping) else None
    settings = provider.get("config") if isinstance(provider, Mapping) else None
    if not isinstance(identity, Scalar) or not isinstance(settings, Mapping) or not identity.text.startswith("http"):
        return
    for name in _REQUEST:
        for node in walk(settings.get(name)):
            if isinstance(node, Scalar) and isinstance(node.value, str) and not node.text.startswith("file://"):
                yield node


def placed_fix(fix: Fix, outer: Callable[[Span], Span]) -> Fix:
    """A fix of one part of the text in the whole text, to which `outer` leads."""
    return replace(fix, edits=tuple(Edit(outer(edit.span), edit.new_text) for edit in fix.edits))
