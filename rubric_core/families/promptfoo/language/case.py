"""The cases of promptfoo, and common settings of several cases."""

from collections.abc import Mapping as ReadMapping
from types import MappingProxyType
from typing import Any, ClassVar

from rubric_core.families.promptfoo.language.assertion import ASSERTIONS
from rubric_core.families.promptfoo.language.consequences import NULL_EFFECT
from rubric_core.families.promptfoo.language.provider import GRADER, JUDGE_PROMPT, ConfiguredProvider
from rubric_core.language.shape import Shape, Skeleton, StandsFor, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, ListOf, MapOf, NodeUnion, Number, Text
from rubric_core.syntax.tree import Mapping, Node

__all__ = ["CASES", "CASE_ITEM", "CaseOptions", "CaseSource", "PartialCase", "PromptfooCase", "PromptfooScenario"]

_CODE = NodeUnion(text=Text(blank=True), mapping=MapOf(Anything()))


class CaseOptions(Shape):
    """A block of options: how the cases are prompted, transformed and graded. Other keys reach the provider."""

    open: ClassVar[bool] = True
    watched: ClassVar[bool] = True
    null_effect: ClassVar[str] = NULL_EFFECT
    prefix = key(Text(blank=True), "Text that is added before the prompt.", example="'Be brief. '")
    suffix = key(Text(blank=True), "Text that is added after the prompt.")
    transform = key(
        _CODE,
        "JavaScript over `output`, or a file, that changes the output before it is checked.",
        example="output.trim()",
    )
    postprocess = key(_CODE, "The older name of `transform`.")
    transform_vars = key(_CODE, "JavaScript over `vars`; what it returns is merged into them.", name="transformVars")
    provider = key(GRADER, "The model that grades the case.", example="openai:chat:gpt-5-mini")
    rubric_prompt = key(JUDGE_PROMPT, "The prompt for the judges of the case.", name="rubricPrompt")
    factuality = key(Anything(), "The scores of factuality by category.", example="{subset: 1, disagree: 0}")
    store_output_as = key(
        Text(), "The variable for later cases that gets the output.", name="storeOutputAs", example="story"
    )
    disable_var_expansion = key(
        Boolean(), "Whether a list in `vars` is one value, not one row per item.", name="disableVarExpansion"
    )
    disable_conversation_var = key(Boolean(), "Whether `_conversation` is left out.", name="disableConversationVar")
    disable_default_asserts = key(
        Boolean(), "Whether the assertions of `defaultTest` are left out.", name="disableDefaultAsserts"
    )
    run_serially = key(Boolean(), "Whether the case runs alone.", name="runSerially")
    repeat = key(Number(), "How often the case runs: a whole number of at least 1.", example="3")


#: The keys one of which promptfoo demands of a case, whatever `defaultTest` has, and what may bring some of them.
_CONTENT = frozenset({
    "assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold", "<<", "$ref",
})  # fmt: skip


class PromptfooCase(Shape):
    """A promptfoo case: variables for the prompts, and the checks of what comes back."""

    null_effect: ClassVar[str] = NULL_EFFECT
    stands_for: ClassVar[StandsFor] = "case"
    named_by = "description"
    skeleton: ClassVar[Skeleton | None] = Skeleton(
        "case",
        "vars:",
        ("vars:", "  ${1:name}: ${2:value}", "assert:", "  - type: ${3:contains}", "    value: ${4:text}"),
    )
    #: What rules across cases need to know about it, computed once.
    summary: Any = None
    settings_blocks: ClassVar[ReadMapping[str, type[Shape]]] = {"options": CaseOptions}
    #: Its own name, once it has been looked up; empty if it has none.
    own_name: str | None = None
    #: The same as cases of suites, by the names that they have there.
    as_cases: ReadMapping[str, Any] = MappingProxyType({})

    description = key(
        NodeUnion(text=Text(blank=True), number=Anything()), "What the case is about.", example="Greets in French"
    )
    vars = key(
        NodeUnion(text=Text(), sequence=ListOf(Anything()), mapping=MapOf(Anything())),
        "The variables of the prompts. A list of strings is one row per item.", example="{city: Paris}",
    )  # fmt: skip
    provider = key(
        NodeUnion(text=Text(), mapping=MapOf(Anything(), usually=Shaped(ConfiguredProvider))),
        "The provider that is called in place of the configured ones.",
    )
    providers = key(ListOf(Anything()), "The providers that the case runs with, by label or id.", example="[echo]")
    prompts = key(ListOf(Anything()), "The prompts that the case runs with, by label or id.", example="[short]")
    provider_output = key(Anything(), "The output that is checked; no provider is called.", name="providerOutput")
    assertions = key(ASSERTIONS, "The checks of the output.", name="assert", example="[{type: contains, value: Paris}]")
    scoring = key(
        Anything(), "A file with a function that makes the verdict from the named scores.", name="assertScoringFunction"
    )
    threshold = key(
        Number(),
        "The lowest score that passes, whatever single assertions say.",
        shown="none: every assertion has to pass",
        example="0.8",
    )
    metadata = key(MapOf(Anything()), "Free data; `conversationId` groups conversations.")
    options = key(
        Shaped(CaseOptions), "How the case is prompted, transformed and graded.", example="{transform: output.trim()}"
    )

    @classmethod
    def chosen(cls, node: Node) -> type[Shape]:
        """See `Shape.chosen`: with a path it is a source of cases."""
        return (
            CaseSource if cls is PromptfooCase and isinstance(node, Mapping) and node.get("path") is not None else cls
        )

    @classmethod
    def is_bare(cls, node: Node | None) -> bool:
        """Whether a case has none of the keys one of which promptfoo demands."""
        return isinstance(node, Mapping) and _CONTENT.isdisjoint(entry.name or "" for entry in node.entries)

    @classmethod
    def takes_notes(cls, node: Node | None) -> bool:
        """Not in a case without any content, with which promptfoo stops."""
        return not cls.is_bare(node)


class PartialCase(PromptfooCase):
    """A part of promptfoo cases: what `defaultTest` or a scenario adds to each case."""

    stands_for = "defaults"
    skeleton = None


class CaseSource(Shape):
    """A source of promptfoo cases: a file or function, and what it is given."""

    path = key(Text(refers_to="file"), "The file or function.", required=True, example="file://cases.js:make")
    config = key(MapOf(Anything()), "What the function is given.")


#: An entry of the case list: a case, a source, or a path.
CASE_ITEM = NodeUnion(text=Text(refers_to="file"), mapping=Shaped(PromptfooCase))
CASES = NodeUnion(text=Text(refers_to="file"), sequence=ListOf(CASE_ITEM), mapping=Shaped(CaseSource))


class PromptfooScenario(Shape):
    """A promptfoo scenario: every entry of `config` with every one of `tests`."""

    description = key(Text(blank=True), "What the scenario is about.")
    config = key(
        ListOf(NodeUnion(text=Text(refers_to="file"), mapping=Shaped(PartialCase))), "What each round adds to the cases.", required=True,
        example="[{vars: {language: French}}]",
    )  # fmt: skip
    tests = key(NodeUnion(text=Text(refers_to="file"), sequence=ListOf(CASE_ITEM)), "The cases.", required=True)
