"""double-criterion: two demands in one criterion."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion, ScoreRanges
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import newline_of, plain_or_quoted
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["DOUBLE_CRITERION"]

_VERB = r"(?:mentions|explains|states|includes|uses|provides|describes|identifies|names|lists|gives|avoids|covers|cites|asks|suggests|proposes|apologi[sz]es|refuses|returns|handles)"
_TWO = pattern(rf"\b{_VERB}\b.*\b(?:and|but)\s+(?:also\s+)?{_VERB}\b", re.IGNORECASE | re.DOTALL)

#: What stands between the two.
_BETWEEN = pattern(rf"\s+(?:and|but)\s+(?:also\s+)?(?={_VERB}\b)", re.IGNORECASE)


@rule("double-criterion", "hint", "Two requirements in one criterion")
def DOUBLE_CRITERION(criterion: Criterion, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """An answer that meets one of them has no fair score; two criteria say which one failed."""
    text = criterion.outcome
    if (
        isinstance(text, str)
        and not isinstance(criterion.score_ranges, ScoreRanges)
        and not criterion.borrowed
        and len(text) < 300
        and _TWO.search(text)
    ):
        yield Finding(
            criterion.at("outcome"),
            "this asks for two things",
            fixes=_two(criterion, text, context),
            consequence="as two criteria, the result shows which one failed",
        )


def _two(criterion: Criterion, text: str, context: Context) -> tuple[Fix, ...]:
    """A plain string that is one item of a list, as two of them."""
    node, split = criterion.node, _BETWEEN.search(text)
    if not criterion.shorthand or not isinstance(node, Scalar) or node.is_block or split is None:
        return ()
    first, second = text[: split.start()].rstrip(" ,"), text[split.end() :]
    line = max(context.text.rfind("\n", 0, node.whole.start), context.text.rfind("\r", 0, node.whole.start)) + 1
    before = context.text[line : node.whole.start]
    between = ", " if before.strip() != "-" else newline_of(context.text) + before
    parts = (plain_or_quoted(first), plain_or_quoted(second[:1].upper() + second[1:]))
    return (Fix("split it into two criteria", (Edit(node.whole, between.join(parts)),), safe=False),)
