"""The shapes of a suite: cases, messages, execution. With `evaluators`, this is the catalogue of the language.

The names here are those of the newest spelling that fits all dialects; what each dialect writes instead stands in
`rubric_core.language.dialects`.
"""

from typing import ClassVar

from rubric_core.language.evaluators import Criterion, Evaluator, Preprocessor
from rubric_core.language.kinds import (
    Anything,
    Boolean,
    ByNode,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Messages,
    Number,
    Shaped,
    Shorthand,
    Tagged,
    Text,
)  # fmt: skip
from rubric_core.language.shape import Shape, key
from rubric_core.language.targets import INLINE_PROVIDERS, INLINE_TARGETS, Defaults
from rubric_core.language.workspace import Environment, Workspace

__all__ = [
    "CASE",
    "EVALUATORS",
    "Case",
    "CaseInclude",
    "ContentBlock",
    "DefaultTest",
    "Defaults",
    "DerivedMetric",
    "EvaluateOptions",
    "Execution",
    "Message",
    "Requires",
    "RunSettings",
    "Scenario",
    "Suite",
    "TargetChoice",
    "ToolCall",
    "Trials",
    "Turn",
]  # fmt: skip

_STRINGS = ListOf(Text())
_NAMED = ByNode(text=Text(blank=True), number=Number(), boolean=Boolean())
_FILES = ListOf(Text(refers_to="file"))
EVALUATORS = ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Tagged(Evaluator)))


class ContentBlock(Shape):
    """A content block: a piece of a message."""

    type = key(
        Choice((("text", "text as it stands"), ("file", "the content of a file"), ("image", "a picture"))),
        "What the piece is.",
        required=True,
        example="text",
    )
    value = key(Text(blank=True), "The text, or the path of the file.", required=True, example="Hello")


class ToolCall(Shape):
    """A tool call: one that the target is expected to make."""

    open: ClassVar[bool] = True
    tool = key(Text(), "The name of the tool.", required=True, example="search")
    input = key(Anything(), "The arguments of the call.")
    output = key(Anything(), "What the tool gives back.")


class Message(Shape):
    """A message: one turn of a conversation."""

    open: ClassVar[bool] = True
    role = key(
        Choice(
            (
                ("system", "instructions"),
                ("user", "what the person says"),
                ("assistant", "what the target says"),
                ("tool", "what a tool gave back"),
            )
        ),
        "Who speaks.",
        required=True,
        example="user",
    )
    content = key(
        ByNode(
            text=Text(blank=True),
            number=Number(),
            boolean=Boolean(),
            sequence=ListOf(ByNode(text=Text(blank=True), mapping=Shaped(ContentBlock))),
            mapping=MapOf(Anything()),
        ),
        "The text of the message, or a list of content blocks.",
        required=True,
        example="Hello",
        group="content",
    )
    tool_calls = key(ListOf(Shaped(ToolCall)), "Tool calls that go with the message.", required=True, group="content")
    name = key(Text(), "The name of the speaker or of the tool.")


INPUT: Kind[object] = ByNode(text=Text(blank=True), sequence=Messages(Message))
OUTPUT: Kind[object] = ByNode(
    text=Text(blank=True),
    number=Number(),
    boolean=Boolean(),
    mapping=MapOf(Anything()),
    sequence=Messages(Message, lenient=True),
)


class Turn(Shape):
    """A turn: a part of a conversation that is graded turn by turn."""

    input = key(INPUT, "What the user says in this turn.", required=True, example="Hello")
    expected_output = key(OUTPUT, "A good answer to this turn.")
    assertions = key(EVALUATORS, "The evaluators of this turn.")


class Trials(Shape):
    """A trials block: how often a case is run."""

    count = key(Integer(at_least=1), "How often each case is run.", required=True, example="3")
    strategy = key(
        Choice(
            (
                ("pass_at_k", "the best run counts"),
                ("mean", "the mean counts"),
                ("confidence_interval", "the mean with its interval"),
            )
        ),
        "How the runs become one result.",
        default="pass_at_k",
        shown="pass_at_k",
    )
    cost_limit_usd = key(Number(at_least=0), "Stops further runs when this many US dollars are spent.")
    cost_limit_usd_camel = key(Number(at_least=0), "The same as cost_limit_usd.", name="costLimitUsd")


class TargetChoice(Shape):
    """A target choice: one target of a matrix, with hooks of its own."""

    open: ClassVar[bool] = True
    name = key(Text(refers_to="target"), "The name of the target.", required=True, example="default")


