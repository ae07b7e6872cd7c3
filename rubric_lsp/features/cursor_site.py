"""The place of a cursor in the language, by the text around it."""

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.cursor_place import CursorPlace, place_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import PROVIDER_ITEM, FileKind, case_item_of, root_of
from rubric_core.language.model import CASE
from rubric_core.language.shape import Shape
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.targets import Entry, Provider, Target
from rubric_core.language.value_kinds import Kind, ListOf
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.case_items import ROOT_LIST
from rubric_core.syntax.cursor import Cursor

__all__ = ["listed_kind", "place_at"]


def place_at(analysis: Analysis, local: LocalText, cursor: Cursor) -> CursorPlace:
    """The place of a cursor of a block in the catalogue."""
    return _in_settings(local, cursor, analysis.dialect) or place_of(
        cursor, analysis.dialect, _root(analysis, local), _around(local)
    )


def _root(analysis: Analysis, local: LocalText) -> Kind[object]:
    """The shape at the root of the block."""
    if local.in_frame or analysis.document.blocks[local.number].key == ROOT_LIST:
        # An empty list is most likely one of cases.
        listed = not local.in_frame and analysis.kind is FileKind.SUITE
        if analysis.item_kind is PROVIDER_ITEM and not local.in_frame:
            return ListOf(PROVIDER_ITEM)
        return ListOf(CASE) if listed else root_of(analysis.kind) or Shaped(Shape)
    return ListOf(listed_kind(analysis))


def listed_kind(analysis: Analysis) -> Kind[object]:
    """The kind of an item of the list of cases that is cut into blocks."""
    return case_item_of(analysis.kind) or CASE


def _around(local: LocalText) -> list[type[Shape]]:
    """The shapes that begin before the cursor, the nearest last."""
    before = [s for s in local.every if s.node is not None and s.node.span.start <= local.offset and not s.borrowed]
    return [type(s) for s in sorted(before, key=lambda s: s.node.span.start if s.node is not None else 0)]


def _in_settings(local: LocalText, cursor: Cursor, dialect: Dialect) -> CursorPlace | None:
    """The place in the nested settings of a target, whose provider is on the level above."""
    names = {name for base in (Target, Provider) for f in base.nested if (name := dialect.spelled(base, f))}
    at = next((i for i, step in enumerate(cursor.path) if step in names), None)
    if at is None:
        return None
    entries = [e for e in local.every if isinstance(e, Entry) and e.node is not None]
    around = [e for e in entries if e.node is not None and e.node.span.start <= local.offset]
    settings = type(around[-1]).keys["settings"].kind if around else None
    if not isinstance(settings, Shaped):
        return None
    inner = replace(cursor, path=cursor.path[at + 1 :])
    return replace(place_of(inner, dialect, settings), cursor=cursor)
