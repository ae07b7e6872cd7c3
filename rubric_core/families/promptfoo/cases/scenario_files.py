"""The scenarios of a configuration of promptfoo, with their parts in other files."""

from collections.abc import Iterator
from typing import Any

from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.tables import table_records
from rubric_core.families.promptfoo.cases.test_files import (
    YAML_ENDINGS,
    TestPart,
    entry_parts,
    inline_part,
    tree_parts,
)
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node

__all__ = ["members_of", "scenario_parts"]


def scenario_parts(written: Any, at: Node, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    """The scenarios, including those in files. An invalid entry becomes a broken part with the reason."""
    listed = written if isinstance(written, list) else [] if written is None else [written]
    nodes = configuration.items(at, listed) if isinstance(written, list) else [at] * len(listed)
    for item, node in zip(listed, nodes, strict=True):
        try:
            if isinstance(item, str):
                yield from _in_files(item, node, configuration)
            else:
                yield inline_part(item, node, configuration)
        except ConfigurationError as error:
            yield TestPart({"description": "scenario"}, node, trouble=str(error))


def _in_files(text: str, at: Node, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    """The items of the files that a text names, unchanged, as promptfoo inserts them. Raises ConfigurationError."""
    if not text.startswith(URL):
        raise ConfigurationError(f"promptfoo takes no text for it: {text:.60}")
    name = text.removeprefix(URL)
    for path in configuration.files_named(name):
        if path.suffix == ".csv":
            records = table_records(configuration.read(str(path)), configuration.shown(path))
            yield from (TestPart(record, at, None, (path,)) for _, record in records)
        elif path.suffix in (".json", *YAML_ENDINGS):
            yield from tree_parts(path, configuration.read(str(path)), configuration, (path,))
        else:
            raise ConfigurationError(f"promptfoo takes {configuration.shown(path)} for a text")


def members_of(scenario: TestPart, name: str, configuration: PromptfooConfiguration) -> list[TestPart]:
    """The entries of `config` or `tests` of a scenario. Raises ConfigurationError."""
    if scenario.trouble:
        raise ConfigurationError(scenario.trouble)
    written = scenario.data.get(name) if isinstance(scenario.data, dict) else None
    inner = scenario.node.get(name) if isinstance(scenario.node, MappingNode) else None
    node = inner or scenario.node
    if isinstance(written, str) and name == "tests":
        return [part._replace(files=(*scenario.files, *part.files)) for part in _in_files(written, node, configuration)]
    if not isinstance(written, list):
        raise ConfigurationError(f"promptfoo needs a list as `{name}` of a scenario")
    found: list[TestPart] = []
    for item, at in zip(written, configuration.items(node, written), strict=True):
        if isinstance(item, dict):
            found.append(TestPart(item, at, scenario.source, scenario.files))
        elif name == "tests":
            found += entry_parts(item, at, configuration, is_listed=True)
        else:
            raise ConfigurationError(f"`config` of a scenario has an entry that is no mapping: {item!r:.60}")
    return found
