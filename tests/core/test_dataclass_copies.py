"""Copies of dataclasses: as the standard library makes them, without a second look at values."""

from dataclasses import replace

import pytest

from rubric_core import lazy_compilation
from rubric_core.cached_properties import cached_property
from rubric_core.dataclass_copies import field_values, replace_fields


@lazy_compilation.dataclass(frozen=True, slots=True, kw_only=True)
class Slotted:
    name: str
    parts: tuple[int, ...] = ()
    shown: str = lazy_compilation.field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.name == "bad":
            raise ValueError("bad")


@lazy_compilation.dataclass(frozen=True)
class Open:
    name: str

    @cached_property
    def shouted(self) -> str:
        return self.name.upper()


def test_it_is_what_replace_gives() -> None:
    one = Slotted(name="a", parts=(1,), shown="b")
    assert replace_fields(one, parts=(2,)) == replace(one, parts=(2,))
    assert replace_fields(one, parts=(2,)).shown == "b"
    assert one == Slotted(name="a", parts=(1,)), "the first is as it was"
    assert replace_fields(Open("a"), name="b") == Open("b")
    assert replace_fields(Open("a")) == Open("a")


def test_what_one_has_worked_out_is_not_that_of_its_copy() -> None:
    one = Open("a")
    assert one.shouted == "A"
    assert replace_fields(one, name="b").shouted == "B"
    assert list(field_values(one)) == [("name", "a")]


def test_values_are_not_checked_again() -> None:
    assert replace_fields(Slotted(name="a"), name="bad").name == "bad"
    with pytest.raises(ValueError, match="bad"):
        replace(Slotted(name="a"), name="bad")


def test_a_name_that_is_no_field_is_refused() -> None:
    with pytest.raises(TypeError, match="Slotted has no field 'named'"):
        replace_fields(Slotted(name="a"), named="b")


def test_fields_have_their_order() -> None:
    assert list(field_values(Slotted(name="a", parts=(1,)))) == [("name", "a"), ("parts", (1,)), ("shown", "")]
    assert list(field_values(Open("a"))) == [("name", "a")]
