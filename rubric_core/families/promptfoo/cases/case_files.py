"""The tests and scenarios that a configuration of promptfoo has in other files: YAML, JSON, JSONL and tables.

Nothing here runs a program: before a run, the tests that a program makes are a single entry, which says so.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from rubric_core.families.promptfoo.cases.case_programs import TestProgram
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.inlined_files import InlinedFiles
from rubric_core.families.promptfoo.cases.tables import table_records, test_of_row
from rubric_core.language.javascript_values import read_json
from rubric_core.lazy_compilation import dataclass, pattern
from rubric_core.loading.directory_search import URL, without_function
from rubric_core.loading.path_matches import path_matches
from rubric_core.syntax.parse import parse
from rubric_core.syntax.pointers import pointed
from rubric_core.syntax.tree import Alias, Node, Scalar, Sequence
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.text import LineIndex, Span

__all__ = [
    "YAML_ENDINGS",
    "TestPart",
    "TestSource",
    "entry_parts",
    "inline_part",
    "list_in",
    "members_of",
    "parts_in_place",
    "scenario_parts",
    "tree_parts",
    "vars_of_files",
]

YAML_ENDINGS = (".yaml", ".yml")
_CODE = pattern(r".+\.(?:[cm]?[jt]s|py)(?::[^:/\\]+)?\Z")
_REMOTE = ("http://", "https://", "huggingface://", "az://", "s3://", "gs://")
_WORKBOOKS = (".xlsx", ".xls")


@dataclass(frozen=True, slots=True)
class TestSource:
    """A file with tests, used to report where a test is written."""

    path: Path
    #: The text that the spans of its nodes refer to: the whole file, or the line of a test.
    text: str
    anchors: Mapping[str, Node]
    #: The line of an offset in `text`, from 1.
    line_of: Callable[[int], int]
    #: Where `text` begins in the file.
    offset: int = 0


class TestPart(NamedTuple):
    """A test, a scenario or a part of one, as plain data, with its place in the file."""

    data: Any
    node: Node
    #: The file that it is in; None for the configuration.
    source: TestSource | None = None
    #: The files that were read for it.
    files: tuple[Path, ...] = ()
    #: Why it cannot be run.
    trouble: str = ""


def parts_in_place(configuration: PromptfooConfiguration, name: str) -> Iterator[TestPart]:
    """Every test of `tests`, or a broken entry with the reason."""
    written, node = list_in(configuration, name)
    if not isinstance(written, list):
        if written is not None:
            yield from entry_parts(written, node, configuration, is_listed=False)
        return
    for item, at in zip(written, configuration.items(node, written), strict=True):
        yield from entry_parts(item, at, configuration, is_listed=True)


def list_in(configuration: PromptfooConfiguration, name: str) -> tuple[Any, Node]:
    """The value of a key at the top and its node: for a `$ref` in place of a list the list that it leads to."""
    written, node = configuration.data.get(name), configuration.node(name)
    if not isinstance(written, dict) or "$ref" not in written:
        return written, node
    try:
        found = configuration.resolved(written)
    except ConfigurationError:
        return written, node
    if not isinstance(found, list):
        return written, node
    return found, pointed(configuration.root, str(written["$ref"]).removeprefix("#/").split("/")) or node


def entry_parts(item: Any, at: Node, configuration: PromptfooConfiguration, *, is_listed: bool) -> Iterator[TestPart]:
    """The tests of an entry of a list, or of the single value in place of the list; a broken entry has the reason."""
    name = item.get("path") if isinstance(item, dict) else item
    if not isinstance(name, str):
        yield inline_part(item, at, configuration)
        return
    is_alone = isinstance(item, dict) or not is_listed
    try:
        # All of them or none: promptfoo stops at a file that it cannot read.
        program = _program(name, item, configuration)
        if program is not None:
            yield from list(_parts_from_program(program, configuration))
        else:
            yield from list(_parts_at_path(name, configuration, is_alone=is_alone, is_rows=isinstance(item, dict)))
    except ConfigurationError as error:
        yield TestPart({"description": name.removeprefix(URL)}, at, trouble=str(error))


def _program(name: str, item: Any, configuration: PromptfooConfiguration) -> TestProgram | None:
    """The program that an entry names, noted for a run; None where it names another file. Raises ConfigurationError."""
    if not _CODE.match(name.removeprefix(URL)) or name.removeprefix(URL).startswith(_REMOTE):
        return None
    config = item.get("config") if isinstance(item, dict) else None
    program = TestProgram(name, InlinedFiles(configuration).deep(config) if config is not None else None)
    if program not in configuration.programs:
        configuration.programs.append(program)
    return program


def _parts_from_program(program: TestProgram, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    """The tests that a program made, all placed on the first line of its file.

    Raises ConfigurationError if it has not been run.
    """
    made = configuration.generated.get(program.key)
    if made is None:
        raise ConfigurationError("a program makes them when the suite is run")
    if made.trouble:
        raise ConfigurationError(made.trouble)
    path = configuration.directory / without_function(program.text.removeprefix(URL))
    for line in filter(None, made.lines.split("\n")):
        source, data = TestSource(path, line, {}, _always(1)), read_json(line)
        unread = _unread(data)
        trouble = f"{unread}, which rubric does not read in tests that a program makes" if unread else ""
        yield TestPart(data, parse(line).root or _at(0, len(line)), source, (path,), trouble)


def _unread(data: Any) -> str:
    """What of a test that a program made has no JSON; empty if all of it has."""
    if isinstance(data, dict) and isinstance(data.get("$unread"), str):
        return str(data["$unread"])
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return next((found for each in inner if (found := _unread(each))), "")


def inline_part(item: Any, at: Node, configuration: PromptfooConfiguration) -> TestPart:
    """A test written in the configuration itself."""
    try:
        own = configuration.resolved(item)
    except ConfigurationError as error:
        return TestPart({}, at, trouble=str(error))
    if not isinstance(own, dict):
        return TestPart({}, at, trouble="it is no test: promptfoo takes a mapping or a path")
    return TestPart(own, at)


def _parts_at_path(
    text: str, configuration: PromptfooConfiguration, *, is_alone: bool, is_rows: bool
) -> Iterator[TestPart]:
    """The tests at a path. Raises ConfigurationError.

    Args:
        text: The path.
        configuration: The configuration.
        is_alone: Whether it stands alone, where promptfoo takes no pattern but for YAML and reads JSON as YAML.
        is_rows: Whether YAML is rows of values, as tables are.
    """
    name = text.removeprefix(URL)
    if name.startswith(_REMOTE) or PurePath(name.partition("#")[0]).suffix.lower() in _WORKBOOKS:
        raise ConfigurationError(f"rubric does not read tests of promptfoo from {name}")
    as_rows = is_rows or not name.endswith(("yaml", "yml"))
    if is_alone and as_rows:
        yield from _parts_in_lone_file(configuration.directory / name, configuration)
        return
    for path in configuration.files_named(name):
        yield from _parts_in_listed_file(path, configuration)


def _parts_in_lone_file(path: Path, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    """The tests of a file that is named alone: their descriptions are their numbers, and no `$ref` is followed."""
    ending = path.suffix.lower()
    text = configuration.read(str(path))
    if ending == ".csv":
        yield from _parts_in_table(path, text, configuration)
    elif ending == ".jsonl":
        yield from _numbered(_parts_in_json_lines(path, text, configuration))
    elif ending in (".json", *YAML_ENDINGS):
        parts = list(tree_parts(path, text, configuration, (path,)))
        if ending == ".json":
            yield from _numbered(iter(parts))
            return
        inlined = InlinedFiles(configuration)
        if not all(isinstance(part.data, dict) for part in parts):
            raise ConfigurationError(f"{configuration.shown(path)} has a row that is no mapping")
        rows = [part._replace(data=test_of_row(inlined.deep(part.data))) for part in parts]
        yield from (part._replace(files=(*part.files, *inlined.files)) for part in _numbered(iter(rows)))
    else:
        raise ConfigurationError(f"promptfoo reads no tests from {path.name}, and runs one empty test")


def _numbered(parts: Iterator[TestPart]) -> Iterator[TestPart]:
    """The parts, with their number as the description of those without one."""
    for number, part in enumerate(parts, start=1):
        if isinstance(part.data, dict) and not part.data.get("description"):
            yield part._replace(data={**part.data, "description": f"Row #{number}"})
        else:
            yield part


def _parts_in_listed_file(path: Path, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    """The tests of a file in a list of files. Raises ConfigurationError."""
    ending = path.suffix.lower()
    text = configuration.read(str(path))
    if ending == ".csv":
        yield from _parts_in_table(path, text, configuration)
        return
    if ending == ".jsonl":
        parts = list(_parts_in_json_lines(path, text, configuration))
    elif ending in (".json", *YAML_ENDINGS):
        parts = list(tree_parts(path, text, configuration, (path,)))
    else:
        raise ConfigurationError(f"promptfoo reads no tests from {ending or 'such'} files: {path.name}")
    inlined = InlinedFiles(configuration)
    found = inlined.deep([part.data for part in parts])
    resolved = configuration.resolved(found, found)
    for part, data in zip(parts, resolved, strict=True):
        yield part._replace(data=data, files=(*part.files, *inlined.files))


def tree_parts(
    path: Path, text: str, configuration: PromptfooConfiguration, files: tuple[Path, ...]
) -> Iterator[TestPart]:
    """The items of the list in a YAML or JSON file, or its one value. Raises ConfigurationError."""
    if path.suffix == ".json":
        InlinedFiles(configuration).data(path)  # promptfoo stops at a line that is not JSON
    data = configuration.external(str(path))
    tree, lines = parse(text), LineIndex(text)
    source = TestSource(path, text, tree.anchors, lambda at: lines.line_of(at) + 1)
    root = tree.root or _at(0, 0)
    if data is None:
        return
    listed = data if isinstance(data, list) else [data]
    for item, node in zip(listed, _items(root, listed), strict=True):
        yield TestPart(item, node, source, files)


def _items(root: Node, listed: list[Any]) -> list[Node]:
    """The nodes of the items, with aliases followed."""
    if isinstance(root, Sequence) and len(root.items) == len(listed):
        return [(item.target or item) if isinstance(item, Alias) else item for item in root.items]
    return [root] * len(listed)


def _parts_in_json_lines(path: Path, text: str, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    offset = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                data = read_json(line)
            except (ValueError, RecursionError) as error:
                raise ConfigurationError(f"{configuration.shown(path)}, line {number}: {error}") from None
            source = TestSource(path, line, {}, _always(number), offset)
            yield TestPart(data, parse(line).root or _at(0, len(line)), source, (path,))
        offset += len(line) + 1


def _always(number: int) -> Callable[[int], int]:
    return lambda _: number


def _parts_in_table(path: Path, text: str, configuration: PromptfooConfiguration) -> Iterator[TestPart]:
    lines = LineIndex(text)
    records = table_records(text, configuration.shown(path), configuration.tables)
    for number, (span, record) in enumerate(records, start=1):
        source = TestSource(path, text, {}, lambda at: lines.line_of(at) + 1)
        data = {"description": f"Row #{number}", **test_of_row(record)}
        yield TestPart(data, _at(*span), source, (path,))


def _at(start: int, end: int) -> Node:
    span = Span(start, end)
    return Scalar(span, span, None, None, "", "plain")


def vars_of_files(written: Any, directory: Path, configuration: PromptfooConfiguration) -> tuple[Any, tuple[Path, ...]]:
    """The variables of the YAML files that `vars` names, and these files; other values unchanged. Raises ConfigurationError."""
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, list):
        return written, ()
    inlined, found = InlinedFiles(configuration), dict[str, Any]()
    for name in names:
        if not isinstance(name, str):
            raise ConfigurationError("`vars` is a list of other things than paths")
        # A text with `file://` is not a path here: promptfoo finds no file and continues without variables.
        for path in path_matches(name, [directory], configuration.files).files_first:
            inlined.files.append(path)
            data = inlined.deep(configuration.external(str(path)))
            found |= data if isinstance(data, dict) else {}
    return found, tuple(inlined.files)


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
