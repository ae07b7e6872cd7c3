"""One entry of the outline."""

from typing import Literal

from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Span

__all__ = ["Symbol", "SymbolKind", "short_title"]

_LONGEST = 60
#: A `group` holds others, such as the prompts of a configuration.
SymbolKind = Literal["case", "evaluator", "criterion", "group", "prompt", "provider"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of the outline; `span` holds `name_span` and every child."""

    name: str
    kind: SymbolKind
    span: Span
    name_span: Span
    detail: str = ""
    children: "tuple[Symbol, ...]" = ()


def short_title(text: str) -> str:
    """A text on one line of bounded length."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
