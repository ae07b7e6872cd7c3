"""Completion: the keys, types and words that can stand where the cursor is, in half-typed YAML too."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rubric_core.analysis import Analysis
from rubric_core.language.dialect import Dialect, Fate, Spelling
from rubric_core.language.evaluators import Criterion, Evaluator
from rubric_core.language.kinds import (
    Boolean,
    ByNode,
    Choice,
    Kind,
    ListOf,
    MapOf,
    Messages,
    Ranges,
    Shaped,
    Shorthand,
    Tagged,
    Text,
)
from rubric_core.language.model import Case, Suite
from rubric_core.language.place import CursorPlace, place_of
from rubric_core.language.shape import Key, Shape
from rubric_core.syntax.cursor import Cursor, cursor_at
from rubric_core.syntax.edit import plain_or_quoted
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Edit, Span
from rubric_lsp.features.key_docs import key_markdown, type_markdown

__all__ = ["Completion", "complete"]

ItemKind = Literal["key", "type", "value", "reference", "file", "snippet"]
# A longer list of alternatives hides the line; the words are completed behind the colon anyway.
_MOST_CHOICES = 5
Names = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can be put in the place of `span`."""

    label: str
    kind: ItemKind
    span: Span
    #: The text to insert where the client knows no snippets.
    plain: str
    #: The same with tab stops; empty where there are none.
    snippet: str = ""
    detail: str = ""
    #: Markdown.
    documentation: str = ""
    deprecated: bool = False
    #: Sorts before what sorts higher.
    sort: str = ""
    #: What the client matches against the typed text, when it is not the label.
    filter: str = ""
    extra: tuple[Edit, ...] = ()


def complete(analysis: Analysis, offset: int, names: Names | None = None) -> list[Completion]:
    """What can stand at `offset`; spans are those of the whole text. `names` gives names from other files by what they refer to."""
    local = analysis.local(offset)
    if _in_block_scalar(local.tree.root, local.offset, local.text):
        return []
    cursor = cursor_at(local.text, local.offset)
    if _in_comment(local.text, local.offset):
        return []
    place = place_of(cursor, analysis.dialect, in_frame=local.in_frame)
    offers = _Offers(analysis, place, names or (lambda _: ()))
    shift = local.outer(Span(cursor.span.start, cursor.span.start)).start - cursor.span.start
    span = cursor.span.moved(shift)
    return list(offers.at(span, in_frame=local.in_frame))


def _in_comment(text: str, offset: int) -> bool:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    line = text[start:offset]
    return line.lstrip().startswith("#") or " #" in line.replace('"', "'").split("'")[-1]


def _in_block_scalar(root: object, offset: int, text: str) -> bool:
    for node in walk(root):  # type: ignore[arg-type]  # None or a node
        if isinstance(node, Scalar) and node.style in ("literal", "folded") and node.span.start < offset:
            first = text.find("\n", node.span.start)
            if first >= 0 and first < offset <= node.span.end:
                return True
    return False


