"""aggregator-setting: an aggregator that lacks a key of its type, or has weights for unknown members."""

from collections.abc import Iterator

from rubric_core.language.closest_name import lexicon
from rubric_core.language.evaluators import Composite, Evaluator
from rubric_core.loading.grading import default_name
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.fixes import FILL_IN, add_key_fix, remove_key_fix, replace_with_words
from rubric_core.validation.rule import Context, Finding, rule
from rubric_core.validation.wording import names

__all__ = ["AGGREGATOR_SETTING"]

_EXAMPLES = {"path": FILL_IN, "threshold": "0.8"}


@rule(
    "aggregator-setting",
    "error",
    "An aggregator that lacks a key of its type, or a weight for an unknown member",
    awaits="entry",
)
def AGGREGATOR_SETTING(composite: Composite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """A program needs its path, a threshold its value; weights name members."""
    aggregator = composite.aggregator
    if aggregator is None or isinstance(aggregator, str):
        return
    kind = (aggregator.type or "").replace("_", "-")
    needed = "path" if kind in ("code-grader", "code-judge") else "threshold" if kind == "threshold" else ""
    if needed and not aggregator.has(needed):
        yield Finding(
            aggregator.at("type"),
            f"an aggregator of type {aggregator.type} needs `{needed}`",
            fixes=() if aggregator.borrowed else add_key_fix(aggregator.node, needed, _EXAMPLES[needed], context),
            consequence="agentv skips this evaluator and only logs it",
        )
    written = [m for m in composite.assertions or [] if isinstance(m, Evaluator)]
    if context.dialect.properties.names_required and not all(m.has("name") for m in written):
        return  # missing-key says it
    members = [default_name(m) for m in composite.assertions or [] if isinstance(m, Evaluator)]
    place = aggregator.places.get("weights")
    if place is None or place.borrowed or not isinstance(place.node, Mapping) or not members:
        return
    given = {entry.name for entry in place.node.entries}
    known, without = lexicon(tuple(members)), [member for member in members if member not in given]
    taken, lost, there = {*members, "<<"}, 0, names(members)
    for entry in place.node.entries:
        if entry.name is not None and entry.name not in taken:
            meant = known.closest(entry.name, thorough=known.searches(lost))
            lost += 1
            fixes = (
                replace_with_words(entry.key.span, [meant], safe=True)
                if meant
                else replace_with_words(entry.key.span, without[:1] if len(without) == 1 else ())
                or remove_key_fix(place.node, entry.name, context)
            )
            yield Finding(
                entry.key.span,
                f"no member is named `{entry.name}`; the members are {there}",
                fixes=fixes,
                severity="warning",
                consequence="agentv gives the member weight 1",
            )
