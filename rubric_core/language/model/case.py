"""Cases: their input, their turns, and the items of lists in them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rubric_core.language.evaluators import Criterion
from rubric_core.language.file_extensions import CASES, YAML
from rubric_core.language.model.execution import CaseExecution, RunSettings
from rubric_core.language.model.grading import EVALUATORS, SCALAR_EVALUATOR
from rubric_core.language.model.messages import FILES, INPUT, OUTPUT, ROLE
from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Shorthand
from rubric_core.language.targets import INLINE_PROVIDERS
from rubric_core.language.value_kinds import (
    Anything,
    Boolean,
    Choice,
    Integer,
    Kind,
    ListOf,
    MapOf,
    NodeUnion,
    Number,
    Text,
)
from rubric_core.language.workspace import Environment, Workspace
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.syntax.tree import Node

if TYPE_CHECKING:
    from rubric_core.language.dialect import Dialect

__all__ = ["ALL_PROMPTS", "CASE", "NAMED", "PROMPTS", "Case", "CaseInclude", "Origin", "PromptTemplate", "Turn"]

#: A name that is taken verbatim; numbers count as names.
NAMED = NodeUnion(text=Text(blank=True), number=Number(), boolean=Boolean())


class PromptTemplate(Shape):
    """A prompt: what the target is asked, a template over the `vars` of the case."""

    open: ClassVar[bool] = True
    id = key(Text(), "Names the prompt in results, and for cases that choose it.", example="short")
    label = key(Text(), "Names the prompt in results, and for cases that choose it.", example="short")
    raw = key(Text(blank=True), "The template itself.", example='"{{ question }}"')
    prompt = key(NodeUnion(text=Text(blank=True), sequence=ListOf(Anything())), "The template itself, or its messages.")
    messages = key(
        ListOf(Anything(), empty=False),
        "The messages of the prompt.",
        example="[{role: user, content: '{{ question }}'}]",
    )
    path = key(Text(), "A file with the template.")
    file = key(Text(), "A file with the template.")
    command = key(
        NodeUnion(text=Text(), sequence=ListOf(Text(), empty=False)), "A program that prints the prompt.",
        example="[python, prompt.py]",
    )  # fmt: skip
    config = key(MapOf(Anything()), "Settings for the program.")
    function = key(Anything(), "A function that returns the prompt.")
    function_file = key(Text(), "The file with the function.")
    prefix = key(Text(blank=True), "Text before the prompt.")
    suffix = key(Text(blank=True), "Text that is added after the prompt.")
    role = key(ROLE, "Who speaks, where the prompt is a message.")
    content = key(Anything(), "The text, where the prompt is a message.")


_PROMPT = NodeUnion(text=Text(blank=True), sequence=ListOf(Anything()), mapping=Shaped(PromptTemplate))
PROMPTS = NodeUnion(text=Text(), sequence=ListOf(_PROMPT), mapping=Shaped(PromptTemplate))
#: The prompts of a suite: at least one.
ALL_PROMPTS = NodeUnion(text=Text(), sequence=ListOf(_PROMPT, empty=False), mapping=Shaped(PromptTemplate))


class Turn(Shape):
    """A turn: a part of a conversation that is graded turn by turn."""

    input = key(INPUT, "The user's message in this turn.", required=True, example="Hello")
    expected_output = key(OUTPUT, "A good answer to this turn.")
    assertions = key(EVALUATORS, "The evaluators of this turn.")


@dataclass(frozen=True, slots=True)
class Origin:
    """What a case needs when it is used without its suite."""

    dialect: "Dialect"
    #: The directory in which its files are searched.
    directory: Path = field(default_factory=Path)
    #: What its aliases refer to.
    anchors: Mapping[str, Node] = field(default_factory=dict)
    #: Errors that keep the case from being graded, each with its place.
    errors: tuple[str, ...] = ()


class Case(Shape):
    """A case: one input with its evaluators.

    `load_suite` reads the cases of a file, and `case_from_data` makes one of plain data.
    """

    stands_for = "case"
    named_by = "id"
    strict: ClassVar[bool] = True
    lack_effect: ClassVar[str] = "agentv skips the case and runs the others"
    #: Set on cases of `load_suite` and of plain data.
    origin: Origin | None = None
    id = key(
        Text(),
        "Names the case in results and on the command line; unique in the suite.",
        required=True,
        example="refund-window",
    )
    criteria = key(
        Text(),
        "What a good answer achieves, in a sentence or two. Without evaluators, a judge grades by it.",
        example="Explains the refund window",
    )
    input = key(INPUT, "The question: a text, or a list of messages.", required=True, example="Can I return this?")
    input_files = key(FILES, "Files inserted before the first user message.", example="[order.json]")
    expected_output = key(OUTPUT, "A good answer, for evaluators that compare with one.", example="Within 30 days")
    assertions = key(
        EVALUATORS,
        "The evaluators of the case; a plain string is a criterion that must be met.",
        example="[Mentions the 30 day window]",
    )
    evaluators = key(EVALUATORS, "The evaluators of the case.")
    rubrics = key(
        ListOf(NodeUnion(text=Shorthand(Criterion, "outcome"), mapping=Shaped(Criterion))),
        "Criteria of this case, judged one by one.",
        example="[Names the cause]",
    )
    evaluator = key(
        SCALAR_EVALUATOR, "The only evaluator of the case, if it has no list.", default="llm_judge", shown="llm_judge"
    )
    execution = key(Shaped(CaseExecution), "Settings for this case.")
    workspace = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML, beside=True), mapping=Shaped(Workspace)),
        "The working directory of the target.",
    )
    metadata = key(MapOf(Anything()), "Your own data for the case.")
    conversation_id = key(NAMED, "Groups cases that belong to one conversation.")
    suite = key(Text(), "The name under which results of this case are stored.")
    dataset = key(Text(), "The name under which results of this case are stored.")
    depends_on = key(ListOf(Text(refers_to="case")), "Cases that run before this one.", example="[login]")
    on_dependency_failure = key(
        Choice(
            (
                ("skip", "this case is not run and has no score"),
                ("fail", "this case is not run and fails"),
                ("run", "this case runs all the same"),
            )
        ),
        "What happens when a dependency could not be scored. A dependency that ran and failed does not count.",
        default="skip",
        shown="skip",
    )
    mode = key(
        Choice((("conversation", "the turns are run and graded one after the other"),)),
        "How to run the case.",
        example="conversation",
    )
    turns = key(ListOf(Shaped(Turn), empty=False), "The turns of a conversation.")
    aggregation = key(
        Choice((("mean", "the mean of the turns"), ("min", "the worst turn"), ("max", "the best turn"))),
        "How to combine the scores of the turns; the evaluators of the case, on the whole conversation, count as one more score.",
        default="mean",
        shown="mean",
    )
    on_turn_failure = key(
        Choice((("continue", "the other turns run"), ("stop", "the other turns score 0"))),
        "What happens when a turn fails.",
        default="continue",
        shown="continue",
    )
    window_size = key(Integer(at_least=1), "The number of turns of the conversation that the target sees.")
    vars = key(MapOf(Anything()), "Values for `{{ name }}` in the case.", example="{tone: polite}")
    provider = key(INLINE_PROVIDERS, "The provider that answers this case.")
    providers = key(INLINE_PROVIDERS, "The providers that answer this case.")
    prompts = key(
        PROMPTS,
        "The prompts that are tried for this case.",
    )
    assert_scoring_function = key(Text(), "Accepted, and run by no release.")
    options = key(MapOf(Anything()), "Options for this case.")
    threshold = key(Number(0, 1), "Accepted here, and read by no release; write it under `run`.")
    run = key(Shaped(RunSettings), "Limits of this case.", example="{threshold: 0.9}")
    environment = key(
        NodeUnion(text=Text(refers_to="file", endings=YAML, beside=True), mapping=Shaped(Environment)),
        "Where the target works.",
    )
    note = key(Anything(), "A note for readers; the engine does not read it.")
    description = key(Anything(), "A note for readers; the engine does not read it.")
    reference_answer = key(Anything(), "A good answer; the engine does not read it here.")

    @classmethod
    def takes_notes(cls, node: Node | None) -> bool:  # noqa: ARG003  # as other shapes
        """In every case."""
        return True

    @property
    def grader(self) -> str | None:
        """`evaluator` where it is written as the deprecated `grader`, else None."""
        place = self.places.get("evaluator")
        return self.evaluator if place is not None and place.name == "grader" else None


class CaseInclude(Shape):
    """An entry that takes cases over: those of another suite or file, in an older form of `file://`."""

    include = key(
        Text(refers_to="file", endings=CASES, beside=True),
        "The suite or file.",
        required=True,
        example="./other.eval.yaml",
    )
    type = key(
        Choice((("suite", "a whole suite"), ("tests", "its cases only"))), "What it is.", required=True, example="tests"
    )
    select = key(
        NodeUnion(text=Text(), sequence=ListOf(Anything()), mapping=MapOf(Anything())),
        "Which of its cases.",
        example="[refund]",
    )
    run = key(Shaped(RunSettings), "Limits of these cases.")


#: An item of the case list: a case, or a path to files that have cases.
CASE: Kind[object] = NodeUnion(text=Text(refers_to="file", endings=CASES, beside=True), mapping=Shaped(Case))
