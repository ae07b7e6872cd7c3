"""What a migration from promptfoo says of a part: the result of converting an assertion, and notes on what was not carried over."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from rubric_core.language.javascript_values import scalar_text
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL

__all__ = [
    "USUAL_MINIMUM",
    "Conversion",
    "ConversionNote",
    "NotCarriedError",
    "Notes",
    "Surroundings",
    "above_zero",
    "share_of",
    "text_of",
]


class ConversionNote(NamedTuple):
    """One sentence for the author."""

    #: The file that it is about, as messages name it, and the line, from 1.
    file: str
    line: int
    words: str
    #: Further lines of that file of which the same is true.
    more: tuple[int, ...] = ()

    def __str__(self) -> str:
        also = f" (also in {', '.join(map(str, self.more))})" if self.more else ""
        return f"{self.file}:{self.line}: {self.words}{also}"


class Notes:
    """Collects notes; the same sentence about several lines is one note."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], list[int]] = {}

    def add(self, file: str, line: int, words: str) -> None:
        """Note something about a line."""
        lines = self._lines.setdefault((file, words), [])
        if line not in lines:
            lines.append(line)

    def listed(self) -> list[ConversionNote]:
        """Every note, by file and line."""
        found = (
            ConversionNote(file, min(lines), words, tuple(sorted(lines)[1:]))
            for (file, words), lines in self._lines.items()
        )
        return sorted(found)


#: The default score from which a model's judgement passes in AgentV.
USUAL_MINIMUM = 0.8


#: Types for which promptfoo takes no other value than a text, and those of them that take a number.
_NEED_TEXT = frozenset({"contains", "icontains", "starts-with", "regex", "similar"})
_TAKE_NUMBERS = frozenset({"contains", "icontains"})


class NotCarriedError(Exception):
    """A part of a configuration has no equivalent in AgentV; the message says what, and what to do."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The settings around an assertion that affect its conversion."""

    #: The `options` of its test.
    options: Mapping[str, Any]
    #: The name of a grader for its `provider`; None if it has to be left out.
    grader: Callable[[Any], str | None]
    #: The parts of a text with commas. Raises ValueError.
    comma_values: Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Conversion:
    """One evaluator."""

    #: Its keys, in order.
    keys: Mapping[str, Any]
    #: Whether its score is 0 or 1, or anything between.
    grade: Literal["check", "score"] = "check"
    #: The score from which it passes, if that is not 1.
    minimum: float = 1.0
    #: What it does otherwise than in promptfoo.
    differs: tuple[str, ...] = ()
    #: The members of a set that have no equivalent, and why.
    lost: tuple[tuple[str, str], ...] = ()

    @property
    def counts(self) -> bool:
        """Whether it can fail a case: in promptfoo an assertion of weight 0 always passes."""
        return bool(self.keys.get("weight", 1) != 0)


def text_of(settings: Mapping[str, Any]) -> str:
    """The text that an assertion compares with. Raises NotCarriedError for a value that is not a text in both programs."""
    value, kind = settings.get("value"), str(settings["type"]).removeprefix("not-")
    if isinstance(value, str) and value.startswith(URL):
        raise NotCarriedError(
            f"AgentV takes no file as the value of `{settings['type']}`: write the text of {value.removeprefix(URL)} under `value`"
        )
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if (
        kind in _NEED_TEXT
        and value is not None
        and not (isinstance(value, str) or (is_number and kind in _TAKE_NUMBERS))
    ):
        raise NotCarriedError(f"promptfoo makes an error of the row, as `{kind}` needs a text: put the value in quotes")
    if value is None or isinstance(value, dict | list) or value == "":
        raise NotCarriedError(
            f"AgentV compares `{settings['type']}` with one text; for this value write a `javascript` check"
        )
    return scalar_text(value)


def above_zero(least: float) -> float:
    """The threshold. Raises NotCarriedError for 0."""
    if least == 0:
        raise NotCarriedError("with a threshold of 0 it passes every output in promptfoo; AgentV has no such check")
    return least


def share_of(settings: Mapping[str, Any]) -> float | None:
    """The threshold, 0..1; None without one."""
    found = settings.get("threshold")
    if found is None:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
        raise NotCarriedError(f"AgentV takes a `threshold` from 0 to 1, not {scalar_text(found)}")
    return found
