"""unread-checks: evaluators inside a message, and `criteria` of a judge that reads none."""

from collections.abc import Iterator
from functools import lru_cache

from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import LlmJudge, Rubrics
from rubric_core.language.model import Case, Message
from rubric_core.syntax.edit import add_entry, quoted, remove_entry
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["UNREAD_CHECKS"]

#: The fields of a case in which messages stand.
_ASKED = ("input", "expected_output")
_CONSEQUENCE = "agentv silently ignores it, so nothing is graded by it"


@rule(
    "unread-checks",
    "warning",
    "Checks in a place where nothing reads them",
    needs=lambda visited: _ASKED if issubclass(visited, Case) else None,
)
def UNREAD_CHECKS(visited: Case | LlmJudge, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Both are open shapes, in which any key may stand and none is an error."""
    if visited.borrowed or not isinstance(visited.node, Mapping):
        return
    if isinstance(visited, LlmJudge):
        yield from _unread_by_judge(visited, visited.node, context)
        return
    for field in _ASKED:
        place = visited.places.get(field)
        if place is not None and not place.borrowed and isinstance(place.node, Sequence):
            for message in place.node.items:
                if isinstance(message, Mapping):
                    yield from _in_message(visited, message, context)


def _in_message(case: Case, message: Mapping, context: Context) -> Iterator[Finding]:
    known = _names_of_checks()
    named = [entry for entry in message.entries if entry.name in known]
    for entry in named if named and message.get("role") is not None else ():
        if context.dialect.table(Message).get(entry.name or "") is None:
            key = context.dialect.spelled(Case, "assertions") or context.dialect.spelled(Case, "evaluators")
            yield Finding(
                entry.key.span,
                f"a message has no `{entry.name}`; write it in the case, beside the messages"
                + (f", as `{key}`" if key is not None and key != entry.name else ""),
                fixes=tuple(_moved(case, message, entry, key, context)),
                consequence=_CONSEQUENCE,
            )


@lru_cache(maxsize=1)
def _names_of_checks() -> frozenset[str]:
    """The keys of cases that hold evaluators, in any dialect."""
    fields = ("assertions", "evaluators")
    return frozenset(s.name for d in DIALECTS for s in d.table(Case).values() if s.field in fields and s.fate.read)


def _moved(case: Case, message: Mapping, entry: Entry, key: str | None, context: Context) -> Iterator[Fix]:
    """Move an entry of one line into the case, unless the case has the key already."""
    written = context.written(entry.value.whole)
    if (
        key is None
        or "\n" in context.written(entry.span)
        or not isinstance(case.node, Mapping)
        or case.node.get(key) is not None
    ):
        return
    gone, put = remove_entry(context.text, message, entry), add_entry(context.text, case.node, key, written)
    if gone is not None and put is not None:
        yield Fix("move it to the case", (gone, put), safe=False)


def _unread_by_judge(judge: LlmJudge, node: Mapping, context: Context) -> Iterator[Finding]:
    name, instead = context.dialect.spelled(Rubrics, "criteria"), context.dialect.spelled(LlmJudge, "rubrics")
    entry = node.entry(name) if name else None
    if entry is None or name is None or context.dialect.table(type(judge)).get(name) is not None:
        return
    other = context.dialect.type_name(Rubrics)
    advice = f"the type `{other}` does" if other else f"write `{instead}`"
    yield Finding(
        entry.key.span,
        f"`{judge.type_name}` does not read `{name}`; {advice}",
        fixes=tuple(_use_other_type(judge, node, entry, other, context)),
        consequence=_CONSEQUENCE,
    )


def _use_other_type(judge: LlmJudge, node: Mapping, entry: Entry, other: str | None, context: Context) -> Iterator[Fix]:
    """The type that grades by criteria; a text becomes the only one of a list."""
    kind, value = node.get(context.dialect.spelled(LlmJudge, "type") or "type"), entry.value
    # A prompt of the author's says what this judge is for.
    if other is None or kind is None or judge.has("prompt") or judge.has("rubrics"):
        return
    edits = (Edit(kind.span, other),)
    if isinstance(value, Sequence):
        yield Fix(f"use the type `{other}`", edits)
    elif isinstance(value, Scalar) and isinstance(value.value, str) and not value.is_block and not value.anchor:
        yield Fix(f"use the type `{other}`", (*edits, Edit(value.span, f"[{quoted(value.text)}]")))
