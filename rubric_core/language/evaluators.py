"""The shapes of evaluators: what each type takes. How they run is in `rubric_core.evaluation.evaluators`."""

from typing import ClassVar

from rubric_core.language.kinds import (
    Anything,
    Boolean,
    ByNode,
    Choice,
    Integer,
    ListOf,
    MapOf,
    Number,
    Ranges,
    Shaped,
    Shorthand,
    Tagged,
    Text,
)  # fmt: skip
from rubric_core.language.shape import Shape, key

__all__ = [
    "AgentJudge", "AgentRubric", "Aggregator", "AllOf", "AnyOf", "AssertSet", "Band", "CodeEvaluator", "Comparison", "Composite", "Contains", "ContainsAll", "ContainsAny", "Cost", "Criterion", "Custom", "EndsWith", "Equals", "Evaluator", "ExecutionMetrics", "ExpectedCall", "ExpectedMessages", "FieldAccuracy", "FieldCheck", "GoalSuccess", "IContains", "IContainsAll", "IContainsAny", "Include", "IsJson", "Javascript", "Latency", "LlmJudge", "LlmRubric", "Preprocessor", "PromptProgram", "Python", "Regex", "Rubric", "Rubrics", "ScoreRanges", "Scripted", "Similar", "SkillNotUsed", "SkillTrigger", "SkillUsed", "StartsWith", "StepCount", "TokenUsage", "ToolArgsMatch", "ToolSequence", "ToolTrajectory", "ToolUsed", "Webhook",
]  # fmt: skip

_ARGV = ByNode(text=Text(), sequence=ListOf(Text(), empty=False))


class Band(Shape):
    """A score range: the scores `low`…`high` of 0..10, both included, and what an answer in it looks like."""

    score_range = key(
        Anything(),
        "The lowest and the highest score of the band, both included: two whole numbers of 0..10.",
        required=True,
        example="[4, 7]",
    )
    outcome = key(
        Anything(),
        "What an answer with a score in this band looks like. The judge reads it.",
        required=True,
        example="Partly right",
    )

    #: The bounds as written, whole numbers of 0..10 when they are sound, else None.
    low: int | None = None
    high: int | None = None
    #: The text; empty when there is none.
    text: str = ""


class ScoreRanges(Shape):
    """`score_ranges`: the bands of a criterion that is scored 0..10."""

    parts: ClassVar[tuple[str, ...]] = ("bands",)

    #: "list", "map", or "other" when it is neither.
    style: str = "list"
    #: In the order of the text. In map style, `high` is one below the next lowest score, and 10 for the last band.
    bands: list[Band]


class Criterion(Shape):
    """A criterion: one line of a rubric, judged on its own."""

    id = key(
        Text(),
        "Names the criterion in results; unique in its rubric.",
        shown="rubric-1, rubric-2, …",
        example="names-the-cause",
    )
    outcome = key(
        Text(),
        "What the answer has to achieve, in a sentence that a judge can answer with yes or no.",
        example="Names the root cause",
    )
    weight = key(
        Number(judged_by_rule=True),
        "Its share in the score of the rubric, relative to the other criteria.",
        default=1.0,
        shown="1.0",
        example="2.0",
    )
    required = key(
        Boolean(),
        "Whether the rubric fails when this criterion does, whatever the score.",
        default=False,
        shown="false; true for plain strings",
        example="true",
    )
    required_min_score = key(
        Number(judged_by_rule=True), "The lowest score of 0..10 with which the rubric can still pass.", example="6"
    )
    min_score = key(
        Number(judged_by_rule=True),
        "The lowest score, above 0 and up to 1, with which the rubric can still pass.",
        example="0.6",
    )
    score_ranges = key(
        Ranges(),
        "Describes what an answer with a score of 0..10 looks like, so that the judge grades evenly. The bands cover 0..10 without gap or overlap.",
        example="{0: wrong, 4: partly right, 8: right}",
    )
    operator = key(
        Choice(
            (
                ("correctness", "satisfied when the answer agrees with the text"),
                ("contradiction", "satisfied when the answer does not contradict the text"),
            )
        ),
        "How the judge compares the answer with the outcome.",
        default="correctness",
        shown="correctness",
        example="contradiction",
    )

    #: Whether it was written as a plain string.
    shorthand: bool = False


class Preprocessor(Shape):
    """A preprocessor: a program that turns files of one type into text before they are graded."""

    type = key(Text(), "The file type or MIME type that it takes.", required=True, example="xlsx")
    command = key(_ARGV, "The program, given the file.", required=True, example="[python, to_text.py]")


