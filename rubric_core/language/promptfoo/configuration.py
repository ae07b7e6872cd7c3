"""A configuration of promptfoo: the content of `promptfooconfig.yaml`."""

from typing import ClassVar

from rubric_core.language.promptfoo.case import CASES, PartialCase, PromptfooScenario
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.language.shape import Shape, Skeleton, children, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, ListOf, MapOf, NodeUnion, Number, Text
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Span

__all__ = [
    "CommandLineOptions",
    "Configuration",
    "ConfiguredPrompt",
    "Metric",
    "RunOptions",
]


_FLAG = Anything(usually=Boolean())


class ConfiguredPrompt(Shape):
    """A promptfoo prompt: its text or file, and its label."""

    id = key(Text(), "The file, or a name.", example="file://prompt.txt")
    raw = key(Text(blank=True), "The text of the prompt.", example='"Greet {{name}}."')
    label = key(Text(), "The name that providers and cases refer to.", example="short")
    config = key(Anything(), "Settings that reach the provider.")
    function = key(Anything(), "The name of a function.")
    template = key(Anything(), "Kept for older configurations.")
    display = key(Anything(), "The older name of `label`.")


class RunOptions(Shape):
    """A block of run options: how cases run."""

    cache = key(Boolean(), "Whether answers are cached.", shown="true")
    max_concurrency = key(
        Number(at_least=0), "How many calls run at once.", name="maxConcurrency", shown="4", example="4"
    )
    repeat = key(Number(), "How often each case runs.", shown="1", example="3")
    delay = key(Number(), "How long to wait between calls, in milliseconds.", shown="0", example="500")
    timeout = key(
        Number(),
        "How long one call may take, in milliseconds; 0 has no limit.",
        name="timeoutMs",
        shown="0",
        example="60000",
    )
    total = key(
        Number(), "How long the whole run may take, in milliseconds; 0 has no limit.", name="maxEvalTimeMs", shown="0"
    )
    progress = key(Boolean(), "Whether a bar shows progress.", name="showProgressBar")
    suggestions = key(Boolean(), "Whether further prompts are proposed.", name="generateSuggestions")
    suggestion_count = key(Number(), "How many further prompts are proposed, 1–50.", name="suggestionsCount")
    interactive = key(Anything(), "Removed in 2024.", name="interactiveProviders")
    filter_range = key(Anything(), "The cases to run, by their numbers.", name="filterRange", example="'0:10'")
    red_team = key(Anything(), "Set by the red team.", name="isRedteam")
    silent = key(Anything(), "Whether nothing is printed.")
    event_source = key(Anything(), "Where a run was started.", name="eventSource")
    abort_signal = key(Anything(), "Set by programs.", name="abortSignal")
    progress_callback = key(Anything(), "Set by programs.", name="progressCallback")


