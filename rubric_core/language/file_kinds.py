"""The files around a suite: their kinds, and the shapes in each of them."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from rubric_core.family import FAMILIES, part_of
from rubric_core.language.file_extensions import CASES, YAML
from rubric_core.language.model import CASE, EVALUATORS, Case, DefaultTest, Scenario, Suite
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Tagged
from rubric_core.language.targets import Defaults, Entry, Provider, Target, TargetFile
from rubric_core.language.value_kinds import Anything, Boolean, Integer, Kind, ListOf, MapOf, NodeUnion, Text
from rubric_core.language.workspace import Environment, Workspace
from rubric_core.lazy_compilation import dataclass

__all__ = [
    "KINDS",
    "LANGUAGE",
    "PROVIDER_ITEM",
    "CaseFile",
    "Config",
    "ConfigExecution",
    "ConfigHooks",
    "Export",
    "FamilyLanguage",
    "FileKind",
    "LoneCase",
    "ResultsBlock",
    "Sidecar",
    "Template",
    "case_item_of",
    "item_of",
    "kind_named",
    "kind_of_reference",
    "language_of",
    "root_of",
]  # fmt: skip


@dataclass(frozen=True)
class FileKind:
    """A kind of file. There is one object for each, which is copied and stored as its name."""

    #: For what is stored.
    name: str
    #: For people, with an article.
    value: str
    #: The family of eval files that has it.
    family: str = "agentv"
    #: The dialect that every file of this kind is in; empty: its text tells.
    dialect: str = ""
    #: Whether it is run by itself; other cases are run by the files that include them.
    is_root: bool = False
    #: Whether a file is of this kind because another one names it, whatever its own name and text say.
    by_reference: bool = False
    #: Whether it is neither YAML, JSON nor JSON lines, whatever its extension.
    is_text: bool = False
    #: Whether all of it is a template, of a family whose templates may hold any statement.
    is_template: bool = False
    #: Whether it is CSV or another table.
    is_table: bool = False
    #: Whether it is code that the engine runs.
    is_program: bool = False
    #: Whether it holds cases, or common settings of cases.
    of_cases: bool = False
    #: Whether it holds common settings of cases, and none of its own.
    is_defaults: bool = False
    #: Whether its cases are named by the file that includes them, as they have no ids or are not read by themselves.
    names_no_cases: bool = False
    #: Whether it is a list of cases, or the variables of one, whose findings depend on all that is defined around them.
    lists_cases: bool = False
    #: Whether it names other files, as the file that names it does.
    refers: bool = False
    #: Whether its findings depend on the names that the files which name it define.
    takes_names: bool = False
    #: Whether it is checked in the same way, whichever file names it.
    is_named_anywhere: bool = False
    #: Whether its paths count from its own folder, rather than from that of the suite that names it.
    has_own_folder: bool = False
    #: Whether `file://` stands in it for what is in a file.
    inlines: bool = False
    #: Whether blocks under its keys that nothing reads are kept for references, and checked where they stand.
    keeps_blocks: bool = False
    #: Whether it may be JSON, and the engine's parser of YAML refuses what others read.
    is_strict: bool = False
    #: Whether a parser of JSON reads such files with the extension `.json`.
    strict_json: bool = False

    SUITE: ClassVar["FileKind"]
    TARGETS: ClassVar["FileKind"]
    CONFIG: ClassVar["FileKind"]
    CASES: ClassVar["FileKind"]
    CASE: ClassVar["FileKind"]
    #: One case per line, as JSON.
    DATASET: ClassVar["FileKind"]
    #: The description of a data set that is in a file beside it.
    SIDECAR: ClassVar["FileKind"]
    TEMPLATE: ClassVar["FileKind"]
    SCENARIOS: ClassVar["FileKind"]
    DEFAULTS: ClassVar["FileKind"]
    DEFAULT_TEST: ClassVar["FileKind"]
    WORKSPACE: ClassVar["FileKind"]
    ENVIRONMENT: ClassVar["FileKind"]
    PROMPT: ClassVar["FileKind"]
    #: A table of a suite, whose mistakes are reported there, or one that nothing names.
    TABLE: ClassVar["FileKind"]

    @property
    def is_recognised(self) -> bool:
        """Whether its family recognises such a file by its own name or text, before AgentV takes what is left."""
        return bool(self.dialect) and not self.by_reference

    __eq__ = object.__eq__  # compared as one object, which is fast
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"FileKind.{self.name}"

    def __reduce__(self) -> tuple[Callable[[str], "FileKind"], tuple[str]]:
        return kind_named, (self.name,)


FileKind.SUITE = FileKind("SUITE", "a suite", is_root=True, has_own_folder=True)
FileKind.TARGETS = FileKind("TARGETS", "a targets file")
FileKind.CONFIG = FileKind("CONFIG", "a configuration of agentv")
FileKind.CASES = FileKind("CASES", "a file of cases", of_cases=True, refers=True)
FileKind.CASE = FileKind("CASE", "a case", of_cases=True, refers=True)
FileKind.DATASET = FileKind("DATASET", "a data set", of_cases=True, refers=True)
FileKind.SIDECAR = FileKind("SIDECAR", "a description of a data set", has_own_folder=True)
FileKind.TEMPLATE = FileKind("TEMPLATE", "a template of evaluators")
FileKind.SCENARIOS = FileKind("SCENARIOS", "a file of scenarios", of_cases=True, names_no_cases=True)
FileKind.DEFAULTS = FileKind("DEFAULTS", "a file of defaults")
FileKind.DEFAULT_TEST = FileKind("DEFAULT_TEST", "a default test")
FileKind.WORKSPACE = FileKind("WORKSPACE", "a workspace", has_own_folder=True)
FileKind.ENVIRONMENT = FileKind("ENVIRONMENT", "an environment", has_own_folder=True)
FileKind.PROMPT = FileKind("PROMPT", "a prompt", is_text=True)
FileKind.TABLE = FileKind("TABLE", "a table", is_text=True, is_table=True, of_cases=True, names_no_cases=True)

#: AgentV's kinds by name.
KINDS: Mapping[str, FileKind] = {kind.name: kind for kind in vars(FileKind).values() if isinstance(kind, FileKind)}


def kind_named(name: str) -> FileKind:
    """The kind of that name, in any family. Raises KeyError."""
    found = KINDS.get(name)
    if found is not None:  # without a look at other families
        return found
    owner = next((each.name for each in FAMILIES if name.startswith(each.name.upper())), "")
    return language_of(owner).kinds[name]


class FamilyLanguage(NamedTuple):
    """The part `language` of a family: its kinds of files, and what is in them."""

    #: The kinds by name. The names begin with that of the family in capitals, but for those of AgentV.
    kinds: Mapping[str, FileKind]
    #: The shape at the root of each kind of file. Files that are read line by line, or as text, have no entry.
    roots: Mapping[FileKind, Kind[Any]]
    #: The shape of an item of a list at the root, for files whose items are handled one by one.
    items: Mapping[FileKind, Kind[Any]]
    #: The shape of an item of a list under a key that holds cases.
    cases: Mapping[FileKind, Kind[Any]]
    #: What a JSON Schema can be made for, by the word on the command line.
    schemas: Mapping[str, FileKind]


def language_of(family: str) -> FamilyLanguage:
    """The kinds of files of a family. Raises KeyError."""
    part = part_of(family, "language")
    if part is None:
        raise KeyError(family)
    found: FamilyLanguage = part.LANGUAGE
    return found


def root_of(kind: FileKind) -> Kind[Any] | None:
    """The shape at the root of such a file; None for one that is read line by line, or as text."""
    return language_of(kind.family).roots.get(kind)


def item_of(kind: FileKind) -> Kind[Any] | None:
    """The shape of an item of a list at the root; None if such a file should not be a list, or its items are not handled one by one."""
    return language_of(kind.family).items.get(kind)


def case_item_of(kind: FileKind) -> Kind[Any] | None:
    """The shape of an item of a list under a key that holds cases; None if such a file has none."""
    return language_of(kind.family).cases.get(kind)


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


#: The shape at the root of each kind of file. Files that are read line by line, or as text, have no entry.
_ROOTS: Mapping[FileKind, Kind[Any]] = {
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
}

#: The shape of an item of a list at the root, for files whose items are handled one by one.
_ITEMS: Mapping[FileKind, Kind[Any]] = {
    FileKind.CASES: CASE,
    FileKind.DATASET: CASE,
    FileKind.TARGETS: Tagged(Target),
    FileKind.TEMPLATE: EVALUATORS.item,
    FileKind.SCENARIOS: Shaped(Scenario),
}

LANGUAGE = FamilyLanguage(
    kinds=KINDS,
    roots=_ROOTS,
    items=_ITEMS,
    cases=dict.fromkeys(KINDS.values(), CASE),
    schemas={
        "suite": FileKind.SUITE,
        "targets": FileKind.TARGETS,
        "config": FileKind.CONFIG,
        "cases": FileKind.CASES,
        "template": FileKind.TEMPLATE,
    },
)

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
            return next((f for f, root in _ROOTS.items() if _is_of(root, item.shape)), None)
        if item is not branch and (inner := kind_of_reference(item)) is not None:
            return inner
    return None


def _is_of(root: Kind[Any], shape: type[Shape]) -> bool:
    branch = root.mapping if isinstance(root, NodeUnion) else root
    return isinstance(branch, Shaped) and branch.shape is shape
