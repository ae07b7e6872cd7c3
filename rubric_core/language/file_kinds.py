"""The files around a suite: their kinds, and the shapes in each of them."""

from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, ClassVar

from rubric_core.language.file_extensions import CASES, YAML
from rubric_core.language.model import CASE, EVALUATORS, Case, DefaultTest, Scenario, Suite
from rubric_core.language.promptfoo.assertion import ASSERTIONS
from rubric_core.language.promptfoo.case import CASE_ITEM, PartialCase, PromptfooCase, PromptfooScenario
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.language.promptfoo.files import JsonSchema, ModelTool, VariablesFile
from rubric_core.language.promptfoo.provider import LISTED_IN_FILE, ListedInFile, ProviderInFile
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Tagged
from rubric_core.language.targets import Defaults, Entry, Provider, Target, TargetFile
from rubric_core.language.value_kinds import Anything, Boolean, Integer, Kind, ListOf, MapOf, NodeUnion, Text
from rubric_core.language.workspace import Environment, Workspace

__all__ = [
    "ITEMS",
    "LISTED_CASES",
    "NAMED_ANYWHERE",
    "OF_PROMPTFOO",
    "PROVIDER_ITEM",
    "ROOTS",
    "RUNNABLE",
    "TEMPLATE_FILES",
    "TEXTS",
    "WITH_CASES",
    "WITH_FILES",
    "WITH_NAMES",
    "WITH_OWN_FOLDER",
    "CaseFile",
    "Config",
    "ConfigExecution",
    "ConfigHooks",
    "Export",
    "FileKind",
    "LoneCase",
    "ResultsBlock",
    "Sidecar",
    "Template",
    "kind_of_reference",
]  # fmt: skip


class FileKind(Enum):
    """The kind of a file. The value is its name for people, with an article."""

    SUITE = "a suite"
    TARGETS = "a targets file"
    CONFIG = "a configuration of agentv"
    CASES = "a file of cases"
    CASE = "a case"
    #: One case per line, as JSON.
    DATASET = "a data set"
    #: The description of a data set that is in a file beside it.
    SIDECAR = "a description of a data set"
    TEMPLATE = "a template of evaluators"
    SCENARIOS = "a file of scenarios"
    DEFAULTS = "a file of defaults"
    DEFAULT_TEST = "a default test"
    WORKSPACE = "a workspace"
    ENVIRONMENT = "an environment"
    PROMPT = "a prompt"
    PROMPTFOO = "a promptfoo configuration"
    PROMPTFOO_CASES = "a file of promptfoo cases"
    #: Cases as CSV.
    PROMPTFOO_TABLE = "a table of promptfoo cases"
    PROMPTFOO_DEFAULTS = "a promptfoo default test"
    PROMPTFOO_SCENARIOS = "a file of promptfoo scenarios"
    PROMPTFOO_PROMPT = "a prompt of promptfoo"
    #: What models that grade are asked, under `rubricPrompt`.
    PROMPTFOO_JUDGE_PROMPT = "a prompt for judges of promptfoo"
    PROMPTFOO_PROVIDERS = "a file of promptfoo providers"
    PROMPTFOO_PROVIDER = "a promptfoo provider"
    PROMPTFOO_ASSERTIONS = "a file of promptfoo assertions"
    PROMPTFOO_ASSERTION = "a promptfoo assertion"
    PROMPTFOO_VARS = "a file of promptfoo variables"
    PROMPTFOO_SCHEMA = "a JSON Schema"
    #: What models may call, under `tools` of a provider.
    PROMPTFOO_TOOLS = "a file of tools"
    #: JavaScript or Python that promptfoo runs.
    PROMPTFOO_PROGRAM = "a program of promptfoo"
    #: A table of a suite, whose mistakes are reported there, or one that nothing names.
    TABLE = "a table"