class CommandLineOptions(Shape):
    """A block of command line options: options of `promptfoo eval`, in camelCase."""

    open: ClassVar[bool] = True
    watched: ClassVar[bool] = True
    #: What its options have to be, those included that have no documentation here; counts may be text.
    counts: ClassVar[frozenset[str]] = frozenset(
        {"maxConcurrency", "repeat", "tableCellMaxLength", "filterFirstN", "filterSample", "suggestionsCount"}
    )
    numbers: ClassVar[frozenset[str]] = frozenset({"filterSampleSeed"})
    flags: ClassVar[frozenset[str]] = frozenset({
        "verbose", "write", "cache", "table", "share", "noShare", "progressBar", "watch", "generateSuggestions", "retryErrors",
    })  # fmt: skip
    texts: ClassVar[frozenset[str]] = frozenset({
        "description", "grader", "promptPrefix", "promptSuffix", "filterPattern", "filterPrompts", "filterProviders", "filterTargets",
        "filterFailing", "filterFailingOnly", "filterErrorsOnly",
    })  # fmt: skip
    lists: ClassVar[frozenset[str]] = frozenset({"output", "extension", "prompts", "providers", "config"})
    #: Every option that promptfoo knows, those included that have no documentation here.
    known: ClassVar[frozenset[str]] = frozenset({
        *counts, *numbers, *flags, *texts, *lists, "vars", "tests", "assertions", "modelOutputs", "resume",
    })  # fmt: skip
    max_concurrency = key(Anything(), "How many calls run at once.", name="maxConcurrency", example="4")
    repeat = key(Anything(), "How often each case runs.")
    delay = key(Anything(), "How long to wait between calls, in milliseconds.")
    verbose = key(_FLAG, "Whether more is printed.")
    grader = key(Anything(), "The model that grades.")
    cell_length = key(Anything(), "The longest cell of the table.", name="tableCellMaxLength")
    write = key(_FLAG, "Whether results are kept.")
    cache = key(_FLAG, "Whether answers are cached.")
    table = key(_FLAG, "Whether a table is printed.")
    share = key(_FLAG, "Whether results are shared.")
    progress = key(_FLAG, "Whether a bar shows progress.", name="progressBar")
    watch = key(_FLAG, "Whether files are watched.")
    output = key(Anything(), "Where results are written.")
    variables = key(Anything(), "Variables of every case.", name="var")
    labels = key(Anything(), "Tags of the run.", name="tags")
    prefix = key(Anything(), "Text in front of every prompt.", name="promptPrefix")
    suffix = key(Anything(), "Text that is added after every prompt.", name="promptSuffix")
    env_path = key(Anything(), "A file with environment variables.", name="envPath")
    env_file = key(Anything(), "A file with environment variables.", name="envFile")
    extension = key(Anything(), "Extensions of the run.")
    pattern = key(Anything(), "Runs the cases whose description matches.", name="filterPattern")
    filter_range = key(Anything(), "Runs the cases with these numbers.", name="filterRange")
    first = key(Anything(), "Runs the first cases.", name="filterFirstN")
    sample = key(Anything(), "Runs a sample of the cases.", name="filterSample")
    failing = key(Anything(), "Runs the cases that failed.", name="filterFailing")
    failing_only = key(Anything(), "Runs the cases that failed, without errors.", name="filterFailingOnly")
    erring = key(Anything(), "Runs the cases that had errors.", name="filterErrorsOnly")
    with_metadata = key(Anything(), "Runs the cases with these metadata.", name="filterMetadata")
    with_providers = key(Anything(), "Runs these providers.", name="filterProviders")
    with_prompts = key(Anything(), "Runs these prompts.", name="filterPrompts")
    with_targets = key(Anything(), "Runs these targets.", name="filterTargets")

    @classmethod
    def has_option(cls, name: str) -> bool:
        """Whether promptfoo knows an option, or one of which this is the negation, as on the command line."""
        plain = name.removeprefix("no").lstrip("-_")
        return name in cls.known or f"{plain[:1].lower()}{plain[1:]}" in cls.flags


class Metric(Shape):
    """A derived metric: a formula over named metrics."""

    open: ClassVar[bool] = True
    watched: ClassVar[bool] = True
    name = key(Text(), "The name of the metric.", required=True, example="f1")
    value = key(Anything(), "The formula, in the syntax of mathjs.", required=True, example="2 * p * r / (p + r)")


_FILE = Text(refers_to="file")
_PROMPTS = NodeUnion(
    text=Text(blank=True),
    mapping=MapOf(Anything()),
    sequence=ListOf(NodeUnion(text=Text(blank=True), mapping=Shaped(ConfiguredPrompt)), empty=False),
)
_PROVIDERS = NodeUnion(
    text=Text(), sequence=ListOf(NodeUnion(text=Text(), mapping=Shaped(ConfiguredProvider)), empty=False)
)


