"""Metrics of promptfoo that one assertion alone has, and that resemble one of several others or of a formula."""

from collections import Counter
from collections.abc import Iterator

from rubric_core.language.closest_name import Lexicon, is_typo, lexicon
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.configuration import Metric
from rubric_core.lazy_compilation import pattern
from rubric_core.text import Edit
from rubric_core.validation.promptfoo.case_summary import PlacedCase
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Finding, Fix, checks

#: Shorter names resemble others by chance.
_LEAST_NAME = 5
_WORD = pattern(r"[A-Za-z_]\w*")


@checks("promptfoo/misspelt-metric", "unknown-metric", "hint", about_name=True)
def misspelt_metrics(suite: PromptfooSuite) -> Iterator[Finding]:
    """A metric that one assertion alone has, and that is almost one of other assertions or of a formula."""
    formulas = suite.configuration.derived_metrics
    used = {
        word for metric in (formulas if isinstance(formulas, list) else ()) if isinstance(metric, Metric)
        for word in _WORD.findall(str(metric.value))
    }  # fmt: skip
    # Of most cases the set of their metrics is enough.
    cases = suite.digest.metrics
    rare = frozenset(name for name, count in cases.items() if count == 1 and name not in used and _is_plain(name))
    holders = [placed for placed in suite.bearers if not rare.isdisjoint(placed.summary.metrics)] if rare else []
    times = Counter(check.metric for placed in holders for check in placed.summary.checks if check.metric in rare)
    known = {name for name in cases if name not in rare or times[name] > 1}
    often = lexicon(tuple(sorted(known))) if holders else None
    for placed in holders:
        for check in placed.summary.checks:
            if often is not None and check.metric in rare and times[check.metric] == 1 and not check.borrowed:
                yield from _slip(placed, check, often)


def _is_plain(name: str) -> bool:
    """Whether a name is long enough, and has no template or number in it."""
    return len(name) >= _LEAST_NAME and "{{" not in name and not any(sign.isdigit() for sign in name)


def _slip(placed: PlacedCase, check: Assertion, often: Lexicon) -> Iterator[Finding]:
    place, name = check.places["metric"], str(check.metric)
    meant = often.closest(name, thorough=False)
    if meant is None or not is_typo(name, meant) or place.borrowed:
        return
    at = placed.outer(place.value)
    fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),), safe=False),) if place.node.span == place.value else ()
    words = f"only this assertion has the metric `{name}`; did you mean `{meant}`?"
    yield Finding(at, words, fixes=fixes, severity="hint")