#: Files that promptfoo reads.
OF_PROMPTFOO = frozenset({
    FileKind.PROMPTFOO, FileKind.PROMPTFOO_CASES, FileKind.PROMPTFOO_TABLE, FileKind.PROMPTFOO_DEFAULTS, FileKind.PROMPTFOO_SCENARIOS,
    FileKind.PROMPTFOO_PROMPT, FileKind.PROMPTFOO_JUDGE_PROMPT, FileKind.PROMPTFOO_PROVIDERS, FileKind.PROMPTFOO_PROVIDER,
    FileKind.PROMPTFOO_ASSERTIONS, FileKind.PROMPTFOO_ASSERTION, FileKind.PROMPTFOO_VARS, FileKind.PROMPTFOO_SCHEMA,
    FileKind.PROMPTFOO_TOOLS, FileKind.PROMPTFOO_PROGRAM,
})  # fmt: skip
#: The kinds with cases, or with common settings of cases.
WITH_CASES = frozenset({
    FileKind.CASES, FileKind.CASE, FileKind.DATASET, FileKind.TABLE, FileKind.SCENARIOS, FileKind.PROMPTFOO_CASES, FileKind.PROMPTFOO_TABLE, FileKind.PROMPTFOO_DEFAULTS, FileKind.PROMPTFOO_SCENARIOS,
})  # fmt: skip
#: Those that name other files, as the configuration does.
WITH_FILES = frozenset({
    FileKind.PROMPTFOO_CASES, FileKind.PROMPTFOO_TABLE, FileKind.PROMPTFOO_DEFAULTS, FileKind.PROMPTFOO_SCENARIOS,
    FileKind.PROMPTFOO_PROVIDERS, FileKind.PROMPTFOO_PROVIDER, FileKind.PROMPTFOO_ASSERTIONS, FileKind.PROMPTFOO_ASSERTION,
})  # fmt: skip
#: Files whose findings depend on the names that the configurations which name them define.
WITH_NAMES = frozenset({
    FileKind.PROMPTFOO_PROMPT, FileKind.PROMPTFOO_JUDGE_PROMPT, FileKind.PROMPTFOO_PROGRAM, FileKind.PROMPTFOO_CASES,
    FileKind.PROMPTFOO_TABLE, FileKind.PROMPTFOO_VARS,
})  # fmt: skip
#: Of these, the lists of cases, and the variables of one.
LISTED_CASES = frozenset({FileKind.PROMPTFOO_CASES, FileKind.PROMPTFOO_TABLE, FileKind.PROMPTFOO_VARS})
#: Files whose paths count from their own folder; those of the others count from that of the suite that names them.
WITH_OWN_FOLDER = frozenset({FileKind.SUITE, FileKind.SIDECAR, FileKind.WORKSPACE, FileKind.ENVIRONMENT})
#: Files that are not YAML, JSON or JSON lines, whatever their extensions.
TEXTS = frozenset({
    FileKind.PROMPT, FileKind.PROMPTFOO_PROMPT, FileKind.PROMPTFOO_JUDGE_PROMPT, FileKind.PROMPTFOO_TABLE,
    FileKind.PROMPTFOO_PROGRAM, FileKind.TABLE,
})  # fmt: skip
#: The files of promptfoo that are templates: prompts, and prompts for judges.
TEMPLATE_FILES = frozenset({FileKind.PROMPTFOO_PROMPT, FileKind.PROMPTFOO_JUDGE_PROMPT})
#: Files that are checked in the same way, whether the configuration or another of its files names them.
NAMED_ANYWHERE = frozenset({FileKind.PROMPTFOO_PROGRAM, FileKind.PROMPTFOO_JUDGE_PROMPT})

#: Files that are run themselves; other cases are run by the suites that include them.
RUNNABLE = frozenset({FileKind.SUITE, FileKind.PROMPTFOO})


class ConfigExecution(Shape):
    """An execution block: how every suite is run."""

    open: ClassVar[bool] = True
    verbose = key(Boolean(), "Whether the engine prints more output.")
    keep_workspaces = key(Boolean(), "Whether workspaces are kept after the run.")
    pool_workspaces = key(Boolean(), "Whether workspaces are reused.")
    pool_slots = key(Integer(1, 50), "The number of workspaces to keep.", example="4")
    otel_file = key(Text(), "Where traces are written.")
    trace_file = key(Text(), "Where traces are written.")


