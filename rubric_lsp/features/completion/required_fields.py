"""The required fields of a type, each with a tab stop."""

from rubric_core.language.evaluators import Criterion
from rubric_core.language.shape import Key, Shape
from rubric_core.language.shape_kinds import Messages, Shaped
from rubric_core.language.value_kinds import Choice, Kind, ListOf, MapOf, NodeUnion, Text
from rubric_lsp.features.completion.context import CompletionSite, escaped

__all__ = ["required_fields"]


def required_fields(site: CompletionSite, shape: type[Shape]) -> str:
    """The missing required fields of `shape`, on lines below the cursor."""
    cursor = site.cursor
    if cursor.flow or cursor.quote or not cursor.ends_line:
        return ""
    lines, stop, groups = [], 1, {shape.keys[shape.tag].group if shape.tag in shape.keys else ""} - {""}
    for spelling, key in site.dialect.fields(shape):
        present = spelling.field == shape.tag or spelling.name in cursor.siblings
        if present or key.group in groups or not site.dialect.demanded(shape, spelling.field):
            continue
        groups.add(key.group or spelling.name)
        body, stop = _stop(site, key, stop)
        lines.append(f"{site.line()}{spelling.name}:{body}")
    return "".join(lines)


def _stop(site: CompletionSite, key: Key[object], stop: int) -> tuple[str, int]:
    inner = site.line(2)
    kind = key.kind
    if _is_list_of_criteria(kind):
        outcome = site.dialect.spelled(Criterion, "outcome")
        body = f"{inner}- id: ${{{stop}:name}}{inner}  {outcome}: ${{{stop + 1}:what the answer has to achieve}}{inner}  weight: ${{{stop + 2}:1.0}}"
        return body, stop + 3
    if isinstance(kind, ListOf | Messages):
        return f"{inner}- ${stop}", stop + 1
    if isinstance(kind, Choice):
        return f" ${{{stop}|{','.join(kind.names)}|}}", stop + 1
    if isinstance(kind, Shaped):
        return _inside(site, kind.shape, inner, stop)
    if isinstance(kind, MapOf):
        return f"{inner}${stop}", stop + 1
    if not key.example:
        return f" ${stop}", stop + 1
    # A reference is a tab stop to choose a name at, not an example to keep.
    names = isinstance(kind, Text) and kind.refers_to == "target"
    return (f" ${stop}" if names else f" ${{{stop}:{escaped(key.example)}}}"), stop + 1


def _inside(site: CompletionSite, shape: type[Shape], inner: str, stop: int) -> tuple[str, int]:
    """The required fields of a nested mapping, one level deep."""
    written = ""
    for spelling, key in site.dialect.fields(shape):
        if not site.dialect.demanded(shape, spelling.field):
            continue
        names = key.kind.names if isinstance(key.kind, Choice) else ()
        value = f"${{{stop}|{','.join(names)}|}}" if names else f"${{{stop}:{escaped(key.example)}}}"
        written += f"{inner}{spelling.name}: {value}"
        stop += 1
    return (written, stop) if written else (f"{inner}${stop}", stop + 1)


def _is_list_of_criteria(kind: Kind[object]) -> bool:
    for each in kind.branches if isinstance(kind, NodeUnion) else (kind,):
        item = each.item if isinstance(each, ListOf) else None
        if isinstance(item, NodeUnion) and isinstance(item.mapping, Shaped) and item.mapping.shape is Criterion:
            return True
    return False
