"""The suite: a file of cases, and the settings for all of them."""

from typing import ClassVar

from rubric_core.language.evaluators import Preprocessor
from rubric_core.language.file_extensions import CASES, FILTERS, RECORDS, YAML
from rubric_core.language.model.case import ALL_PROMPTS, CASE, NAMED, PROMPTS
from rubric_core.language.model.execution import REPEAT, EvaluateOptions, Execution
from rubric_core.language.model.grading import EVALUATORS, SCALAR_EVALUATOR
from rubric_core.language.model.messages import FILES, INPUT
from rubric_core.language.shape import Shape, children, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.targets import INLINE_PROVIDERS, INLINE_TARGETS, Defaults
from rubric_core.language.value_kinds import Anything, Boolean, Choice, ListOf, MapOf, NodeUnion, Number, Text
from rubric_core.language.workspace import Environment, Workspace
from rubric_core.text import Span

__all__ = ["EXTENSION_RULES", "HOOKS", "DefaultTest", "DerivedMetric", "Extension", "Requires", "Scenario", "Suite"]


class Requires(Shape):
    """A requires block: what the suite needs."""

    open: ClassVar[bool] = True
    agentv = key(Text(), "The releases of the engine that can run the suite.", example="'>=4.0.0'")


class DefaultTest(Shape):
    """A default test: what every case inherits."""

    stands_for = "defaults"
    strict: ClassVar[bool] = True
    vars = key(MapOf(Anything()), "Values for `{{ name }}` in every case.")
    provider = key(INLINE_PROVIDERS, "The provider that answers.")
    providers = key(INLINE_PROVIDERS, "The providers that answer.")
    prompts = key(PROMPTS, "The prompts that are tried.")
    assertions = key(EVALUATORS, "Evaluators for every case.", name="assert")
    assert_scoring_function = key(Text(), "Accepted, and run by no release.")
    options = key(MapOf(Anything()), "Options for every case.")
    threshold = key(Number(0, 1), "The lowest score, 0..1, that passes a case.", example="0.8")
    metadata = key(MapOf(Anything()), "Your own data for every case.")


class Scenario(Shape):
    """A scenario: rows of values, each run with every one of its tests."""

    strict: ClassVar[bool] = True
    description = key(Text(blank=True), "A description of the scenario.")
    config = key(
        ListOf(NodeUnion(text=Text(refers_to="file", endings=RECORDS), mapping=MapOf(Anything()))), "Rows of values."
    )
    tests = key(ListOf(CASE), "The cases that run with each row.")


class DerivedMetric(Shape):
    """A derived metric: a number computed of others."""

    name = key(Text(), "The name of the metric.", required=True, example="precision")
    value = key(
        NodeUnion(text=Text(), mapping=MapOf(Anything())),
        "The expression that computes it from the others.",
        required=True,
        example="hits / total",
    )


#: The extension that comes with AgentV.
EXTENSION_RULES = "agentv:agent-rules"
HOOKS = Choice((
    ("beforeAll", "before the first case"), ("beforeEach", "before each case"), ("afterEach", "after each case"),
    ("afterAll", "after the last case"),
))  # fmt: skip


class Extension(Shape):
    """An extension: rules for agents that are laid out before the cases run."""

    id = key(
        Choice(((EXTENSION_RULES, "rules for agents"),)), "Which extension.", required=True, example=EXTENSION_RULES
    )
    hook = key(HOOKS, "When it is called.", example="beforeAll")
    skills = key(Anything(), "Skills for agents.")
    hooks = key(Anything(), "Hooks for agents.")
    agents = key(Anything(), "Subagents that agents may call.")
    rules = key(Anything(), "Rules for agents.")
    config = key(MapOf(Anything()), "Settings of the extension.")


