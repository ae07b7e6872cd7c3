"""The base of all evaluators, and the base of those that are programs."""

from typing import ClassVar

from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped
from rubric_core.language.value_kinds import Anything, Boolean, Integer, ListOf, MapOf, NodeUnion, Number, Text

__all__ = ["CodeEvaluator", "Custom", "Evaluator", "Include", "Preprocessor", "PromptProgram", "Proxy", "Scripted"]

_ARGV = NodeUnion(text=Text(refers_to="program"), sequence=ListOf(Text(refers_to="program"), empty=False))
_GRADER = Text(refers_to="program", beside=True)


class Preprocessor(Shape):
    """A preprocessor: a program that turns files of one type into text before they are graded."""

    type = key(Text(), "The file type or MIME type that it accepts.", required=True, example="xlsx")
    command = key(_ARGV, "The program, given the file.", required=True, example="[python, to_text.py]")


class Evaluator(Shape):
    """An evaluator: one check of an answer."""

    lack_effect: ClassVar[str] = "agentv skips this evaluator and only logs it"
    stands_for = "check"

    name = key(Text(), "Names the evaluator in results.", shown="made from the type and its value", example="quality")
    type = key(Text(refers_to="type"), "Which kind of check this is.", required=True, example="contains")
    weight = key(
        Number(at_least=0, judged_by_rule=True),
        "Its weight in the score of the case. 0 leaves it out of the score, but it still runs and can still gate.",
        default=1.0,
        shown="1",
        example="2",
    )
    required = key(
        NodeUnion(boolean=Boolean(), number=Number(above=0, at_most=1)),
        "Whether the case fails, with score 0, when this evaluator falls short of its minimum.",
        default=False,
        shown="false",
        example="true",
    )
    min_score = key(
        Number(above=0, at_most=1),
        "The lowest score that passes this evaluator.",
        shown="the threshold of the case",
        example="0.9",
    )
    negate = key(
        Boolean(),
        "Inverts the check: the score becomes 1 − score, passed becomes failed.",
        default=False,
        shown="false",
        example="true",
    )
    preprocessors = key(ListOf(Shaped(Preprocessor)), "Programs that convert files to text for this evaluator.")
    transform = key(
        NodeUnion(text=Text(), mapping=MapOf(Anything()), sequence=ListOf(Anything())),
        "Transforms the answer for this evaluator.",
    )

    #: The kind of evaluator that grades by it, whatever its type; empty if its shape or its type says it.
    graded_as: ClassVar[str] = ""
    #: The target that judges, where no key of the shape has its name; empty for none.
    own_judge: str = ""

    @property
    def is_judged(self) -> bool:
        """Whether a model grades."""
        return False

    @property
    def grading_code(self) -> object:
        """The code in Python or JavaScript that grades, or the address of its file; None for anything but code."""
        return None


class PromptProgram(Shape):
    """A prompt program: it writes the judge's prompt."""

    command = key(
        _ARGV,
        "The program; it gets the case as JSON and prints the prompt.",
        required=True,
        example="[python, prompt.py]",
    )
    config = key(MapOf(Anything()), "Passed to the program unchanged.")


class Include(Evaluator):
    """An include: the evaluators of a template file in this place."""

    type = key(Text(), "Not allowed on an include.")
    include = key(
        Text(refers_to="template"),
        "The name of a template in `.agentv/templates`, or a path.",
        required=True,
        example="safety",
    )


class Custom(Evaluator):
    """An evaluator of your own: a program in `.agentv/assertions` with the name of the type."""

    open: ClassVar[bool] = True


class Scripted(Evaluator):
    """A scripted check: code beside the suite, or an address, that grades the answer."""

    open: ClassVar[bool] = True
    value = key(Text(), "The code, a `file://` path, or the address.", required=True, example="output.length < 100")
    threshold = key(Number(0, 1), "The lowest score, 0..1, that passes.")
    config = key(MapOf(Anything()), "Passed to the check unchanged.")


class Proxy(Shape):
    """A proxy: what a program may ask of a target."""

    max_calls = key(
        Integer(at_least=0), "The maximum number of calls by the program.", default=50, shown="50", example="10"
    )


class CodeEvaluator(Evaluator):
    """A code evaluator: a program that grades the answer; JSON on its standard input, a score on its standard output."""

    open: ClassVar[bool] = True
    command = key(
        NodeUnion(text=_GRADER, sequence=ListOf(_GRADER, empty=False)),
        "The program and its arguments.",
        required=True,
        example="[python, check.py]",
    )
    cwd = key(
        Text(refers_to="directory"),
        "The working directory.",
        shown="the directory of the suite",
        example="scripts",
    )
    target = key(
        NodeUnion(boolean=Boolean(), mapping=Shaped(Proxy)),
        "Lets the program call a target through a local proxy.",
        example="{max_calls: 10}",
    )
    config = key(MapOf(Anything()), "Passed to the program unchanged.", example="{strict: true}")
