"""Which completions fit at the cursor."""

from collections.abc import Iterator

from rubric_core.analysis import Analysis, LocalText
from rubric_core.language.cursor_place import CursorPlace, mapping_shape
from rubric_core.language.evaluators import Evaluator, Include
from rubric_core.language.file_kinds import root_of
from rubric_core.language.usage_counts import Counts
from rubric_core.language.value_kinds import NodeUnion, Ranges
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.ancestors import line_start
from rubric_core.syntax.cursor import Cursor, cursor_at
from rubric_core.syntax.tree import Mapping, Scalar, walk
from rubric_core.text import Span
from rubric_lsp.features.completion.context import Completion, CompletionSite, NameSource
from rubric_lsp.features.completion.directives import aliases, directives
from rubric_lsp.features.completion.family_completion import completion_of
from rubric_lsp.features.completion.inner_texts import filters
from rubric_lsp.features.completion.keys import keys
from rubric_lsp.features.completion.ranking import usage_for
from rubric_lsp.features.completion.skeletons import dashes, items, listed_case, suite
from rubric_lsp.features.completion.values import values
from rubric_lsp.features.completion.variables import variables
from rubric_lsp.features.completion.written_forms import may_be_block
from rubric_lsp.features.cursor_site import place_at

__all__ = ["complete"]


def complete(
    analysis: Analysis,
    offset: int,
    names: NameSource | None = None,
    workspace: Counts | None = None,
    *,
    after_space: bool = False,
    inside_text: bool = False,
) -> list[Completion]:
    """The completions at `offset`; their spans are those of the whole text.

    Args:
        analysis: The text.
        offset: The cursor.
        names: Gives names from other files.
        workspace: The usage counts of the workspace.
        after_space: Whether nobody asked: the client does because a space was typed. Enter may then mean a new line, and
            most clients would insert the first item instead: after a dash and where a block can follow, there is none.
        inside_text: Whether a character was typed that matters inside of code and templates only, as `.` does.
    """
    local = analysis.local(offset)
    family = completion_of(analysis.dialect)
    inside = family.in_code(analysis, local, names)
    if inside is not None or analysis.kind.is_program:
        return inside or []
    filled = variables(analysis, local, names) if not inside_text else None
    if filled is None:
        filled = filters(analysis, local)
    if filled is not None or inside_text:
        return filled or []
    if analysis.kind.is_table:
        return list(family.in_table(local, names))
    if analysis.kind.is_text or _in_block_scalar(local):
        return []
    if _in_comment(local.text, local.offset):
        return directives(analysis, local)
    named = aliases(analysis, local)
    if named is not None:
        return named
    cursor = family.cursor(cursor_at(local.text, local.offset), local)
    place = place_at(analysis, local, cursor)
    if _lacks_space(cursor, local) or (after_space and _before_new_line(place)):
        return []
    shift = local.outer(Span(cursor.span.start, cursor.span.start)).start - cursor.span.start
    usage = usage_for(analysis, local, workspace or Counts())
    site = CompletionSite(analysis, local, place, cursor.span.moved(shift), names or (lambda *_: ()), offset, usage)
    found = {(each.label, each.kind): each for each in reversed(list(_offers(site)))}
    return list(reversed(found.values()))


def _lacks_space(cursor: Cursor, local: LocalText) -> bool:
    """Whether the cursor is right after a colon or a dash: it needs a space, and Enter begins a block there."""
    start = cursor.span.start
    if cursor.quote or cursor.typed or start == 0:
        return False
    sign = local.text[start - 1]
    if cursor.flow:
        # After a quoted key, a value may follow the colon at once, as in JSON.
        return sign == ":" and local.text[max(0, start - 2) : start - 1] not in ('"', "'")
    return sign == ":" if cursor.role == "value" else sign == "-"


def _before_new_line(place: CursorPlace) -> bool:
    """Whether Enter may begin a line: the value of a key can be on the lines below, or an empty item ends its list."""
    cursor = place.cursor
    if cursor.typed or cursor.quote or cursor.flow or not cursor.ends_line:
        return False
    return cursor.role == "item" or (cursor.role == "value" and may_be_block(place.kind))


