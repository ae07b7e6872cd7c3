"""Evaluators of the run that produced the answer: tools, time, cost."""

from typing import ClassVar

from rubric_core.language.evaluators.base import Evaluator
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, Choice, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "Cost", "ExecutionMetrics", "ExpectedCall", "ExpectedMessages", "Latency", "SkillNotUsed", "SkillTrigger",
    "SkillUsed", "StepCount", "TokenUsage", "ToolArgsMatch", "ToolSequence", "ToolTrajectory", "ToolUsed",
]  # fmt: skip

_ARGS_MATCH = NodeUnion(
    text=Choice((("exact", "the same arguments"), ("ignore", "any arguments"), ("subset", "the call has no other arguments than these"), ("superset", "the call has at least these arguments"))),
    sequence=ListOf(Text()),
)  # fmt: skip


class ExpectedCall(Shape):
    """An expected tool call."""

    tool = key(Text(), "The name of the tool.", required=True, example="Read")
    args = key(
        NodeUnion(text=Choice((("any", "any arguments"),)), mapping=MapOf(Anything())),
        "The arguments that the call should have.",
        example="{path: a.txt}",
    )
    max_duration_ms = key(
        Number(at_least=0, unit="ms"), "The longest that the call may take, in milliseconds.", example="500"
    )
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
        "The minimum number of calls of each tool (mode any_order).",
        example="{search: 1}",
    )
    expected = key(
        ListOf(Shaped(ExpectedCall)), "The calls that are expected (every other mode).", example="[{tool: search}]"
    )
    args_match = key(
        _ARGS_MATCH, "How to compare arguments of calls that do not set their own mode.", default="exact", shown="exact"
    )


class ExpectedMessages(Evaluator):
    """An expected-messages check: compares the tool calls of the expected messages with those that were made."""


class Latency(Evaluator):
    """A latency limit: passes when the answer came soon enough."""

    threshold = key(
        Number(at_least=0, unit="ms"),
        "The longest that the answer may take, in milliseconds.",
        required=True,
        example="5000",
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
        Number(at_least=0, unit="ms"),
        "The longest that the run may take, in milliseconds.",
        required=True,
        group="limit",
    )
    target_exploration_ratio = key(
        Number(0, 1), "The share of exploring calls (read, search, list …).", required=True, group="limit"
    )
    exploration_tolerance = key(Number(at_least=0), "The tolerance of the share.", default=0.2, shown="0.2")


class SkillTrigger(Evaluator):
    """A skill trigger: whether the agent used a skill."""

    skill = key(Text(), "The name of the skill.", required=True, example="deploy")
    should_trigger = key(Boolean(), "Whether it should have been used.", default=True, shown="true")


class SkillUsed(Evaluator):
    """A skill-used check: the agent used a skill."""

    value = key(
        NodeUnion(text=Text(), sequence=ListOf(Text(), empty=False), mapping=MapOf(Anything())),
        "The name of the skill, names, or `{name, min, max}`.",
        required=True,
        example="deploy",
    )


class SkillNotUsed(SkillUsed):
    """A not-skill-used check: the agent did without a skill."""


class ToolUsed(Evaluator):
    """A tool-used check: the agent called a tool."""

    value = key(
        NodeUnion(text=Text(), sequence=ListOf(Text(), empty=False), mapping=MapOf(Anything())),
        "The tool, with `*` and `?`, or `{name, min, max}`.",
        required=True,
        example="search*",
    )


class ToolArgsMatch(Evaluator):
    """A tool-args-match check: the agent called a tool with these arguments."""

    #: The values of `mode`; the first is the default.
    modes: ClassVar[tuple[str, ...]] = ("partial", "exact")

    value = key(
        MapOf(Anything()),
        "`{name, args, mode}`; mode is partial or exact.",
        required=True,
        example="{name: search, args: {q: tides}}",
    )


class ToolSequence(Evaluator):
    """A tool-sequence check: the agent called tools in this order."""

    #: The values of `mode`; the first is the default.
    modes: ClassVar[tuple[str, ...]] = ("in_order", "exact")

    value = key(
        NodeUnion(sequence=ListOf(Anything(), empty=False), mapping=MapOf(Anything())),
        "The steps, or `{mode, steps}`.",
        required=True,
        example="[search, read]",
    )


class StepCount(Evaluator):
    """A step-count check: the agent took so many steps."""

    #: The values of `type`. A record of tool calls tells the number of tools, commands and searches.
    step_types: ClassVar[tuple[str, ...]] = ("command", "message", "reasoning", "search", "span", "tool")

    value = key(MapOf(Anything()), "`{min, max, type, pattern}`.", required=True, example="{max: 10}")
