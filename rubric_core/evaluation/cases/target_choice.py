"""Chooses the targets that answer a case. In a matrix, a target under several names counts as several targets."""

from pathlib import Path

from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.targets.resolve import Targets, load_targets
from rubric_core.language.evaluators import Evaluator, GoalSuccess, LlmJudge, LlmRubric, Rubric
from rubric_core.language.model import Case, DefaultTest, Execution, Suite, TargetChoice
from rubric_core.language.shape import as_list
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import replace
from rubric_core.loading.configured_targets import merge_target_files
from rubric_core.loading.directory_search import current_directory
from rubric_core.loading.targets import LoadedTargetEntry, TargetSource, entries_of, own_target_name, targets_in
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node

__all__ = [
    "choices_of",
    "matrix_target",
    "named_judge",
    "other_names",
    "prompt_labels",
    "shared_targets",
    "target_name",
    "targets_for",
    "with_own_entries",
]  # fmt: skip


def other_names(suite: Suite, home: TargetSource) -> list[LoadedTargetEntry]:
    """An entry for each alias that a matrix gives to a target; it refers to that target. `home` is the suite."""
    found = []
    for each in choices_of(suite):
        if each.use_target and each.name and each.name != each.use_target and each.node is not None:
            spans = {"use_target": each.at("use_target")}
            pointer = {"use_target": each.use_target}
            found.append(LoadedTargetEntry(each.name, "", pointer, each.at("name"), home, each.node, spans))
    return found


def choices_of(shape: Suite | Case) -> list[TargetChoice]:
    """The targets of a matrix that set more than a name."""
    written = shape.execution.targets if isinstance(shape.execution, Execution) else None
    return [each for each in written or () if isinstance(each, TargetChoice)]


def matrix_target(name: str, shape: Suite | Case) -> TargetChoice | None:
    """The target of a matrix with that name."""
    choices = choices_of(shape)
    by_name = (each for each in choices if each.name == name)
    return next(by_name, next((each for each in choices if each.use_target == name), None))


def targets_for(case: Runnable, files: Files) -> Targets:
    """The targets for a case: those of its suite take precedence over those of target files. Never raises."""
    own = case.own_targets()
    if own is not None:
        return own
    suite, options = case.suite, case.suite.evaluate_options
    pause = float(options.delay or 0) if options is not None else 0.0
    given = case.options.targets_file
    rates = case.options.rate_limits
    found = replace(
        load_targets(case.directory, files, None if given is None else Path(given)), pause=pause, rates=rates
    )
    written = [*as_list(suite.providers), *as_list(suite.targets)]
    home = TargetSource(case.path, case.suite_text, suite.node, case.suite_anchors, case.suite_line, case.dialect.name)
    aliases = other_names(case.suite, home) if found.file is not None or written else []
    is_own = isinstance(suite.target, dict)
    if not (
        is_own
        or suite.has("defaults")
        or aliases
        or any(isinstance(each, Entry) or ":" in str(each) for each in written)
    ):
        return found
    inside = merge_target_files(targets_in(home, beside_others=True), files, current_directory())
    inside = replace(inside, entries=(*aliases, *inside.entries))
    return Targets(case.directory, inside.joined(found.file), found.trouble, pause=pause, rates=rates)


def shared_targets(case: Runnable, files: Files) -> Targets:
    """The targets of the suite of `case`, read once for all of its cases, after those that the case describes. Never raises."""
    if case.facts.targets is None:
        case.facts.targets = targets_for(case, files)
    return with_own_entries(case.facts.targets, case)


def with_own_entries(targets: Targets, case: Runnable) -> Targets:
    """The targets of a suite after those that a case, or the default test, describes under `provider` or `providers`."""
    shapes = [(shape, nodes) for shape in (case.defaults, case.case) if shape and (nodes := _described_targets(shape))]
    if not shapes:
        return targets
    own = TargetSource(case.file or case.path, case.text, None, case.anchors, case.case_line)
    shared = TargetSource(case.path, case.suite_text, None, case.suite_anchors, case.suite_line)
    described = [(nodes, own if shape is case.case else shared) for shape, nodes in shapes]
    key = (case.file, case.case_span(case.case.span), *(node.span for nodes, _ in described for node in nodes))
    known = case.facts.own_targets.get(key)
    if known is None or known[0] is not targets:
        file = targets.file
        for nodes, home in described:
            file = entries_of(nodes, replace(home, known=case.dialect.name)).joined(file)
        made = Targets(targets.directory, file, pause=targets.pause, rates=targets.rates, around=targets.around)
        known = case.facts.own_targets[key] = (targets, made)
    return known[1]


def _described_targets(shape: Case | DefaultTest) -> list[Node]:
    if shape.providers is None and shape.provider is None:  # as in nearly all cases
        return []
    written = [*as_list(shape.providers), *as_list(shape.provider)]
    return [each.node for each in written if isinstance(each, Entry) and each.node is not None]


_DEFAULT = "default"


def named_judge(config: Evaluator) -> str | None:
    """The target that an evaluator names as its judge."""
    if config.own_judge:
        return config.own_judge
    if isinstance(config, LlmRubric | GoalSuccess) and isinstance(config.provider, str):
        return config.provider
    return config.target if isinstance(config, LlmJudge | Rubric) else None


def target_name(suite: Suite, given: str | None = None, targets: Targets | None = None) -> str:
    """The target for the cases of a suite: that of the command line, the suite, a defaults block, else `default`."""
    if given and given != _DEFAULT:
        return given
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    usual = targets.file.defaults.get("provider") if targets is not None and targets.file is not None else None
    own = own_target_name(plain(suite.target, {})) if isinstance(suite.target, dict) else suite.target
    return (execution.target if execution else None) or own or usual or _DEFAULT


def prompt_labels(case: Runnable, name: str | None) -> list[str] | None:
    """The labels of the prompts for a target, as its entry lists them; None when it gets all prompts."""
    targets = shared_targets(case, case.files)
    entry = targets.file.entry(target_name(case.suite, name, targets)) if targets.file is not None else None
    written = entry.settings.get("prompts") if entry is not None else None
    names = [written] if isinstance(written, str) else written
    return [each for each in names if isinstance(each, str)] if isinstance(names, list) else None
