"""Reads a text with libyaml: the tree of its first document, and why libyaml stops."""

import re
from collections.abc import Callable
from typing import Any

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.libyaml import yaml
from rubric_core.syntax.tree import SyntaxTree
from rubric_core.syntax.tree_builder import DEEPEST, ENDS, GIVEN_UP, STARTS, TooDeepError, TreeBuilder

__all__ = ["build", "stumble"]

#: The error of libyaml from 0.2.6 on (PyYAML 6.0.4) for more than 1,000 open brackets, before it emits an event for the
#: first.
_NESTED_TOO_DEEPLY = "exceeded maximum nesting depth"

#: The blanks and signs with which a line begins.
_INDENTATION = pattern(r"(?:^|\r)[ \t?-]*", re.MULTILINE)
#: The additional levels that a line may have, as after an anchor.
_SPARE = 10

# libyaml if available: ten times as fast as the loader in Python, with the same events.
# Constructing Python values from events is not needed here and is left out where possible.
_Loader: Any = getattr(getattr(yaml, "cyaml", None), "CParser", yaml.SafeLoader)


def build(text: str, original: Callable[[int], int] | None = None) -> tuple[SyntaxTree, Failure | None]:
    """The tree of the first document in `text`, up to libyaml's first error, and that error.

    `original` maps offsets in `text` to offsets in the tree; by default, they are the same.
    """
    builder, failure = _built(text, text, original)
    if failure is not None and failure.problem == _NESTED_TOO_DEEPLY:
        # That many levels are within libyaml's limit but beyond ours.
        return _finished(_built(text, text[: failure.offset], original))
    return _finished((builder, failure))


def _finished(built: "tuple[TreeBuilder, Failure | None]") -> tuple[SyntaxTree, Failure | None]:
    builder, failure = built
    return builder.finish(), failure


def _built(text: str, read: str, original: Callable[[int], int] | None) -> "tuple[TreeBuilder, Failure | None]":
    """The tree of the part of `text` that libyaml could read, and why it stopped."""
    builder = TreeBuilder(text, original)
    loader = _Loader(read)
    failure = None
    try:
        builder.run(loader.get_event)
    except TooDeepError as error:
        failure = Failure(yaml.MarkedYAMLError(problem="nested too deep"), error.deep[1], error.deep)
    except yaml.MarkedYAMLError as error:
        failure = Failure(error, len(text))
    except yaml.YAMLError as error:
        failure = Failure(yaml.MarkedYAMLError(problem=str(error)), len(text))
    finally:
        loader.dispose()
    return builder, failure


def stumble(text: str) -> Failure | None:
    """The first error of libyaml in the first document of `text`; None without one, or if nesting is too deep.

    Several times as fast as `build`.
    """
    loader = _Loader(text)
    documents = depth = 0
    try:
        if _is_one_shallow_document(text) and hasattr(loader, "raw_parse"):
            loader.raw_parse()  # makes no object of an event
            return None
        while True:
            event = loader.get_event()
            kind = type(event)
            if kind in STARTS:
                depth += 1
                if depth > DEEPEST + GIVEN_UP:
                    return None
            elif kind in ENDS:
                depth -= 1
            documents += kind is yaml.DocumentStartEvent
            if kind is yaml.StreamEndEvent or documents > 1:
                return None
    except yaml.MarkedYAMLError as error:
        return None if error.problem == _NESTED_TOO_DEEPLY else Failure(error, len(text))
    except yaml.YAMLError as error:
        return Failure(yaml.MarkedYAMLError(problem=str(error)), len(text))
    finally:
        loader.dispose()


def _is_one_shallow_document(text: str) -> bool:
    """Whether a text certainly has no second document, and no more levels than are followed. A quick test.

    Every level begins with a bracket, or further in than the one around it; two at most begin in one place.
    """
    if any(f"{line_break}{sign}" in text for line_break in "\n\r" for sign in ("---", "...")):
        return False
    deepest = max(map(len, _INDENTATION.findall(text)), default=0) + text.count("[") + text.count("{")
    return 2 * deepest < DEEPEST + GIVEN_UP - _SPARE
