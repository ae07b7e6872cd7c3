"""Values out of a list of words, that are misspelt or called as other tools call them."""

import random

from planted.slips import WORD_SLIPS, Slip
from planted.suite import Plant, Planted, Site, Suite, replaced
from rubric_core.language.evaluators import (
    Aggregator,
    AssertSet,
    CodeEvaluator,
    Composite,
    Contains,
    Cost,
    Criterion,
    Equals,
    Evaluator,
    FieldAccuracy,
    FieldCheck,
    IsJson,
    Latency,
    LlmJudge,
    LlmRubric,
    Regex,
    Rubrics,
    Similar,
    TokenUsage,
    ToolTrajectory,
)
from rubric_core.language.model import Case, ContentBlock, Message, Trials
from rubric_core.language.shape import Shape
from rubric_core.language.value_kinds import Choice
from rubric_core.language.workspace import Environment, Hook, Workspace
from rubric_core.syntax.tree import Scalar

__all__ = ["KINDS"]


def _options(site: Site, suite: Suite) -> frozenset[str]:
    """Every word that may stand there."""
    dialect, field = suite.analysis.dialect, suite.field_of(site)
    if isinstance(site.shape, Evaluator) and field == "type":
        return frozenset(dialect.types)
    kind = type(site.shape).keys[field].kind
    return frozenset(kind.names) if isinstance(kind, Choice) else frozenset()


def slip(shape_type: type[Shape], field: str, change: Slip) -> Plant:
    """Misspell a word."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [s for s in suite.sites(shape_type, field) if _is_word(s)]
        rng.shuffle(found)
        for site in found[:20]:
            node = site.entry.value
            options, new = _options(site, suite), change(node.text, rng)
            if len(node.text) > 3 and node.text in options and new not in options:
                edge = 1 if node.is_quoted else 0
                start, end = node.span.start + edge + site.offset, node.span.end - edge + site.offset
                return replaced(suite, start, end, new)
        return None

    return plant


def called(shape_type: type[Shape], field: str, words: dict[str, str]) -> Plant:
    """Put the word of another tool in the place of the one that means the same; `words`: theirs, by what it means here."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        sites = [s for s in suite.sites(shape_type, field) if _is_word(s)]
        found = [(s, w) for s in sites for w, ours in words.items() if s.entry.value.text == ours]
        found = [(s, w) for s, w in found if w not in _options(s, suite)]
        if not found:
            return None
        site, word = rng.choice(found)
        start, end = site.entry.value.span
        return replaced(suite, start + site.offset, end + site.offset, word)

    return plant


def _is_word(site: Site) -> bool:
    node = site.entry.value
    return isinstance(node, Scalar) and node.style in ("plain", "single", "double") and not node.anchor


_WORDS: dict[str, tuple[type[Shape], str]] = {
    "evaluator type": (Evaluator, "type"),
    "role": (Message, "role"),
    "content type": (ContentBlock, "type"),
    "trajectory mode": (ToolTrajectory, "mode"),
    "operator": (Criterion, "operator"),
    "aggregator type": (Aggregator, "type"),
    "aggregation of fields": (FieldAccuracy, "aggregation"),
    "field match": (FieldCheck, "match"),
    "strategy of trials": (Trials, "strategy"),
    "on_dependency_failure": (Case, "on_dependency_failure"),
    "mode of a conversation": (Case, "mode"),
    "isolation": (Workspace, "isolation"),
    "reset of a hook": (Hook, "reset"),
    "type of an environment": (Environment, "type"),
}

_TYPES: dict[str, dict[str, str]] = {
    "the type of a text check": {"includes": "contains", "substring": "contains", "exact": "equals", "exact-match": "equals", "exact_match": "equals", "matches": "regex", "pattern": "regex", "regexp": "regex"},
    "the type of a judge": {"llm_as_judge": "llm-grader", "model-graded": "llm-grader", "llm": "llm-grader", "llmjudge": "llm-judge", "ai": "llm_judge", "judge": "llm_judge", "llm_as_a_judge": "llm_judge", "g-eval": "llm-rubric"},
    "the type of a program": {"script": "code-grader", "python": "code-grader", "code_grader": "code-grader", "custom": "code-grader", "command": "code_judge", "shell": "code-judge", "exec": "code-grader"},
    "the type of a rubric": {"checklist": "rubrics", "rubric": "rubrics", "criteria": "rubrics"},
    "the type of a limit": {"duration": "latency", "response-time": "latency", "tokens": "token-usage", "token_count": "token_usage", "price": "cost"},
    "the type of a format": {"json": "is-json", "valid-json": "is-json", "is_valid_json": "is-json"},
    "the type of a set": {"all": "composite", "group": "composite", "and": "composite"},
    "the type of a trajectory": {"tool-calls": "tool-trajectory", "tool_calls": "tool_trajectory", "trajectory": "tool_trajectory"},
}  # fmt: skip
_OPTIONS: dict[str, tuple[type[Shape], str, dict[str, str]]] = {
    "the user, as others call it": (Message, "role", {"human": "user", "User": "user", "customer": "user", "usr": "user"}),
    "the assistant, as others call it": (Message, "role", {"ai": "assistant", "bot": "assistant", "model": "assistant", "agent": "assistant"}),
    "the system, as others call it": (Message, "role", {"developer": "system", "sys": "system"}),
    "text, as others call it": (ContentBlock, "type", {"input_text": "text", "string": "text", "txt": "text"}),
    "a file, as others call it": (ContentBlock, "type", {"document": "file", "path": "file", "attachment": "file"}),
    "a mode, as others call it": (ToolTrajectory, "mode", {"ordered": "in_order", "sequential": "in_order", "unordered": "any_order", "strict": "exact", "inorder": "in_order"}),
    "a mean, as others call it": (Aggregator, "type", {"average": "weighted_average", "mean": "weighted_average", "weighted_avg": "weighted_average", "weighted": "weighted_average"}),
    "a match, as others call it": (FieldCheck, "match", {"equals": "exact", "strict": "exact", "numeric": "numeric_tolerance", "number": "numeric_tolerance"}),
}  # fmt: skip

_USED = (
    AssertSet, CodeEvaluator, Composite, Contains, Cost, Equals, IsJson, Latency, LlmJudge, LlmRubric, Regex, Rubrics,
    Similar, TokenUsage,
)  # fmt: skip

KINDS: dict[str, Plant] = {
    **{
        f"{label}: {how}": slip(shape, field, change)
        for label, (shape, field) in _WORDS.items()
        for how, change in WORD_SLIPS.items()
    },
    **{
        f"type of {shape.__name__}: {how}": slip(shape, "type", WORD_SLIPS[how])
        for shape in _USED
        for how in ("letter dropped", "letters swapped", "capital")
    },
    **{label: called(Evaluator, "type", words) for label, words in _TYPES.items()},
    **{label: called(*about) for label, about in _OPTIONS.items()},
}