class Configuration(Shape):
    """A promptfoo configuration: prompts, the providers that answer them, and the cases that check the answers."""

    stands_for = "whole"
    is_translated: ClassVar[bool] = True
    skeleton = Skeleton(
        "configuration",
        "tests:\n",
        (
            "description: ${1:what is tested}",
            "prompts:",
            '  - "${2:Greet} {{name}}."',
            "providers:",
            "  - ${3:openai:chat:gpt-5-mini}",
            "tests:",
            "  - vars:",
            "      name: ${4:Ann}",
            "    assert:",
            "      - type: contains",
            "        value: ${5:Ann}",
        ),
    )
    open: ClassVar[bool] = True
    watched: ClassVar[bool] = True
    nullable: ClassVar[bool] = True
    #: A cache for showing results, valid while the text is unchanged.
    kept_by_runs: object = None
    #: Keys that no run of a case reads.
    beside_results: ClassVar[frozenset[str]] = frozenset(
        {"description", "outputPath", "redteam", "sharing", "tags", "writeLatestResults"}
    )
    #: Keys of which each case has a part.
    of_cases: ClassVar[frozenset[str]] = frozenset(
        {"assertionTemplates", "defaultTest", "metadata", "scenarios", "tests"}
    )
    #: Options that decide which cases run, how fast, and what is shown of them, and not what comes of one.
    options_beside_results: ClassVar[frozenset[str]] = frozenset({
        "delay", "description", "eventSource", "filterErrorsOnly", "filterFailing", "filterFailingOnly", "filterFirstN", "filterMetadata",
        "filterPattern", "filterPrompts", "filterProviders", "filterRange", "filterSample", "filterSampleSeed", "filterTargets",
        "generateSuggestions", "interactiveProviders", "maxConcurrency", "noShare", "output", "progressBar", "resume", "retryErrors", "share",
        "showProgressBar", "silent", "suggestionsCount", "table", "tableCellMaxLength", "tags", "verbose", "watch", "write",
    })  # fmt: skip
    schema = key(Anything(), "The address of the JSON Schema.", name="$schema")
    description = key(
        NodeUnion(text=Text(blank=True), number=Anything()), "What is evaluated.", example="Greets visitors"
    )
    tags = key(Anything(), "Tags of the run.", example="{env: staging}")
    prompts = key(
        _PROMPTS, "The prompts: texts, files, or functions.", shown='["{{prompt}}"]', example='["Greet {{name}}."]'
    )
    providers = key(_PROVIDERS, "The models and programs that answer.", example="[openai:chat:gpt-5-mini]")
    targets = key(_PROVIDERS, "Another name of `providers`.", example="[openai:chat:gpt-5-mini]")
    default_test = key(
        NodeUnion(text=_FILE, mapping=Shaped(PartialCase)), "What every case has in common.", name="defaultTest",
        example="{assert: [{type: is-json}]}",
    )  # fmt: skip
    tests = key(CASES, "The cases, or where they are.")
    scenarios = key(
        NodeUnion(text=_FILE, sequence=ListOf(NodeUnion(text=_FILE, mapping=Shaped(PromptfooScenario)))),
        "Cases that run with several sets of variables.",
    )
    evaluate_options = key(Shaped(RunOptions), "How cases run.", name="evaluateOptions", example="{maxConcurrency: 4}")
    command_line_options = key(
        Shaped(CommandLineOptions),
        "Options of `promptfoo eval`, in camelCase.",
        name="commandLineOptions",
        example="{verbose: true}",
    )
    output_path = key(
        NodeUnion(text=Text(), sequence=ListOf(Text())),
        "Where results are written.",
        name="outputPath",
        example="out.json",
    )
    env = key(MapOf(Anything()), "Environment variables of the run.")
    derived_metrics = key(ListOf(Shaped(Metric)), "Metrics that are calculated from named ones.", name="derivedMetrics")
    nunjucks_filters = key(
        MapOf(Anything()),
        "Filters for templates, by name, with their files.",
        name="nunjucksFilters",
        example="{shout: ./shout.js}",
    )
    extensions = key(ListOf(Anything()), "Functions around the run.", example="[file://hooks.js:beforeAll]")
    metadata = key(Anything(), "The metadata of every case.")
    sharing = key(_FLAG, "Whether and where results are shared.")
    write_latest_results = key(_FLAG, "Whether the results are kept.", name="writeLatestResults")
    tracing = key(Anything(), "Settings of tracing; rubric does not look into them.")
    red_team = key(Anything(), "Settings of the red team; rubric does not look into them.", name="redteam")
    plugins = key(Anything(), "Belongs under `redteam`.")
    strategies = key(Anything(), "Belongs under `redteam`.")
    assertion_templates = key(Anything(), "A home for assertions that `$ref` refers to.", name="assertionTemplates")

    @property
    def cases_key(self) -> Span:
        """See `Shape.cases_key`: also that of a list which is read in blocks."""
        tests = self.node.entry("tests") if isinstance(self.node, Mapping) else None
        return tests.key.span if tests is not None else self.key_at("scenarios")

    @property
    def shared_parts(self) -> list[Shape]:
        """See `Shape.shared_parts`: those of `defaultTest`."""
        return children(self.default_test) if isinstance(self.default_test, Shape) else []
