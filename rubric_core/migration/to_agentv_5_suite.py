"""From agentv-3: the settings under `execution` of a suite, its target and its input get places of their own."""

from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none, comments_left, lift_out
from rubric_core.migration.moves import (
    dash_of,
    extent_of,
    inline_piece,
    lift_entry,
    nest_pieces,
    piece_of,
    put,
    replace_entry,
    take_out_entry,
)
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.collection_edits import dedent, extent, indent
from rubric_core.syntax.edit import column_of, rename_key
from rubric_core.syntax.tree import Entry, Mapping, Node, Scalar
from rubric_core.syntax.tree import Sequence as SequenceNode
from rubric_core.text import Edit, Span

__all__ = ["SUITE_STEPS", "TEMPLATE"]

#: The prompt that asks the value of `vars` in a case.
TEMPLATE = '"{{ input }}"'

_OPTIONS = {"workers": "max_concurrency", "budget_usd": "budget_usd", "cache": "cache", "trials": "repeat"}


def _targets(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """The targets of a suite are its providers; a list of several counts before a single one."""
    suite = draft.suite
    key = draft.target.spelled(Suite, "providers")
    if suite is None or key is None:
        return
    places = [place for place in (_execution(suite), suite) if place is not None]
    written = [(place, entry) for place in places for f in ("targets", "target") if (entry := place.own(f)) is not None]
    if suite.entry("providers") is not None:
        for _, entry in written:
            yield MigrationNote(entry.key.span.start, f"`{key}` counts; this had no effect")
    elif written:
        yield _as_providers(draft, suite, *written[0], key)


def _as_providers(
    draft: Draft, suite: ShapedMapping, place: ShapedMapping, entry: Entry, key: str
) -> EditGroup | MigrationNote:
    at = entry.key.span.start
    if _has_settings(draft, entry.value):
        return MigrationNote(
            at, f"`{key}` takes names, or entries with the `id` of a backend and a `label`: write these as such"
        )
    if place is suite:
        return EditGroup((rename_key(entry, key),))
    return lift_out(draft, place, entry, key) or MigrationNote(at, f"this belongs under `{key}`, one level up")


def _has_settings(draft: Draft, value: Node) -> bool:
    node = draft.followed(value)
    return isinstance(node, Mapping) or (
        isinstance(node, SequenceNode) and any(isinstance(draft.followed(i), Mapping) for i in node.items)
    )


def _execution(suite: ShapedMapping) -> ShapedMapping | None:
    return next(iter(suite.under("execution")), None)


def _limits(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Move the threshold to the top, and workers, budget, cache and trials to the options of the run."""
    suite = draft.suite
    execution = _execution(suite) if suite is not None else None
    if suite is None or execution is None:
        return
    threshold = execution.own("threshold")
    if threshold is not None and suite.node.get("threshold") is None:
        change = lift_out(draft, execution, threshold, "threshold")
        if change is not None:
            yield change
            return
    for field, name in _OPTIONS.items():
        entry = execution.own(field)
        if entry is not None and _option_fits(execution, field):
            change = _as_option(draft, suite, execution, entry, name)
            if change is not None:
                yield change
                return


def _option_fits(execution: ShapedMapping, field: str) -> bool:
    """Whether a limit means the same as an option; otherwise it stays, with a note."""
    value = execution.plain(field)
    if field == "budget_usd":
        return not (isinstance(value, int | float) and value <= 0)
    if field == "trials":
        return isinstance(value, dict) and set(value) == {"count"} and isinstance(value["count"], int)
    return True


def _as_option(
    draft: Draft, suite: ShapedMapping, execution: ShapedMapping, entry: Entry, name: str
) -> EditGroup | None:
    under = draft.target.spelled(Suite, "evaluate_options") or "evaluate_options"
    options = suite.node.get(under)
    if options is not None and not (isinstance(options, Mapping) and options.get(name) is None):
        return None
    piece = piece_of(draft, execution.node, entry, name)
    if name == "repeat" and isinstance(entry.value, Mapping):
        piece = _repeated(draft, execution, entry, entry.value)
    if options is None:
        inline = f"{under}: {{{inline_piece(piece)}}}{draft.newline}"
        piece = inline if suite.node.flow else nest_pieces(draft, [piece], under)
    return _moved_up(draft, suite, execution, entry, piece, options)


def _repeated(draft: Draft, execution: ShapedMapping, entry: Entry, trials: Mapping) -> str:
    """`trials: {count: 3}` is `repeat: 3`."""
    span = extent_of(draft, execution.node, entry)
    kept = (draft.written(c) for c in draft.comments if span.start <= c.start < span.end)
    lines = "".join(f"{comment}{draft.newline}" for comment in kept)
    return f"{lines}repeat: {draft.written(trials.entries[0].value.span)}{draft.newline}"


def _moved_up(
    draft: Draft, suite: ShapedMapping, execution: ShapedMapping, entry: Entry, piece: str, into: Node | None
) -> EditGroup | None:
    """Take an entry out of `execution`, and put `piece` beside it or into a mapping of the suite."""
    around = next((e for e in suite.node.entries if e.value is execution.node), None)
    if around is None:
        return None
    if len(execution.node.entries) > 1:
        moved = lift_entry(draft, execution.node, entry)
        goes = put(draft, into, piece) if isinstance(into, Mapping) else put(draft, suite.node, piece, around)
        return all_or_none([moved[0] if moved else None, goes])
    if isinstance(into, Mapping):
        span = extent_of(draft, execution.node, entry)
        return all_or_none([take_out_entry(draft, suite.node, around, but=span), put(draft, into, piece)])
    return all_or_none(
        [
            replace_entry(
                draft, suite.node, around, comments_left(draft, suite.node, around, execution.node, entry) + piece
            )
        ]
    )


def _left_over(draft: Draft) -> Iterator[MigrationNote]:
    """What nothing takes over."""
    suite = draft.suite
    execution = _execution(suite) if suite is not None else None
    for entry in execution.node.entries if execution is not None else ():
        field = execution.field_of(entry) if execution is not None else ""
        if field in ("target", "targets", "evaluators", "assertions"):
            continue  # their own steps speak of them
        yield MigrationNote(
            entry.key.span.start,
            _WHY.get(field, f"{draft.target.name} has nothing like `execution.{entry.name}`, and refuses it"),
        )


_WHY = {
    "trials": "agentv-5 has `evaluate_options: {repeat: N}`, without a strategy and without a limit to the cost",
    "budget_usd": "`evaluate_options.budget_usd` has to be above 0",
    "fail_on_error": "agentv-5 reads `fail_on_error` under the `execution` of a case only",
}


def _prompts(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """What cases have as `input` is asked through a prompt; the input of the suite is the beginning of that prompt."""
    suite = draft.suite
    if suite is None or suite.shape is not Suite or suite.entry("prompts") is not None:
        return
    own = suite.own("input")
    if own is not None:
        yield from _prompt_of_messages(draft, suite, own)
    elif any(_input(case) is not None for case in draft.cases):
        cases = suite.own("cases")
        if cases is not None:
            piece = f"prompts:{draft.newline}  - {TEMPLATE}{draft.newline}"
            inline = f"prompts: [{TEMPLATE}], "
            at = cases.span.start if suite.node.flow else extent_of(draft, suite.node, cases).start
            yield EditGroup((Edit(Span(at, at), inline if suite.node.flow else piece),))


def _no_longer_apart(draft: Draft) -> Iterator[MigrationNote]:
    """What told the input of the suite from that of a case, which one prompt has both from here on."""
    suite = draft.suite
    if suite is None or suite.shape is not Suite or suite.own("input") is None:
        return
    files = suite.own("input_files")
    if files is not None:
        yield MigrationNote(
            files.key.span.start,
            "these files came before the input of each case; now they come before the whole prompt",
        )
    for case in draft.cases:
        settings = case.value("execution")
        skips = settings.entry("skip_defaults") if isinstance(settings, Mapping) else None
        if skips is not None and isinstance(skips.value, Scalar) and skips.value.value is True:
            yield MigrationNote(
                skips.key.span.start,
                "this left out the input of the suite, which the prompt has: give the case `prompts` of its own",
            )


def _input(case: ShapedMapping) -> Node | None:
    """The input of a case, moved to its variables already or not."""
    inner = case.value("vars")
    moved = inner.get("input") if isinstance(inner, Mapping) else None
    return case.value("input") or (case.draft.followed(moved) if moved is not None else None)


def _prompt_of_messages(draft: Draft, suite: ShapedMapping, entry: Entry) -> Iterator[EditGroup | MigrationNote]:
    inputs = [_input(case) for case in draft.cases]
    texts = all(isinstance(node, Scalar) for node in inputs)
    if not texts or (isinstance(entry.value, SequenceNode) and entry.value.flow) or suite.node.flow:
        yield MigrationNote(
            entry.key.span.start,
            "messages of the suite come before those of each case: write them into `vars.input` of every case, or into a prompt",
        )
        return
    if isinstance(entry.value, SequenceNode):
        first, last = entry.value.items[0], entry.value.items[-1]
        dash = dash_of(draft, first)
        span = extent(draft.text, dash, last.span.end)
        messages = dedent(draft.written(span), column_of(draft.text, dash))
    elif isinstance(entry.value, Scalar):
        messages = f"- role: user{draft.newline}" + indent(piece_of(draft, suite.node, entry, "content"), 2)
    else:
        return
    messages += f"- role: user{draft.newline}  content: {TEMPLATE}{draft.newline}"
    whole_span = extent_of(draft, suite.node, entry)
    kept = [
        draft.written(c)
        for c in draft.comments
        if whole_span.start <= c.start < whole_span.end and draft.written(c) not in messages
    ]
    lines = "".join(f"{comment}{draft.newline}" for comment in kept)
    piece = f"{lines}prompts:{draft.newline}{_as_item(messages, draft.newline)}"
    yield all_or_none([replace_entry(draft, suite.node, entry, piece)]) or MigrationNote(
        entry.key.span.start, "this belongs into a prompt"
    )


def _as_item(messages: str, newline: str) -> str:
    """A list as the only item of another one."""
    lines = indent(messages, 4)
    return f"  - {lines.removeprefix('    ')}" if messages.startswith("-") else f"  -{newline}{lines}"


SUITE_STEPS = (
    MigrationStep("Write targets as `providers`", _targets),
    MigrationStep("Move limits out of `execution`", _limits),
    MigrationStep("Name settings that nothing takes over", _left_over),
    MigrationStep("Name what one prompt does not tell apart", _no_longer_apart),
    MigrationStep("Ask the input of cases through a prompt", _prompts),
)
