"""Keys that are misspelt."""

import random

from planted.slips import SLIPS, Slip
from planted.suite import Plant, Planted, Site, Suite, in_conversation, replaced
from rubric_core.language.evaluators import Aggregator, Band, Criterion, Evaluator, ExpectedCall, FieldCheck
from rubric_core.language.model import (
    Case,
    ContentBlock,
    DefaultTest,
    EvaluateOptions,
    Execution,
    Message,
    Trials,
    Turn,
)
from rubric_core.language.model import (
    Suite as SuiteShape,
)
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Environment, Hook, Hooks, Repo, Workspace

__all__ = ["KINDS", "misspell"]


def misspell(shape_type: type[Shape], change: Slip) -> Plant:
    """Misspell a key of a shape of that type, where the result is none of its keys."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [site for site in suite.sites(shape_type) if _is_told(site, suite)]
        rng.shuffle(found)
        for site in found[:20]:
            new = change(site.entry.name or "", rng)
            known = suite.analysis.dialect.table(type(site.shape))
            if new != site.entry.name and new not in known:
                start, end = site.entry.key.span
                return replaced(suite, start + site.offset, end + site.offset, new)
        return None

    return plant


def _is_told(site: Site, suite: Suite) -> bool:
    """Whether the key has to be known: elsewhere any key may stand, and short words are like too many."""
    name, shape, dialect = site.entry.name or "", site.shape, suite.analysis.dialect
    if len(name) <= 3 or name.startswith("$") or site.entry.key.is_quoted:
        return False
    if isinstance(shape, Message) and not in_conversation(shape, suite):
        return False
    # Where any key may stand, only one that is missing then tells of the slip.
    return not type(shape).open or dialect.demanded(type(shape), suite.field_of(site))


_SHAPES: dict[str, type[Shape]] = {
    "suite": SuiteShape,
    "case": Case,
    "criterion": Criterion,
    "band": Band,
    "evaluator": Evaluator,
    "message": Message,
    "content block": ContentBlock,
    "turn": Turn,
    "execution": Execution,
    "trials": Trials,
    "run options": EvaluateOptions,
    "default test": DefaultTest,
    "aggregator": Aggregator,
    "checked field": FieldCheck,
    "expected call": ExpectedCall,
    "workspace": Workspace,
    "hooks": Hooks,
    "hook": Hook,
    "repository": Repo,
    "environment": Environment,
}


KINDS: dict[str, Plant] = {
    f"key of {label}: {how}": misspell(shape, change)
    for label, shape in _SHAPES.items()
    for how, change in SLIPS.items()
}
