"""The evaluators of a case: its own, the suite's, inline rubrics and plain strings, combined by dialect."""

from collections.abc import Iterable

from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Criterion, Evaluator, LlmJudge, Rubric, Rubrics, ScoreRanges
from rubric_core.language.model import Case, DefaultTest, Execution, RunSettings, Suite
from rubric_core.language.properties import Properties
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Span

__all__ = [
    "asserts_anything", "case_list", "default_judge", "default_name", "evaluators_of", "gather_evaluators", "has_bands",
    "on_scale", "required", "scalar_kind", "skips_defaults", "suite_list", "threshold_of",
]  # fmt: skip

Written = list[object] | None


def _first(*lists: object) -> list[object] | None:
    """The first list that is written at all; an empty one counts."""
    for candidate in lists:
        if isinstance(candidate, list):
            return candidate
    return None


def case_list(case: Case) -> list[object] | None:
    """The effective list of a case: assertions, else execution.evaluators, else evaluators."""
    execution = case.execution if isinstance(case.execution, Execution) else None
    return _first(case.assertions, execution.evaluators if execution else None, case.evaluators)


def suite_list(suite: Suite) -> list[object] | None:
    """The list of a suite that counts: assertions, else those under execution. Root `evaluators` are read by no release.

    The evaluators of the default test come behind them.
    """
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    own = _first(
        suite.assertions, execution.assertions if execution else None, execution.evaluators if execution else None
    )
    default = suite.default_test.assertions if isinstance(suite.default_test, DefaultTest) else None
    return own if default is None else [*(own or []), *default]


def evaluators_of(suite: Suite, case: Case, dialect: Dialect) -> list[Evaluator]:
    """Everything that grades `case`, in the order in which it runs.

    Inline rubrics first, then the case's list, then the suite's: always where the dialect
    adds it, else only when the case has none of its own. Plain strings become one rubric at the place of the first. An
    empty result means that the default judge grades by the criteria of the case.
    """
    result: list[Evaluator] = []
    if case.rubrics:
        result.append(_inline(case, dialect))
    own = case_list(case)
    shared = suite_list(suite)
    skips = skips_defaults(case)
    if dialect.properties.appends_suite_evaluators:
        chosen = [*(own or []), *([] if skips else shared or [])]
    else:
        chosen = own if own is not None else shared or []
    return result + gather_evaluators(chosen, dialect)


def skips_defaults(case: Case) -> bool:
    """Whether a case does without what its suite gives to all cases: evaluators, input and files."""
    return isinstance(case.execution, Execution) and case.execution.skip_defaults is True


def scalar_kind(shape: Case | Suite) -> str | None:
    """The kind in `evaluator` (or `grader`) as written; None without the key."""
    place = shape.places.get("evaluator")
    node = None if place is None else place.meant or place.node
    return node.text if isinstance(node, Scalar) else None


def gather_evaluators(items: Iterable[object], dialect: Dialect) -> list[Evaluator]:
    """A list of evaluators with its plain strings collected into one rubric, into an existing one if any."""
    strings: Rubrics | None = None
    result: list[Evaluator] = []
    for item in items:
        if isinstance(item, Evaluator):
            if isinstance(item, Rubrics) and item.node is None and item.type_name == "rubrics":
                strings = strings or item
            result.append(item)
        elif isinstance(item, Criterion):
            if strings is None:
                strings = Rubrics(item.span, None, type="rubrics", name="rubrics", criteria=[], weight=0.0)
                strings.type_name = "rubrics"
                result.append(strings)
            if strings.criteria is not None:
                strings.criteria.append(item)
            if dialect.properties.strings_weigh_their_count or not strings.weight:
                vars(strings)["weight"] = strings.weight + 1.0
    return result


def _inline(case: Case, dialect: Dialect) -> Rubric:
    made = Rubrics(
        case.key_at("rubrics"), None, type="rubrics", name=dialect.properties.inline_rubric_name, criteria=case.rubrics
    )
    made.type_name = "rubric"
    return made


def required(criterion: Criterion, dialect: Dialect) -> bool:
    """Whether a criterion is a gate: plain strings always are, mappings as written or by the dialect's default."""
    if criterion.shorthand:
        return True
    if criterion.has("required") and isinstance(criterion.required, bool):
        return criterion.required
    return dialect.properties.object_required_default and not criterion.score_ranges


def has_bands(criterion: Criterion) -> bool:
    """Whether a criterion describes its scores."""
    return isinstance(criterion.score_ranges, ScoreRanges) and bool(criterion.score_ranges.bands)


def on_scale(criteria: Iterable[Criterion]) -> bool:
    """Whether the judge scores each criterion of a rubric 0..10: one with bands puts all of them on that scale."""
    return any(map(has_bands, criteria))


#: Types whose automatic name has their text or the number of their texts; every other type is its own name.
_NAMED_BY_VALUE = frozenset(
    ("contains", "icontains", "equals", "starts-with", "ends-with", "regex", "contains-any", "contains-all", "icontains-any",
     "icontains-all", "skill-trigger", "skill-used", "not-skill-used")
)  # fmt: skip
_LONGEST_PATTERN = 30


def default_name(evaluator: Evaluator) -> str:
    """The name of an evaluator in results: its own, or one made from its type, and from its value as agentv does."""
    if evaluator.name:
        return evaluator.name
    kind = evaluator.type_name.replace("_", "-")
    value = vars(evaluator).get("skill" if kind == "skill-trigger" else "value") if kind in _NAMED_BY_VALUE else None
    if isinstance(value, str):
        return f"{kind}-{value[:_LONGEST_PATTERN] if kind == 'regex' else value}"
    if isinstance(value, list):
        return f"{kind}-{len(value)}"
    return kind or "evaluator"


def asserts_anything(suite: Suite | None, case: Case) -> bool:
    """Whether any check is written that an answer to `case` could fail; only in the case itself, without a `suite`."""
    return bool(
        case.has("expected_output")
        or case_list(case)
        or case.rubrics
        or case.criteria
        or case.has("evaluator")
        or any(turn.assertions or turn.has("expected_output") for turn in case.turns or [])
        or (suite is not None and (suite_list(suite) or suite.has("evaluator")))
    )


def default_judge() -> LlmJudge:
    """The judge of a case without evaluators: it grades by the criteria of the case and its reference answer."""
    made = LlmJudge(Span(0, 0), None, type="llm_judge", name="llm_judge")
    made.type_name = "llm_judge"
    return made


def threshold_of(override: float | None, suite: Suite, case: Case, properties: Properties) -> tuple[float, str]:
    """The score from which `case` passes, and where that is written; empty for the dialect's own.

    That of the command line, else of the case (`run`, then `execution`), of the default test, of the suite, of the
    dialect.
    """
    if override is not None:
        return override, "the command line"
    places: tuple[tuple[str, object], ...] = (
        ("`run` of the case", case.run), ("`execution` of the case", case.execution), ("`default_test`", suite.default_test),
        ("`execution` of the suite", suite.execution), ("the suite", suite),
    )  # fmt: skip
    for words, shape in places:
        if isinstance(shape, RunSettings | Execution | DefaultTest | Suite):
            written = vars(shape).get("threshold")
            if written is not None:
                return float(written), words
    return properties.threshold, ""