class Execution(Shape):
    """An execution block: the target, evaluators and limits of a suite or case."""

    target = key(
        Text(refers_to="target"), "The target that answers.", shown="the target named default", example="default"
    )
    targets = key(
        ListOf(ByNode(text=Text(refers_to="target"), mapping=Shaped(TargetChoice))), "Targets that all run every case."
    )
    workers = key(Integer(1, 50), "How many cases run at once.", example="4")
    assertions = key(EVALUATORS, "Evaluators for every case.")
    evaluators = key(EVALUATORS, "Evaluators for every case.")
    skip_defaults = key(
        Boolean(), "Whether the evaluators of the suite are left out for this case.", default=False, shown="false"
    )
    cache = key(Boolean(), "Whether answers are kept and used again.")
    cache_path = key(Text(), "Where answers are kept.")
    trials = key(Shaped(Trials), "How often each case is run, and how the runs count.", example="{count: 3}")
    budget_usd = key(Number(at_least=0), "Stops starting cases when this many US dollars are spent.", example="2")
    fail_on_error = key(
        Boolean(), "Whether the run stops at the first case that could not be run.", default=False, shown="false"
    )
    threshold = key(
        Number(0, 1), "The score, 0..1, from which a case passes.", default=0.8, shown="0.8", example="0.75"
    )
    verbose = key(Boolean(), "Whether the engine says more about what it does.")
    pool_workspaces = key(Boolean(), "Whether workspaces are kept and used again.")
    keep_workspaces = key(Boolean(), "Whether workspaces stay after the run.")
    otel_file = key(Text(), "Where traces are written.")


class CaseExecution(Execution):
    """An execution block of a case: evaluators and limits that differ from the suite's."""


class Requires(Shape):
    """A requires block: what the suite needs."""

    open: ClassVar[bool] = True
    agentv = key(Text(), "The releases of the engine that can run the suite.", example="'>=4.0.0'")


_SCALAR_EVALUATOR = Choice(
    (
        ("llm_judge", "a model judges by the criteria of the case"),
        ("code", "a program judges"),
        ("code_judge", "a program judges"),
        ("llm-judge", "a model judges by the criteria of the case"),
        ("llm-grader", "a model judges by the criteria of the case"),
        ("llm_grader", "a model judges by the criteria of the case"),
        ("heuristic", "key words of the expected answer are looked for"),
    )
)


_ONE_OR_MORE = INLINE_PROVIDERS


class RunSettings(Shape):
    """A run block: limits of one case."""

    threshold = key(Number(0, 1), "The score, 0..1, from which the case passes.", example="0.8")
    repeat = key(
        ByNode(number=Integer(at_least=1), mapping=MapOf(Anything())), "How often the case is run.", example="3"
    )
    timeout_seconds = key(Number(above=0), "The longest that the case may take, in seconds.")
    budget_usd = key(Number(above=0), "The most that the case may cost, in US dollars.")


class EvaluateOptions(Shape):
    """An options block: how the suite is run."""

    budget_usd = key(Number(above=0), "Stops starting cases when this many US dollars are spent.", example="2")
    max_concurrency = key(Integer(1, 50), "How many cases run at once.", example="4")
    cache = key(ByNode(boolean=Boolean(), mapping=MapOf(Anything())), "Whether answers are kept and used again.")
    delay = key(Number(at_least=0), "A pause between calls, in milliseconds.")
    generate_suggestions = key(Boolean(), "Whether better prompts are suggested.")
    repeat = key(
        ByNode(number=Integer(at_least=1), mapping=MapOf(Anything())), "How often each case is run.", example="3"
    )
    timeout_ms = key(Number(above=0), "The longest that a case may take, in milliseconds.")
    max_eval_time_ms = key(Number(above=0), "The longest that the whole run may take, in milliseconds.")
    filter_range = key(Anything(), "The first and the last case to run.")


class DefaultTest(Shape):
    """A default test: what every case inherits."""

    vars = key(MapOf(Anything()), "Values for `{{ name }}` in every case.")
    provider = key(_ONE_OR_MORE, "The provider that answers.")
    providers = key(_ONE_OR_MORE, "The providers that answer.")
    prompts = key(
        ByNode(text=Text(), sequence=ListOf(Anything()), mapping=MapOf(Anything())), "The prompts that are tried."
    )
    assertions = key(EVALUATORS, "Evaluators for every case.", name="assert")
    assert_scoring_function = key(Text(), "Accepted, and run by no release.")
    options = key(MapOf(Anything()), "Options for every case.")
    threshold = key(Number(0, 1), "The score, 0..1, from which a case passes.", example="0.8")
    metadata = key(MapOf(Anything()), "Anything you want to keep with every case.")


