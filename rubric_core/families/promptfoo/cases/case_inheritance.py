"""The tests of a configuration of promptfoo, each merged with what it inherits."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.dataclass_copies import replace_fields
from rubric_core.families.promptfoo.cases.case_files import (
    TestPart,
    TestSource,
    inline_part,
    list_in,
    members_of,
    parts_in_place,
    scenario_parts,
    vars_of_files,
)
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.loading.names import case_name, numbered_name
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL
from rubric_core.loading.read_entries import MERGE
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = ["PromptfooTest", "default_test", "inline_tests", "listed_test", "tests_of"]

_MERGED = ("vars", "options", "metadata")
_AROUND = ("prefix", "suffix")
#: promptfoo takes a mapping with one of these for a test.
_NEEDED = ("assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold")
_TAKEN = ("threshold", "prompts", "providers", "provider", "assertScoringFunction")


@dataclass(frozen=True, slots=True)
class PromptfooTest:
    """One test: its own keys, and those of `defaultTest`."""

    #: Where it is written.
    node: Node
    #: Merged, as plain data.
    data: Mapping[str, Any]
    #: The assertions in order of precedence, each with its place.
    assertions: tuple[tuple[Mapping[str, Any], Node], ...] = ()
    #: Why it cannot be run.
    trouble: str = ""
    #: The file that it is in; None for the configuration.
    source: TestSource | None = None
    #: The files that were read for it.
    files: tuple[Path, ...] = ()
    #: How many of the assertions, the first ones, come from `defaultTest`.
    inherited: int = 0
    #: The name of its results; empty if they are named by its line.
    named: str = ""
    #: Whether it is in the list of the configuration itself; such tests are named first.
    listed: bool = False
    #: Its variables that are in other files: promptfoo fills the environment only into the configuration.
    foreign: frozenset[str] = frozenset()
    #: The conversation of its scenario, used if the test names none.
    scenario: str = ""

    def part(self, name: str) -> Mapping[str, Any]:
        """A mapping among its keys; empty for anything else."""
        found = self.data.get(name)
        return found if isinstance(found, dict) else {}

    @property
    def conversation_id(self) -> str:
        """The conversation that its rows belong to, as JSON; empty for the one of tests that name none."""
        own = self.part("metadata").get("conversationId")
        return self.scenario if own is None else json.dumps(own, sort_keys=True, default=str)

    @property
    def description(self) -> str:
        """Its description on one line; empty without one."""
        written = self.data.get("description")
        return " ".join(str(written).split()) if isinstance(written, str | int | float) else ""


def default_test(configuration: PromptfooConfiguration) -> tuple[Mapping[str, Any], Node, tuple[Path, ...]]:
    """The defaults that every test inherits, with their location and files. Raises ConfigurationError."""
    written, node = configuration.value("defaultTest"), configuration.node("defaultTest")
    files: tuple[Path, ...] = ()
    if isinstance(written, str):
        # promptfoo also reads a path without `file://`, and if there is none, continues without it.
        written = configuration.external(written) if written.startswith(URL) else {}
        files = (configuration.directory / str(configuration.value("defaultTest")).removeprefix(URL),)
    found = written if isinstance(written, dict) else {}
    metadata = configuration.value("metadata")
    if isinstance(metadata, dict) and "metadata" not in found:
        found = {**found, "metadata": metadata}
    return found, node, files


def tests_of(configuration: PromptfooConfiguration) -> Iterator[PromptfooTest]:
    """Every test in the order of the text; a test that cannot be run gives an entry with the reason.

    Raises ConfigurationError.
    """
    if configuration.trouble:
        raise ConfigurationError(configuration.trouble)
    data, node, files = default_test(configuration)
    shared = data, node
    scenarios, _ = list_in(configuration, "scenarios")
    count = 0
    for test in (*_listed(shared, configuration), *_scenario_tests(scenarios, shared, configuration)):
        count += 1
        yield replace_fields(test, files=(*test.files, *files)) if files else test
    # promptfoo runs one case without anything
    if not count and not configuration.data.get("tests") and not isinstance(scenarios, list | str):
        yield replace_fields(merged({}, configuration.root, shared, configuration), files=files)


def _listed(default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration) -> Iterator[PromptfooTest]:
    written, node = list_in(configuration, "tests")
    listed = configuration.items(node, written) if isinstance(written, list) else []
    numbers = {id(at): number for number, at in enumerate(listed, start=1)}
    for part in parts_in_place(configuration, "tests"):
        yield listed_test(part, default, configuration, numbers.get(id(part.node), 0))


def inline_tests(configuration: PromptfooConfiguration) -> Iterator[PromptfooTest]:
    """The tests in the list itself, without defaults: those that are known where promptfoo cannot read all tests."""
    written, node = configuration.data.get("tests"), configuration.node("tests")
    listed = written if isinstance(written, list) else []
    for number, (item, at) in enumerate(zip(listed, configuration.items(node, listed), strict=True), start=1):
        if isinstance(item, dict) and isinstance(at, MappingNode) and not isinstance(item.get("path"), str):
            part = inline_part(item, at, configuration)
            yield listed_test(part, ({}, configuration.root), configuration, number)


def listed_test(
    part: TestPart, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration, number: int
) -> PromptfooTest:
    """A test of the list; the number of its entry counts from 1."""
    made = _test(part, default, configuration)
    if part.source is not None or not isinstance(part.node, MappingNode):
        data = part.data if isinstance(part.data, dict) else {}
        return replace_fields(made, named=case_name(data.get("description"), data.get("vars")))
    # Verbatim, so that an editor can tell without following references.
    name = case_name(*(_written(part.node, key, configuration) for key in ("description", "vars")))
    return replace_fields(made, named=name or numbered_name(number), listed=True)


def _written(node: MappingNode, key: str, configuration: PromptfooConfiguration) -> Any:
    """The value that a mapping has for a key, before templates are filled in; None if the key is missing."""
    if node.get(MERGE) is not None:
        return plain(node, configuration.anchors).get(key)
    return plain(node.get(key), configuration.anchors)


def _test(
    part: TestPart, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> PromptfooTest:
    """The test of a part."""
    trouble = part.trouble or _refusal(part.data)
    if trouble:
        data = part.data if isinstance(part.data, dict) else {}
        return PromptfooTest(part.node, data, trouble=trouble, source=part.source, files=part.files)
    try:
        part = _with_variables(part, configuration)
    except ConfigurationError as error:
        return PromptfooTest(part.node, part.data, trouble=str(error), source=part.source, files=part.files)
    made = merged(part.data, part.node, default, configuration)
    if part.source is not None or part.files:
        made = _placed(made, part)
    foreign = _foreign(default[0], configuration, part)
    return replace_fields(made, foreign=foreign) if foreign else made


def _foreign(shared: Mapping[str, Any], configuration: PromptfooConfiguration, *parts: TestPart) -> frozenset[str]:
    """The variables whose values are in other files; the last of the parts that has one counts."""
    names = _variables(shared) if isinstance(configuration.data.get("defaultTest"), str) else frozenset[str]()
    for part in parts:
        own = _variables(part.data)
        names = names | own if part.source is not None or part.files else names - own
    return names


def _variables(data: Mapping[str, Any]) -> frozenset[str]:
    found = data.get("vars")
    return frozenset(map(str, found)) if isinstance(found, dict) else frozenset()


def _placed(test: PromptfooTest, *parts: TestPart) -> PromptfooTest:
    """The test as one of the last of these parts, of whose files it is made."""
    source = parts[-1].source
    pairs = test.assertions
    if source is not None:  # errors in another file are reported at the test
        inside = parts[-1].node.whole
        pairs = tuple((each, at if inside.holds(at.span) else parts[-1].node) for each, at in pairs)
    return replace_fields(test, source=source, files=tuple(f for part in parts for f in part.files), assertions=pairs)


def _with_variables(part: TestPart, configuration: PromptfooConfiguration) -> TestPart:
    """The part with the variables of the files that its `vars` names. Raises ConfigurationError."""
    directory = part.source.path.parent if part.source is not None else configuration.directory
    variables, files = vars_of_files(part.data.get("vars"), directory, configuration)
    if not files and variables is part.data.get("vars"):
        return part
    return part._replace(data={**part.data, "vars": variables}, files=(*part.files, *files))


def _refusal(data: Any) -> str:
    """The reason why promptfoo rejects a value as a test; empty if it accepts it."""
    if not isinstance(data, dict):
        return "it is no test: promptfoo takes a mapping or a path"
    threshold = data.get("threshold")
    if any(data.get(name) for name in _NEEDED) or (
        isinstance(threshold, int | float) and not isinstance(threshold, bool)
    ):
        return ""
    # An empty mapping or list counts, too.
    if any(isinstance(data.get(name), dict | list) for name in _NEEDED):
        return ""
    return f"promptfoo stops at a test without {', '.join(_NEEDED[:-1])} or {_NEEDED[-1]}"


def _scenario_tests(
    written: Any, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> Iterator[PromptfooTest]:
    _, at = list_in(configuration, "scenarios")
    for number, part in enumerate(scenario_parts(written, at, configuration)):
        yield from _scenario(part, number, default, configuration)


def _scenario(
    part: TestPart, number: int, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> Iterator[PromptfooTest]:
    """Every entry of a scenario's `config` with each of its `tests`; one entry with the reason if they cannot be read."""
    try:
        rounds, tests = members_of(part, "config", configuration), members_of(part, "tests", configuration)
    except ConfigurationError as error:
        yield PromptfooTest(
            part.node, {"description": "scenario"}, trouble=str(error), source=part.source, files=part.files
        )
        return
    for count, own in enumerate(rounds):
        for test in tests:
            made = _scenario_test(own, test, default, configuration)
            yield replace_fields(made, scenario=f"scenario {number}, entry {count}")


