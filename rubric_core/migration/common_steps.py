"""Migration steps shared by several routes."""

import re
from collections.abc import Callable, Iterator, Mapping

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Aggregator, Criterion, LlmJudge, LlmRubric
from rubric_core.language.model import Case, Suite
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none, lift_out
from rubric_core.migration.moves import insert_entry
from rubric_core.migration.prompt_variables import pattern_of, variables_used
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Entry, Scalar
from rubric_core.text import Edit, Span

__all__ = ["MINIMUMS", "PROMPT_PATH", "WAKING", "lists_to_the_top", "with_variables"]

#: Fields that change nothing about a run.
_IDLE = frozenset({
    "author", "category", "conversation_id", "dataset", "description", "governance", "license", "metadata", "name", "note", "reference_answer",
    "requires", "schema", "suite", "tags", "version",
})  # fmt: skip
#: A prompt that must be a file name.
PROMPT_PATH = re.compile(r"(?:file://)?[^\s{}:*?\"<>|]+\.(?:md|markdown|txt|prompt|j2|njk|liquid|jinja2?)\Z")


def _waking(draft: Draft) -> Iterator[MigrationNote]:
    """Notes about keys that are ignored today but would gain a meaning."""
    end = 0
    for site, entry in sorted(_entries(draft), key=lambda each: each[1].span):
        name = entry.name or ""
        old, new = draft.source.table(site.shape).get(name), draft.target.table(site.shape).get(name)
        asleep = (old is None and not site.shape.open) or (old is not None and not old.fate.read)
        awake = new is not None and new.field and new.fate in (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
        if asleep and awake and new is not None and new.field not in _IDLE and entry.span.start >= end:
            end = entry.span.end
            yield MigrationNote(
                entry.key.span.start, f"{draft.source.name} does not read `{name}`, {draft.target.name} does"
            )


def _entries(draft: Draft) -> Iterator[tuple[ShapedMapping, Entry]]:
    return ((site, entry) for site in draft.sites for entry in site.node.entries)


WAKING = MigrationStep("Name keys that come to life", _waking, before_all=True)


def lists_to_the_top(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """The list of evaluators that counts, out of `execution` or from under an older key."""
    for holder in draft.of(Suite) + draft.cases:
        if holder.entry("assertions") is None:
            yield from _list_up(draft, holder)


def _list_up(draft: Draft, holder: ShapedMapping) -> Iterator[EditGroup | MigrationNote]:
    key = holder.key("assertions")
    execution = next(iter(holder.under("execution")), None)
    # On a case, the list `assertions` below `execution` is read by no release.
    fields = ("evaluators",) if issubclass(holder.shape, Case) else ("assertions", "evaluators")
    inner = next((e for f in fields if execution is not None and (e := execution.own(f)) is not None), None)
    if key is None:
        return
    if inner is not None and execution is not None:
        change = lift_out(draft, execution, inner, key)
        yield change or MigrationNote(
            inner.key.span.start, f"this list belongs under `{key}`, one level up; a reference is in the way"
        )
    elif issubclass(holder.shape, Case) and (own := holder.own("evaluators")) is not None:
        yield EditGroup((rename_key(own, key),))


def with_variables(names: Mapping[str, str]) -> Callable[[Draft], Iterator[EditGroup | MigrationNote]]:
    """The step that renames the template variables of judge prompts."""
    pattern = pattern_of(names)

    def work(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
        for shape in (LlmJudge, LlmRubric, Aggregator):
            for site in draft.of(shape):
                entry = site.own("prompt")
                if entry is not None and isinstance(entry.value, Scalar):
                    yield from _prompt(draft, entry, entry.value, pattern, names)

    return work


def _prompt(
    draft: Draft, entry: Entry, prompt: Scalar, pattern: "re.Pattern[str]", names: Mapping[str, str]
) -> Iterator[EditGroup | MigrationNote]:
    if PROMPT_PATH.match(prompt.text):
        path = prompt.text.removeprefix("file://")
        found_there = variables_used(draft.read(path) or "", names)
        if found_there:
            words = ", ".join(f"`{name}` is `{names[name]}`" for name in found_there)
            words = f"the variables in {path} have other names in {draft.target.name}: {words}"
            yield MigrationNote(entry.key.span.start, words, file=path)
        return
    for found in pattern.finditer(draft.text, *prompt.span):
        yield EditGroup((Edit(Span(*found.span(2)), names[found[2]]),))


def _minimums(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Write the implied minimum for `required: true` with score ranges and no minimum."""
    old, new = draft.source.properties.required_without_min, draft.target.properties.required_without_min
    tenths = draft.target.spelled(Criterion, "required_min_score")
    key = tenths or draft.target.spelled(Criterion, "min_score")
    if old in (new, "never") or key is None:
        return
    minimum = {"nonzero": ("1", "0.1"), "ten": ("10", "1")}[old][0 if tenths else 1]
    for site in draft.of(Criterion):
        bare = site.entry("required_min_score") is None and site.entry("min_score") is None
        entry = site.own("required")
        if site.plain("required") is True and site.entry("score_ranges") is not None and bare and entry is not None:
            change = all_or_none([insert_entry(draft, site.node, key, minimum, entry)])
            yield change or MigrationNote(
                entry.key.span.start, "this gate has no minimum, and releases differ on what it is then"
            )


MINIMUMS = MigrationStep("Say the minimum of gates that have none", _minimums, before_all=True)
