"""Words of other dialects and of other tools in the place of those that this one has."""

import random

from planted.suite import Plant, Planted, Site, Suite, replaced
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import (
    AnyOf,
    CodeEvaluator,
    Comparison,
    Cost,
    Criterion,
    Evaluator,
    ExpectedCall,
    FieldCheck,
    Latency,
    LlmJudge,
    LlmRubric,
    Regex,
    Rubric,
    TokenUsage,
    ToolTrajectory,
)
from rubric_core.language.model import Case, ContentBlock, Execution, Message, Trials
from rubric_core.language.model import Suite as SuiteShape
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Hook, Repo
from rubric_core.syntax.tree import Scalar

__all__ = ["KINDS"]


def _renamed(site: Site, suite: Suite, name: str) -> Planted | None:
    known = suite.analysis.dialect.table(type(site.shape))
    taken = name in known or any(e.name == name for e in site.shape.node.entries)
    start, end = site.entry.key.span
    return None if taken or type(site.shape).open else replaced(suite, start + site.offset, end + site.offset, name)


def called(shape_type: type[Shape], field: str, word: str) -> Plant:
    """The key as another tool has it."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [s for s in suite.sites(shape_type, field) if not s.entry.key.is_quoted]
        return _renamed(rng.choice(found), suite, word) if found else None

    return plant


def spelled(shape_type: type[Shape], other: Dialect) -> Plant:
    """A key as another dialect has it, where this one has another key for it."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        dialect = suite.analysis.dialect
        found = []
        for site in suite.sites(shape_type):
            field = suite.field_of(site)
            theirs, ours = other.spelled(type(site.shape), field), dialect.spelled(type(site.shape), field)
            reads = dialect.table(type(site.shape)).get(theirs or "")
            if theirs and ours == site.entry.name and theirs != ours and (reads is None or not reads.fate.read):
                found.append((site, theirs))
        if not found or other is dialect:
            return None
        site, theirs = rng.choice(found)
        start, end = site.entry.key.span
        return replaced(suite, start + site.offset, end + site.offset, theirs)

    return plant


def typed(other: Dialect) -> Plant:
    """An evaluator type as another dialect has it."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        dialect = suite.analysis.dialect
        found = []
        for site in suite.sites(Evaluator, "type"):
            node, theirs = site.entry.value, other.type_name(type(site.shape))
            if isinstance(node, Scalar) and node.style == "plain" and theirs and theirs not in dialect.types:
                found.append((node, theirs, site.offset))
        if not found:
            return None
        node, theirs, offset = rng.choice(found)
        return replaced(suite, node.span.start + offset, node.span.end + offset, theirs)

    return plant


_WORDS: tuple[tuple[str, type[Shape], str, str], ...] = (
    ("suite", SuiteShape, "cases", "test_cases testcases cases evals examples samples evaluations"),
    ("suite", SuiteShape, "description", "desc summary about"),
    ("suite", SuiteShape, "execution", "exec config settings"),
    ("suite", SuiteShape, "name", "title suite_name"),
    ("case", Case, "id", "name case_id test_id"),
    ("case", Case, "input", "prompt question query user_input messages user request"),
    ("case", Case, "expected_output", "expected answer ideal reference ground_truth expected_answer output golden"),
    ("case", Case, "criteria", "criterion goal success_criteria pass_criteria expectation expected_behavior"),
    ("case", Case, "assertions", "assertion checks asserts evals graders scorers metrics expectations"),
    ("case", Case, "rubrics", "rubric rubric_items criteria_list"),
    ("case", Case, "vars", "variables inputs"),
    ("message", Message, "content", "text message body"),
    ("message", Message, "role", "speaker from author"),
    ("content block", ContentBlock, "value", "text content path"),
    ("evaluator", Evaluator, "name", "id label title"),
    ("evaluator", Evaluator, "type", "kind grader evaluator"),
    ("evaluator", Evaluator, "weight", "points importance weighting"),
    ("text check", Comparison, "value", "text expected substring"),
    ("pattern", Regex, "value", "pattern regex expression"),
    ("texts", AnyOf, "value", "values texts keywords"),
    ("latency", Latency, "threshold", "max_ms limit timeout max_latency_ms"),
    ("cost", Cost, "budget", "max_cost limit max_usd"),
    ("tokens", TokenUsage, "max_total", "max max_tokens limit"),
    ("program", CodeEvaluator, "command", "cmd script run exec"),
    ("judge", LlmJudge, "prompt", "template instructions rubric_prompt"),
    ("rubric", Rubric, "criteria", "items rubric checklist checks"),
    ("rubric of the newest", LlmRubric, "criteria", "rubric criteria text"),
    ("trajectory", ToolTrajectory, "expected", "steps tools expected_tools calls"),
    ("trajectory", ToolTrajectory, "minimums", "min minimum min_calls"),
    ("call", ExpectedCall, "tool", "name function tool_name"),
    ("call", ExpectedCall, "args", "arguments params parameters"),
    ("field", FieldCheck, "path", "field key name"),
    ("field", FieldCheck, "match", "comparison compare method"),
    ("criterion", Criterion, "id", "name key"),
    ("criterion", Criterion, "outcome", "description text statement requirement check"),
    ("criterion", Criterion, "weight", "points importance"),
    ("criterion", Criterion, "required", "mandatory must is_required"),
    ("criterion", Criterion, "score_ranges", "ranges bands score_bands levels scale"),
    ("execution", Execution, "target", "model provider"),
    ("execution", Execution, "workers", "concurrency parallel threads"),
    ("trials", Trials, "count", "n runs repeat k"),
    ("hook", Hook, "command", "cmd run script"),
    ("hook", Hook, "timeout_ms", "timeout"),
    ("repository", Repo, "repo", "url git repository"),
    ("repository", Repo, "commit", "ref sha revision"),
)  # fmt: skip

KINDS: dict[str, Plant] = {
    **{f"{label}: {field} is called {word}": called(shape, field, word) for label, shape, field, words in _WORDS for word in words.split()},
    **{f"key of {label} as in {other.name}": spelled(shape, other) for label, shape in (("suite", SuiteShape), ("case", Case), ("evaluator", Evaluator), ("criterion", Criterion), ("execution", Execution)) for other in DIALECTS},
    **{f"type as in {other.name}": typed(other) for other in DIALECTS},
}  # fmt: skip