class Export(Shape):
    """An export: a repository that results are pushed to."""

    repo = key(Text(), "The address of the repository.", example="https://github.com/org/results.git")
    path = key(Text(), "The directory in it.")
    auto_push = key(Boolean(), "Whether results are pushed after every run.")
    branch_prefix = key(Text(), "The prefix of its branch names.")


class ResultsBlock(Shape):
    """A results block: what becomes of them."""

    open: ClassVar[bool] = True
    export = key(Shaped(Export), "A repository that results are pushed to.")


class ConfigHooks(Shape):
    """A hooks block: programs around the work of the engine."""

    open: ClassVar[bool] = True
    before_session = key(
        NodeUnion(text=Text(), sequence=ListOf(Text()), mapping=MapOf(Anything())),
        "A program that runs before everything else.",
    )


_PATTERNS = ListOf(Text())
_TARGETS = NodeUnion(
    text=Text(refers_to="file", endings=YAML),
    sequence=ListOf(NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Tagged(Target))),
)
_PROVIDERS = NodeUnion(
    text=Text(refers_to="file", endings=YAML),
    sequence=ListOf(NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Tagged(Provider))),
)


class Config(Shape):
    """A configuration of agentv: what counts for every suite below its folder."""

    schema = key(Text(), "Marks the file as a configuration.", name="$schema", example="agentv-config-v2")
    guideline_patterns = key(
        _PATTERNS, "The files that are guidelines, not part of the question.", example='["**/*.instructions.md"]'
    )
    eval_patterns = key(_PATTERNS, "The files that are suites.", example='["**/evals/**/*.eval.yaml"]')
    execution = key(Shaped(ConfigExecution), "How to run every suite.", example="{verbose: true}")
    results = key(Shaped(ResultsBlock), "What becomes of results.")
    hooks = key(Shaped(ConfigHooks), "Programs that run before and after cases.")
    required_version = key(Text(), "The releases of the engine that may be used.", example="'>=4.0.0'")
    providers = key(_PROVIDERS, "The providers that answer and judge, or a file with them.")
    targets = key(_TARGETS, "The targets that answer, or a file with them.")
    graders = key(_PROVIDERS, "The providers that judge, or a file with them.")
    tests = key(
        NodeUnion(text=Text(refers_to="file", endings=CASES), sequence=ListOf(CASE)), "Cases, or a file with them."
    )
    defaults = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Shaped(Defaults)),
        "The default provider and grader.",
    )
    default_test = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML), mapping=Shaped(DefaultTest)),
        "Defaults for every case of every suite.",
    )
    repo_resolvers = key(Anything(), "How to turn names of repositories into addresses.")
    refs = key(Anything(), "Names for parts that suites can refer to.")
    projects = key(Anything(), "The projects of the dashboard.")
    dashboard = key(Anything(), "Settings of the dashboard.")
    studio = key(Anything(), "Settings of the studio.")
    env_path = key(NodeUnion(text=Text(), sequence=ListOf(Text())), "Files with environment variables.", example=".env")
    env_from = key(Anything(), "Where environment variables come from.")


class CaseFile(Suite):
    """A file of cases: the cases of a suite in their own file."""


class LoneCase(Case):
    """A case: one input with its evaluators, in a directory of its own."""


class Sidecar(Suite):
    """A description of a data set: what the cases in the file beside it have in common."""

    strict: ClassVar[bool] = False


class Template(Shape):
    """A template of evaluators: what an `include` puts in its place."""

    assertions = key(EVALUATORS, "The evaluators.", required=True, example="[{type: contains, value: refund}]")


