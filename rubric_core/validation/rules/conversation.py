"""conversation: keys of a conversation that do not go together."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Turn
from rubric_core.syntax.edit import add_entry, remove_entry
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit
from rubric_core.validation.fixes import FILL_IN, add_key_fix, remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["CONVERSATION"]

_ONLY_THERE = ("turns", "aggregation", "on_turn_failure", "window_size")


def _mended(case: Case, node: Mapping, written: list[str], context: Context) -> Iterator[Fix]:
    """Turns make a conversation; without any, its other keys mean nothing."""
    if case.has("turns"):
        edit = add_entry(context.text, node, "mode", "conversation")
        if edit is not None:
            yield Fix("add `mode: conversation`", (edit,))
        return
    names = {case.places[field].name for field in written}
    edits = [remove_entry(context.text, node, e) for e in node.entries if e.name in names]
    if len(edits) == 1 and edits[0] is not None:
        yield Fix(f"remove `{next(iter(names))}`", (edits[0],), safe=False)


_VALIDATED = "agentv still runs the case; only `agentv validate` rejects it"


@rule(
    "conversation", "error", "Conversation keys that do not fit together", awaits="entry", needs={"mode", *_ONLY_THERE}
)
def CONVERSATION(case: Case, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """`turns` and its company need `mode: conversation`, and that mode needs turns."""
    if not case.has("mode"):
        written = [f for f in _ONLY_THERE if case.has(f)]
        if written:
            fixes: tuple[Fix, ...] = ()
            if isinstance(case.node, Mapping) and not case.borrowed:
                fixes = tuple(_mended(case, case.node, written, context))
            yield Finding(
                case.key_at(written[0]),
                f"`{written[0]}` has an effect only with `mode: conversation`",
                fixes=fixes,
                consequence=_VALIDATED,
            )
        return
    if case.mode != "conversation":
        return
    if not case.has("turns"):
        yield Finding(
            case.key_at("mode"),
            "a conversation needs `turns`",
            fixes=() if case.borrowed else (*_with_turns(case, context), *remove_key_fix(case.node, "mode", context)),
            consequence=_VALIDATED,
        )
    for turn in case.turns or []:
        if isinstance(turn, Turn) and turn.has("input") and turn.input in ("", []):
            fixes = () if turn.borrowed else (Fix("say it: …", (Edit(turn.at("input"), FILL_IN),), safe=False),)
            yield Finding(turn.at("input"), "the input of a turn is empty", fixes=fixes, consequence=_VALIDATED)
    if case.has("expected_output"):
        yield Finding(
            case.key_at("expected_output"),
            "in a conversation each turn has its own `expected_output`",
            fixes=() if case.borrowed else remove_key_fix(case.node, case.places["expected_output"].name, context),
            consequence=_VALIDATED,
        )


def _with_turns(case: Case, context: Context) -> tuple[Fix, ...]:
    """The one turn of a case that says what it is about in `input` is that."""
    place = case.places.get("input")
    asked = isinstance(place.node, Scalar) and not place.node.is_block if place else False
    written = context.written(place.value) if place is not None and asked else FILL_IN
    return add_key_fix(case.node, "turns", f"[{{input: {written}}}]", context)
