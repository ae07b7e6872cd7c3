"""The tests of a configuration of promptfoo, each merged with what it inherits."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from rubric_core.evaluation.cases.promptfoo.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = ["PromptfooTest", "default_test", "tests_of"]

_MERGED = ("vars", "options", "metadata")
_AROUND = ("prefix", "suffix")
_TAKEN = ("threshold", "prompts", "providers", "provider", "assertScoringFunction")


@dataclass(frozen=True, slots=True)
class PromptfooTest:
    """One test: its own keys, and those of `defaultTest` (issue 18, section 3)."""

    #: Where it is written.
    node: Node
    #: Merged, as plain data.
    data: Mapping[str, Any]
    #: The assertions in the order in which they count, each with where it is written.
    assertions: tuple[tuple[Mapping[str, Any], Node], ...] = ()
    #: Why it cannot be run.
    trouble: str = ""

    def part(self, name: str) -> Mapping[str, Any]:
        """A mapping among its keys; empty for anything else."""
        found = self.data.get(name)
        return found if isinstance(found, dict) else {}

    @property
    def description(self) -> str:
        """Its description on one line; empty without one."""
        written = self.data.get("description")
        return " ".join(str(written).split()) if isinstance(written, str | int | float) else ""


def default_test(configuration: PromptfooConfiguration) -> tuple[Mapping[str, Any], Node]:
    """What every test inherits, and where it is written. Raises ConfigurationError."""
    written, node = configuration.value("defaultTest"), configuration.node("defaultTest")
    if isinstance(written, str):
        written = configuration.resolved(configuration.external(written))
    found = written if isinstance(written, dict) else {}
    metadata = configuration.value("metadata")
    if isinstance(metadata, dict) and "metadata" not in found:
        found = {**found, "metadata": metadata}
    return found, node


def tests_of(configuration: PromptfooConfiguration) -> Iterator[PromptfooTest]:
    """Every test in the order of the text, and an entry with the reason for what cannot be run. Raises ConfigurationError."""
    default = default_test(configuration)
    written, node = configuration.data.get("tests"), configuration.node("tests")
    listed = written if isinstance(written, list) else [] if written is None else [written]
    nodes = configuration.items(node, listed) if isinstance(written, list) else [node] * len(listed)
    for item, at in zip(listed, nodes, strict=True):
        yield _test(item, at, default, configuration)
    scenarios = configuration.data.get("scenarios")
    if isinstance(scenarios, list):
        for scenario, at in zip(
            scenarios, configuration.items(configuration.node("scenarios"), scenarios), strict=True
        ):
            yield from _scenario(scenario, at, default, configuration)
    if not listed and not isinstance(scenarios, list):  # promptfoo runs one case without anything
        yield _test({}, configuration.root, default, configuration)


def _scenario(
    written: Any, at: Node, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> Iterator[PromptfooTest]:
    """Every entry of `config` of a scenario with every one of its `tests`; one entry with the reason where they cannot be read."""
    try:
        scenario = configuration.resolved(written)
    except ConfigurationError as error:
        yield PromptfooTest(at, {}, trouble=str(error))
        return
    rounds, tests = (_mappings(scenario, name, at, configuration) for name in ("config", "tests"))
    if rounds is None or tests is None:
        trouble = "rubric runs scenarios of promptfoo whose `config` and `tests` stand in it"
        yield PromptfooTest(at, {"description": "scenario"}, trouble=trouble)
        return
    for (own, own_at), (test, test_at) in product(rounds, tests):
        inherited = merged(own, own_at, ({}, own_at), configuration)
        both = {**own, **test} | {
            name: {**(own.get(name) or {}), **(test.get(name) or {})}
            for name in _MERGED
            if isinstance(own.get(name), dict) and isinstance(test.get(name, {}), dict)
        }
        made = merged({**both, "assert": None}, test_at, default, configuration)
        graded = merged({**test, "vars": {}}, test_at, ({}, test_at), configuration)
        pairs = (*made.assertions, *inherited.assertions, *graded.assertions)
        yield PromptfooTest(test_at, made.data, pairs, made.trouble or inherited.trouble or graded.trouble)


def _mappings(
    scenario: Any, name: str, at: Node, configuration: PromptfooConfiguration
) -> list[tuple[dict[str, Any], Node]] | None:
    """The entries of a list of a scenario, each with where it is written; None for anything but a list of mappings."""
    listed = scenario.get(name) if isinstance(scenario, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        return None
    inner = at.get(name) if isinstance(at, MappingNode) else None
    return list(zip(listed, configuration.items(inner or at, listed), strict=True))


def _test(
    item: Any, at: Node, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> PromptfooTest:
    try:
        own = configuration.resolved(item)
    except ConfigurationError as error:
        return PromptfooTest(at, {}, trouble=str(error))
    if isinstance(own, str) or (isinstance(own, dict) and isinstance(own.get("path"), str)):
        path = own if isinstance(own, str) else own["path"]
        name = path.removeprefix(URL)
        return PromptfooTest(
            at, {"description": name}, trouble=f"rubric does not run tests of promptfoo in other files: {name}"
        )
    if not isinstance(own, dict):
        return PromptfooTest(at, {}, trouble="it is no test: promptfoo takes a mapping or a path")
    return merged(own, at, default, configuration)


def merged(
    own: Mapping[str, Any], at: Node, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> PromptfooTest:
    """A test with what it inherits: mappings are merged, the assertions of the default come first."""
    shared, shared_at = default
    data = dict(own)
    for name in _MERGED:
        inner = [each.get(name) for each in (shared, own)]
        if any(isinstance(each, dict) for each in inner):
            data[name] = {key: value for each in inner if isinstance(each, dict) for key, value in each.items()}
    around: Any = data.get("options")
    given: Any = shared.get("options")
    for name in _AROUND if isinstance(around, dict) and isinstance(given, dict) else ():
        if not around.get(name) and given.get(name):  # an empty text does not take that of the default away
            around[name] = given[name]
    for name in _TAKEN:
        if own.get(name) is None and shared.get(name) is not None:
            data[name] = shared[name]
    options = own.get("options")
    skips = isinstance(options, dict) and options.get("disableDefaultAsserts") is True
    pairs = [*(() if skips else _assertions(shared, shared_at, configuration)), *_assertions(own, at, configuration)]
    trouble = next(
        (
            f"`assert` has an entry that is no assertion: {each!r:.60}"
            for each, _ in pairs
            if not isinstance(each, dict)
        ),
        "",
    )
    files = data.get("vars")
    if not trouble and files is not None and not isinstance(files, dict):
        trouble = "rubric does not read `vars` of promptfoo from files"
    return PromptfooTest(at, data, tuple((each, node) for each, node in pairs if isinstance(each, dict)), trouble)


def _assertions(
    written: Mapping[str, Any], at: Node, configuration: PromptfooConfiguration
) -> Sequence[tuple[Any, Node]]:
    listed = written.get("assert")
    if listed is None:
        return ()
    if not isinstance(listed, list):
        return ((listed, at),)
    inner = configuration.followed(at.get("assert")) if isinstance(at, MappingNode) else None
    return tuple(zip(listed, configuration.items(inner or at, listed), strict=True))
