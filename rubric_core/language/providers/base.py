"""What the settings of all kinds of provider share: their base, prices, and the kinds of their values."""

from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import ListOf, NodeUnion, Number, Text

__all__ = ["ARGUMENTS", "COMMAND", "PRICES", "SECONDS", "SECRET", "Prices", "Settings"]

SECRET = Text(refers_to="secret")
COMMAND = NodeUnion(text=Text(), sequence=ListOf(Text(), empty=False))
ARGUMENTS = NodeUnion(text=Text(blank=True), sequence=ListOf(Text(blank=True)))
SECONDS = Number(above=0, unit="s")


class Prices(Shape):
    """A price list: what the tokens of a target cost."""

    input = key(
        Number(at_least=0),
        "US dollars per million input tokens.",
        required=True,
        example="2.5",
        extension=True,
    )
    cached_input = key(
        Number(at_least=0),
        "US dollars per million cached input tokens.",
        shown="as input",
        example="1.25",
        extension=True,
    )
    output = key(
        Number(at_least=0), "US dollars per million output tokens, including reasoning.", required=True, example="10", extension=True,
    )  # fmt: skip


#: Of models and agents, which tell how many tokens they took and seldom what these cost.
PRICES = key(
    Shaped(Prices),
    "The price of its tokens, in US dollars per million, if it does not report the cost itself.",
    example="{input: 2.5, output: 10}",
    extension=True,
)


class Settings(Shape):
    """A settings block: what a kind of provider takes."""