class Case(Shape):
    """A case: one input with its evaluators."""

    id = key(
        Text(),
        "Names the case in results and on the command line; unique in the suite.",
        required=True,
        example="refund-window",
    )
    criteria = key(
        Text(),
        "What a good answer achieves, in a sentence or two. Without evaluators, a judge grades by it.",
        example="Explains the refund window",
    )
    input = key(
        INPUT, "What the target is asked: a text, or a list of messages.", required=True, example="Can I return this?"
    )
    input_files = key(_FILES, "Files put in front of the first user message.", example="[order.json]")
    expected_output = key(OUTPUT, "A good answer, for evaluators that compare with one.", example="Within 30 days")
    assertions = key(
        EVALUATORS,
        "The evaluators of the case; a plain string is a criterion that has to be met.",
        example="[Mentions the 30 day window]",
    )
    evaluators = key(EVALUATORS, "The evaluators of the case.")
    rubrics = key(
        ListOf(ByNode(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion))),
        "Criteria of this case, judged one by one.",
        example="[Names the cause]",
    )
    evaluator = key(
        _SCALAR_EVALUATOR, "The one evaluator of the case, when it has no list.", default="llm_judge", shown="llm_judge"
    )
    execution = key(Shaped(CaseExecution), "Settings for this case.")
    workspace = key(
        ByNode(text=Text(refers_to="file"), mapping=Shaped(Workspace)), "The directory in which the target works."
    )
    metadata = key(MapOf(Anything()), "Anything you want to keep with the case.")
    conversation_id = key(_NAMED, "Groups cases that belong to one conversation.")
    suite = key(Text(), "The name under which results of this case are filed.")
    dataset = key(Text(), "The name under which results of this case are filed.")
    depends_on = key(ListOf(Text(refers_to="case")), "Cases that run, and pass, before this one.", example="[login]")
    on_dependency_failure = key(
        Choice((("skip", "this case is skipped"), ("fail", "this case fails"), ("run", "this case runs all the same"))),
        "What happens when a case that this one depends on does not pass.",
        default="skip",
        shown="skip",
    )
    mode = key(
        Choice((("conversation", "the turns are run and graded one after the other"),)),
        "How the case is run.",
        example="conversation",
    )
    turns = key(ListOf(Shaped(Turn), empty=False), "The turns of a conversation.")
    aggregation = key(
        Choice((("mean", "the mean of the turns"), ("min", "the worst turn"), ("max", "the best turn"))),
        "How the scores of the turns become one.",
        default="mean",
        shown="mean",
    )
    on_turn_failure = key(
        Choice((("continue", "the other turns run"), ("stop", "the other turns score 0"))),
        "What happens when a turn fails.",
        default="continue",
        shown="continue",
    )
    window_size = key(Integer(at_least=1), "How many turns of the conversation the target is shown.")
    vars = key(MapOf(Anything()), "Values for `{{ name }}` in the case.", example="{tone: polite}")
    provider = key(_ONE_OR_MORE, "The provider that answers this case.")
    providers = key(_ONE_OR_MORE, "The providers that answer this case.")
    prompts = key(
        ByNode(text=Text(), sequence=ListOf(Anything()), mapping=MapOf(Anything())),
        "The prompts that are tried for this case.",
    )
    assert_scoring_function = key(Text(), "Accepted, and run by no release.")
    options = key(MapOf(Anything()), "Options for this case.")
    threshold = key(Number(0, 1), "Accepted here, and read by no release; write it under `run`.")
    run = key(Shaped(RunSettings), "Limits of this case.", example="{threshold: 0.9}")
    environment = key(ByNode(text=Text(refers_to="file"), mapping=Shaped(Environment)), "Where the target works.")
    note = key(Anything(), "A note for readers; the engine does not read it.")
    description = key(Anything(), "A note for readers; the engine does not read it.")
    reference_answer = key(Anything(), "A good answer; the engine does not read it here.")


#: An item of the case list: a case, or a path to files that have cases.
class CaseInclude(Shape):
    """An entry that takes cases over: those of another suite or file, in an older form of `file://`."""

    include = key(Text(refers_to="file"), "The suite or file.", required=True, example="./other.eval.yaml")
    type = key(
        Choice((("suite", "a whole suite"), ("tests", "its cases only"))), "What it is.", required=True, example="tests"
    )
    select = key(Anything(), "Which of its cases.")
    run = key(Shaped(RunSettings), "Limits of these cases.")


CASE: Kind[object] = ByNode(text=Text(refers_to="file"), mapping=Shaped(Case))


class Scenario(Shape):
    """A scenario: rows of values, each run with every one of its tests."""

    description = key(Text(blank=True), "What the scenario is about.")
    config = key(ListOf(ByNode(text=Text(refers_to="file"), mapping=MapOf(Anything()))), "Rows of values.")
    tests = key(ListOf(CASE), "The cases that run with each row.")


