"""A configuration of promptfoo: the content of `promptfooconfig.yaml`."""

from collections.abc import Mapping as ReadMapping
from typing import ClassVar

from rubric_core.families.promptfoo.language.case import CASES, PartialCase, PromptfooScenario
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions, RunOptions
from rubric_core.families.promptfoo.language.top_keys import block_of_top_key, meaning_of_top_key
from rubric_core.language.shape import KeyMeaning, Shape, Skeleton, children, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, ListOf, MapOf, NodeUnion, Text
from rubric_core.syntax.tree import Mapping, Node
from rubric_core.text import Span

__all__ = [
    "Configuration",
    "ConfiguredPrompt",
    "Metric",
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
    has_referable_keys: ClassVar[bool] = True
    settings_blocks: ClassVar[ReadMapping[str, type[Shape]]] = {
        "default_test": PartialCase,
        "evaluate_options": RunOptions,
    }
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
    def has_implicit_case(self) -> bool:
        """See `Shape.has_implicit_case`: without `tests`, each prompt is sent as it is."""
        return not self.has("tests")

    @property
    def shared_parts(self) -> list[Shape]:
        """See `Shape.shared_parts`: those of `defaultTest`."""
        return children(self.default_test) if isinstance(self.default_test, Shape) else []

    @classmethod
    def drops(cls, name: str) -> bool:  # noqa: ARG003  # whatever its name is
        """See `Shape.drops`."""
        return True

    @classmethod
    def meaning_of(cls, name: str, value: Node, around: Node | None, text: str) -> KeyMeaning | None:
        """See `Shape.meaning_of`. Prompts in the text use variables."""
        return meaning_of_top_key(name, value, around, text)

    @classmethod
    def block_of(cls, name: str) -> str:
        """See `Shape.block_of`."""
        return block_of_top_key(name)
