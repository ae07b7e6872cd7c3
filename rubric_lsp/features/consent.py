"""What a run would execute and where it would send the case, in words: a person decides by this. Reads no environment."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rubric_core.language.evaluators import Aggregator, CodeEvaluator, LlmJudge, Preprocessor, PromptProgram, Rubric
from rubric_core.language.shape import children
from rubric_core.validation.words import count

if TYPE_CHECKING:
    from rubric_core.evaluation.runnable import Runnable
    from rubric_core.evaluation.targets import Targets
    from rubric_core.loading.targets import TargetEntry

__all__ = ["question"]

_SHOWN = 3
_POINTERS = ("use_target", "grader_target", "judge_target")


def question(cases: Sequence["Runnable"], targets: "Targets") -> str:
    """What a person is asked before these cases are run for the first time."""
    what = f"`{cases[0].id}`" if len(cases) == 1 else count(len(cases), "case")
    programs = list(dict.fromkeys(p for case in cases for p in _programs(case)))
    addresses: list[str] = []
    for entry in _entries(cases, targets):
        command, address = entry.settings.get("command"), _address(entry)
        if command is not None:
            programs.insert(0, _written(command))
        elif address:
            addresses.append(f"{address}{_variables(entry)}")
    parts = []
    if programs:
        parts.append(f"execute {_listed([f'`{p}`' for p in dict.fromkeys(programs)])}")
    if addresses:
        parts.append(f"send the case to {_listed(list(dict.fromkeys(addresses)))}")
    doing = f" It will {', and '.join(parts)}." if parts else ""
    return f"Run {what}?{doing}"


def _programs(case: "Runnable") -> Iterator[str]:
    for config in case.evaluators:
        for shape in children(config):
            if isinstance(shape, CodeEvaluator | PromptProgram | Preprocessor) and shape.command is not None:
                yield _written(shape.command)
            elif isinstance(shape, Aggregator) and shape.path:
                yield shape.path


def _entries(cases: Iterable["Runnable"], targets: "Targets") -> Iterator["TargetEntry"]:
    """The entries of all targets and judges that take part, those that they point to included."""
    from rubric_core.evaluation.targets import target_name  # noqa: PLC0415  # what runs need is loaded when something runs

    waiting: list[object] = []
    for case in cases:
        waiting.append(target_name(case.suite, case.options.target))
        inner = (shape for config in case.evaluators for shape in children(config))
        waiting += (shape.target for shape in inner if isinstance(shape, LlmJudge | Rubric))
    seen: set[str] = set()
    while waiting and targets.file is not None:
        name = waiting.pop(0)
        entry = targets.file.entry(name) if isinstance(name, str) and name not in seen else None
        if entry is not None:
            seen.add(entry.name)
            waiting += (entry.settings.get(key) for key in _POINTERS)
            yield entry


def _address(entry: "TargetEntry") -> str:
    for key in ("base_url", "endpoint", "url"):
        if entry.settings.get(key):
            return str(entry.settings[key])
    return "" if entry.kind in ("", "mock") else entry.kind


def _variables(entry: "TargetEntry") -> str:
    from rubric_core.evaluation.targets import variables_of  # noqa: PLC0415

    names = variables_of(entry)
    return f" with {', '.join(names)}" if names else ""


def _written(command: object) -> str:
    if isinstance(command, list | tuple):
        return shlex.join(str(part) for part in command)
    return " ".join(str(command).split())


def _listed(words: list[str]) -> str:
    shown = ", ".join(words[:_SHOWN])
    return shown if len(words) <= _SHOWN else f"{shown} and {len(words) - _SHOWN} more"
