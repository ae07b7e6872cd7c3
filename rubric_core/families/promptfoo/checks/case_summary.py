"""One case of a promptfoo configuration, as rules across cases see it."""

from collections.abc import Callable
from typing import NamedTuple

from rubric_core.cached_properties import cached_property
from rubric_core.families.promptfoo.checks.assertions import content_of
from rubric_core.families.promptfoo.checks.case_parts import (
    CodeVariables,
    are_variable_files,
    assertions_of,
    code_variables,
    graders_in,
    may_give_metrics,
    misspells,
    options_of,
    pointers_in,
    rendered_nodes,
    value_nodes,
    variable_nodes,
    words_of_scripts,
)
from rubric_core.families.promptfoo.checks.mapping_members import members_of, plain_texts, texts_of_files
from rubric_core.families.promptfoo.checks.placeholders import SIGNS
from rubric_core.families.promptfoo.checks.templates import UsedName, names_in
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.graded_assertions import (
    Classifier,
    ClosedQa,
    ContextFaithfulness,
    ContextRelevance,
    Factuality,
    GEval,
    MaxScore,
    ModelRubric,
    SelectBest,
    SimilarText,
)
from rubric_core.families.promptfoo.language.text_assertions import Contains, Equals, IContains, StartsWith
from rubric_core.families.promptfoo.loading.names_in_code import read_by_code
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Span

__all__ = ["NEEDED_BY_GRADERS", "PROGRAM", "CaseSummary", "PlacedCase"]

#: Programs that receive all variables and may read any of them, and prompts for judges in files, which may as well.
PROGRAM = pattern(
    r"file://[^\s\"']{1,300}\.(?:[cm]?[jt]s|py|rb|go)\b|\b(?:python|exec|golang|ruby|package):"
    r"|\brubricPrompt[\"']?:[\s\[\"'-]{1,60}file:"
)
#: Assertions whose text a judge reads.
_JUDGED = (ModelRubric, Factuality, ClosedQa, GEval, SelectBest, SimilarText)
#: Assertions whose text the output is compared with.
_COMPARED = (Equals, Contains, IContains, StartsWith)
#: The assertions that promptfoo refuses without certain variables.
_BOUND = (ContextFaithfulness, ContextRelevance)
NEEDED_BY_GRADERS = ("query", "context")
_WORD = pattern(r"[A-Za-z_]\w*")


class PlacedCase(NamedTuple):
    """A case and where its block starts; -1 is the number of the text around the cases."""

    case: PromptfooCase
    block: int
    #: Maps a span of the block with that number to a span of the whole text.
    place: Callable[[int, Span], Span]
    #: The text to which its spans refer.
    text: str

    def outer(self, span: Span) -> Span:
        """Convert one of its spans to a span of the whole text."""
        return self.place(self.block, span)

    @property
    def summary(self) -> "CaseSummary":
        """The summary of the case. Needed at every keystroke, so it is computed once."""
        known = self.case.summary
        if not isinstance(known, CaseSummary):
            known = self.case.summary = CaseSummary(self.case, self.text)
        return known