class Evaluator(Shape):
    """An evaluator: one check of an answer."""

    name = key(Text(), "Names the evaluator in results.", shown="made from the type and its value", example="quality")
    type = key(Text(refers_to="type"), "Which kind of check this is.", required=True, example="contains")
    weight = key(
        Number(judged_by_rule=True),
        "Its share in the score of the case. 0 leaves it out of the score, but it still runs and can still gate.",
        default=1.0,
        shown="1",
        example="2",
    )
    required = key(
        ByNode(boolean=Boolean(), number=Number(above=0, at_most=1)),
        "Whether the case fails, with score 0, when this evaluator falls short of its minimum.",
        default=False,
        shown="false",
        example="true",
    )
    min_score = key(
        Number(above=0, at_most=1),
        "The score from which this evaluator passes.",
        shown="the threshold of the case",
        example="0.9",
    )
    negate = key(
        Boolean(),
        "Turns the check round: the score becomes 1 − score, passed becomes failed.",
        default=False,
        shown="false",
        example="true",
    )
    preprocessors = key(
        ListOf(Shaped(Preprocessor)), "Programs that turn files into text before this evaluator reads them."
    )
    transform = key(
        ByNode(text=Text(), mapping=MapOf(Anything()), sequence=ListOf(Anything())),
        "Turns the answer into what this evaluator reads.",
    )

    #: The spelling of the type in the text.
    type_name: str = ""


class CodeEvaluator(Evaluator):
    """A code evaluator: a program that grades the answer; JSON on its standard input, a score on its standard output."""

    open: ClassVar[bool] = True
    command = key(_ARGV, "The program and its arguments.", required=True, example="[python, check.py]")
    cwd = key(
        Text(refers_to="directory"),
        "The directory in which it runs.",
        shown="the directory of the suite",
        example="scripts",
    )
    target = key(
        ByNode(boolean=Boolean(), mapping=MapOf(Anything()), text=Text()),
        "Lets the program ask a target of its own, through a local proxy.",
        example="{max_calls: 10}",
    )
    config = key(MapOf(Anything()), "Passed to the program as it is.", example="{strict: true}")


class PromptProgram(Shape):
    """A prompt program: it writes the judge's prompt."""

    command = key(
        _ARGV,
        "The program; it gets the case as JSON and prints the prompt.",
        required=True,
        example="[python, prompt.py]",
    )
    config = key(MapOf(Anything()), "Passed to the program as it is.")


class LlmJudge(Evaluator):
    """An LLM judge: a model that reads the answer and gives a score, by a free prompt or by rubrics."""

    open: ClassVar[bool] = True
    prompt = key(
        ByNode(text=Text(refers_to="file"), mapping=Shaped(PromptProgram)),
        "The judge's prompt, or a file with it; `{{ output }}` and the other template variables are filled in.",
        shown="a built-in prompt",
        example="prompts/judge.md",
    )
    rubrics = key(
        ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion))),
        "Criteria that are judged one by one instead of a free-form score.",
    )
    model = key(Text(), "Not used by any release: the target decides the model.")
    target = key(Text(refers_to="target"), "The target that judges.", shown="the judge of the target", example="judge")
    config = key(MapOf(Anything()), "Settings for a prompt that is a program.")
    max_steps = key(
        Integer(1, 50), "How many steps a judge that is an agent may take.", default=10, shown="10", example="5"
    )
    temperature = key(Number(0, 2), "The sampling temperature of the judge.", default=0.0, shown="0", example="0")


class AgentJudge(LlmJudge):
    """An agent judge: a judge that reads the files of the workspace before it scores."""


class Rubric(Evaluator):
    """A rubric: criteria with weights, judged one by one."""

    criteria = key(
        ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion)), empty=False),
        "The criteria of the rubric.",
        name="rubrics",
        required=True,
        example="[{id: tone, outcome: Stays polite}]",
    )
    target = key(Text(refers_to="target"), "The target that judges.", shown="the judge of the target", example="judge")


class Rubrics(Rubric):
    """A rubric: criteria with weights, judged one by one; plain strings are required criteria."""

    criteria = key(
        ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion)), empty=False),
        "The criteria of the rubric: sentences, or mappings with id, outcome, weight, score_ranges …",
        required=True,
        example="[Names the cause]",
    )


