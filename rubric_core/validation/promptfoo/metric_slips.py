"""Metrics of promptfoo that one assertion alone has, and that resemble one of several others or of a formula (issue 18, section 2)."""

from collections import Counter
from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo, lexicon
from rubric_core.language.promptfoo.configuration import Metric
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Finding, Fix

__all__ = ["misspelt_metrics"]

#: Shorter names resemble others by chance.
_LEAST_NAME = 5
_WORD = pattern(r"[A-Za-z_]\w*")


def misspelt_metrics(suite: PromptfooSuite) -> Iterator[Finding]:
    """The metric of one assertion that resembles one of several others, or one that a formula uses."""
    places = [
        (placed, check.places["metric"]) for placed in suite.bearers for check in placed.summary.checks
        if isinstance(check.metric, str) and len(check.metric) >= _LEAST_NAME and not check.borrowed
    ]  # fmt: skip
    times = Counter(place.node.text for _, place in places if isinstance(place.node, Scalar))
    formulas = suite.configuration.derived_metrics
    used = {
        word for metric in (formulas if isinstance(formulas, list) else ()) if isinstance(metric, Metric)
        for word in _WORD.findall(str(metric.value))
    }  # fmt: skip
    often = lexicon(tuple(sorted(name for name, count in times.items() if count > 1 or name in used)))
    for placed, place in places:
        name = place.node.text if isinstance(place.node, Scalar) else ""
        if place.borrowed or times[name] != 1 or name in used or "{{" in name or any(sign.isdigit() for sign in name):
            continue
        meant = often.closest(name, thorough=False)
        if meant is not None and is_typo(name, meant):
            at = placed.outer(place.value)
            fixes = (
                (Fix(f"change it to `{meant}`", (Edit(at, meant),), safe=False),)
                if place.node.span == place.value
                else ()
            )
            words = f"only this assertion has the metric `{name}`; did you mean `{meant}`?"
            yield Finding(at, words, fixes=fixes, severity="hint")
