"""From agentv-3: the input and the expected output of a case become variables, and its evaluators move to `assert`."""

import re
from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Evaluator, LlmJudge, Rubric
from rubric_core.language.model import Case, ContentBlock, Suite
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none, group_under, lift_out
from rubric_core.migration.moves import dash_of, lift_entry, piece_of, replace_entry
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.collection_edits import extent, indent
from rubric_core.syntax.edit import column_of, rename_key
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span

__all__ = ["CASE_STEPS"]

#: Nothing sensible is nested deeper.
_DEEPEST = 8
_TEMPLATE = re.compile(r"(?<!\$)\{\{\s*([\w.]+)")


def _variables(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """`input` and `expected_output` of a case are variables, and so are its criteria where something else grades."""
    for case in draft.cases:
        names = ["input", "expected_output"]
        if _graded(draft, case):
            names.append("criteria")
        entries = [(entry, name) for name in names if (entry := case.own(name)) is not None]
        if entries and _overridden(draft, case):
            words = "cases that this is merged into have variables of their own, which hide those from here"
            yield from (MigrationNote(entry.key.span.start, words) for entry, _ in entries)
        elif entries:
            yield from group_under(draft, case, entries, "vars")
        merge = next((e for e in case.node.entries if e.name == "<<"), None)
        borrowed = case.own("criteria") is None and case.entry("criteria") is not None
        if merge is not None and borrowed and case.entry("assertions") is not None:
            words = "a case has either `criteria` or `assert`, and what is merged here brings criteria"
            yield MigrationNote(merge.value.span.start, words)


def _overridden(draft: Draft, case: ShapedMapping) -> bool:
    """Whether a mapping is merged into cases that have, or will have, `vars` of their own."""
    names = ("vars", "input", "expected_output", "criteria")
    return any(other.own(name) for other in draft.merged_into.get(case.node, ()) for name in names)


def _graded(draft: Draft, case: ShapedMapping) -> bool:
    """Whether anything but its criteria grades a case."""
    own = any(case.entry(field) is not None for field in ("assertions", "evaluators", "rubrics"))
    inner = case.under("execution")
    listed = any(site.entry("evaluators") is not None for site in inner)
    skips = any(site.plain("skip_defaults") is True for site in inner)
    suite = draft.suite
    shared = suite is not None and (
        suite.entry("assertions") is not None
        or any(s.entry(f) is not None for s in suite.under("execution") for f in ("assertions", "evaluators"))
    )
    return own or listed or (shared and not skips)


def _templates_in_input(draft: Draft) -> Iterator[MigrationNote]:
    """Note text in an input that looks like a variable, and becomes one in a template."""
    for case in draft.cases:
        known = {e.name for e in node.entries} if isinstance(node := case.value("vars"), Mapping) else set[str | None]()
        for field in ("input", "expected_output"):
            entry = case.own(field)
            names = _TEMPLATE.findall(draft.written(entry.span)) if entry is not None else []
            other = next((n for n in names if n.removeprefix("vars.") not in known and not n.startswith("env.")), None)
            if entry is not None and other is not None:
                yield MigrationNote(
                    entry.key.span.start,
                    f"`{{{{ {other} }}}}` was text in here, and is a variable in {draft.target.name}",
                )


def _broken_blocks(draft: Draft) -> Iterator[MigrationNote]:
    """Note invalid parts of messages: as values of variables, they are not reported any more."""
    for site in draft.of(ContentBlock):
        if site.entry("type") is None or site.entry("value") is None:
            lacks = "type" if site.entry("type") is None else "value"
            words = (
                f"this part of a message has no `{lacks}`; as a variable it is no mistake any more, but asks nothing"
            )
            yield MigrationNote(site.node.span.start, words)


def _untold_criteria(draft: Draft) -> Iterator[MigrationNote]:
    """Note that judges of rubrics no longer see the criteria of the case: a case with evaluators has none."""
    told = [(case, entry) for case in draft.cases if (entry := case.own("criteria")) is not None]
    untold = [entry for case, entry in told if _judged_by_rubrics(draft, case)]
    if untold:
        # Once is enough: a suite has them mostly in every case.
        more = f" ({len(untold)} cases from here on)" if len(untold) > 1 else ""
        yield MigrationNote(
            untold[0].value.span.start,
            f"{draft.target.name} does not tell judges of rubrics and turns what the `criteria` of the case say{more}: "
            "they are kept as a variable; what judges need of them belongs into the rubric",
        )


def _judged_by_rubrics(draft: Draft, case: ShapedMapping) -> bool:
    """Whether a judge grades a case criterion by criterion, or turn by turn."""
    skips = any(site.plain("skip_defaults") is True for site in case.under("execution"))
    owners = [case] if skips or draft.suite is None else [case, draft.suite]
    holders = [holder for owner in owners for holder in (owner, *owner.under("execution"))]
    lists = [holder.value(field) for holder in holders for field in ("assertions", "evaluators")]
    turns = case.entry("turns") is not None and _graded(draft, case)
    return turns or case.entry("rubrics") is not None or any(_has_rubric(draft, node) for node in lists)


def _has_rubric(draft: Draft, listed: Node | None, depth: int = 0) -> bool:
    for item in listed.items if isinstance(listed, Sequence) else ():
        node = draft.followed(item)
        if isinstance(node, Scalar) and draft.source.properties.string_assertions:
            return True
        if not isinstance(node, Mapping):
            continue
        shape = draft.shape_of(Evaluator, node)
        inner = next((node.get(n) for n in ("assertions", "assert", "evaluators") if node.get(n) is not None), None)
        if issubclass(shape, Rubric) or (issubclass(shape, LlmJudge) and node.get("rubrics") is not None):
            return True
        if inner is not None and depth < _DEEPEST and _has_rubric(draft, draft.followed(inner), depth + 1):
            return True
    return False


def _inline_rubrics(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """The rubrics of a case are the first of its evaluators."""
    for case in draft.cases:
        entry = case.own("rubrics")
        if entry is not None:
            change = _as_evaluator(draft, case, entry, draft.source.properties.inline_rubric_name)
            yield change or MigrationNote(
                entry.key.span.start, "these criteria belong into an `llm-rubric` under `assert`"
            )


def _lone_criteria(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Criteria that grade by themselves got a score as a whole; they are an evaluator where they would be met or not."""
    if draft.source.properties.criteria_are_a_checklist or not draft.target.properties.criteria_are_a_checklist:
        return
    left: list[Entry] = []
    for case in draft.cases:
        entry = case.own("criteria")
        if entry is None or _graded(draft, case) or case.entry("turns") or case.entry("evaluator"):
            continue
        # Cases in their own file may have the evaluators of any suite.
        alone = draft.suite is not None and case.node not in draft.merged_into
        change = _as_evaluator(draft, case, entry, "") if alone and isinstance(entry.value, Scalar) else None
        if change is None:
            left.append(entry)
        else:
            yield change
    if left:
        more = f" ({len(left)} cases from here on)" if len(left) > 1 else ""
        words = f"where nothing else grades a case, {draft.target.name} judges its criteria as met or not; as the `value` of an `llm-rubric` they keep their score{more}"
        yield MigrationNote(left[0].key.span.start, words)


def _as_evaluator(draft: Draft, case: ShapedMapping, entry: Entry, metric: str) -> EditGroup | None:
    """The first evaluator of a case, from an entry of the case."""
    key = case.key("assertions")
    if key is None or case.node.flow:
        return _in_braces(draft, case, entry, key, metric) if key is not None else None
    items = piece_of(draft, case.node, entry, "value")
    named = f"metric: {metric}{draft.newline}  " if metric else ""
    item = f"- {named}type: llm-rubric{draft.newline}{indent(items, 2)}"
    own = case.own("assertions")
    if own is None:
        return all_or_none([replace_entry(draft, case.node, entry, f"{key}:{draft.newline}{indent(item, 2)}")])
    if not isinstance(own.value, Sequence) or not own.value.items or own.value.flow:
        return None
    dash = dash_of(draft, own.value.items[0])
    start = extent(draft.text, dash, own.value.items[0].span.end).start
    moved = lift_entry(draft, case.node, entry)
    return all_or_none(
        [moved[0] if moved else None, Edit(Span(start, start), indent(item, column_of(draft.text, dash)))]
    )


def _in_braces(draft: Draft, case: ShapedMapping, entry: Entry, key: str, metric: str) -> EditGroup | None:
    named = f"metric: {metric}, " if metric else ""
    item = f"{{{named}type: llm-rubric, value: {draft.written(entry.value.span)}}}"
    own = case.own("assertions")
    if own is None:
        return all_or_none([replace_entry(draft, case.node, entry, f"{key}: [{item}]{draft.newline}")])
    if not isinstance(own.value, Sequence) or not own.value.flow:
        return None
    at = own.value.span.start + 1
    moved = lift_entry(draft, case.node, entry)
    return all_or_none([moved[0] if moved else None, Edit(Span(at, at), f"{item}, " if own.value.items else item)])


def _execution(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Of the settings of a case, targets and trials have other places."""
    for case in draft.cases:
        for execution in case.under("execution"):
            yield from _settings(draft, case, execution)


def _settings(draft: Draft, case: ShapedMapping, execution: ShapedMapping) -> Iterator[EditGroup | MigrationNote]:
    targets = execution.own("targets")
    if (
        targets is not None
        and isinstance(targets.value, Sequence)
        and all(isinstance(i, Scalar) for i in targets.value.items)
    ):
        change = lift_out(draft, execution, targets, "providers") if case.node.get("providers") is None else None
        yield change or MigrationNote(targets.key.span.start, "these belong under `providers` of the case")
        return
    for entry in execution.node.entries:
        spelling = draft.target.table(execution.shape).get(entry.name or "")
        if spelling is not None and not spelling.fate.read and spelling.field in _WHY:
            yield MigrationNote(entry.key.span.start, _WHY[spelling.field])


_WHY = {
    "target": "this had no effect, and is refused now; `provider` on the case chooses who answers it",
    "assertions": "no release reads this list",
}


def _notes_to_metadata(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Notes that no release reads are kept as metadata; the name of a data set is that of the suite."""
    for site in draft.cases + draft.of(Suite):
        dataset = site.own("dataset")
        field = "suite" if issubclass(site.shape, Case) else "name"
        if dataset is not None and site.entry(field) is None:
            yield EditGroup((rename_key(dataset, field),))
            continue
        table = draft.target.table(site.shape)
        entries = [
            (entry, entry.name)
            for field in ("note", "reference_answer", "dataset")
            if field in site.shape.keys and (entry := _entry_for_field(draft, site, field)) is not None and entry.name is not None
            and (spelling := table.get(entry.name)) is not None and spelling.fate is SpellingStatus.REJECTED
        ]  # fmt: skip
        if entries:
            yield from group_under(draft, site, entries, "metadata")


def _entry_for_field(draft: Draft, site: ShapedMapping, field: str) -> Entry | None:
    """The entry for a field, read or not."""
    known = draft.source.table(site.shape)
    return next((e for e in site.node.entries if (s := known.get(e.name or "")) is not None and s.field == field), None)


def _workspaces(draft: Draft) -> Iterator[MigrationNote]:
    for site in draft.cases + draft.of(Suite):
        entry = site.own("workspace")
        if entry is not None:
            yield MigrationNote(
                entry.key.span.start,
                "releases after 5.3 read `environment` in its place, which is put together in another way",
            )


CASE_STEPS = (
    MigrationStep("Name variables in the input of cases", _templates_in_input, before_all=True),
    MigrationStep("Name parts of messages that are broken", _broken_blocks, before_all=True),
    MigrationStep("Name criteria that judges of rubrics are not told", _untold_criteria, before_all=True),
    MigrationStep("Write the input and expected output of cases as variables", _variables),
    MigrationStep("Write criteria that grade by themselves as evaluators", _lone_criteria),
    MigrationStep("Write the rubrics of cases as evaluators", _inline_rubrics),
    MigrationStep("Move settings of cases that have another place", _execution),
    MigrationStep("Keep notes as metadata", _notes_to_metadata),
    MigrationStep("Name workspaces", _workspaces),
)
