"""Renames keys and types for the newer dialect, by its tables. Every route has these steps."""

from collections.abc import Iterator

from rubric_core.language.dialect import Dialect, Spelling, SpellingStatus, TypeName
from rubric_core.language.evaluators import Aggregator, CodeEvaluator, Composite, Custom, Evaluator, LlmJudge
from rubric_core.language.file_kinds import KINDS
from rubric_core.language.shape import Shape
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.edit import rename_key, replace_value
from rubric_core.syntax.tree import Entry, Scalar

__all__ = ["rename_steps"]

_FINE = (SpellingStatus.CURRENT, SpellingStatus.ALIAS)
_MERGE = "<<"


def rename_steps(target: Dialect) -> tuple[MigrationStep, ...]:
    """The renaming steps, which come last on every route into a dialect."""
    kinds = frozenset(KINDS.values())
    return (
        MigrationStep(f"Write types as {target.name} does", _types, kinds),
        MigrationStep(f"Write keys as {target.name} does", _keys, kinds),
    )


def _keys(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    for site in draft.sites:
        for entry in site.node.entries:
            if entry.name is not None and entry.name != _MERGE:
                yield from _key(draft, site, entry, entry.name)


def _key(draft: Draft, site: ShapedMapping, entry: Entry, name: str) -> Iterator[EditGroup | MigrationNote]:
    old, new = draft.source.table(site.shape).get(name), draft.target.table(site.shape).get(name)
    at = entry.key.span.start
    if old is None or not old.field or not old.fate.read:
        yield from _unread(draft, site, entry, new)
        return
    current = draft.target.spelled(site.shape, old.field)
    if current == name or _stays(old, new):
        return
    if current is None:
        if new is None and not site.shape.open:
            yield MigrationNote(at, f"{draft.target.name} has nothing like `{name}`")
        elif new is not None and not new.fate.read:
            verb = "refuses" if new.fate is SpellingStatus.REJECTED else "does not read"
            yield MigrationNote(at, f"{draft.target.name} {verb} `{name}`{_why(new)}")
    elif site.node.get(current) is not None:
        yield MigrationNote(at, f"`{name}` says the same as `{current}`, which is there as well")
    else:
        yield EditGroup((rename_key(entry, current),))


def _stays(old: Spelling, new: Spelling | None) -> bool:
    """Whether a spelling is still valid and means the same."""
    return (
        new is not None
        and new.field == old.field
        and (new.fate is SpellingStatus.CURRENT or new.fate is old.fate is SpellingStatus.ALIAS)
    )


def _unread(
    draft: Draft, site: ShapedMapping, entry: Entry, new: Spelling | None
) -> Iterator[EditGroup | MigrationNote]:
    """Handle a key that the older dialect does not read, or whose shape it does not have."""
    current = draft.target.spelled(site.shape, new.field) if new is not None and new.field else None
    if (
        new is not None
        and new.fate in (SpellingStatus.LEAVING, SpellingStatus.REFUSED, SpellingStatus.DEPRECATED)
        and current
        and site.node.get(current) is None
    ):
        yield EditGroup((rename_key(entry, current),))
    elif _refused(draft, site, new):
        words = f"{draft.target.name} refuses `{entry.name}`, which {draft.source.name} did not read"
        yield MigrationNote(entry.key.span.start, f"{words}{_why(new)}")


def _refused(draft: Draft, site: ShapedMapping, new: Spelling | None) -> bool:
    """Whether an ignored key becomes an error."""
    unknown = new is None and draft.target.properties.strict_keys and not site.shape.open
    return unknown or (new is not None and new.fate is SpellingStatus.REJECTED)


def _why(spelling: Spelling | None) -> str:
    return f": {spelling.note}" if spelling is not None and spelling.note else ""


def _types(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    bases: tuple[type[Shape], ...] = (Evaluator, *draft.target.families)
    for base in bases:
        for site in draft.of(base):
            tag = site.own(base.tag)
            value = tag.value if tag is not None else None
            if isinstance(value, Scalar) and isinstance(value.value, str) and value.text:
                yield from _type(draft, base, site, value)
    for site in draft.of(Aggregator) if draft.target.type_name(Composite) is not None else ():
        yield from _aggregator(draft, site)


def _type(draft: Draft, base: type[Shape], site: ShapedMapping, tag: Scalar) -> Iterator[EditGroup | MigrationNote]:
    name = tag.text
    old, new = draft.source.type_of(name, base), draft.target.type_of(name, base)
    if old is None or not old.fate.read:
        yield from _own_type(draft, site, tag, old or new)
        return
    fine = (
        new is not None
        and new.fate in _FINE
        and (new.fate is SpellingStatus.CURRENT or old.fate is SpellingStatus.ALIAS)
    )
    if fine and new is not None and (new.name == name or base is not Evaluator):
        return
    current = draft.target.type_name(old.shape) or _dashed(draft, name)
    if current is None or current == name:
        if new is None or not new.fate.read:
            yield MigrationNote(site.type_at, f"{draft.target.name} has no type `{name}`{_note_of(new)}")
    elif base is Evaluator:
        yield EditGroup((replace_value(tag, current),))


def _dashed(draft: Draft, name: str) -> str | None:
    """The name with dashes, where a dialect that is about to give the type up still reads that one."""
    known = draft.target.type_of(name.replace("_", "-"))
    return known.name if known is not None and known.fate.read else None


def _note_of(known: TypeName | None) -> str:
    return f": {known.note}" if known is not None and known.note else ""


def _own_type(
    draft: Draft, site: ShapedMapping, tag: Scalar, known: TypeName | None
) -> Iterator[EditGroup | MigrationNote]:
    """Rename a custom evaluator: where `_` was equivalent to `-`, only `-` is read from now on."""
    folds = draft.source.properties.folds_type_names and not draft.target.properties.folds_type_names
    if known is not None and known.fate is SpellingStatus.REJECTED:
        yield MigrationNote(tag.span.start, f"{draft.target.name} refuses the type `{tag.text}`{_note_of(known)}")
    elif known is None and folds and site.shape is Custom and "_" in tag.text:
        yield EditGroup((replace_value(tag, tag.text.replace("_", "-")),))


def _aggregator(draft: Draft, site: ShapedMapping) -> Iterator[EditGroup | MigrationNote]:
    """Write the current type name for the judge or program of an aggregator."""
    tag = site.own("type")
    if tag is None or not isinstance(tag.value, Scalar):
        return
    for shape in (CodeEvaluator, LlmJudge):
        known = draft.source.type_of(tag.value.text)
        current = draft.target.type_name(shape)
        if (
            known is not None
            and known.shape is shape
            and current not in (None, tag.value.text)
            and isinstance(current, str)
        ):
            yield EditGroup((replace_value(tag.value, current),))
