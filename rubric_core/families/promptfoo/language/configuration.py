"""A configuration of promptfoo: the content of `promptfooconfig.yaml`, and what an unknown key at its top was meant for."""

from collections.abc import Callable
from collections.abc import Mapping as ReadMapping
from types import MappingProxyType
from typing import ClassVar

from rubric_core.families.promptfoo.language.case import CASES, CaseOptions, PartialCase, PromptfooScenario
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions, RunOptions
from rubric_core.language.shape import KeyMeaning, Shape, Skeleton, children, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, ListOf, MapOf, NodeUnion, Text
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["Configuration", "ConfiguredPrompt", "Metric", "block_of_top_key", "meaning_of_top_key"]

_VARIABLE = pattern(r"[A-Z][A-Z0-9_]*\Z")
_SCRIPT = pattern(r".*\.(?:[cm]?[jt]s|py)\Z")


def _is_list(node: Node) -> bool:
    return isinstance(node, Sequence) and all(isinstance(item, Mapping) for item in node.items)


def _is_mapping(node: Node) -> bool:
    return isinstance(node, Mapping)


def _is_text(node: Node | None) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str)


def _is_number(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _is_environment(node: Node) -> bool:
    return _has_names(node, lambda name: _VARIABLE.match(name) is not None)


def _are_hooks(node: Node) -> bool:
    items = node.items if isinstance(node, Sequence) else []
    return bool(items) and all(isinstance(item, Scalar) and item.text.startswith("file://") for item in items)


def _are_scripts(node: Node) -> bool:
    entries = node.entries if isinstance(node, Mapping) else []
    values = [entry.value for entry in entries]
    return bool(values) and all(isinstance(each, Scalar) and _SCRIPT.match(each.text) is not None for each in values)


def _are_formulas(node: Node) -> bool:
    items = node.items if isinstance(node, Sequence) else []
    return bool(items) and all(
        isinstance(item, Mapping) and item.get("name") is not None and _is_text(item.get("value")) for item in items
    )


def _has_names(node: Node, fits: Callable[[str], bool]) -> bool:
    return isinstance(node, Mapping) and bool(node.entries) and all(fits(entry.name or "") for entry in node.entries)


_RUN_OPTIONS = frozenset(key.name for key in RunOptions.keys.values())
_OF_CASES = frozenset(key.name for key in CaseOptions.keys.values())
_KINDS = CommandLineOptions.flags | CommandLineOptions.counts | CommandLineOptions.texts
_COMMAND_LINE = _KINDS.union(key.name for key in CommandLineOptions.keys.values())

#: Names, in lower case and without `_` and `-`, what their values have to be, and what they mean.
_CALLED: tuple[tuple[str, Callable[[Node], bool], KeyMeaning], ...] = (
    ("asserts assertion assertions defaultassert defaultasserts defaultassertions", _is_list, KeyMeaning("assert", "defaultTest")),
    ("defaultvars defaultvariables globalvars", _is_mapping, KeyMeaning("vars", "defaultTest")),
    ("defaultoptions", _is_mapping, KeyMeaning("options", "defaultTest")),
    ("defaultthreshold", _is_number, KeyMeaning("threshold", "defaultTest")),
    ("envpath envfile dotenv", _is_text, KeyMeaning("envPath", "commandLineOptions")),
    ("concurrency maxconcurrent parallel maxworkers", _is_number, KeyMeaning("maxConcurrency", "evaluateOptions")),
    ("timeout", _is_number, KeyMeaning("timeoutMs", "evaluateOptions")),
    ("repeats repetitions", _is_number, KeyMeaning("repeat", "evaluateOptions")),
    ("passratethreshold passrate minpassrate passthreshold", _is_number, KeyMeaning("PROMPTFOO_PASS_RATE_THRESHOLD", "env")),
    ("environment environmentvariables envvars", _is_environment, KeyMeaning("env")),
    ("options config settings run runoptions eval execution evaluation evalconfig", lambda node: _has_names(node, _RUN_OPTIONS.__contains__), KeyMeaning("evaluateOptions")),
    ("options config settings cli clioptions commandline flags", lambda node: _has_names(node, _COMMAND_LINE.__contains__), KeyMeaning("commandLineOptions")),
    ("hooks", _are_hooks, KeyMeaning("extensions")),
    ("metrics calculatedmetrics", _are_formulas, KeyMeaning("derivedMetrics")),
    ("customfilters templatefilters jinjafilters", _are_scripts, KeyMeaning("nunjucksFilters")),
    ("provider target model llm", _is_text, KeyMeaning("providers")),
    ("name title", _is_text, KeyMeaning("description")),
    ("evaluators graders checks", _is_list, KeyMeaning("assert", "defaultTest")),
)  # fmt: skip
#: Names of variables of all cases, if a prompt uses one of these.
_SHARED = frozenset({"variables", "globals", "inputs"})
_BY_NAME = MappingProxyType({
    name: tuple((fits, meant) for names, fits, meant in _CALLED if name in names.split())
    for name in {name for names, _, _ in _CALLED for name in names.split()}
})  # fmt: skip


def meaning_of_top_key(name: str, value: Node, around: Node | None, text: str) -> KeyMeaning | None:
    """See `Shape.meaning_of`. Prompts in the text use variables."""
    folded = name.replace("_", "").replace("-", "").lower()
    present = {entry.name for entry in around.entries} if isinstance(around, Mapping) else set[str | None]()
    if folded in _SHARED and _has_names(value, lambda each: f"{{{{{each}}}}}" in text or f"{{{{ {each} " in text):
        return KeyMeaning("vars", "defaultTest")
    found = next((meant for fits, meant in _BY_NAME.get(folded, ()) if fits(value)), None)
    if found is None or found.inside:
        return found if found is None or found.meant != name else found._replace(meant="")
    taken = present & ({"providers", "targets"} if found.meant == "providers" else {found.meant})
    return None if taken else found


def block_of_top_key(name: str) -> str:
    """The block that has a key of this name; empty for none. Only for keys that no block beside it has."""
    if name in _KINDS:
        return "commandLineOptions"
    return "defaultTest.options" if name in _OF_CASES else ""


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