class Suite(Shape):
    """A suite: a file of cases."""

    stands_for = "whole"
    strict: ClassVar[bool] = True
    lack_effect: ClassVar[str] = "agentv rejects the whole file"
    schema = key(Text(), "Marks the file as an eval suite.", name="$schema", example="agentv-eval-v2")
    name = key(Text(), "The name of the suite: lowercase letters, digits and dashes.", example="support-bot")
    description = key(Text(blank=True), "What the suite tests.", example="Answers of the support bot")
    category = key(Text(blank=True), "A heading under which results are stored.", example="support")
    version = key(NAMED, "The version of the suite.", example="'1.0'")
    author = key(Anything(), "Who wrote it.")
    tags = key(
        NodeUnion(
            sequence=ListOf(Text()), mapping=MapOf(NodeUnion(text=Text(blank=True), number=Number(), boolean=Boolean()))
        ),
        "Tags to find the suite by.",
        example="[support]",
    )
    license = key(Text(blank=True), "The licence of the suite.", example="MIT")
    requires = key(Shaped(Requires), "What the suite needs.", example="{agentv: '>=4.0.0'}")
    dataset = key(Text(), "The name under which results are stored.")
    target = key(
        NodeUnion(text=Text(refers_to="target"), mapping=MapOf(Anything())),
        "The target that answers: its name, or settings.",
        shown="the target named default",
        example="default",
    )
    evaluator = key(
        SCALAR_EVALUATOR, "The only evaluator of cases without a list.", default="llm_judge", shown="llm_judge"
    )
    execution = key(Shaped(Execution), "The target, evaluators and limits of the suite.", example="{target: default}")
    assertions = key(EVALUATORS, "Evaluators for every case, after its own.")
    evaluators = key(EVALUATORS, "Read by no release; write it under execution.")
    preprocessors = key(ListOf(Shaped(Preprocessor)), "Programs that convert files to text before grading.")
    input = key(INPUT, "Messages inserted before the input of every case.")
    input_files = key(FILES, "Files inserted before the first user message of every case.")
    workspace = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML, beside=True), mapping=Shaped(Workspace)),
        "The working directory of the target.",
    )
    metadata = key(
        MapOf(Anything()),
        "Your own data for every case. Lists are joined with those of a case, mappings merged.",
    )
    governance = key(MapOf(Anything()), "Information for audits; it is in the `metadata` of every case.")
    prompts = key(
        ALL_PROMPTS,
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
        NodeUnion(text=Text(refers_to="target"), mapping=Shaped(Defaults)),
        "The default provider and grader.",
        example="{provider: bot, grader: judge}",
    )
    environment = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML, beside=True), mapping=Shaped(Environment)),
        "Where the target works: a host or a container.",
    )
    timeout_seconds = key(Number(above=0, unit="s"), "The longest that a case may take, in seconds.")
    evaluate_options = key(Shaped(EvaluateOptions), "How to run the cases.", example="{max_concurrency: 4}")
    threshold = key(
        Number(0, 1), "The lowest score, 0..1, that passes a case.", default=0.8, shown="0.8", example="0.75"
    )
    repeat = key(REPEAT, "The number of runs of each case.")
    default_test = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Shaped(DefaultTest)),
        "What every case inherits.",
        example="{vars: {tone: polite}}",
    )
    scenarios = key(
        ListOf(NodeUnion(text=Text(refers_to="file", endings=YAML, beside=True), mapping=Shaped(Scenario))),
        "Rows of values, combined with cases.",
    )
    derived_metrics = key(ListOf(Shaped(DerivedMetric)), "Metrics computed from other metrics.")
    output_path = key(
        NodeUnion(text=Text(), sequence=ListOf(Text())),
        "The files, `.json` or `.jsonl`, to which `rubric run` writes its results.",
    )
    env = key(MapOf(Anything()), "Environment variables for the run.")
    nunjucks_filters = key(
        MapOf(Text(refers_to="file", endings=FILTERS, beside=True)),
        "Filters for templates: files with a function each.",
        example="{shout: ./shout.js}",
    )
    extensions = key(
        ListOf(NodeUnion(text=Text(), mapping=Shaped(Extension))),
        "Functions that run before and after the cases: `file://path:hook`.",
        example="['file://setup.py:beforeAll']",
    )
    experiment = key(Anything(), "The experiment under which results are stored.")
    cases = key(
        NodeUnion(text=Text(refers_to="file", endings=CASES, beside=True), sequence=ListOf(CASE)),
        "The cases, or a file or folder with them.",
        name="tests",
        required=True,
    )

    @property
    def cases_key(self) -> Span:
        """See `Shape.cases_key`."""
        return self.key_at("cases" if self.has("cases") or not self.has("scenarios") else "scenarios")

    @property
    def shared_parts(self) -> list[Shape]:
        """See `Shape.shared_parts`."""
        return children(self, leave_out=("cases", "scenarios"))

    @property
    def common_variables(self) -> frozenset[str] | None:
        """The variables that every case gets; None if they are in another file, or differ by scenario."""
        if self.has("scenarios") or (self.has("default_test") and not isinstance(self.default_test, DefaultTest)):
            return None
        return frozenset((self.default_test.vars if isinstance(self.default_test, DefaultTest) else None) or {})
