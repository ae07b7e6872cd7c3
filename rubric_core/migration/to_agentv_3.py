"""From agentv-2.7: minimums count 0..1, the scalar evaluator becomes a list, hooks and prompt files are marked as such."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Aggregator, Composite, Criterion, Evaluator, LlmJudge
from rubric_core.language.model import Suite
from rubric_core.language.variables import variables_in
from rubric_core.language.workspace import Workspace
from rubric_core.loading.grading import default_name
from rubric_core.migration.common_steps import PROMPT_PATH, WAKING, lists_to_the_top, with_variables
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none, group_under
from rubric_core.migration.moves import insert_entry, take_out_entry
from rubric_core.migration.prompt_variables import VARIABLES_INTO
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.edit import column_of, plain_or_quoted, rename_key
from rubric_core.syntax.tree import Entry, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.wording import names, number

__all__ = ["AS_MINIMUMS", "AS_SHARES", "PROMPT_FILES", "SCALAR", "TO_AGENTV_3"]

_HOOKS = ("before_all", "before_each", "after_each", "after_all")


def _named_members(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Name the members of a composite as they were named by default: now, members without a name are dropped."""
    if not draft.target.properties.literal_members or draft.source.properties.literal_members:
        return
    for composite in draft.of(Composite):
        for member in composite.under("assertions"):
            tag = member.own("type")
            if tag is not None and member.entry("name") is None:
                name = plain_or_quoted(_auto_name(member))
                change = all_or_none([insert_entry(draft, member.node, "name", name, tag)])
                yield change or MigrationNote(tag.key.span.start, f"a member needs a name: `name: {name}`")


def _auto_name(member: ShapedMapping) -> str:
    made = Evaluator(member.node.span, member.node, value=member.plain("value"))
    made.type_name = member.type_name
    return default_name(made)


