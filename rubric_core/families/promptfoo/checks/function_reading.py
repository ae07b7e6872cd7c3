"""The functions of a program, and the values that they return as far as the text shows them."""

from typing import Literal, NamedTuple

__all__ = ["UNKNOWN_VALUE", "FunctionReading", "ReturnedValue", "ValueKind"]

ValueKind = Literal["mapping", "text", "number", "boolean", "nothing", "list", "function", "unknown"]


class ReturnedValue(NamedTuple):
    """A value that a function returns, or a member of one."""

    kind: ValueKind
    #: Its place in the code.
    start: int = 0
    end: int = 0
    #: The members of a mapping, by their names.
    members: tuple[tuple[str, "ReturnedValue"], ...] = ()
    #: Whether these are all members of the mapping: nothing is spread into it, and no key is computed.
    is_whole: bool = False

    def moved(self, by: int) -> "ReturnedValue":
        """The same in code before which so many characters were put."""
        members = tuple((name, member.moved(by)) for name, member in self.members)
        return self._replace(start=self.start + by, end=self.end + by, members=members)


#: A value of which only running the code tells more.
UNKNOWN_VALUE = ReturnedValue("unknown")


class FunctionReading(NamedTuple):
    """A function or method."""

    #: Empty for a function without a name.
    name: str
    #: Where it begins: at `function`, at its parameters, or at its name.
    start: int
    #: Where its parameters end.
    head_end: int
    #: What its `return` statements give, or the expression that is its body.
    results: tuple[ReturnedValue, ...]
    #: Whether it throws something.
    throws: bool
    #: The names of its parameters in Python; empty if they are not plain names.
    parameters: tuple[str, ...] = ()