class Aggregator(Shape):
    """An aggregator: how a composite makes one score of its members' scores."""

    type = key(
        Choice((
            ("weighted_average", "the mean of the members' scores, by weight"),
            ("threshold", "the share of members that passed; passes from `threshold` on"),
            ("code-grader", "a program decides"), ("llm-grader", "a judge decides"),
            ("code_judge", "a program decides"), ("llm_judge", "a judge decides"),
            ("code-judge", "a program decides"), ("llm-judge", "a judge decides"),
        )),
        "How the scores are put together.", required=True, example="weighted_average",
    )  # fmt: skip
    weights = key(
        MapOf(Number(at_least=0)), "A weight for each member, by its name.", shown="1 each", example="{safety: 2}"
    )
    path = key(Text(refers_to="file"), "The program of a code aggregator.", example="scripts/gate.py")
    cwd = key(Text(refers_to="directory"), "The directory in which it runs.")
    prompt = key(Text(), "The prompt of a judge; `{{EVALUATOR_RESULTS_JSON}}` stands for the members' results.")
    threshold = key(Number(0, 1), "The share of members, 0..1, that have to pass.", example="0.5")
    model = key(Text(), "Not used by any release.")


class Composite(Evaluator):
    """A composite: several evaluators whose scores an aggregator puts together."""

    assertions = key(
        ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Tagged(Evaluator)), empty=False),
        "The members.",
        required=True,
    )
    aggregator = key(
        Shaped(Aggregator), "How the members' scores become one.", required=True, example="{type: weighted_average}"
    )


_ARGS_MATCH = ByNode(
    text=Choice((("exact", "the same arguments"), ("ignore", "any arguments"), ("subset", "the call has no other arguments than these"), ("superset", "the call has at least these arguments"))),
    sequence=ListOf(Text()),
)  # fmt: skip


class ExpectedCall(Shape):
    """An expected tool call."""

    tool = key(Text(), "The name of the tool.", required=True, example="Read")
    args = key(
        ByNode(text=Choice((("any", "any arguments"),)), mapping=MapOf(Anything())),
        "The arguments that the call should have.",
        example="{path: a.txt}",
    )
    max_duration_ms = key(Number(at_least=0), "The longest that the call may take, in milliseconds.", example="500")
    args_match = key(_ARGS_MATCH, "How the arguments are compared.", default="exact", shown="exact")


class ToolTrajectory(Evaluator):
    """A tool trajectory: the tools that the target called, in which order and how often."""

    mode = key(
        Choice((
            ("any_order", "each tool at least as often as `minimums` says"), ("in_order", "the expected calls in this order, others between them"),
            ("exact", "exactly the expected calls"), ("subset", "no call but the expected ones"), ("superset", "at least the expected calls"),
        )),
        "How the calls are compared.", required=True, example="in_order",
    )  # fmt: skip
    minimums = key(
        MapOf(Number(at_least=0)),
        "How often each tool has to be called at least (mode any_order).",
        example="{search: 1}",
    )
    expected = key(
        ListOf(Shaped(ExpectedCall)), "The calls that are expected (every other mode).", example="[{tool: search}]"
    )
    args_match = key(
        _ARGS_MATCH, "How arguments are compared where an expected call does not say.", default="exact", shown="exact"
    )


class ExpectedMessages(Evaluator):
    """An expected-messages check: compares the tool calls of the expected messages with those that were made."""


class FieldCheck(Shape):
    """A field check: a field of a JSON answer that is compared."""

    path = key(
        Text(),
        "The way to the field: names with dots, list positions as `[0]`.",
        required=True,
        example="lines[0].amount",
    )
    match = key(
        Choice(
            (
                ("exact", "the same value"),
                ("numeric_tolerance", "a number within `tolerance`"),
                ("date", "the same day"),
            )
        ),
        "How the values are compared.",
        required=True,
        example="exact",
    )
    required = key(
        Boolean(), "Whether a missing field counts as wrong; otherwise it is left out.", default=True, shown="true"
    )
    weight = key(Number(at_least=0), "Its share in the score.", default=1.0, shown="1")
    tolerance = key(Number(at_least=0), "The largest difference that is still right.", default=0.0, shown="0")
    relative = key(Boolean(), "Whether the tolerance is a share of the expected value.", default=False, shown="false")
    formats = key(ListOf(Text()), "Date formats, the first that fits is used.", example="[YYYY-MM-DD]")


class FieldAccuracy(Evaluator):
    """A field accuracy check: fields of a JSON answer against those of the expected output."""

    fields = key(ListOf(Shaped(FieldCheck), empty=False), "The fields that are compared.", required=True)
    aggregation = key(
        Choice(
            (
                ("weighted_average", "the mean of the fields, by weight"),
                ("all_or_nothing", "1 when every field is right, else 0"),
            )
        ),
        "How the fields become one score.",
        default="weighted_average",
        shown="weighted_average",
    )


