"""Cases and evaluators from plain data instead of files, under the same rules: errors raise, warnings are logged."""

import json
import logging
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from rubric_core.analysis import Analysis, analyze
from rubric_core.evaluation.model.errors import InvalidSuiteError
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS, dialect_named
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case, Origin
from rubric_core.loading.grading import case_list
from rubric_core.syntax.line_document import LineDocument
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.validation.rule import Diagnostic

__all__ = ["as_json", "case_from_data", "dialect_of", "evaluator_from_data", "located", "raise_and_log"]


_log = logging.getLogger(__name__)


#: The key that names the one evaluator of a case, and its deprecated name.
_SCALARS = ("evaluator", "grader")


#: Findings about keys and types that a dialect does not have, or no longer has.
_ABOUT_WORDS = frozenset({"foreign-key", "foreign-type", "renamed-key", "renamed-type", "unknown-key", "unknown-type"})


#: Findings that do not apply to a case that is graded alone: it needs no input, and its evaluators may be registered.
_OF_SUITES = frozenset({"nothing-asserted", "nothing-asked", "unknown-type"})


def case_from_data(data: Mapping[str, Any], dialect: Dialect | str | None = None) -> Case:
    """A case from plain data, for `EvaluationContext`: a mapping with the keys of a case in YAML.

    Keys that only a run needs, such as `input`, may be left out. Warnings, such as deprecated keys, are logged.

    Args:
        data: Texts, numbers, booleans, None, paths, and lists and mappings of these.
        dialect: The dialect of its keys; by default the one that fits them best.

    Raises InvalidSuiteError for a case with errors, each on a line with its place, as in `rubrics[0].weight`; TypeError
    or ValueError for data that YAML cannot represent, and ValueError for an unknown dialect.
    """
    given = as_json(data, "a case")
    if "evaluator" in given and given.pop("grader", None) is not None:
        _log.warning("grader: conflicting-keys: `evaluator` is used and this is not")
    reading = _fitting(given) if dialect is None else _Reading(given, dialect_of(dialect))
    scalar = _scalar(given)
    if scalar and "evaluator" not in reading.case.places:
        # Both names are accepted, whatever the dialect of the other keys.
        other = next(name for name in _SCALARS if name != scalar)
        renamed = _Reading({other if key == scalar else key: value for key, value in given.items()}, reading.dialect)
        reading = renamed.called(other, scalar) if "evaluator" in renamed.case.places else reading
    if scalar == "grader" and not reading.is_said("grader") and not (dialect and reading.dialect is DIALECTS[0]):
        _log.warning("grader: renamed-key: `grader` is deprecated: use `evaluator`")
    raise_and_log(reading.located)
    return reading.case


def evaluator_from_data(data: Mapping[str, Any], dialect: Dialect) -> Evaluator:
    """An evaluator from plain data: a mapping with the keys of an evaluator in YAML. Raises as `case_from_data` does."""
    key = dialect.spelled(Case, "assertions") or "evaluators"
    made = case_list(case_from_data({key: [data]}, dialect)) or []
    if not made or not isinstance(made[0], Evaluator):
        raise InvalidSuiteError(f"{dict(data)!r:.60} is not an evaluator: it needs a `type`")
    return made[0]


def dialect_of(given: Dialect | str) -> Dialect:
    """A dialect, or the one with that name. Raises ValueError for an unknown name."""
    return given if isinstance(given, Dialect) else dialect_named(given)


def as_json(data: object, what: str) -> dict[str, Any]:
    """`data` as JSON has them. Raises TypeError or ValueError."""
    if not isinstance(data, Mapping):
        raise TypeError(f"{what} must be a mapping with its keys, found {type(data).__name__}")
    try:
        return {_key(key, ""): _plain(value, str(key)) for key, value in data.items()}
    except RecursionError:
        raise ValueError(f"{what} must not contain itself") from None


