"""Keys that are not there."""

import random
from collections.abc import Callable

from planted.suite import LOST, Plant, Planted, Suite, entries, in_conversation, replaced
from rubric_core.language.evaluators import CodeEvaluator, Comparison, Criterion, Evaluator, Rubric
from rubric_core.language.model import Case, ContentBlock, Message
from rubric_core.language.shape import Shape

__all__ = ["KINDS"]


def remove(
    shape_type: type[Shape], attribute: str, *, only: Callable[[Shape, Suite], bool] = lambda _, __: True
) -> Plant:
    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = []
        for shape, offset in suite.of(shape_type, attribute):
            own = entries(shape)
            at = next((i for i, e in enumerate(own) if e.key.span == shape.places[attribute].key), None)
            if at is not None and len(own) > 1 and only(shape, suite):
                found.append((own, at, offset))
        if not found:
            return None
        own, at, offset = rng.choice(found)
        first = own[0].key.whole.start + offset
        if at + 1 < len(own):
            return replaced(suite, own[at].span.start + offset, own[at + 1].key.whole.start + offset, "", first, LOST)
        end = own[at].span.end + offset
        return replaced(suite, own[at - 1].span.end + offset, end, "", first, LOST)

    return plant


def _needed(attribute: str) -> Callable[[Shape, Suite], bool]:
    return lambda shape, suite: suite.analysis.dialect.demanded(type(shape), attribute)


KINDS: dict[str, Plant] = {
    "case without id": remove(Case, "id", only=_needed("id")),
    "case without input": remove(Case, "input", only=_needed("input")),
    "evaluator without type": remove(Evaluator, "type"),
    "assertion without value": remove(Comparison, "value"),
    "rubric without criteria": remove(Rubric, "criteria", only=_needed("criteria")),
    "program without command": remove(CodeEvaluator, "command", only=_needed("command")),
    # A list of which nothing has a role is not a conversation: expected output may be any list.
    "message without role": remove(Message, "role", only=in_conversation),
    "content block without value": remove(ContentBlock, "value"),
    "criterion without text": remove(
        Criterion, "outcome", only=lambda s, _: not s.has("score_ranges") and not getattr(s, "shorthand", False)
    ),
}