#: An item of a file of tools, of which only mappings are read.
_TOOL = NodeUnion(text=Anything(), mapping=Shaped(ModelTool))
#: The shape at the root of each kind of file. Files that are read line by line, or as text, have no entry.
ROOTS: Mapping[FileKind, Kind[Any]] = {
    FileKind.SUITE: Shaped(Suite),
    FileKind.TARGETS: NodeUnion(mapping=Shaped(TargetFile), sequence=ListOf(Tagged(Target))),
    FileKind.CONFIG: Shaped(Config),
    FileKind.CASES: NodeUnion(mapping=Shaped(CaseFile), sequence=ListOf(CASE)),
    FileKind.CASE: Shaped(LoneCase),
    FileKind.SIDECAR: Shaped(Sidecar),
    FileKind.TEMPLATE: NodeUnion(mapping=Shaped(Template), sequence=EVALUATORS),
    FileKind.SCENARIOS: NodeUnion(mapping=Shaped(Scenario), sequence=ListOf(Shaped(Scenario))),
    FileKind.DEFAULTS: Shaped(Defaults),
    FileKind.DEFAULT_TEST: Shaped(DefaultTest),
    FileKind.WORKSPACE: Shaped(Workspace),
    FileKind.ENVIRONMENT: Shaped(Environment),
    FileKind.PROMPTFOO: Shaped(Configuration),
    FileKind.PROMPTFOO_CASES: NodeUnion(mapping=Shaped(PromptfooCase), sequence=ListOf(CASE_ITEM)),
    FileKind.PROMPTFOO_DEFAULTS: Shaped(PartialCase),
    FileKind.PROMPTFOO_SCENARIOS: NodeUnion(
        mapping=Shaped(PromptfooScenario), sequence=ListOf(Shaped(PromptfooScenario))
    ),
    FileKind.PROMPTFOO_PROVIDERS: NodeUnion(
        text=LISTED_IN_FILE.text, mapping=Shaped(ListedInFile), sequence=ListOf(LISTED_IN_FILE)
    ),
    FileKind.PROMPTFOO_PROVIDER: Shaped(ProviderInFile),
    FileKind.PROMPTFOO_ASSERTIONS: NodeUnion(sequence=ASSERTIONS),
    FileKind.PROMPTFOO_ASSERTION: ASSERTIONS.item,
    FileKind.PROMPTFOO_VARS: Shaped(VariablesFile),
    FileKind.PROMPTFOO_SCHEMA: Shaped(JsonSchema),
    FileKind.PROMPTFOO_TOOLS: NodeUnion(mapping=Shaped(ModelTool), sequence=ListOf(_TOOL)),
}

#: The shape of an item of a list at the root, for files whose items are handled one by one.
ITEMS: Mapping[FileKind, Kind[Any]] = {
    FileKind.CASES: CASE,
    FileKind.DATASET: CASE,
    FileKind.TARGETS: Tagged(Target),
    FileKind.TEMPLATE: EVALUATORS.item,
    FileKind.SCENARIOS: Shaped(Scenario),
    FileKind.PROMPTFOO: CASE_ITEM,
    FileKind.PROMPTFOO_CASES: CASE_ITEM,
    FileKind.PROMPTFOO_SCENARIOS: Shaped(PromptfooScenario),
    FileKind.PROMPTFOO_PROVIDERS: LISTED_IN_FILE,
    FileKind.PROMPTFOO_ASSERTIONS: ASSERTIONS.item,
    FileKind.PROMPTFOO_TOOLS: _TOOL,
}

#: Entries of a list in a file providers.yaml.
PROVIDER_ITEM = Tagged(Provider)


@lru_cache(maxsize=256)
def kind_of_reference(kind: Kind[Any]) -> FileKind | None:
    """The kind of a file whose path may be a value of `kind`; None if that may be any."""
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    for branch in branches:
        item = branch.item if isinstance(branch, ListOf) else branch
        if item is CASE:
            return FileKind.CASES
        if isinstance(item, Tagged) and issubclass(item.base, Entry):
            return FileKind.TARGETS
        if isinstance(item, Shaped):
            return next((f for f, root in ROOTS.items() if _is_of(root, item.shape)), None)
        if item is not branch and (inner := kind_of_reference(item)) is not None:
            return inner
    return None


def _is_of(root: Kind[Any], shape: type[Shape]) -> bool:
    branch = root.mapping if isinstance(root, NodeUnion) else root
    return isinstance(branch, Shaped) and branch.shape is shape
