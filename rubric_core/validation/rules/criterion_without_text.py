"""criterion-without-text: a criterion that does not say what it checks."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.syntax.edit import add_entry, column_of, newline_of
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit
from rubric_core.validation.colons import as_sentence, is_word, lone_text
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CRITERION_WITHOUT_TEXT"]


@rule("criterion-without-text", "error", "A criterion that does not say what it checks", awaits="entry")
def CRITERION_WITHOUT_TEXT(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """With score ranges the text may be left out, since the bands say it."""
    if (
        criterion.has("outcome")
        or criterion.unread.keys() & {"outcome", "score_ranges"}
        or criterion.score_ranges is not None
        or criterion.has("score_ranges")
    ):
        return
    name = context.dialect.spelled(Criterion, "outcome") or "outcome"
    fixes: tuple[Fix, ...] = ()
    entry = lone_text(criterion.node)
    if entry is not None and not criterion.has("id") and not criterion.places and not criterion.borrowed:
        flow = isinstance(criterion.node, Mapping) and criterion.node.flow
        line = f"{newline_of(context.text)}{' ' * column_of(context.text, entry.key.span.start)}"
        written = f"id: {context.text[slice(*entry.key.span)]}{', ' if flow else line}{name}"
        spelled = Fix(f"write `id: {entry.name}` and `{name}: …`", (Edit(entry.key.span, written),), safe=False)
        sentence = as_sentence(criterion.node, entry, context.text)
        yield Finding(
            entry.key.span,
            f"YAML reads `{entry.name}` as a key; a criterion with a colon in it needs quotes, one with a name `id` and `{name}`",
            fixes=(spelled, *sentence) if is_word(entry) or not sentence else sentence,
            consequence="agentv skips it and only logs that, so it is not graded",
        )
        return
    if isinstance(criterion.node, Mapping) and not criterion.borrowed:
        edit = add_entry(context.text, criterion.node, name, '"…"')
        fixes = (Fix(f"add `{name}`", (edit,), safe=False),) if edit else ()
    yield Finding(
        criterion.span,
        f"this criterion does not say what it checks; it needs `{name}`",
        fixes=fixes,
        consequence="agentv skips it and only logs that, so it is not graded",
    )
