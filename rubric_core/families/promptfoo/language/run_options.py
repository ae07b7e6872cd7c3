"""How promptfoo runs cases: the blocks `evaluateOptions` and `commandLineOptions`, and variables of the environment."""

from collections.abc import Mapping
from typing import ClassVar

from rubric_core.language.shape import Shape, key
from rubric_core.language.value_kinds import Anything, Boolean, Number

__all__ = [
    "DISABLE_TEMPLATING",
    "HIDING",
    "CommandLineOptions",
    "RunOptions",
    "hides_environment",
    "is_on",
    "number_of",
]

_FLAG = Anything(usually=Boolean())


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
    tolerated: ClassVar[frozenset[str]] = frozenset({
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
        return name in cls.tolerated or f"{plain[:1].lower()}{plain[1:]}" in cls.flags

    @classmethod
    def drops(cls, name: str) -> bool:
        """See `Shape.drops`."""
        return not cls.has_option(name)


#: Fills in no template but those for judges.
DISABLE_TEMPLATING = "PROMPTFOO_DISABLE_TEMPLATING"
#: Each hides the variables of the user from templates.
HIDING = ("PROMPTFOO_DISABLE_TEMPLATE_ENV_VARS", "PROMPTFOO_SELF_HOSTED")
#: The values of a variable that promptfoo takes for true.
_TRUE = frozenset({"1", "true", "yes", "yup", "yeppers"})


def is_on(environment: Mapping[str, str], name: str) -> bool:
    """Whether a variable of promptfoo is set to true."""
    return environment.get(name, "").lower() in _TRUE


def hides_environment(environment: Mapping[str, str]) -> bool:
    """Whether `env` in templates has nothing but the variables of the configuration."""
    hides, usual = HIDING
    return is_on(environment, hides if environment.get(hides) else usual)


def number_of(environment: Mapping[str, str], name: str, usual: float | None = None) -> float | None:
    """The number at the beginning of a variable, as JavaScript reads it; `usual` without one."""
    text = environment.get(name, "").strip()
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    found, end = "", 0
    while end < len(digits) and end < 30 and (digits[end].isdecimal() or (digits[end] == "." and "." not in found)):
        found, end = found + digits[end], end + 1
    return sign * float(found) if found.strip(".") else usual
