"""Scenarios of a suite: rows of values, each run with every one of their tests."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rubric_core.evaluation.cases.variant import ScenarioRow
from rubric_core.evaluation.templating.interpolate import node_of
from rubric_core.language.model import Case, Scenario
from rubric_core.language.shape import as_list
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import ListOf, NodeUnion
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.loading.directory_search import URL, current_directory, find_file, is_pattern
from rubric_core.loading.lower import Lowering
from rubric_core.loading.path_matches import TOO_MANY_FOLDERS, path_matches
from rubric_core.syntax.parse import LARGEST, parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node, Scalar
from rubric_core.text import LineIndex, Span

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable

__all__ = ["scenario_cases", "with_every_row"]

_SCENARIOS = NodeUnion(mapping=Shaped(Scenario), sequence=ListOf(NodeUnion(mapping=Shaped(Scenario))))
_READ = frozenset(("id", "description", "vars", "assert"))


#: Gives the cases in the files of a path in the tests of a scenario, which is at a span of the suite.
Behind: TypeAlias = "Callable[[str, Span], Iterator[Runnable]]"


def scenario_cases(frame: "Runnable", behind: Behind) -> "Iterator[Runnable]":
    """The tests of the scenarios of a suite, once for each row; `frame` holds the settings that all cases of the suite share."""
    place = frame.suite.places.get("scenarios")
    for item in frame.suite.scenarios or ():
        if isinstance(item, Scenario):
            inside = replace(
                frame, text=frame.suite_text, anchors=frame.suite_anchors, case_span=frame.suite_span,
                line_at=frame.suite_line_at or frame.line_at, suite_line_at=None,
            )  # fmt: skip
            yield from _Cases(inside, item, behind).all()
        elif isinstance(item, str) and place is not None:
            yield from _cases_of_files(frame, item, behind)


def with_every_row(cases: "Sequence[Runnable]") -> "Runnable":
    """One case for cases with the same id: its variations are those of all rows of scenarios among them."""
    rows = tuple(case for case in cases if case.row.label)
    return replace(cases[0], every_row=rows) if len(rows) > 1 and cases[0].row.label else cases[0]


def _cases_of_files(frame: "Runnable", name: str, behind: Behind) -> "Iterator[Runnable]":
    name = name.removeprefix(URL)
    if is_pattern(name):
        found = path_matches(name, [frame.directory], frame.files)
        if found.given_up:
            yield _broken(frame, name, TOO_MANY_FOLDERS)
            return
        paths = [*found.paths]
    else:
        path = frame.directory / name
        paths = [path] if frame.files.is_file(path) else []
    for path in paths:
        yield from _cases_of_file(frame, path, behind)
    if not paths:
        yield _broken(frame, name, f"there is no scenario file {name}")


def _broken(frame: "Runnable", name: str, words: str) -> "Runnable":
    at = frame.suite.at("scenarios")
    line = (frame.suite_line_at or frame.line_at)(frame.suite_span(at).start)
    return replace(frame, case=Case(at), named=name, problems=((f"line {line}", words),), case_span=frame.suite_span)


def _cases_of_file(frame: "Runnable", path: Path, behind: Behind) -> "Iterator[Runnable]":
    try:
        text = frame.files.read(path, LARGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield _broken(frame, path.name, f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}")
        return
    tree = parse(text)
    lowering = Lowering(text, frame.dialect, frame.dialects, tree.anchors)
    made = lowering.value(_SCENARIOS, tree.root, "scenarios") if tree.root is not None else None
    found = [s for s in as_list(made) if isinstance(s, Scenario)]
    if not found or tree.problems:
        yield _broken(frame, path.name, f"{path.name} is not a list of scenarios")
        return
    lines = LineIndex(text)
    inside = replace(
        frame, text=text, anchors=tree.anchors, file=path, case_span=lambda span: span, line_at=lambda at: lines.line_of(at) + 1,
        suite_line_at=frame.suite_line_at or frame.line_at,
    )  # fmt: skip
    for scenario in found:
        yield from _Cases(
            inside, scenario, lambda name, _: behind(name, frame.suite_span(frame.suite.key_at("scenarios")))
        ).all()


@dataclass(frozen=True)
class _Cases:
    """The cases of one scenario."""

    frame: "Runnable"
    scenario: Scenario
    behind: Behind

    def all(self) -> "Iterator[Runnable]":
        """Every test with every row, in order."""
        rows = [self._row(node, number) for number, node in enumerate(self._nodes(), start=1)] or [ScenarioRow()]
        for test in self.scenario.tests or ():
            if isinstance(test, Case):
                cases = [replace(self.frame, case=test, named=_name_from_description(test))]
            elif isinstance(test, str):
                cases = list(self.behind(test, self.frame.suite_span(self.scenario.at("tests"))))
            else:
                continue
            yield from (replace(case, row=row) for case in cases for row in rows)

    def _nodes(self) -> "Iterator[Node]":
        """The rows, including those in a file with rows."""
        place = self.scenario.places.get("config")
        node = place.node if place is not None else None
        for item in getattr(node, "items", ()):
            if isinstance(item, Scalar) and item.text.startswith(URL):
                yield from self._in_file(item)
            else:
                yield item

    def _in_file(self, name: Scalar) -> "Iterator[Node]":
        path = find_file(name.text.removeprefix(URL), self.frame.directory, self.frame.files, current_directory())
        text = ""
        try:
            if path is not None:
                text = self.frame.files.read(path, LARGEST).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            text = ""
        tree = parse(text)
        root = tree.root if not tree.problems else None
        rows = getattr(root, "items", None) or ([root] if isinstance(root, MappingNode) else [])
        if not rows:
            yield name  # not a row, but reported as one
        for row in rows:
            # Spans of another file mean nothing here: its values get the span of its name.
            yield node_of(plain(row, tree.anchors), name)

    def _row(self, node: Node, number: int) -> ScenarioRow:
        written = plain(node, self.frame.anchors)
        if not isinstance(written, dict):
            what = f"{written.removeprefix(URL)} has no rows" if isinstance(written, str) else "a row is missing"
            return ScenarioRow(trouble=f"{what}: a row of a scenario must be a mapping with `vars`")
        other = [name for name in written if name not in _READ]
        label = written.get("id") or written.get("description") or f"row-{number}"
        values = written.get("vars")
        return ScenarioRow(
            re.sub(r"[\[\],]", " ", str(label)).strip(),
            values if isinstance(values, dict) else {},
            node.get("assert") if isinstance(node, MappingNode) else None,
            f"rubric does not read `{other[0]}` in the row of a scenario" if other else "",
        )


def _name_from_description(test: Case) -> str:
    """A name for a test without an id, derived from its description."""
    node = test.places["description"].node if test.has("description") else None
    words = re.findall(r"\w+", node.text.lower()) if isinstance(node, Scalar) else []
    return "-".join(words)[:60]
