"""Evaluators of the answer itself."""

from rubric_core.language.evaluators.base import Evaluator, Scripted
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, Choice, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "AllOf", "AnyOf", "Comparison", "Contains", "ContainsAll", "ContainsAny", "EndsWith", "Equals", "FieldAccuracy",
    "FieldCheck", "IContains", "IContainsAll", "IContainsAny", "IsJson", "Javascript", "Python", "Regex", "Similar",
    "StartsWith", "Webhook",
]  # fmt: skip


#: White space is a text to look for, too.
_SOUGHT = Text(spaces=True)


class Comparison(Evaluator):
    """A comparison: the answer against one text."""

    value = key(_SOUGHT, "The text to compare with.", required=True, example="refund")


class Contains(Comparison):
    """A contains check: the answer has this text in it."""


class IContains(Comparison):
    """An icontains check: whatever the case, the answer has this text in it."""


class StartsWith(Comparison):
    """A starts-with check: the answer begins with this text, white space aside."""


class EndsWith(Comparison):
    """An ends-with check: the answer ends with this text, white space aside."""


class Equals(Comparison):
    """An equals check: the answer is this text, white space around it aside."""


class Regex(Comparison):
    """A regex check: a regular expression, in JavaScript syntax, matches somewhere in the answer."""

    value = key(_SOUGHT, "The pattern, in JavaScript syntax.", required=True, example="'[0-9]+ days'")
    flags = key(Text(blank=True), "JavaScript flags: i, m, s, u, g, y.", example="i")


class AnyOf(Evaluator):
    """A comparison: the answer against several texts."""

    value = key(ListOf(_SOUGHT, empty=False), "The texts to compare with.", required=True, example="[refund, return]")


class AllOf(AnyOf):
    """A comparison: the answer against several texts, all of which count."""


class ContainsAny(AnyOf):
    """A contains-any check: the answer has at least one of these texts in it."""


class ContainsAll(AllOf):
    """A contains-all check: the answer has every one of these texts in it."""


class IContainsAny(AnyOf):
    """An icontains-any check: whatever the case, the answer has at least one of these texts in it."""


class IContainsAll(AllOf):
    """An icontains-all check: whatever the case, the answer has every one of these texts in it."""


class IsJson(Evaluator):
    """An is-json check: the whole answer is one JSON value."""


class FieldCheck(Shape):
    """A field check: a field of a JSON answer that is compared."""

    path = key(
        Text(),
        "The path of the field: names with dots, list positions as `[0]`.",
        required=True,
        example="lines[0].amount",
    )
    match = key(
        Choice(
            (
                ("exact", "the same value"),
                ("numeric_tolerance", "a number within `tolerance`"),
                ("date", "the same day"),
            )
        ),
        "How the values are compared.",
        required=True,
        example="exact",
    )
    required = key(
        Boolean(), "Whether a missing field counts as wrong; otherwise it is left out.", default=True, shown="true"
    )
    weight = key(Number(at_least=0), "Its weight in the score.", default=1.0, shown="1")
    tolerance = key(Number(at_least=0), "The largest difference that is still right.", default=0.0, shown="0")
    relative = key(Boolean(), "Whether the tolerance is a share of the expected value.", default=False, shown="false")
    formats = key(ListOf(Text()), "Date formats; the first one that matches is used.", example="[YYYY-MM-DD]")


class FieldAccuracy(Evaluator):
    """A field accuracy check: fields of a JSON answer against those of the expected output."""

    fields = key(
        ListOf(Shaped(FieldCheck), empty=False), "The fields that are compared.", required=True,
        example="[{path: total, match: exact}]",
    )  # fmt: skip
    aggregation = key(
        Choice(
            (
                ("weighted_average", "the mean of the fields, by weight"),
                ("all_or_nothing", "1 when every field is right, else 0"),
            )
        ),
        "How to combine the fields into one score.",
        default="weighted_average",
        shown="weighted_average",
    )


class Similar(Evaluator):
    """A similar check: the answer means nearly the same as a text, by the cosine of embeddings."""

    value = key(Text(), "The text to compare with.", required=True, example="within 30 days")
    threshold = key(Number(0, 1), "The lowest similarity, 0..1, that passes.", default=0.75, shown="0.75")
    provider = key(NodeUnion(text=Text(refers_to="target"), mapping=MapOf(Anything())), "The provider of embeddings.")
    config = key(MapOf(Anything()), "Settings, `embedding_provider` among them.")


class Javascript(Scripted):
    """A javascript check: an expression or function that grades the answer."""

    value = key(Text(), "The code, or a `file://` path.", required=True, example="output.length < 100")

    @property
    def grading_code(self) -> object:
        """See `Evaluator.grading_code`."""
        return self.value


class Python(Scripted):
    """A python check: an expression or function that grades the answer."""

    value = key(Text(), "The code, or a `file://` path.", required=True, example="len(output) < 100")

    @property
    def grading_code(self) -> object:
        """See `Evaluator.grading_code`."""
        return self.value


class Webhook(Scripted):
    """A webhook check: an address that grades the answer."""

    value = key(Text(), "The address.", required=True, example="https://grader.example.com/score")
