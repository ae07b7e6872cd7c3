"""foreign-key: a key that another dialect has in this place."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.language.targets import Target, TargetFile
from rubric_core.language.value_kinds import Text
from rubric_core.loading.issues import ForeignKey
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["FOREIGN_KEY"]

_TINY = 1e-9


@rule("foreign-key", "warning", "A key that only another dialect has", about_name=True)
def FOREIGN_KEY(issue: ForeignKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say which dialect has the key and what this one writes instead."""
    where = issue.dialects[0] if len(issue.dialects) == 1 else f"{issue.dialects[0]} to {issue.dialects[-1]}"
    instead = _entries_key(issue, context) or (issue.current if issue.current != issue.name else "")
    advice = f"use `{instead}`: " if instead else ""
    message = f"{advice}{context.dialect.name} does not read `{issue.name}`, a key of {where}"
    fixes: tuple[Fix, ...] = ()
    if issue.current and issue.current != issue.name and not issue.taken and not issue.borrowed:
        fixes = (Fix(f"rename it to `{issue.current}`", (rename_key(issue.entry, issue.current),)),)
    elif not issue.borrowed:
        fixes = (*_entries(issue, context), *_on_the_other_scale(issue, context), *_nearly(issue, context))
        # What no release with this dialect reads can go without a change, but not where its value has another place.
        fixes = fixes or remove_key_fix(issue.owner.node, issue.name, context)
    refused = context.dialect.properties.strict_keys and issue.owner.strict
    if refused or _entries_key(issue, context) is not None:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv rejects the file", severity="error")
        return
    yield Finding(issue.span, message, fixes=fixes, consequence="agentv silently ignores it")


def _entries_key(issue: ForeignKey, context: Context) -> str | None:
    """The key that has the entries of a targets file, where it does not exist yet."""
    key = context.dialect.spelled(TargetFile, "targets")
    node = issue.owner.node
    free = isinstance(node, Mapping) and key is not None and node.get(key) is None
    return key if isinstance(issue.owner, TargetFile) and issue.name == "providers" and free else None


def _entries(issue: ForeignKey, context: Context) -> Iterator[Fix]:
    """`providers` with entries that have a `name` and a `provider` is `targets`."""
    key, listed = _entries_key(issue, context), issue.entry.value
    items = listed.items if isinstance(listed, Sequence) else []
    names, kinds = (context.dialect.spelled(Target, field) or field for field in ("name", "provider"))
    ours = [isinstance(i, Mapping) and i.get(names) is not None and i.get(kinds) is not None for i in items]
    if key is not None:
        yield Fix(f"rename it to `{key}`", (rename_key(issue.entry, key),), safe=bool(ours) and all(ours))


def _on_the_other_scale(issue: ForeignKey, context: Context) -> Iterator[Fix]:
    """`min_score: 0.6` is `required_min_score: 6`, where that is a whole number."""
    node, owner = issue.entry.value, issue.owner
    instead = context.dialect.spelled(Criterion, "required_min_score")
    value = node.value if isinstance(node, Scalar) else None
    if not isinstance(owner, Criterion) or issue.name != "min_score" or not instead or owner.has("required_min_score"):
        return
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        return
    tenths = round(value * 10)
    exact = abs(value * 10 - tenths) < _TINY
    edits = (rename_key(issue.entry, instead), Edit(node.span, str(tenths)))
    if tenths:
        yield Fix(f"write `{instead}: {tenths}`", edits, safe=exact and isinstance(owner.score_ranges, ScoreRanges))


def _nearly(issue: ForeignKey, context: Context) -> Iterator[Fix]:
    """`targets` may be a slip for `target`, which this dialect has."""
    node, shape = issue.owner.node, type(issue.owner)
    written = {e.name for e in node.entries} if isinstance(node, Mapping) else set()
    free = {s.name: declared.kind for s, declared in context.dialect.fields(shape) if s.name not in written}
    meant = next((n for n in free if n in (issue.name.removesuffix("s"), f"{issue.name}s")), None)
    if meant is not None and isinstance(free[meant], Text) == isinstance(issue.entry.value, Scalar):
        yield Fix(f"rename it to `{meant}`", (rename_key(issue.entry, meant),), safe=False)