def _plain(value: object, place: str) -> Any:
    """`value` as JSON has it. Raises TypeError or ValueError."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise ValueError(f"{place}: the string has a lone surrogate, which is not a character")
        return str.__str__(value)  # also of an enumeration of texts
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{place}: {value} cannot be written as a number")
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {_key(key, place): _plain(item, _step(place, str(key))) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_plain(item, f"{place}[{number}]") for number, item in enumerate(value)]
    raise TypeError(f"{place} must be a string, number, boolean, list, mapping or None, found {type(value).__name__}")


def _key(key: object, place: str) -> str:
    if not isinstance(key, str | int | float) or isinstance(key, bool):
        raise TypeError(f"{place or 'a case or suite'}: a key must be a string or a number, found {key!r:.40}")
    return str(key)


def _step(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key


def _scalar(data: Mapping[str, Any]) -> str | None:
    """The key by which a case names its one evaluator, if it does."""
    return next((name for name in _SCALARS if name in data), None)


def _fitting(data: Mapping[str, Any]) -> "_Reading":
    """The case in the dialect that reads most of its keys and knows its `evaluator`; the newest of equals."""
    scalar = _scalar(data)

    def strange(reading: _Reading) -> tuple[int, int]:
        ignored = scalar is not None and reading.case.evaluator != data[scalar]
        read = {place.name for place in reading.case.places.values()}
        # Invalid and missing values do not indicate the dialect.
        words = [found for found in reading.findings if found.group in _ABOUT_WORDS]
        refused = sum(found.severity == "error" for found in words)
        return len(data.keys() - read) + refused + ignored, len(words)

    return min((_Reading(data, each) for each in reversed(DIALECTS)), key=strange)


class _Reading:
    """A case as a dialect reads it."""

    def __init__(self, data: Mapping[str, Any], dialect: Dialect) -> None:
        document = LineDocument.of(json.dumps(data, ensure_ascii=False))
        analysis = analyze(document, dialect=dialect.name, kind=FileKind.DATASET)
        self.dialect = dialect
        self.case = copy(analysis.cases[0].case)
        self.case.origin = Origin(dialect)
        self.findings = analysis.diagnostics
        said = (each for each in analysis.diagnostics if not _is_about_running(each, self.case))
        #: The findings that apply to the case alone, each as a line with its place.
        self.located = list(located(said, analysis))

    def called(self, read: str, written: str) -> "_Reading":
        """The same with the scalar under its name in the data, which was `read` under another one."""
        place = self.case.places["evaluator"]._replace(name=written)
        self.case.places = {**self.case.places, "evaluator": place}
        self.located = [
            (found, line.replace(f"{read}: ", f"{written}: ", 1).replace(f"`{read}`", f"`{written}`", 1))
            if line.startswith(f"{read}: ")
            else (found, line)
            for found, line in self.located
        ]
        return self

    def is_said(self, name: str) -> bool:
        """Whether a finding tells that a key has another name now."""
        return any(line.startswith(f"{name}: renamed-key:") for _, line in self.located)


def _is_about_running(found: Diagnostic, case: Case) -> bool:
    """Whether a finding only matters when the case is run as a part of a suite."""
    own = found.group == "missing-key" and found.span == case.span
    scalar = found.group == "invalid-value" and found.span == case.at("evaluator")
    return own or scalar or found.group in _OF_SUITES


def located(found: Iterable[Diagnostic], analysis: Analysis) -> Iterator[tuple[Diagnostic, str]]:
    """Findings, each as a line with its place in the data."""
    for each in found:
        local = analysis.local(each.span.start)
        place = _place(local.tree.root, local.offset)
        yield each, f"{place or 'as a whole'}: {each.code}: {each.message}"


def _place(node: Node | None, offset: int, so_far: str = "") -> str:
    """The place of an offset, as `rubrics[0].weight`."""
    if isinstance(node, MappingNode):
        for entry in node.entries:
            if entry.key.span.start <= offset < entry.value.whole.end:
                return _place(entry.value, offset, _step(so_far, entry.name or ""))
    if isinstance(node, SequenceNode):
        for number, item in enumerate(node.items):
            if item.whole.start <= offset < item.whole.end:
                return _place(item, offset, f"{so_far}[{number}]")
    return so_far


def raise_and_log(located: Iterable[tuple[Diagnostic, str]], further: Sequence[str] = ()) -> None:
    """Raise InvalidSuiteError with all errors, or log the warnings if there are none.

    Args:
        located: Diagnostics, each with its message and place in one line.
        further: Messages of other errors.
    """
    lines = list(located)
    errors = [line for found, line in lines if _is_an_error(found)]
    if errors or further:
        raise InvalidSuiteError("\n".join([*errors, *further]))
    for found, line in lines:
        if found.severity in ("error", "warning"):
            _log.warning("%s", line)


def _is_an_error(found: Diagnostic) -> bool:
    """Whether a finding is an error here. A type that the dialect refuses may be registered: that is a warning."""
    return found.severity == "error" and found.group not in ("foreign-type", "renamed-type")
