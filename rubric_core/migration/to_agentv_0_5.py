"""From agentv-0.1: the answer moves out of the conversation, the heuristic judge is gone."""

from collections.abc import Iterator

from rubric_core.language.model import Case
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none
from rubric_core.migration.moves import dash_of, item_piece, nest_pieces, put, remove_item
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.syntax.collection_edits import extent
from rubric_core.syntax.edit import column_of
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span

__all__ = ["TO_AGENTV_0_5"]


def _heuristic(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    for site in draft.sites:
        entry = site.own("evaluator") if "evaluator" in site.shape.keys else None
        if entry is not None and isinstance(entry.value, Scalar) and entry.value.text == "heuristic":
            yield MigrationNote(
                entry.key.span.start,
                "no later dialect has the heuristic grader: a judge takes its place, and scores will differ",
            )


def _answers(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    for case in draft.cases:
        if case.own("input") is not None and case.own("expected_output") is None:
            yield from _answer(draft, case)


def _answer(draft: Draft, case: ShapedMapping) -> Iterator[EditGroup | MigrationNote]:
    entry = case.own("input")
    if entry is None or not isinstance(entry.value, Sequence):
        return
    items = entry.value.items
    spoken = [item for item in items if _role(draft, item) == "assistant"]
    if not spoken:
        return
    answer = spoken[0]
    if len(items) == 1:
        yield MigrationNote(entry.key.span.start, "the conversation has nothing but an answer")
        return
    key = draft.target.spelled(Case, "expected_output") or "expected_messages"
    if answer is items[-1] and not entry.value.flow:
        # The answer is the last message already: a key in front of it is enough.
        start = extent(draft.text, dash_of(draft, answer), answer.span.end).start
        blanks = " " * column_of(draft.text, entry.key.whole.start)
        yield EditGroup((Edit(Span(start, start), f"{blanks}{key}:{draft.newline}"),))
        return
    inline = f"{key}: [{draft.written(answer.span)}]{draft.newline}"
    lines = nest_pieces(draft, [item_piece(draft, entry.value, answer)], key)
    piece = inline if entry.value.flow else lines
    change = all_or_none([remove_item(draft, entry.value, answer), put(draft, case.node, piece, entry)])
    yield change or MigrationNote(answer.span.start, f"this answer belongs under `{key}`")


def _further_answers(draft: Draft) -> Iterator[MigrationNote]:
    for case in draft.cases:
        value = case.value("input")
        answers = [i for i in value.items if _role(draft, i) == "assistant"] if isinstance(value, Sequence) else []
        for item in answers[1:]:
            yield MigrationNote(
                item.span.start,
                "answers behind the first one were not read; they are part of what is asked from now on",
            )


def _role(draft: Draft, item: Node) -> str:
    node = draft.followed(item)
    role = node.get("role") if isinstance(node, Mapping) else None
    return role.text if isinstance(role, Scalar) else ""


TO_AGENTV_0_5 = (
    MigrationStep("Name what the heuristic grader did", _heuristic, before_all=True),
    MigrationStep("Name further answers", _further_answers, before_all=True),
    MigrationStep("Move the answer out of the conversation", _answers),
)
