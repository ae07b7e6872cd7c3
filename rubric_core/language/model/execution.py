"""How cases are run: targets, limits, repetitions."""

from typing import ClassVar

from rubric_core.language.model.grading import EVALUATORS
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, Choice, Integer, ListOf, MapOf, NodeUnion, Number, Text
from rubric_core.language.workspace import Hooks

__all__ = ["REPEAT", "CaseExecution", "EvaluateOptions", "Execution", "Repeat", "RunSettings", "TargetChoice", "Trials"]


class Trials(Shape):
    """A trials block: how often a case is run."""

    count = key(Integer(at_least=1), "The number of runs of each case.", required=True, example="3")
    strategy = key(
        Choice(
            (
                ("pass_at_k", "the best run counts"),
                ("mean", "the mean counts"),
                ("confidence_interval", "the lower bound of the mean's 95 % interval counts"),
            )
        ),
        "How to combine the runs into one result.",
        default="pass_at_k",
        shown="pass_at_k",
    )
    cost_limit_usd = key(Number(at_least=0), "Stops further runs when this many US dollars are spent.")
    cost_limit_usd_camel = key(Number(at_least=0), "The same as cost_limit_usd.", name="costLimitUsd")


class TargetChoice(Shape):
    """A target choice: one target of a matrix, with hooks of its own."""

    open: ClassVar[bool] = True
    name = key(
        Text(refers_to="target"),
        "The name of the target; with `use_target`, any name.",
        required=True,
        example="default",
    )
    use_target = key(Text(refers_to="target"), "The target that answers under this name.", example="default")
    hooks = key(
        Shaped(Hooks),
        "Programs that run before and after its cases, inside the hooks of the suite.",
        example="{before_all: {command: [python, setup.py]}}",
    )


class Execution(Shape):
    """An execution block: the target, evaluators and limits of a suite or case."""

    target = key(
        Text(refers_to="target"), "The target that answers.", shown="the target named default", example="default"
    )
    targets = key(
        ListOf(NodeUnion(text=Text(refers_to="target"), mapping=Shaped(TargetChoice))),
        "Targets that all run every case.",
    )
    workers = key(Integer(1, 50), "The number of cases that run in parallel.", example="4")
    assertions = key(EVALUATORS, "Evaluators for every case.")
    evaluators = key(EVALUATORS, "Evaluators for every case.")
    skip_defaults = key(
        Boolean(),
        "Whether the evaluators, the `input` and the `input_files` of the suite are left out for this case.",
        default=False,
        shown="false",
    )
    cache = key(Boolean(), "Whether answers are cached.")
    cache_path = key(Text(), "Where answers are kept.")
    trials = key(Shaped(Trials), "The number of runs of each case, and how they count.", example="{count: 3}")
    budget_usd = key(Number(at_least=0), "Stops starting cases when this many US dollars are spent.", example="2")
    fail_on_error = key(
        Boolean(), "Whether the run stops at the first case that could not be run.", default=False, shown="false"
    )
    threshold = key(
        Number(0, 1), "The lowest score, 0..1, that passes a case.", default=0.8, shown="0.8", example="0.75"
    )
    verbose = key(Boolean(), "Whether the engine prints more output.")
    pool_workspaces = key(Boolean(), "Whether workspaces are reused.")
    keep_workspaces = key(Boolean(), "Whether workspaces are kept after the run.")
    otel_file = key(Text(), "Where traces are written.")


class CaseExecution(Execution):
    """An execution block of a case: evaluators and limits that differ from the suite's."""

    strict: ClassVar[bool] = True


class Repeat(Shape):
    """A repeat block: how often a case is run, and how the runs become one result."""

    count = key(Integer(at_least=1), "The number of runs of each case.", required=True, example="3")
    strategy = key(
        Choice((
            ("pass_any", "one run that passes is enough"), ("pass_all", "every run must pass"), ("mean", "the mean counts"),
            ("confidence_interval", "the lower bound of the mean's 95 % interval counts"),
        )),
        "How to combine the runs into one result.", default="pass_any", shown="pass_any", example="mean",
    )  # fmt: skip
    early_exit = key(Boolean(), "Whether a first pass is enough.", default=False, shown="false")
    cost_limit_usd = key(Number(at_least=0), "Stops further runs when this many US dollars are spent.")


#: How often: a number, or the values that releases up to 5.3 also accept.
REPEAT = NodeUnion(number=Integer(at_least=1), mapping=Shaped(Repeat))


class RunSettings(Shape):
    """A run block: limits of one case."""

    strict: ClassVar[bool] = True
    threshold = key(Number(0, 1), "The lowest score, 0..1, that passes the case.", example="0.8")
    repeat = key(REPEAT, "The number of runs of the case.", example="3")
    timeout_seconds = key(Number(above=0, unit="s"), "The longest that the case may take, in seconds.")
    budget_usd = key(Number(above=0), "The most that the case may cost, in US dollars.")


class EvaluateOptions(Shape):
    """An options block: how the suite is run."""

    budget_usd = key(Number(above=0), "Stops starting cases when this many US dollars are spent.", example="2")
    max_concurrency = key(Integer(1, 50), "The number of cases that run in parallel.", example="4")
    cache = key(NodeUnion(boolean=Boolean(), mapping=MapOf(Anything())), "Whether answers are cached.")
    delay = key(Number(at_least=0, unit="ms"), "A pause between calls, in milliseconds.")
    generate_suggestions = key(Boolean(), "Whether better prompts are suggested.")
    repeat = key(REPEAT, "The number of runs of each case.", example="3")
    timeout_ms = key(Number(above=0, unit="ms"), "The longest that a case may take, in milliseconds.")
    max_eval_time_ms = key(Number(above=0, unit="ms"), "The longest that the whole run may take, in milliseconds.")
    filter_range = key(
        NodeUnion(text=Text(), sequence=ListOf(Integer(at_least=0))),
        "The cases to run, as `[first, end]`, counted from 0; the case at `end` is not among them.",
        example="[0, 10]",
    )