def _as_shares(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """`required_min_score: 6` of 0..10 is `min_score: 0.6` of 0..1."""
    key = draft.target.spelled(Criterion, "min_score")
    for site in draft.of(Criterion):
        entry = site.own("required_min_score")
        if entry is None or key is None:
            continue
        value = entry.value.value if isinstance(entry.value, Scalar) else None
        if site.entry("min_score") is not None:
            yield MigrationNote(entry.key.span.start, f"`{key}` beside it counts, so this has no effect")
        elif isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 10:
            yield EditGroup((rename_key(entry, key), Edit(entry.value.span, number(value / 10))))
        elif value == 0 and not isinstance(value, bool):
            yield from _without_gate(draft, site, entry)
        else:
            yield MigrationNote(entry.key.span.start, f"`{key}` counts 0..1; divide this by 10")


def _without_gate(draft: Draft, site: ShapedMapping, entry: Entry) -> Iterator[EditGroup | MigrationNote]:
    """Remove a minimum of 0, which gates nothing and is not a valid `min_score`."""
    required = site.own("required")
    edits = [take_out_entry(draft, site.node, entry)]
    if required is not None and site.entry("score_ranges") is not None and site.plain("required") is True:
        edits.append(Edit(required.value.span, "false"))
    yield all_or_none(edits) or MigrationNote(
        entry.key.span.start, "a minimum of 0 gates nothing and has no counterpart"
    )


def _as_minimums(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """`required: 0.7` is `required: true` and `min_score: 0.7`."""
    for site in draft.of(Evaluator):
        entry = site.own("required")
        value = entry.value.value if entry is not None and isinstance(entry.value, Scalar) else None
        if entry is None or isinstance(value, bool) or not isinstance(value, int | float):
            continue
        yes = Edit(entry.value.span, "true")
        more = (
            None
            if site.entry("min_score") is not None
            else insert_entry(draft, site.node, "min_score", number(value), entry)
        )
        yield EditGroup((yes, more) if more is not None else (yes,))


def _scalar(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Remove `evaluator: llm_judge`, the default; write it as a list if nothing else grades."""
    for holder in draft.of(Suite) + draft.cases:
        entry = holder.own("evaluator")
        if entry is None or not isinstance(entry.value, Scalar):
            continue
        known = draft.source.type_of(entry.value.text) or draft.target.type_of(entry.value.text)
        if known is None or not issubclass(known.shape, LlmJudge):
            yield MigrationNote(
                entry.key.span.start,
                f"`{entry.value.text}` does not say which program judges: write it as an evaluator with its command",
            )
        elif _has_no_evaluators(draft, holder):
            yield from _as_list(draft, holder, entry)
        else:
            # Cases without evaluators are judged so anyway.
            change = all_or_none([take_out_entry(draft, holder.node, entry)])
            yield change or MigrationNote(entry.key.span.start, "this has no effect beside the lists of evaluators")


def _has_no_evaluators(draft: Draft, holder: ShapedMapping) -> bool:
    """Whether there is no list of evaluators here or in any case."""
    places = [holder, *(draft.cases if issubclass(holder.shape, Suite) else draft.of(Suite))]
    lists = ("assertions", "evaluators", "rubrics")
    return not any(p.entry(f) for p in places for f in lists if f in p.shape.keys) and not any(
        e.entry(f) for p in places for e in p.under("execution") for f in lists[:2]
    )


def _as_list(draft: Draft, holder: ShapedMapping, entry: Entry) -> Iterator[EditGroup | MigrationNote]:
    judge, key = draft.target.type_name(LlmJudge), holder.key("assertions")
    if judge is None or key is None:
        return
    if holder.node.flow:
        written = f"{key}: [{{type: {judge}}}]"
    else:
        blanks = " " * (column_of(draft.text, entry.key.whole.start) + 2)
        written = f"{key}:{draft.newline}{blanks}- type: {judge}"
    yield EditGroup((Edit(entry.span, written),))


def _hooks(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Move the hooks of a workspace under one key."""
    for site in draft.of(Workspace):
        entries = [(entry, name) for name in _HOOKS if (entry := site.own(name)) is not None]
        if entries:
            yield from group_under(draft, site, entries, "hooks")


def _prompt_files(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Mark prompts that are files: a prompt is a text now unless it says otherwise."""
    for shape in (LlmJudge, Aggregator):
        for site in draft.of(shape):
            entry = site.own("prompt")
            prompt = entry.value if entry is not None else None
            if isinstance(prompt, Scalar) and PROMPT_PATH.match(prompt.text) and not prompt.text.startswith("file://"):
                at = prompt.span.start + prompt.is_quoted
                yield EditGroup((Edit(Span(at, at), "file://"),))


def _messages_as_text(draft: Draft) -> Iterator[MigrationNote]:
    """Note that variables for whole messages now stand for their text."""
    old = set(draft.source.properties.message_variables) - set(draft.target.properties.message_variables)
    for shape in (LlmJudge, Aggregator):
        for site in draft.of(shape):
            entry = site.own("prompt")
            if entry is None or not isinstance(entry.value, Scalar):
                continue
            path = entry.value.text.removeprefix("file://")
            text = (draft.read(path) if PROMPT_PATH.match(entry.value.text) else entry.value.text) or ""
            found = sorted(variables_in(text) & old)
            if found:
                shown = names([f"{{{{ {name} }}}}" for name in found])
                words = f"until now a judge saw {shown} as whole messages in JSON, from now on as their text"
                yield MigrationNote(entry.value.span.start, words)


AS_SHARES = MigrationStep("Write minimums of criteria as shares of 1", _as_shares)
AS_MINIMUMS = MigrationStep("Write numbers under `required` as `min_score`", _as_minimums)
SCALAR = MigrationStep("Write the scalar `evaluator` as a list", _scalar)
PROMPT_FILES = MigrationStep("Mark prompts that are files with file://", _prompt_files)
TO_AGENTV_3 = (
    WAKING,
    MigrationStep("Name the members of composites", _named_members, before_all=True),
    AS_SHARES,
    AS_MINIMUMS,
    SCALAR,
    MigrationStep("Write lists of evaluators as `assertions`", lists_to_the_top),
    MigrationStep("Put the hooks of workspaces under `hooks`", _hooks),
    MigrationStep("Name prompts that show whole messages", _messages_as_text),
    MigrationStep("Rename the variables of judge prompts", with_variables(VARIABLES_INTO["agentv-3"])),
    PROMPT_FILES,
)