class Latency(Evaluator):
    """A latency limit: passes when the answer came soon enough."""

    threshold = key(
        Number(at_least=0), "The longest that the answer may take, in milliseconds.", required=True, example="5000"
    )


class Cost(Evaluator):
    """A cost limit: passes when the answer was cheap enough."""

    budget = key(Number(at_least=0), "The most that the answer may cost, in US dollars.", required=True, example="0.10")


class TokenUsage(Evaluator):
    """A token limit: passes when the answer took few enough tokens."""

    max_total = key(
        Number(at_least=0),
        "The most tokens in all: input, output and cached.",
        required=True,
        example="4000",
        group="limit",
    )
    max_input = key(Number(at_least=0), "The most input tokens.", required=True, group="limit")
    max_output = key(Number(at_least=0), "The most output tokens.", required=True, group="limit")


class ExecutionMetrics(Evaluator):
    """A limit on a run: calls, tokens, cost, time; the score is the share of limits that hold."""

    max_tool_calls = key(Number(at_least=0), "The most tool calls.", required=True, example="10", group="limit")
    max_llm_calls = key(Number(at_least=0), "The most calls of a model.", required=True, group="limit")
    max_tokens = key(Number(at_least=0), "The most tokens, input and output.", required=True, group="limit")
    max_cost_usd = key(
        Number(at_least=0), "The most that the run may cost, in US dollars.", required=True, group="limit"
    )
    max_duration_ms = key(
        Number(at_least=0), "The longest that the run may take, in milliseconds.", required=True, group="limit"
    )
    target_exploration_ratio = key(
        Number(0, 1), "The share of calls that look around (read, search, list …).", required=True, group="limit"
    )
    exploration_tolerance = key(Number(at_least=0), "How far the share may be off.", default=0.2, shown="0.2")


class SkillTrigger(Evaluator):
    """A skill trigger: whether the agent used a skill."""

    skill = key(Text(), "The name of the skill.", required=True, example="deploy")
    should_trigger = key(Boolean(), "Whether it should have been used.", default=True, shown="true")


class Comparison(Evaluator):
    """A comparison: the answer against one text."""

    value = key(Text(), "The text to compare with.", required=True, example="refund")


class Contains(Comparison):
    """A contains check: the answer has this text in it."""


class IContains(Comparison):
    """An icontains check: whatever the case, the answer has this text in it."""


class StartsWith(Comparison):
    """A starts-with check: the answer begins with this text, white space aside."""


class EndsWith(Comparison):
    """An ends-with check: the answer ends with this text, white space aside."""


class Equals(Comparison):
    """An equals check: the answer is this text, white space around it aside."""


class Regex(Comparison):
    """A regex check: a regular expression, in JavaScript syntax, matches somewhere in the answer."""

    value = key(Text(), "The pattern, in JavaScript syntax.", required=True, example="'[0-9]+ days'")
    flags = key(Text(), "JavaScript flags: i, m, s, u, g, y.", example="i")


class AnyOf(Evaluator):
    """A comparison: the answer against several texts."""

    value = key(ListOf(Text(), empty=False), "The texts to compare with.", required=True, example="[refund, return]")


class AllOf(AnyOf):
    """A comparison: the answer against several texts, all of which count."""


class ContainsAny(AnyOf):
    """A contains-any check: the answer has at least one of these texts in it."""


class ContainsAll(AllOf):
    """A contains-all check: the answer has every one of these texts in it."""


class IContainsAny(AnyOf):
    """An icontains-any check: whatever the case, the answer has at least one of these texts in it."""


class IContainsAll(AllOf):
    """An icontains-all check: whatever the case, the answer has every one of these texts in it."""


class IsJson(Evaluator):
    """An is-json check: the whole answer is one JSON value."""


class Include(Evaluator):
    """An include: the evaluators of a template file in this place."""

    type = key(Text(), "Not written on an include.")
    include = key(
        Text(refers_to="template"),
        "The name of a template in `.agentv/templates`, or a path.",
        required=True,
        example="safety",
    )


class Custom(Evaluator):
    """An evaluator of your own: a program in `.agentv/assertions` with the name of the type."""

    open: ClassVar[bool] = True


