"""Why and where libyaml stops reading a text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

__all__ = ["Failure"]


class Failure:
    """Why libyaml stopped: offsets into the text it was given, its words, and whether an earlier place is to blame."""

    __slots__ = ("context", "context_offset", "deep", "offset", "problem")

    def __init__(self, error: "MarkedYAMLError", length: int, deep: tuple[int, int] | None = None) -> None:
        self.problem = str(error.problem or error)
        self.context = str(error.context or "")
        self.offset = error.problem_mark.index if error.problem_mark else length
        self.context_offset = error.context_mark.index if error.context_mark else None
        #: For collections nested too deeply: the offsets of the outermost flow collection and of the one that is too
        #: deep.
        self.deep = deep
