"""Values of another type or out of their range."""

import random
from collections.abc import Callable

from planted.suite import Plant, Planted, Suite, replaced
from rubric_core.language.evaluators import Comparison, Criterion, Evaluator
from rubric_core.language.model import Case, ContentBlock, Execution, Message
from rubric_core.language.shape import Shape
from rubric_core.syntax.tree import Scalar

__all__ = ["KINDS"]


def value(
    shape_type: type[Shape],
    attribute: str,
    new: str,
    *right: str,
    only: Callable[[Shape], bool] = lambda _: True,
) -> Plant:
    """Write another value; `right`: what can have been meant, OLD for what stood there, nothing where nobody can tell."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [(s, o) for s, o in suite.of(shape_type, attribute) if only(s)]
        if not found:
            return None
        shape, offset = rng.choice(found)
        place = shape.places[attribute]
        if not isinstance(place.node, Scalar) or place.node.style in ("literal", "folded") or place.node.span == (0, 0):
            return None
        start, end = place.node.span
        old = suite.text[start + offset : end + offset]
        rights = [each.replace("OLD", old) for each in right]
        return replaced(suite, start + offset, end + offset, new.replace("OLD", place.node.text), right=rights)

    return plant


def setting(line: str, *right: str) -> Plant:
    """A line below `execution:`; `right`: what it can have been meant to be."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [
            s
            for s, o in suite.of(Execution)
            if o == 0 and s.node and suite.analysis.dialect.spelled(type(s), "threshold")
        ]
        if not found or line.partition(":")[0] in suite.text:
            return None
        start = rng.choice(found).node.entries[0].key.whole.start
        column = start - suite.text.rfind("\n", 0, start) - 1
        rights = [f"{each}\n{' ' * column}" for each in right]
        return replaced(suite, start, start, f"{line}\n{' ' * column}", right=rights)

    return plant


KINDS: dict[str, Plant] = {
    "case id is a number": value(Case, "id", "42", '"42"', "'42'"),
    "case id is empty": value(Case, "id", '""'),
    "case id is a list": value(Case, "id", "[a, b]"),
    "criteria is a list": value(Case, "criteria", "[one, two]"),
    "criteria is blank": value(Case, "criteria", '"  "'),
    "input is a mapping": value(Case, "input", "{role: user}"),
    "input is a number": value(Case, "input", "7", '"7"'),
    "criterion weight is a word": value(Criterion, "weight", "heavy"),
    "criterion weight is a quoted number": value(Criterion, "weight", '"1.0"', "1.0"),
    "criterion weight is negative": value(Criterion, "weight", "-1", "1"),
    "criterion weight is zero": value(
        Criterion,
        "weight",
        "0",
        only=lambda s: not any(s.has(f) for f in ("required", "min_score", "required_min_score")),
    ),
    "criterion required is yes": value(Criterion, "required", "yes", "true"),
    "criterion required is a word": value(Criterion, "required", "always", "true"),
    "criterion id is a number": value(Criterion, "id", "4.5", '"4.5"'),
    "criterion text is empty": value(
        Criterion, "outcome", '""', only=lambda s: not s.has("score_ranges") and not getattr(s, "shorthand", False)
    ),
    "min_score on the wrong scale": value(Criterion, "min_score", "8", "0.8"),
    "min_score is zero": value(Criterion, "min_score", "0"),
    "required_min_score is a share": value(Criterion, "required_min_score", "0.6", "6"),
    "required_min_score too high": value(Criterion, "required_min_score", "11", "10"),
    "evaluator type misspelt": value(
        Evaluator, "type", "contians", "OLD", only=lambda s: getattr(s, "type_name", "") == "contains"
    ),
    "evaluator type is a list": value(
        Evaluator, "type", "[contains]", "OLD", '"contains"', only=lambda s: getattr(s, "type_name", "") == "contains"
    ),
    "evaluator weight is negative": value(Evaluator, "weight", "-2", "2"),
    "evaluator weight is a word": value(Evaluator, "weight", "high"),
    "assertion value is a number": value(Comparison, "value", "4", '"4"'),
    "assertion value is empty": value(Comparison, "value", '""'),
    "role misspelt": value(Message, "role", "usr", "user"),
    "role is an unknown word": value(Message, "role", "human", "user"),
    "content type misspelt": value(ContentBlock, "type", "txt", "text"),
    "threshold above one": setting("threshold: 1.5"),
    "threshold on a scale of 100": setting("threshold: 80", "threshold: 0.8"),
    "threshold of zero": setting("threshold: 0"),
    "target is a list": value(Execution, "target", "[OLD, OLD]"),
}