def _in_comment(text: str, offset: int) -> bool:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    return line.lstrip().startswith("#") or " #" in line.replace('"', "'").split("'")[-1]


def _in_block_scalar(local: LocalText) -> bool:
    for node in walk(local.tree.root):
        if isinstance(node, Scalar) and node.is_block and node.span.start < local.offset:
            first = local.text.find("\n", node.span.start)
            if 0 <= first < local.offset <= node.span.end and _goes_on(
                local.text, node.span.start, first, local.offset
            ):
                return True
    return False


def _goes_on(text: str, start: int, first: int, offset: int) -> bool:
    """Whether a block scalar reaches `offset` by indentation: in broken text, the tree may have it longer than it is."""
    margin = _margin(text[line_start(text, start) : start])
    lines = text[first + 1 : line_start(text, offset)].splitlines()
    return all(_margin(line) > margin for line in lines if line.strip())


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _in_header(site: CompletionSite) -> bool:
    """Whether the cursor is after the indicator of a block scalar, whose text is on the lines below."""
    return site.cursor.role == "value" and not site.cursor.quote and site.cursor.typed[:1] in ("|", ">")


def _offers(site: CompletionSite) -> Iterator[Completion]:
    """All completions that fit the place."""
    cursor, place, family = site.cursor, site.place, completion_of(site.dialect)
    if not cursor.path and cursor.role == "key":
        yield from _outermost(site)
        return
    if _in_header(site):
        return
    if cursor.role == "value":
        yield from values(site, place.kind)
        return
    if cursor.role == "item" and (cursor.flow or not cursor.siblings):
        yield from values(site, place.kind)
        yield from items(site, place.kind)
    if cursor.role == "key":
        yield from family.members(site)
        if cursor.path and (place.shape is None or not cursor.siblings):
            yield from dashes(site, place.kind)
    if _begins_item(cursor) and "/" in cursor.typed:
        yield from values(site, place.kind)
        return
    shape = place.shape if cursor.role == "key" else mapping_shape(place.kind, cursor.siblings, site.dialect)
    # The keys of a map of bands are scores.
    unquoted = cursor.quote == "" or (cursor.flow and cursor.role == "key")
    if shape is not None and unquoted and not (cursor.siblings and isinstance(place.kind, Ranges)):
        yield from family.keys(site, shape, keys(site, shape))
        if shape is Evaluator and not cursor.siblings and site.dialect.spelled(Include, "include"):
            yield from (replace(c, sort="2") for c in keys(site, Include) if c.label == "include")
    if _begins_item(cursor):
        yield from values(site, place.kind)
        yield from items(site, place.kind)


def _begins_item(cursor: Cursor) -> bool:
    """Whether the typed word is the first one of a list item."""
    return bool(
        cursor.path
        and cursor.path[-1] == "[]"
        and not cursor.siblings
        and cursor.typed
        and cursor.role == "key"
        and not cursor.flow
    )


def _outermost(site: CompletionSite) -> Iterator[Completion]:
    """Keys of the whole text, or the start of an item."""
    cursor = site.cursor
    if not site.local.in_frame and cursor.column > 0:
        yield from listed_case(site)
        return
    if cursor.column > 0:
        return
    root = root_of(site.analysis.kind)
    shape = mapping_shape(root, cursor.siblings, site.dialect)
    outer = site.analysis.states[site.analysis.frame.block].tree.root
    if not site.local.in_frame and isinstance(outer, Mapping):
        # After the cases, the keys of the text before them continue.
        written = {e.name: "" for e in outer.entries if e.name and e.name != cursor.typed}
        cursor = replace(cursor, siblings={**written, **cursor.siblings})
        cursor = replace(cursor, before=cursor.before or site.analysis.frame.item_key)
        site = replace(site, place=replace(site.place, cursor=cursor))
    empty = not site.analysis.document.text.strip()
    if empty and isinstance(root, NodeUnion) and root.sequence is not None and shape is None:
        yield from dashes(site, root)
    if shape is not None:
        yield from keys(site, shape)
    if empty or (cursor.typed and not site.analysis.document.text.replace(cursor.typed, "", 1).strip()):
        yield from suite(site)
