"""The roles in a run: which target answers a case, which ones judge, and which environment variables they use."""

from collections.abc import Iterable, Iterator, Mapping

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import named_judge, target_name
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.targets.settings import BARE
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.shape import children
from rubric_core.language.variables import environment_variables_in
from rubric_core.loading.targets import LoadedTargetEntry

__all__ = ["participating_names", "participating_targets", "variables_of"]


def participating_targets(cases: Iterable[Runnable], targets: Targets) -> Iterator[LoadedTargetEntry]:
    """The entries of all targets that answer or judge these cases, and of the targets that these refer to."""
    if targets.file is not None:
        yield from targets.file.reachable(participating_names(cases, targets))


def participating_names(cases: Iterable[Runnable], targets: Targets) -> list[str | None]:
    """The names of the targets that answer or judge these cases; some may not exist."""
    names: list[str | None] = [targets.default_judge()]
    for case in (each for whole in cases for each in variations(whole)):
        names += [
            target_name(case.suite, case.options.target, targets),
            case.options.grader_target,
            *case.further_targets,
        ]
        inner = (shape for config in case.evaluators for shape in children(config))
        names += [named_judge(shape) for shape in inner if isinstance(shape, Evaluator)]
    return list(dict.fromkeys(names))


def variables_of(entry: LoadedTargetEntry) -> tuple[str, ...]:
    """The environment variables that a target names or that its program gets, shown to the user before a run."""
    from rubric_core.evaluation.targets.providers import kind_named  # noqa: PLC0415

    kind = kind_named(entry.kind)
    named = [name for text in _strings(entry.settings) for name in environment_variables_in(text)]
    if not entry.home.dialect(DIALECTS).properties.interpolation:
        named += [text for text in _strings(entry.settings) if BARE.match(text)]
    # The agent itself has its own login; a program in its place is listed.
    instead = any(name in entry.settings for name in ("executable", "binary", "command"))
    return tuple(dict.fromkeys([*named, *(kind.environment if kind is not None and instead else ())]))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
