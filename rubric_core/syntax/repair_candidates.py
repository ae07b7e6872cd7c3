"""Which repairs are tried for a failure, and in which order.

First come changes that keep the whole line, then those that keep its key, and only then the line is dropped. `parse`
restores the text of stand-ins in the tree.
"""

from collections.abc import Callable, Iterator, Sequence

from rubric_core.syntax.character_repairs import (
    blank,
    closed,
    escape,
    extra_closer,
    header,
    inner_colon,
    inner_quote,
    key_kept,
    leaves_quote_open,
    missing_colon,
    no_dash_space,
    no_key,
    no_space,
    other_bracket,
    reserved,
    virtual_colon,
)  # fmt: skip
from rubric_core.syntax.failure import Failure
from rubric_core.syntax.foreign_sign_repairs import (
    block_opener,
    conflict,
    decorated,
    double_dash,
    fence,
    foreign_colon,
    foreign_dash,
    half_quoted_key,
    other_quote,
)
from rubric_core.syntax.line_repairs import indented, missing_dash, nudged, orphaned, overindented, tabs
from rubric_core.syntax.lines import before, indent_of
from rubric_core.syntax.repair import Maker, Repair
from rubric_core.syntax.sign_repairs import (
    dash_tab,
    directive,
    empty_item,
    foreign_blank,
    indicator,
    slashes,
    stray_mark,
)

__all__ = ["candidates"]

#: How many lines above the failure a quote may have been left open.
_ABOVE = 40

_MAKERS: tuple[Maker, ...] = (
    conflict, tabs, dash_tab, foreign_blank, fence, foreign_dash, decorated, half_quoted_key, stray_mark, slashes, directive, empty_item, indicator, escape, inner_quote, no_key, no_space, block_opener, foreign_colon,
    other_quote, inner_colon, extra_closer, other_bracket, closed, header, reserved, no_dash_space, double_dash, virtual_colon, missing_colon,
    missing_dash, overindented, nudged, orphaned, indented, key_kept, blank,
)  # fmt: skip


def candidates(lines: Sequence[str], line_of: Callable[[int], int], failure: Failure) -> Iterator[Repair]:
    """Repairs worth trying for `failure`, the most careful first."""
    near: list[int] = []
    at = line_of(failure.offset)
    context = None if failure.context_offset is None else line_of(failure.context_offset)
    quoted = "quoted scalar" in failure.context or "flow" in failure.context
    # An unclosed quote ends at the next one, so the parser fails after a line that is fine.
    opened = next((n for n in range(at - 1, max(-1, at - _ABOVE), -1) if leaves_quote_open(lines[n])), None)
    for line in (
        *([context] if quoted else []), at, before(lines, at), context, before(lines, context or 0), opened,
    ):  # fmt: skip
        if line is not None and 0 <= line < len(lines) and lines[line].strip() and line not in near:
            near.append(line)
    odd = [line for line in near if indent_of(lines[line]) % 2]
    for make in _MAKERS:
        # Of two lines that may be moved, move the one whose column is not one of the usual indentation steps.
        for line in (*odd, *(n for n in near if n not in odd)) if make is nudged else near:
            yield from make(lines, line, failure)
