"""missing-key: a key without which the rest means nothing."""

import re
from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Evaluator, LlmJudge, ToolTrajectory
from rubric_core.language.model import Case, ContentBlock, Message, Suite
from rubric_core.language.value_kinds import Choice
from rubric_core.loading.issues import MissingKey
from rubric_core.loading.type_match import could_be
from rubric_core.syntax.edit import column_of, newline_of
from rubric_core.syntax.reindent import shift_lines
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.colons import as_sentence, lone_text
from rubric_core.validation.first_case_fix import first_case
from rubric_core.validation.fixes import add_key_fix, example_of
from rubric_core.validation.list_fixes import lift_item
from rubric_core.validation.missing_key_effect import lack_severity
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["MISSING_KEY"]

#: Of so many types that would fit each is offered.
_FEW = 4


@rule("missing-key", "error", "A missing required key", awaits="entry")
def MISSING_KEY(issue: MissingKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the key and what it is for."""
    speaker = _speaker(issue)
    if speaker is not None:
        if issue.key.field == "role":
            yield _role_as_key(issue, speaker, context)
        return
    wanted = f"`{issue.name}`" + "".join(f" or `{n}`" for n in issue.alternatives)
    message = f"{type(issue.owner).title()} needs {wanted}: {_first_sentence(issue.key.doc)}"
    fixes = () if issue.borrowed or not isinstance(issue.node, Mapping) else tuple(_fixes(issue, issue.node, context))
    severity = lack_severity(type(issue.owner), context.dialect.properties)
    if (name := _nested_list(issue, context)) and isinstance(issue.node, Mapping):
        message = f"`{name}` is not an evaluator: its items belong in the list around it"
        edits = () if issue.borrowed else lift_item(issue.node, context.text)
        fixes = (Fix("move them there", edits),) if edits else ()
    sentence = lone_text(issue.node) if issue.key.field == "type" and not issue.borrowed else None
    if sentence is not None and _is_no_key(sentence.name or "", context):
        message = f"YAML reads `{sentence.name}` as a key; a criterion with a colon in it needs quotes"
        fixes = as_sentence(issue.node, sentence, context.text)
    yield Finding(issue.span, message, fixes=fixes, consequence=type(issue.owner).lack_effect, severity=severity)


def _speaker(issue: MissingKey) -> Entry | None:
    """The entry of a message that has its role for a key: `{user: Hello}`."""
    if not isinstance(issue.owner, Message) or not isinstance(issue.node, Mapping):
        return None
    kind = Message.keys["role"].kind
    roles = kind.names if isinstance(kind, Choice) else ()
    keys = [entry for entry in issue.node.entries if entry.name in roles]
    return keys[0] if len(keys) == 1 and not issue.owner.places else None


def _role_as_key(issue: MissingKey, speaker: Entry, context: Context) -> Finding:
    flow = isinstance(issue.node, Mapping) and issue.node.flow
    line = newline_of(context.text) + " " * column_of(context.text, speaker.key.span.start)
    written = f"role: {speaker.name}{', ' if flow else line}content"
    fixes = (
        ()
        if issue.borrowed
        else (Fix(f"write `role: {speaker.name}` and `content: …`", (Edit(speaker.key.span, written),)),)
    )
    words = f"a message says who speaks under `role` and what under `content`; `{speaker.name}` is not a key of it"
    return Finding(issue.span if issue.borrowed else speaker.key.span, words, fixes=fixes)


def _nested_list(issue: MissingKey, context: Context) -> str:
    """The key of a list of evaluators that is all there is of an evaluator: `- assertions: […]`."""
    if issue.key.field != "type" or not isinstance(issue.owner, Evaluator) or not isinstance(issue.node, Mapping):
        return ""
    entry = issue.node.entries[0] if len(issue.node.entries) == 1 else None
    known = context.dialect.table(Case).get(entry.name or "") if entry is not None else None
    listed = known is not None and known.field in ("assertions", "evaluators")
    return entry.name or "" if entry is not None and listed and isinstance(entry.value, Sequence) else ""


def _is_no_key(name: str, context: Context) -> bool:
    """Whether a word in front of a colon is neither a type nor a key of one, where sentences may stand for themselves."""
    dialect = context.dialect
    known = dialect.type_of(name) is not None or any(name in dialect.table(t.shape) for t in dialect.types.values())
    return dialect.properties.string_assertions and not known


def _first_sentence(doc: str) -> str:
    first = re.split(r"\.(?:\s|\Z)", doc, maxsplit=1)[0]
    return first if first[1:2].isupper() else first[:1].lower() + first[1:]


def _fixes(issue: MissingKey, node: Mapping, context: Context) -> Iterator[Fix]:
    if issue.key.field == "type" and isinstance(issue.owner, Evaluator):
        yield from _spelled_out(node, context)
        return
    if issue.key.field == "type" and isinstance(issue.owner, ContentBlock) and isinstance(issue.key.kind, Choice):
        yield from _content(node, issue.key.kind, context)
    if issue.key.field == "cases" and isinstance(issue.owner, Suite):
        yield from first_case(issue.owner, None, issue.name, context)
        return
    # A band's bounds depend on those of its neighbours, and the file of a block is not known.
    owner = issue.owner
    if isinstance(owner, ToolTrajectory) and issue.key.field == "mode":
        yield from add_key_fix(node, issue.name, "any_order" if owner.has("minimums") else "in_order", context)
        return
    example = issue.suggestion or ("" if issue.key.field == "score_range" else example_of(issue.key.example))
    if example and not (isinstance(issue.owner, ContentBlock) and issue.owner.type not in (None, "text")):
        yield from add_key_fix(node, issue.name, example, context)


def _spelled_out(node: Mapping, context: Context) -> Iterator[Fix]:
    """`contains: refund` was meant to be `type: contains` with `value: refund`."""
    for entry in node.entries:
        known = context.dialect.type_of(entry.name or "")
        if known is not None and isinstance(entry.value, Mapping) and entry.value.entries:
            yield from _with_its_keys(entry, known.name, context)
            return
        field = known.shape.keys.get("value") if known is not None else None
        if known is not None and field is not None and could_be(entry.value, field.kind):
            if context.dialect.spelled(known.shape, "value") != "value":
                continue
            between = (
                ", " if node.flow else newline_of(context.text) + " " * column_of(context.text, entry.key.span.start)
            )
            written = f"type: {known.name}{between}value"
            yield Fix(f"write `type: {known.name}` and `value: …`", (Edit(entry.key.span, written),))
            return
    told = _types_by_keys({entry.name: entry.value for entry in node.entries if entry.name}, context)
    for kind in told[:_FEW]:
        yield from add_key_fix(node, "type", kind, context)


def _with_its_keys(entry: Entry, name: str, context: Context) -> Iterator[Fix]:
    """`contains: {value: refund}` in lines of its own: the keys stand beside the type."""
    text, inner = context.text, entry.value
    assert isinstance(inner, Mapping)  # it was looked at
    start, first = entry.key.span.start, inner.entries[0].key.whole.start
    by = column_of(text, start) - column_of(text, first)
    rest = shift_lines(text[first : inner.span.end], by)
    if inner.flow or inner.anchor or "#" in text[start:first] or rest is None or by >= 0:
        return
    written = f"type: {name}{newline_of(text)}{' ' * column_of(text, start)}{rest}"
    yield Fix(f"write `type: {name}` beside its keys", (Edit(Span(start, inner.span.end), written),))


def _content(node: Mapping, kind: Choice, context: Context) -> Iterator[Fix]:
    """`text: Hello` was meant to be `type: text` with `value: Hello`."""
    entry = node.entries[0] if len(node.entries) == 1 else None
    if entry is not None and entry.name in kind.names and isinstance(entry.value, Scalar):
        between = ", " if node.flow else newline_of(context.text) + " " * column_of(context.text, entry.key.span.start)
        written = f"type: {entry.name}{between}value"
        yield Fix(f"write `type: {entry.name}` and `value: …`", (Edit(entry.key.span, written),))


def _types_by_keys(entries: dict[str, Node], context: Context) -> list[str]:
    """The types that have every key that is written, and all that they need among them."""
    dialect, written = context.dialect, set(entries)
    common = {spelling.name for spelling, _ in dialect.fields(Evaluator)}
    if not written - common:
        judge = dialect.type_name(LlmJudge)
        return [judge] if judge else []
    fitting: list[str] = []
    nearly: list[str] = []
    for shape in dict.fromkeys(known.shape for known in dialect.types.values() if known.fate is SpellingStatus.CURRENT):
        needed = dialect.needed(shape)
        groups = {declared.group for _, declared in needed if declared.group}
        missing = [
            s.name for s, declared in needed if not declared.group and s.name not in written and s.name != "type"
        ]
        unmet = [g for g in groups if not any(s.name in written for s, declared in needed if declared.group == g)]
        name = dialect.type_name(shape)
        if not name or missing or unmet:
            continue
        kinds = {spelling.name: declared.kind for spelling, declared in dialect.fields(shape)}
        known = {n for n in kinds if n not in entries or could_be(entries[n], kinds[n])}
        if written <= known:
            fitting.append(name)
        elif len(needed) > 1 and shape.open and written & known - common:
            nearly.append(name)
    return fitting or nearly
