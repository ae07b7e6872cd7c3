"""Identifies the test to which a result belongs: its question and how answers are graded.

Two runs are compared case by case. A comparison may be about another prompt, system message or target; with another question,
evaluator, threshold or judge, the results belong to different tests. Reads no environment variables and runs nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import named_judge, target_name
from rubric_core.evaluation.engine.dependencies import CaseDependencies
from rubric_core.evaluation.engine.fingerprint import digest, shown_entries
from rubric_core.evaluation.model.file_addresses import file_addresses
from rubric_core.evaluation.targets.resolve import JUDGE_SETTINGS, Targets
from rubric_core.language.evaluators import Evaluator, GoalSuccess, LlmJudge, LlmRubric, Rubric
from rubric_core.language.shape import Shape, children
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain

__all__ = ["fingerprint_of_test"]

_JSON = json.JSONEncoder(sort_keys=True, default=str)
#: The keys of a case that decide its question and its score. Evaluators and variables are added separately.
_ASKED = (
    "criteria", "input", "input_files", "expected_output", "evaluator", "turns", "mode", "aggregation", "on_turn_failure", "window_size",
    "workspace", "environment",
)  # fmt: skip


def fingerprint_of_test(runnable: Runnable, files: Files, targets: Targets, threshold: float) -> str:
    """A hash of question, evaluators, judges without secrets, the threshold of 0..1, and the files that these name."""
    asked = dict(_questions(runnable))
    anchors = {**runnable.suite_anchors, **runnable.anchors}
    graded = [plain(shape.node, anchors) for shape in _graders(runnable)]
    test = {
        "asked": asked, "evaluators": graded, "dialect": runnable.dialect.name, "threshold": threshold,
        "variables": runnable.variables, "judges": _judges(runnable, targets), "files": _files(runnable, files, asked),
    }  # fmt: skip
    return hashlib.sha256(f"{_JSON.encode(test)}{runnable.history_hash}".encode()).hexdigest()[:32]


def _graders(runnable: Runnable) -> Iterable[Shape]:
    return chain(runnable.evaluators, runnable.suite.preprocessors or ())


def _questions(runnable: Runnable) -> Iterator[tuple[str, Any]]:
    places = runnable.case.places
    for name in _ASKED:
        if name in places:
            yield name, _without_instructions(plain(places[name].node, runnable.anchors))


def _without_instructions(value: Any) -> Any:
    """Messages without the system's, which tell the target how to answer, as a prompt does."""
    if not isinstance(value, list):
        return value
    return [each for each in value if not (isinstance(each, dict) and each.get("role") == "system")]


def _judges(runnable: Runnable, targets: Targets) -> Sequence[Any]:
    """The judges that are named explicitly, if a model grades anything.

    The target as its own judge is not part of the test.
    """
    shapes = [shape for config in runnable.evaluators for shape in children(config)]
    if targets.file is None or not (_is_judged(shapes) or not shapes):
        return ()
    answering = targets.file.entry(target_name(runnable.suite, runnable.options.target, targets))
    settings = answering.settings if answering is not None else {}
    names = (
        runnable.options.grader_target, targets.default_judge(), *(settings.get(key) for key in JUDGE_SETTINGS),
        *(named_judge(shape) for shape in shapes if isinstance(shape, Evaluator)),
    )  # fmt: skip
    return [names, *shown_entries(targets.file.reachable(names))]


def _is_judged(shapes: Iterable[Shape]) -> bool:
    return any(isinstance(shape, LlmJudge | LlmRubric | Rubric | GoalSuccess) for shape in shapes)


def _files(runnable: Runnable, files: Files, asked: Mapping[str, Any]) -> dict[str, str]:
    dependencies = CaseDependencies(runnable, files, ())
    written = asked.get("input_files")
    names = [*file_addresses(asked), *_file_blocks(asked), *(written if isinstance(written, list) else ())]
    found = chain(dependencies.of_evaluators(), dependencies.called(name for name in names if isinstance(name, str)))
    return {name: digest(path, files, runnable.facts.digests) for name, path in found}


def _file_blocks(value: Any) -> Iterator[Any]:
    """The paths in content blocks of files."""
    if isinstance(value, dict):
        if value.get("type") == "file":
            yield value.get("value")
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _file_blocks(each)