class _Offers:
    def __init__(self, analysis: Analysis, place: CursorPlace, names: Names) -> None:
        self.analysis = analysis
        self.dialect: Dialect = analysis.dialect
        self.place = place
        self.cursor: Cursor = place.cursor
        self.names = names

    def at(self, span: Span, *, in_frame: bool) -> Iterator[Completion]:
        """Everything that fits the place."""
        cursor, place = self.cursor, self.place
        if not cursor.path and cursor.role == "key" and not in_frame and cursor.column > 0:
            yield self._case(span, "- ")
            return
        if not cursor.path and cursor.role == "key" and cursor.column == 0:
            yield from self._keys(span, Suite)
            if in_frame and not self.analysis.document.text.strip():
                yield self._suite(span)
            return
        if cursor.role == "value":
            yield from self._values(span, place.kind)
            return
        if cursor.role == "item":
            yield from self._values(span, place.kind)
            yield from self._items(span, place.kind, cursor)
        if (
            cursor.role == "key"
            and cursor.path
            and place.shape is None
            and isinstance(place.kind, ListOf | Messages | ByNode)
        ):
            yield from self._dashes(span, place.kind)
        shape = place.shape if cursor.role == "key" else _mapping_shape(place.kind)
        if shape is not None and cursor.quote == "":
            yield from self._keys(span, shape)
            if (
                cursor.path
                and cursor.path[-1] == "[]"
                and not cursor.siblings
                and cursor.typed
                and cursor.role == "key"
            ):
                yield from self._items(span, place.kind, cursor)

    # Keys

    def _keys(self, span: Span, shape: type[Shape]) -> Iterator[Completion]:
        present = {s.field for name in self.cursor.siblings if (s := self.dialect.table(shape).get(name)) is not None}
        for order, (spelling, key) in enumerate(self.dialect.fields(shape)):
            if spelling.field in present:
                continue
            needed = self.dialect.demanded(shape, spelling.field)
            plain, snippet = self._key_text(spelling.name, key.kind)
            detail = "required" if needed else f"default {key.shown_default}" if key.shown_default else ""
            documentation = key_markdown(self.analysis, shape, key)
            yield Completion(
                spelling.name,
                "key",
                span,
                plain,
                snippet,
                detail,
                documentation,
                sort=f"{0 if needed else 1}{order:03}",
            )
        yield from self._old_keys(span, shape, present)

    def _old_keys(self, span: Span, shape: type[Shape], present: set[str]) -> Iterator[Completion]:
        """Spellings that the dialect has given up: struck through, last, and accepting one inserts what took its place."""
        for spelling in self.dialect.table(shape).values():
            current = self._replacement(shape, spelling)
            if spelling.fate in (Fate.CURRENT, Fate.ALIAS) or current is None or spelling.field in present:
                continue
            attribute = self.dialect.table(shape)[current].field
            plain, snippet = self._key_text(current, shape.keys[attribute].kind)
            yield Completion(
                spelling.name, "key", span, plain, snippet, f"deprecated: use {current}", f"`{spelling.name}` was given up; `{current}` takes its place.\n\n{spelling.note}".strip(),
                deprecated=True, sort=f"9{spelling.name}",
            )  # fmt: skip

    def _replacement(self, shape: type[Shape], spelling: Spelling) -> str | None:
        current = self.dialect.spelled(shape, spelling.field) if spelling.field else None
        if current is None and spelling.field == "evaluator":
            current = self.dialect.spelled(shape, "assertions")
        return current

    def _key_text(self, name: str, kind: Kind[object]) -> tuple[str, str]:
        if self.cursor.has_colon:
            return name, ""
        return f"{name}: ", f"{name}:{self._value_text(kind)}"

    def _value_text(self, kind: Kind[object]) -> str:
        """What follows the colon, with a tab stop where the author goes on."""
        inner = "\n" + " " * (self.cursor.column - self.cursor.margin + 2)
        if isinstance(kind, Choice) and len(kind.names) <= _MOST_CHOICES:
            return f" ${{1|{','.join(kind.names)}|}}"
        if isinstance(kind, Boolean):
            return " ${1|true,false|}"
        if self.cursor.flow:
            return " $1"
        if isinstance(kind, Ranges):
            return f"{inner}0: ${{1:poor}}{inner}4: ${{2:fair}}{inner}8: ${{3:good}}"
        if isinstance(kind, ListOf | Messages) or (
            isinstance(kind, ByNode) and kind.text is None and kind.sequence is not None
        ):
            return f"{inner}- $1"
        if isinstance(kind, Shaped | MapOf):
            return f"{inner}$1"
        return " $1"

    # Values

    def _values(self, span: Span, kind: Kind[object] | None) -> Iterator[Completion]:
        for each in kind.branches if isinstance(kind, ByNode) else (kind,):
            if isinstance(each, Choice):
                for order, (word, meaning) in enumerate(each.options):
                    yield Completion(word, "value", span, word, detail=meaning, sort=f"0{order:02}")
            elif isinstance(each, Boolean):
                yield from (Completion(word, "value", span, word, sort="0") for word in ("true", "false"))
            elif isinstance(each, Text) and each.refers_to:
                yield from self._references(span, each.refers_to)
            elif isinstance(each, Ranges) and self.cursor.role == "value" and not self.cursor.flow:
                inner = "\n" + " " * (self.cursor.column - self.cursor.margin + 2)
                body = f"{inner}0: ${{1:poor}}{inner}4: ${{2:fair}}{inner}8: ${{3:good}}"
                yield Completion(
                    "bands 0–10", "snippet", span, "{0: poor, 4: fair, 8: good}", body, "a map of bands", sort="0"
                )

    def _references(self, span: Span, refers_to: str) -> Iterator[Completion]:
        if refers_to == "type":
            yield from self._types(span)
            return
        if refers_to == "case":
            own = self.cursor.siblings.get("id")
            found: Iterable[str] = (e.case.id for e in self.analysis.cases if e.case.id and e.case.id != own)
        else:
            found = self.names(refers_to)
        for name in dict.fromkeys(found):
            written = name if self.cursor.quote else plain_or_quoted(name)
            yield Completion(name, "file" if refers_to == "file" else "reference", span, written, sort="0")

    def _types(self, span: Span, *, lead: str = "") -> Iterator[Completion]:
        for order, known in enumerate(self.dialect.types.values()):
            if known.fate in (Fate.IGNORED, Fate.REJECTED, Fate.ALIAS):
                continue
            gone = known.fate is Fate.DEPRECATED
            name = self.dialect.type_name(known.shape) or known.name if gone else known.name
            body = self._type_body(known.shape)
            yield Completion(
                known.name, "type", span, lead + name, f"{lead}{name}{body}" if body else "", f"deprecated: use {name}" if gone else known.shape.title().split(":")[0],
                type_markdown(known.shape, self.dialect), deprecated=gone, sort=f"{8 if gone else 2}{order:03}", filter=known.name,
            )  # fmt: skip

    def _type_body(self, shape: type[Shape]) -> str:
        """The required fields of a type, below it, each with a tab stop."""
        if self.cursor.flow or self.cursor.quote or not self.cursor.ends_line:
            return ""
        extra = self.cursor.column - self.cursor.margin
        lines, stop, groups = [], 1, set()
        for spelling, key in self.dialect.fields(shape):
            if (
                spelling.field == "type"
                or spelling.name in self.cursor.siblings
                or not self.dialect.demanded(shape, spelling.field)
                or key.group in groups
            ):
                continue
            groups.add(key.group or spelling.name)
            body, stop = self._stop(key, stop, extra)
            lines.append(f"\n{' ' * extra}{spelling.name}:{body}")
        return "".join(lines)

    def _stop(self, key: Key[object], stop: int, extra: int) -> tuple[str, int]:
        inner = "\n" + " " * (extra + 2)
        kind = key.kind
        if (
            isinstance(kind, ListOf)
            and isinstance(kind.item, ByNode)
            and isinstance(kind.item.mapping, Shaped)
            and kind.item.mapping.shape is Criterion
        ):
            outcome = self.dialect.spelled(Criterion, "outcome")
            body = f"{inner}- id: ${{{stop}:name}}{inner}  {outcome}: ${{{stop + 1}:what the answer has to achieve}}{inner}  weight: ${{{stop + 2}:1.0}}"
            return body, stop + 3
        if isinstance(kind, ListOf | Messages):
            return f"{inner}- ${stop}", stop + 1
        if isinstance(kind, Choice):
            return f" ${{{stop}|{','.join(kind.names)}|}}", stop + 1
        if isinstance(kind, Shaped | MapOf):
            return f"{inner}${stop}", stop + 1
        return f" ${{{stop}:{_escape(key.example)}}}" if key.example else f" ${stop}", stop + 1

    # Whole items

    def _items(self, span: Span, kind: Kind[object] | None, cursor: Cursor) -> Iterator[Completion]:
        for each in kind.branches if isinstance(kind, ByNode) else (kind,):
            if isinstance(each, Tagged) and each.base is Evaluator and not cursor.flow:
                yield from self._types(span, lead="type: ")
            elif isinstance(each, Shaped) and each.shape is Criterion and not cursor.flow:
                yield self._criterion(span)
            elif isinstance(each, Shaped) and each.shape is Case and not cursor.flow:
                yield self._case(span, "")

    def _dashes(self, span: Span, kind: Kind[object]) -> Iterator[Completion]:
        """The cursor is below a key whose value is a list, and no dash is typed yet."""
        sequence = kind.sequence if isinstance(kind, ByNode) else kind
        item = sequence.item if isinstance(sequence, ListOf) else None
        branches = item.branches if isinstance(item, ByNode) else (item,)
        for each in branches:
            if isinstance(each, Shaped) and each.shape is Case:
                yield self._case(span, "- ")
            elif isinstance(each, Shaped) and each.shape is Criterion:
                yield self._criterion(span, "- ")
            elif isinstance(each, Tagged) or (isinstance(each, Shorthand) and len(branches) == 1):
                yield Completion("- type", "snippet", span, "- type: ", "- type: $1", "an evaluator", sort="0")

    def _criterion(self, span: Span, dash: str = "") -> Completion:
        margin = "\n" + " " * (self.cursor.column - self.cursor.margin + len(dash))
        outcome = self.dialect.spelled(Criterion, "outcome")
        body = (
            f"{dash}id: ${{1:name}}{margin}{outcome}: ${{2:what the answer has to achieve}}{margin}weight: ${{3:1.0}}"
        )
        return Completion(
            "criterion", "snippet", span, f"{dash}id: ", body, "a criterion with id, text and weight", sort="05"
        )

    def _case(self, span: Span, dash: str) -> Completion:
        margin = "\n" + " " * (self.cursor.column - self.cursor.margin + len(dash))
        spelled = self.dialect.spelled
        checks = "assertions" if spelled(Case, "assertions") else "rubrics" if spelled(Case, "rubrics") else ""
        body = f"{dash}id: ${{1:name}}{margin}{spelled(Case, 'criteria')}: ${{2:what a good answer achieves}}{margin}{spelled(Case, 'input')}: ${{3:question}}"
        if checks:
            body += f"{margin}{spelled(Case, checks)}:{margin}  - ${{4:what the answer has to mention}}"
        return Completion("case", "snippet", span, f"{dash}id: ", body, "a whole case", sort="00")

    def _suite(self, span: Span) -> Completion:
        cases = self.dialect.spelled(Suite, "cases")
        body = (
            f"name: ${{1:my-suite}}\n{cases}:\n  - id: ${{2:first-case}}\n    criteria: ${{3:what a good answer achieves}}\n"
            "    input: ${4:question}\n    assertions:\n      - ${5:what the answer has to mention}\n"
        )
        return Completion(
            "suite",
            "snippet",
            span,
            f"name: my-suite\n{cases}:\n  - id: first-case\n",
            body,
            "a whole suite",
            sort="00",
        )


def _escape(example: str) -> str:
    return example.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def _mapping_shape(kind: Kind[object] | None) -> type[Shape] | None:
    mapping = kind.mapping if isinstance(kind, ByNode) else kind
    if isinstance(mapping, Shaped):
        return mapping.shape
    return mapping.base if isinstance(mapping, Tagged) else None