class CaseSummary:
    """The facts about one case that rules across cases read, each computed once: there may be thousands of cases at every keystroke."""

    def __init__(self, case: PromptfooCase, text: str) -> None:
        """`text` is that of its block."""
        self.case, self.text = case, text
        #: The shared names with which its texts were last checked and found to use no undefined variable.
        self.clean_for: frozenset[str] | None = None
        self._options = options_of(case)
        self._place = case.places.get("vars")

    # Its variables.

    @cached_property
    def variables(self) -> dict[str, Node]:
        """See `variable_nodes`."""
        return variable_nodes(self.case)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of its variables."""
        return frozenset(self.variables)

    @cached_property
    def maps(self) -> frozenset[str]:
        """Those that are mappings."""
        return frozenset(name for name, node in self.variables.items() if isinstance(node, Mapping))

    @cached_property
    def members(self) -> frozenset[str]:
        """The members of those that are mappings: see `members_of`."""
        return members_of(self.variables) if self.maps else frozenset()

    @cached_property
    def texts(self) -> frozenset[str]:
        """Those that are a text or a number in any case: see `plain_texts`."""
        return plain_texts(self.variables)

    @cached_property
    def transforms(self) -> bool:
        """Whether code changes its variables."""
        return self._options is not None and self._options.has("transform_vars")

    @cached_property
    def file_texts(self) -> frozenset[str]:
        """Those that are the content of a file: see `texts_of_files`."""
        return texts_of_files(self.variables) if "file://" in self.text else frozenset()

    @cached_property
    def is_plain(self) -> bool:
        """Whether all variables are defined in the text rather than in files or programs."""
        place = self._place
        is_written = place is None or (not place.borrowed and isinstance(place.meant or place.node, Mapping))
        return is_written and not self.transforms

    @cached_property
    def is_in_files(self) -> bool:
        """Whether those that are not in the text are in files of variables, which are read when references are resolved."""
        return self._place is not None and not self._place.borrowed and are_variable_files(self._place.node)

    @cached_property
    def misspells_vars(self) -> bool:
        """Whether the key `vars` is misspelt."""
        return misspells(self.case.node, "vars")

    @cached_property
    def own(self) -> tuple[str, ...]:
        """The variables that it defines itself, but for special ones."""
        is_own = self._place is not None and not self._place.borrowed
        return tuple(n for n in self.variables if _WORD.fullmatch(n) and n[0] != "_") if is_own else ()

    @cached_property
    def inserting(self) -> tuple[tuple[Scalar, tuple[UsedName, ...]], ...]:
        """The values of variables that other variables are filled into, with the names that these use."""
        if self._place is None or self._place.borrowed:
            return ()
        nodes = (n for n in self.variables.values() if isinstance(n, Scalar) and "{{" in n.text)
        return tuple((node, used) for node in nodes if (used := names_in(node.text)))

    @cached_property
    def stored(self) -> frozenset[str]:
        """The variable in which later cases find its output, if any."""
        name = self._options.store_output_as if self._options is not None else None
        return frozenset({name} if isinstance(name, str) else ())

    # What reads variables.

    @cached_property
    def used(self) -> frozenset[str]:
        """The variables that templates and scripts in the case read."""
        return frozenset({each.name for each in names_in(self.text)}.union(read_by_code(self.text)))

    @cached_property
    def rendered(self) -> tuple[tuple[Scalar, tuple[UsedName, ...], Assertion], ...]:
        """The texts in which variables are filled in, with the names that these use."""
        return tuple(
            (node, used, check)
            for check in self.checks
            for node in rendered_nodes(check)
            if (used := names_in(node.text))
        )

    @cached_property
    def code_variables(self) -> tuple[CodeVariables, ...]:
        """What each code in it reads."""
        return tuple(code_variables(self.case, self.checks, self.text)) if "vars" in self.text else ()

    @cached_property
    def read_by_code(self) -> frozenset[str]:
        """The variables that code in it reads."""
        return frozenset(each.name for code in self.code_variables for each in code.names)

    @cached_property
    def asserted(self) -> frozenset[str]:
        """The variables that its assertions use."""
        return self.read_by_code.union(use.name for _, used, _ in self.rendered for use in used)

    @cached_property
    def for_judges(self) -> tuple[Scalar, ...]:
        """The texts for judges with braces or signs that other templates have."""
        return tuple(node for node in value_nodes(self.checks, _JUDGED) if SIGNS.search(node.text) is not None)

    @cached_property
    def compared(self) -> tuple[Scalar, ...]:
        """The texts with which the output is compared, and which have single braces."""
        return tuple(node for node in value_nodes(self.checks, _COMPARED) if "{" in node.text and "{{" not in node.text)

    @cached_property
    def bound(self) -> tuple[Assertion, ...]:
        """The assertions that promptfoo refuses without certain variables."""
        return tuple(check for check in self.checks if isinstance(check, _BOUND) and not check.borrowed)

    @cached_property
    def fills_in(self) -> bool:
        """Whether variables may be filled into something in it."""
        return bool(self.rendered or self.inserting or self.for_judges or self.compared or self.bound)

    @cached_property
    def has_program(self) -> bool:
        """Whether a program, or a file, may read any variable."""
        return PROGRAM.search(self.text) is not None

    @cached_property
    def has_judge_prompt(self) -> bool:
        """Whether it may have a prompt for a judge."""
        return "rubricPrompt" in self.text

    @cached_property
    def may_read_environment(self) -> bool:
        """Whether it may name the environment."""
        return "env" in self.text

    # Its assertions.

    @cached_property
    def checks(self) -> tuple[Assertion, ...]:
        """See `assertions_of`."""
        return tuple(assertions_of(self.case))

    @cached_property
    def has_assertions(self) -> bool:
        """Whether it has a list of assertions, even an empty one."""
        return self.case.has("assertions")

    @cached_property
    def metrics(self) -> frozenset[str]:
        """The metrics of its assertions."""
        return frozenset(check.metric for check in self.checks if isinstance(check.metric, str))

    @cached_property
    def may_give_metrics(self) -> bool:
        """Whether scripts, files or templates may give further metrics."""
        return any(map(may_give_metrics, self.checks))

    @cached_property
    def metric_words(self) -> frozenset[str]:
        """The words of scripts that give metrics."""
        return words_of_scripts(self.checks)

    @cached_property
    def classifiers(self) -> tuple[Assertion, ...]:
        """The assertions that need a model which classifies, and name none."""
        return tuple(
            check for check in self.checks
            if isinstance(check, Classifier) and not check.borrowed and not check.has("provider") and not check.unread
        )  # fmt: skip

    @cached_property
    def graders(self) -> tuple[tuple[Assertion | None, Scalar], ...]:
        """The graders that are named by a plain string, each with its assertion; None for the grader of the case."""
        return tuple(graders_in(self._options, self.checks))

    @cached_property
    def compares(self) -> tuple[SelectBest | MaxScore, ...]:
        """The assertions that compare outputs."""
        return tuple(c for c in self.checks if isinstance(c, SelectBest | MaxScore) and not c.borrowed)

    @cached_property
    def unworded(self) -> tuple[Assertion, ...]:
        """Rubrics without a text, and without a judge prompt that replaces it."""
        if self._options is not None and self._options.has("rubric_prompt"):
            return ()
        return tuple(
            check for check in self.checks if type(check) is ModelRubric and not check.borrowed
            and not check.has("value") and not check.has("rubric_prompt") and not check.unread
        )  # fmt: skip

    # The case as a whole.

    @cached_property
    def chooses(self) -> bool:
        """Whether it names its prompts or providers."""
        return any(self.case.has(field) for field in ("prompts", "providers"))

    @cached_property
    def pointers(self) -> tuple[Scalar, ...]:
        """The targets of `$ref`, into the configuration or other files."""
        return tuple(pointers_in(self.case.node)) if "$ref" in self.text else ()

    @cached_property
    def content(self) -> frozenset[object]:
        """What the case says but for its description, equal for equal cases; empty if it refers to something."""
        node = self.case.node
        entries = [entry for entry in node.entries if entry.name != "description"] if isinstance(node, Mapping) else []
        found = [(entry.name, content_of(entry.value)) for entry in entries]
        return frozenset() if any(name is None or value is None for name, value in found) else frozenset(found)