class LlmRubric(Rubric):
    """An LLM rubric: what a judge checks, as free text or as criteria with weights."""

    criteria = key(
        ByNode(
            text=Text(),
            sequence=ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion)), empty=False),
            mapping=Shaped(Criterion),
        ),
        "What the judge checks: a text, or a list of criteria.",
        name="value",
        example="[Names the cause]",
    )
    prompt = key(
        ByNode(text=Text(refers_to="file"), mapping=Shaped(PromptProgram)),
        "The judge's prompt, or a file with it.",
        example="file://prompts/judge.md",
    )
    provider = key(
        ByNode(text=Text(refers_to="target"), mapping=MapOf(Anything())),
        "The provider that judges.",
        shown="the grader of `defaults`",
        example="judge",
    )
    score_ranges = key(
        Ranges(),
        "The bands of a single criterion whose text is `value`.",
        example="{0: wrong, 4: partly right, 8: right}",
    )
    operator = key(
        Criterion.keys["operator"].kind,
        "How the judge compares the answer with the text.",
        default="correctness",
        shown="correctness",
    )
    threshold = key(Number(0, 1), "The score, 0..1, from which it passes.", example="0.7")
    max_steps = key(Integer(1, 50), "How many steps a judge that is an agent may take.", default=10, shown="10")
    temperature = key(Number(0, 2), "The sampling temperature of the judge.", default=0.0, shown="0")
    config = key(MapOf(Anything()), "Settings for a prompt that is a program.")


class AgentRubric(LlmRubric):
    """An agent rubric: an agent inspects the workspace and judges what it finds."""


class AssertSet(Evaluator):
    """An assertion set: several evaluators that count as one."""

    assertions = key(
        ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Tagged(Evaluator)), empty=False),
        "The members.",
        name="assert",
        required=True,
    )
    threshold = key(
        Number(0, 1), "The score, 0..1, from which the set passes; without it every member has to.", example="0.5"
    )
    config = key(MapOf(Anything()), "Settings that the members inherit.")


class SkillUsed(Evaluator):
    """Skill used: the agent used a skill."""

    value = key(
        ByNode(text=Text(), sequence=ListOf(Text(), empty=False), mapping=MapOf(Anything())),
        "The name of the skill, names, or `{name, min, max}`.",
        required=True,
        example="deploy",
    )


class SkillNotUsed(SkillUsed):
    """Skill not used: the agent did without a skill."""


class ToolUsed(Evaluator):
    """Tool used: the agent called a tool."""

    value = key(
        ByNode(text=Text(), sequence=ListOf(Text(), empty=False), mapping=MapOf(Anything())),
        "The tool, with `*` and `?`, or `{name, min, max}`.",
        required=True,
        example="search*",
    )


class ToolArgsMatch(Evaluator):
    """Tool arguments: the agent called a tool with these arguments."""

    value = key(
        MapOf(Anything()),
        "`{name, args, mode}`; mode is partial or exact.",
        required=True,
        example="{name: search, args: {q: tides}}",
    )


class ToolSequence(Evaluator):
    """Tool sequence: the agent called tools in this order."""

    value = key(
        ByNode(sequence=ListOf(Anything(), empty=False), mapping=MapOf(Anything())),
        "The steps, or `{mode, steps}`.",
        required=True,
        example="[search, read]",
    )


class StepCount(Evaluator):
    """Step count: the agent took so many steps."""

    value = key(MapOf(Anything()), "`{min, max, type, pattern}`.", required=True, example="{max: 10}")


class GoalSuccess(Evaluator):
    """Goal success: a judge says whether the agent reached the goal."""

    value = key(
        ByNode(text=Text(), mapping=MapOf(Anything())), "The goal.", required=True, example="The order is cancelled"
    )
    provider = key(
        ByNode(text=Text(refers_to="target"), mapping=MapOf(Anything())),
        "The provider that judges.",
        shown="the grader of `defaults`",
    )


class Scripted(Evaluator):
    """A scripted check: code beside the suite, or an address, that grades the answer."""

    open: ClassVar[bool] = True
    value = key(Text(), "The code, a `file://` path, or the address.", required=True, example="output.length < 100")
    threshold = key(Number(0, 1), "The score, 0..1, from which it passes.")
    config = key(MapOf(Anything()), "Passed to the check as it is.")


class Javascript(Scripted):
    """JavaScript: an expression or function that grades the answer."""


class Python(Scripted):
    """Python: an expression or function that grades the answer."""


class Webhook(Scripted):
    """Webhook: an address that grades the answer."""


class Similar(Evaluator):
    """Similar: the answer means nearly the same as a text, by the cosine of embeddings."""

    value = key(Text(), "The text to compare with.", required=True, example="within 30 days")
    threshold = key(Number(0, 1), "The similarity, 0..1, from which it passes.", default=0.75, shown="0.75")
    provider = key(ByNode(text=Text(refers_to="target"), mapping=MapOf(Anything())), "The provider of embeddings.")
    config = key(MapOf(Anything()), "Settings, `embedding_provider` among them.")
