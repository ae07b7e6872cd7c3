"""The variations of a case: its prompts, the values of its `vars`, the targets that answer it.

`refund` with two prompts and `vars: {tone: [polite, curt]}` is four variations, `refund[short,tone=polite]` among them: each has
its own name, and the name of the case selects all of them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.cases.prompts import prompts_of
from rubric_core.evaluation.cases.target_choice import choices_of, shared_targets
from rubric_core.evaluation.cases.variant import Prompt, Variant
from rubric_core.evaluation.model.exchanges import add_usage
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.merged_parts import RANKS, merged_evaluators
from rubric_core.language.model import Case, Execution, Suite, TargetChoice
from rubric_core.language.shape import as_list
from rubric_core.language.targets import Defaults, Entry
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL
from rubric_core.loading.known_names import entry_name
from rubric_core.syntax.tree import Mapping as MappingNode

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable

__all__ = ["base_id", "distinct_labels", "join_variations", "require_few", "row_label", "variations"]

#: The most variations of one case. A few short lists have billions, which would take all memory before anything is run or asked.
_MOST = 20_000

#: The maximum length of a value in a name, in characters.
_LONGEST = 40


def base_id(name: str) -> str:
    """The id of the case that `name` is a variation of, or the id itself."""
    return name.partition("[")[0] if name.endswith("]") else name


def variations(case: "Runnable") -> "list[Runnable]":
    """Every variation of a case, in the order of the text; the case itself when there is but one."""
    if case.variant is not None:
        return [case]
    found = case.variations_found
    if not found and case.every_row:
        rows = (replace(row, options=case.options) for row in case.every_row)
        found.append(tuple(each for row in rows for each in variations(row)))
    if not found:
        found.append(case.own_variations or _distinct_variations(case))
    return list(found[0]) or [case]


def _distinct_variations(case: "Runnable") -> "tuple[Runnable, ...]":
    """The variations of a case that has several, or whose only variation adds something; else none."""
    lists = _lists(case)
    prompts: Sequence[Prompt | None] = (prompts_of(case) if case.has_prompts else []) or [None]
    targets = _targets(case)
    try:
        require_few(*map(len, lists.values()), len(prompts), max(1, len(targets)))
    except Unscored as problem:
        return (replace(case, variant=Variant(), row=replace(case.row, trouble=problem.reason)),)
    rows = list(_rows(case, lists))
    if rows == [Variant()] and prompts == [None] and not targets:
        return ()
    wanted: Sequence[str | None] = targets or [None]
    several = [
        _labelled(row, prompt if len(prompts) > 1 else None, row.variables, prompt)
        for prompt, row in product(prompts, rows)
    ]
    made = [replace(case, variant=variant) for variant in distinct_labels(several)]
    return tuple(
        _answered_by(each, target)
        for target in wanted
        for each in (made if len(prompts) < 2 else list(_with_prompts_for(target, made, prompts)))
    )


def _labelled(row: Variant, shown: Prompt | None, values: Mapping[str, Any] | None, prompt: Prompt | None) -> Variant:
    label = ",".join(part for part in (shown.label if shown is not None else "", row.label) if part)
    return Variant(label, values, prompt)


def require_few(*sizes: int) -> None:
    """Raises Unscored for a case whose lists, of these lengths, have too many combinations."""
    if prod(sizes) > _MOST:
        raise Unscored(f"it has more than {_MOST:,} combinations of values, prompts and targets")


def distinct_labels(several: Sequence[Variant]) -> Iterator[Variant]:
    """The variations under unique names."""
    seen: dict[str, int] = {}
    for variant in several:
        seen[variant.label] = count = seen.get(variant.label, 0) + 1
        yield variant if count == 1 else replace(variant, label=f"{variant.label or 'again'}~{count}")


def _answered_by(case: "Runnable", target: str | None) -> "Runnable":
    return case if target is None else replace(case, options=replace(case.options, target=target))


# Values


def _lists(case: "Runnable") -> Mapping[str, Sequence[str]]:
    """The `vars` that are lists of texts, each text one value."""
    written = case.variables if case.has_prompts else {}
    return {n: v for n, v in written.items() if isinstance(v, list) and v and all(isinstance(i, str) for i in v)}


def _rows(case: "Runnable", lists: Mapping[str, Sequence[str]]) -> Iterator[Variant]:
    """One for each combination of the values of `lists`; these are named in the label."""
    if not case.has_prompts:
        yield Variant(case.row.label)
        return
    written = case.variables
    if not written and not case.row.label:
        yield Variant()
        return
    for values in product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        words = [row_label(name, value) for name, value in chosen.items()]
        yield Variant(",".join(part for part in (case.row.label, *words) if part), {**written, **chosen})


def row_label(name: str, value: str) -> str:
    """A label that distinguishes a row by one of its values, as in `tone=polite`."""
    return f"{name}={_short(value)}"


def _short(value: str) -> str:
    line = " ".join(value.replace("[", "(").replace("]", ")").split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


# Targets


def _targets(case: "Runnable") -> list[str]:
    """The targets that all answer the case; empty for the single target of suite or command line."""
    if case.options.target is not None:
        return []
    if case.options.targets:
        return list(case.options.targets)
    default = case.defaults
    written: tuple[object, ...] = (
        case.case.providers, case.case.provider, default.providers if default else None, default.provider if default else None,
        *(_matrix_of(shape) for shape in (case.case, case.suite)), case.suite.providers, case.suite.targets,
    )  # fmt: skip
    known = {each.name for each in choices_of(case.suite)}
    for each in written:
        names = list(dict.fromkeys(_names(each, known)))
        if names:
            return _with_files(names, case)
    defaults = case.suite.defaults
    if isinstance(defaults, Defaults) and isinstance(defaults.provider, str):
        return [defaults.provider]
    return []


def _with_files(names: list[str], case: "Runnable") -> list[str]:
    """The names with those of its targets in the place of each file: `providers: file://providers.yaml`."""
    if not any(name.startswith(URL) for name in names):
        return names
    file = shared_targets(case, case.files).file
    included = file.included if file is not None else {}
    return [each for name in names for each in included.get(name.removeprefix(URL), (name,))]


def _with_prompts_for(
    target: str | None, made: "Sequence[Runnable]", prompts: Sequence[Prompt | None]
) -> "Iterator[Runnable]":
    """The variations with the prompts for a target, if its entry restricts them with `prompts`."""
    from rubric_core.evaluation.cases.target_choice import prompt_labels  # noqa: PLC0415  # it is about cases that are distinguished already

    names = prompt_labels(made[0], target)
    if names is None:
        yield from made
        return
    labels = [p.label for p in prompts if p is not None and any(fnmatchcase(p.label, name) for name in names)]
    if not labels:
        trouble = f"the target's `prompts` matches none of the prompts: {', '.join(names)} in its `prompts`"
        yield replace(made[0], row=replace(made[0].row, trouble=trouble))
    for each in made:
        if each.variant is not None and each.variant.prompt is not None and each.variant.prompt.label in labels:
            yield each


def _matrix_of(shape: Case | Suite) -> list[Any]:
    return (shape.execution.targets or []) if isinstance(shape.execution, Execution) else []


def _names(written: object, known: Collection[str | None]) -> Iterator[str]:
    """The names of targets in a list of names and entries, or in one of them.

    An alias that a suite gives to a target for its matrix is one of `known`.
    """
    for each in as_list(written):
        if isinstance(each, str):
            yield each
        elif isinstance(each, TargetChoice):
            name = each.name if each.name in known else each.use_target or each.name
            yield from [name] if name else []
        elif isinstance(each, Entry) and isinstance(each.node, MappingNode):
            name = entry_name(each.node)
            if name:
                yield name


# Results


def join_variations(case: CaseResult, results: Sequence[CaseResult]) -> CaseResult:
    """The combined result of all variations of a case: the worst verdict with its answer, the mean of the scores."""
    number = min(range(len(results)), key=lambda n: _rank(results[n]))
    worst, labels = results[number], _labels_of(results)
    scores = [r.score for r in results if r.score is not None]
    passed = sum(r.verdict is Verdict.PASSED for r in results)
    first = f"{worst.id}: {worst.reason or worst.verdict.value}" if passed < len(results) else ""
    costs = [r.cost_usd for r in results if r.cost_usd is not None]
    rows = [
        {"id": r.id, "target": r.target, "verdict": r.verdict.value, "score": r.score, "reason": r.reason or None, "answer": r.answer}
        for r in results
    ]  # fmt: skip
    return replace(
        worst, id=case.id, fingerprint=case.fingerprint, line=case.line,
        score=fmean(scores) if len(scores) == len(results) else None,
        evaluators=merged_evaluators(results, labels, number), shown=labels[number], variations=tuple(results), runs=(),
        reason=f"{passed} of {len(results)} variations passed; {first}" if first else "",
        cost_usd=sum(costs) if costs else None, usage=add_usage(each for r in results for each in r.usage), details={**(worst.details or {}), "variations": rows},
    )  # fmt: skip


def _rank(result: CaseResult) -> tuple[int, float]:
    return RANKS.index(result.verdict), 1.0 if result.score is None else result.score


def _labels_of(results: Sequence[CaseResult]) -> list[str]:
    """What distinguishes each variation: its values and prompt, its target, or both."""
    several = len({each.target for each in results}) > 1
    parts = [(each.id[len(base_id(each.id)) + 1 : -1], each.target if several else "") for each in results]
    labels = [", ".join(filter(None, each)) for each in parts]
    return [each or f"variation {number}" for number, each in enumerate(labels, 1)]
