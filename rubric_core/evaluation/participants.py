"""Who takes part in a run: which target answers a case, which ones judge, and what they name of the environment."""

from collections.abc import Iterable, Iterator, Mapping

from rubric_core.evaluation.matrix import variations
from rubric_core.evaluation.runnable import Runnable
from rubric_core.evaluation.target_settings import BARE, variables_in
from rubric_core.evaluation.targets import Targets, shared_targets
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator, GoalSuccess, LlmJudge, LlmRubric, Rubric
from rubric_core.language.model import Execution, Suite
from rubric_core.language.shape import children
from rubric_core.loading.targets import TargetEntry, own_target_name
from rubric_core.syntax.plain import plain

__all__ = ["names_taking_part", "option_of", "own_judge", "own_prompts", "taking_part", "target_name", "variables_of"]

_DEFAULT = "default"


def own_judge(config: Evaluator) -> str | None:
    """The target that an evaluator names as its judge."""
    if isinstance(config, LlmRubric | GoalSuccess) and isinstance(config.provider, str):
        return config.provider
    return config.target if isinstance(config, LlmJudge | Rubric) else None


def taking_part(cases: Iterable[Runnable], targets: Targets) -> Iterator[TargetEntry]:
    """The entries of every target that answers or judges these cases, and of those that they point to."""
    if targets.file is not None:
        yield from targets.file.reachable(names_taking_part(cases, targets))


def names_taking_part(cases: Iterable[Runnable], targets: Targets) -> list[str | None]:
    """The names by which these cases call targets that answer or judge them; some may be of no target."""
    names: list[str | None] = [targets.default_judge()]
    for case in (each for whole in cases for each in variations(whole)):
        names += [target_name(case.suite, case.options.target, targets), case.options.grader_target]
        inner = (shape for config in case.evaluators for shape in children(config))
        names += [own_judge(shape) for shape in inner if isinstance(shape, Evaluator)]
    return list(dict.fromkeys(names))


def option_of(case: Runnable, name: str) -> str | None:
    """A text among the options of the case, else of the default test."""
    for shape, anchors in ((case.case, case.anchors), (case.defaults, case.suite_anchors)):
        written = plain(shape.options, anchors) if shape is not None and shape.options else {}
        if isinstance(written.get(name), str):
            return str(written[name])
    return None


def target_name(suite: Suite, given: str | None = None, targets: Targets | None = None) -> str:
    """Which target runs the cases of a suite: the command line's, the suite's, that of a defaults block, else `default`."""
    if given and given != _DEFAULT:
        return given
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    usual = targets.file.defaults.get("provider") if targets is not None and targets.file is not None else None
    own = own_target_name(plain(suite.target, {})) if isinstance(suite.target, dict) else suite.target
    return (execution.target if execution else None) or own or usual or _DEFAULT


def own_prompts(case: Runnable, name: str | None) -> list[str] | None:
    """The labels of the prompts that a target is asked, as its entry names them; None when it is asked all of them."""
    targets = shared_targets(case, case.files)
    entry = targets.file.entry(target_name(case.suite, name, targets)) if targets.file is not None else None
    written = entry.settings.get("prompts") if entry is not None else None
    names = [written] if isinstance(written, str) else written
    return [each for each in names if isinstance(each, str)] if isinstance(names, list) else None


def variables_of(entry: TargetEntry) -> tuple[str, ...]:
    """The environment variables that a target names or that its program gets, for telling a person before it is run."""
    from rubric_core.evaluation.providers import kind_named  # noqa: PLC0415

    kind = kind_named(entry.kind)
    named = [name for text in _strings(entry.settings) for name in variables_in(text)]
    if not entry.home.dialect(DIALECTS).properties.interpolation:
        named += [text for text in _strings(entry.settings) if BARE.match(text)]
    # The agent itself has its own login; a program in its place is told of.
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