class DerivedMetric(Shape):
    """A derived metric: a number worked out of others."""

    name = key(Text(), "The name of the metric.", required=True, example="precision")
    value = key(Text(), "How it is worked out from the others.", required=True, example="hits / total")


class Suite(Shape):
    """A suite: a file of cases."""

    schema = key(Text(), "Marks the file as an eval suite.", name="$schema", example="agentv-eval-v2")
    name = key(Text(), "The name of the suite: small letters, digits and dashes.", example="support-bot")
    description = key(Text(blank=True), "What the suite tests.", example="Answers of the support bot")
    category = key(Text(), "A heading under which results are filed.", example="support")
    version = key(_NAMED, "The version of the suite.", example="'1.0'")
    author = key(Anything(), "Who wrote it.")
    tags = key(ByNode(sequence=_STRINGS, mapping=MapOf(Anything())), "Words to find the suite by.", example="[support]")
    license = key(Text(), "The licence of the suite.", example="MIT")
    requires = key(Shaped(Requires), "What the suite needs.", example="{agentv: '>=4.0.0'}")
    dataset = key(Text(), "The name under which results are filed.")
    target = key(
        Text(refers_to="target"), "The target that answers.", shown="the target named default", example="default"
    )
    evaluator = key(
        _SCALAR_EVALUATOR, "The one evaluator of cases that have no list.", default="llm_judge", shown="llm_judge"
    )
    execution = key(Shaped(Execution), "The target, evaluators and limits of the suite.", example="{target: default}")
    assertions = key(EVALUATORS, "Evaluators for every case, behind its own.")
    evaluators = key(EVALUATORS, "Read by no release; write it under execution.")
    preprocessors = key(ListOf(Shaped(Preprocessor)), "Programs that turn files into text before they are graded.")
    input = key(INPUT, "Messages put in front of the input of every case.")
    input_files = key(_FILES, "Files put in front of the first user message of every case.")
    workspace = key(
        ByNode(text=Text(refers_to="file"), mapping=Shaped(Workspace)), "The directory in which the target works."
    )
    metadata = key(MapOf(Anything()), "Anything you want to keep with the suite.")
    governance = key(MapOf(Anything()), "What an audit wants to know of the suite.")
    prompts = key(
        ByNode(text=Text(), sequence=ListOf(Anything(), empty=False), mapping=MapOf(Anything())),
        "The prompts that are tried: templates over the `vars` of the cases.",
        example='["{{ question }}"]',
    )
    providers = key(
        INLINE_PROVIDERS,
        "The providers that answer: names, or settings.",
        example="[bot]",
    )
    targets = key(
        INLINE_TARGETS,
        "The targets that answer.",
        example="[bot]",
    )
    graders = key(Anything(), "The graders that evaluators refer to by name.")
    defaults = key(
        ByNode(text=Text(refers_to="target"), mapping=Shaped(Defaults)),
        "The provider and grader where nothing else is said.",
        example="{provider: bot, grader: judge}",
    )
    environment = key(
        ByNode(text=Text(refers_to="file"), mapping=Shaped(Environment)),
        "Where the target works: a host or a container.",
    )
    timeout_seconds = key(Number(above=0), "The longest that a case may take, in seconds.")
    evaluate_options = key(Shaped(EvaluateOptions), "How the cases are run.", example="{max_concurrency: 4}")
    threshold = key(
        Number(0, 1), "The score, 0..1, from which a case passes.", default=0.8, shown="0.8", example="0.75"
    )
    repeat = key(ByNode(number=Integer(at_least=1), mapping=MapOf(Anything())), "How often each case is run.")
    default_test = key(
        ByNode(text=Text(refers_to="file"), mapping=Shaped(DefaultTest)),
        "What every case inherits.",
        example="{vars: {tone: polite}}",
    )
    scenarios = key(
        ListOf(ByNode(text=Text(refers_to="file"), mapping=Shaped(Scenario))), "Rows of values crossed with cases."
    )
    derived_metrics = key(ListOf(Shaped(DerivedMetric)), "Numbers worked out of others.")
    output_path = key(ByNode(text=Text(), sequence=ListOf(Text())), "Where results are written.")
    env = key(MapOf(Anything()), "Environment variables for the run.")
    nunjucks_filters = key(MapOf(Anything()), "Filters for templates.")
    extensions = key(ListOf(ByNode(text=Text(), mapping=MapOf(Anything()))), "Hooks: `file://path:hook`.")
    experiment = key(Anything(), "The experiment under which results are filed.")
    cases = key(
        ByNode(text=Text(refers_to="file"), sequence=ListOf(CASE)),
        "The cases, or a file or folder that has them.",
        name="tests",
        required=True,
    )