def _scenario_test(
    own: TestPart, test: TestPart, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> PromptfooTest:
    """A test of a scenario with one of its entries of `config`."""
    trouble = test.trouble or _refusal(test.data)
    if not trouble:
        try:
            test = _with_variables(test, configuration)
        except ConfigurationError as error:
            trouble = str(error)
    if trouble:
        data = test.data if isinstance(test.data, dict) else {}
        return PromptfooTest(test.node, data, trouble=trouble, source=test.source, files=test.files)
    first, second = own.data, test.data
    inherited = merged(first, own.node, ({}, own.node), configuration)
    both = {**first, **second} | {
        name: {**(first.get(name) or {}), **(second.get(name) or {})}
        for name in _MERGED
        if isinstance(first.get(name), dict) and isinstance(second.get(name) or {}, dict)
    }
    made = merged({**both, "assert": None}, test.node, default, configuration)
    graded = merged({**second, "vars": {}}, test.node, ({}, test.node), configuration)
    pairs = (*made.assertions, *inherited.assertions, *graded.assertions)
    trouble = made.trouble or inherited.trouble or graded.trouble
    name = case_name(both.get("description"), both.get("vars"))
    foreign = _foreign(default[0], configuration, own, test)
    found = PromptfooTest(test.node, made.data, pairs, trouble, inherited=made.inherited, named=name, foreign=foreign)
    return _placed(found, own, test)


def merged(
    own: Mapping[str, Any], at: Node, default: tuple[Mapping[str, Any], Node], configuration: PromptfooConfiguration
) -> PromptfooTest:
    """A test merged with its defaults: mappings are merged, and default assertions come first."""
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
    inherited = () if skips else _assertions(shared, shared_at, configuration)
    pairs = [*inherited, *_assertions(own, at, configuration)]
    trouble = next(
        (
            f"`assert` has an entry that is no assertion: {each!r:.60}"
            for each, _ in pairs
            if not isinstance(each, dict)
        ),
        "",
    )
    variables = data.get("vars")
    if not trouble and variables is not None and not isinstance(variables, dict):
        trouble = "`vars` is no mapping of names to values"
    given = sum(isinstance(each, dict) for each, _ in inherited)
    graded = tuple((each, node) for each, node in pairs if isinstance(each, dict))
    return PromptfooTest(at, data, graded, trouble, inherited=given)


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
