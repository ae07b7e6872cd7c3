"""Cases ready to be run, with their settings from the suite and their line numbers."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from rubric_core.analysis import Analysis
from rubric_core.cached_properties import cached_property
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.case_source import CaseSource
from rubric_core.evaluation.cases.errors import place_words, problems_by_case
from rubric_core.evaluation.cases.includes import IncludedKeys
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.variant import ScenarioRow, Variant
from rubric_core.evaluation.model.template_filters import TemplateFilters
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.evaluation.templating.interpolate import Interpolation
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Evaluator as EvaluatorShape
from rubric_core.language.model import EVALUATORS, DefaultTest, Suite
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.loading.grading import evaluators_of, gather_evaluators, scalar_kind, threshold_of
from rubric_core.loading.lower import Lowering
from rubric_core.loading.translated_case import TRANSLATION_DIALECT
from rubric_core.ports import Files
from rubric_core.sandbox.process import Sandbox
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Node, SyntaxTree
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry, name_by_line

__all__ = ["Runnable", "runnables"]

#: What a case computes from its values.
_BY_VALUES = ("variables", "variations_found", "borrowed")


@dataclass(frozen=True, kw_only=True)
class Runnable(CaseSource):
    """A case and everything that it needs from its suite to run."""

    dialect: Dialect
    #: The dialects that lowering compares with.
    dialects: Sequence[Dialect] = ()
    #: Errors that keep the case from being run, with their place: "line 3", "cases.yaml:3".
    problems: tuple[tuple[str, str], ...] = ()
    options: Options = field(default_factory=Options)
    #: Reads templates, default tests and prompts.
    files: Files = field(default_factory=DiskFiles)
    #: Whether the cases of its suite run one after another, because later ones read values of earlier ones.
    is_serial: bool = False
    #: A hash of the cases that run before this one and pass values to it; empty for independent cases.
    history_hash: str = ""
    #: The row of a scenario with which the case is run.
    row: ScenarioRow = field(default_factory=ScenarioRow)
    #: The case with each row of its scenarios, for one result of all of them; see `scenarios.with_every_row`.
    every_row: "tuple[Runnable, ...]" = field(default=(), repr=False, compare=False)
    #: Which variation of the case this is, once its variations are known.
    variant: Variant | None = None
    #: The case of which this is the only variation, under the same name: their results are one.
    only_variation_of: "Runnable | None" = field(default=None, repr=False, compare=False)
    #: The environment, once it is filled in.
    environment: Mapping[str, str] | None = None
    #: The template filters of the suite; None before a run.
    filters: TemplateFilters | None = field(default=None, repr=False, compare=False)
    #: Where templates are filled in; None before a run.
    sandbox: Sandbox | None = field(default=None, repr=False, compare=False)

    @property
    def id(self) -> str:
        """The id of the case, or its place in the file when it has none; a variation appends its label in brackets."""
        label = self.variant.label if self.variant is not None else ""
        return f"{self.base_id}[{label}]" if label else self.base_id

    @property
    def base_id(self) -> str:
        """The id of the case of which this may be a variation; of a case whose id is taken, with a number."""
        return (
            self.renamed or self.case.id or self.named or name_by_line(self.file.name if self.file else "", self.line)
        )

    def copied(self) -> "Runnable":
        """A copy that keeps the values computed so far."""
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        return made

    def reading(self, files: Files) -> "Runnable":
        """The same case for a run with these files, by which all is read that the case has in other files."""
        known = vars(self).get("borrowed")
        if known is not None and not known.is_untouched:
            return replace(self, files=files)
        made = self.copied()
        vars(made).pop("borrowed", None)
        vars(made)["files"] = files
        return made

    def with_values(self, environment: Mapping[str, str], variant: Variant | None) -> "Runnable":
        """The same case with the environment and the values of a variation.

        Earlier computations are kept unless they involved other files or the row of a scenario.
        """
        if self.row.checks is not None or isinstance(self.suite.default_test, str):
            return replace(self, environment=environment, variant=variant)
        known = vars(self).get("borrowed")
        if known is not None and not known.is_untouched:
            return replace(self, environment=environment, variant=variant)
        made = self.copied()
        values = vars(made)
        for name in _BY_VALUES:
            values.pop(name, None)
        values |= {"environment": environment, "variant": variant}
        return made

    @property
    def own_variations(self) -> "tuple[Runnable, ...]":
        """The variations of a case of another program than agentv, which multiplies otherwise; empty for agentv's."""
        return ()

    def own_targets(self) -> Targets | None:
        """The targets of a case of another program than agentv, which knows others; None for agentv's."""
        return None

    @property
    def compared_in(self) -> Hashable:
        """The group of variations whose outputs are compared once all of them have run; None for an independent case."""
        return None

    @property
    def row_details(self) -> Mapping[str, Any] | None:
        """What the result of a variation that is a row of a matrix keeps of it, under `ROW`; None for any other."""
        return None

    @property
    def answering(self) -> Sequence[str] | None:
        """The names of all targets that answer the case in its variations; None if the choice of a target says it."""
        return None

    @property
    def further_settings(self) -> Mapping[str, Any]:
        """Settings in which targets are described, besides the entries of its target files."""
        return {}

    @property
    def rows_belong_together(self) -> bool:
        """Whether one variation of the case cannot be run without the others."""
        return False

    @property
    def further_targets(self) -> tuple[str, ...]:
        """The targets that take part in a run of the case, besides the answering ones and the judges."""
        return ()

    @property
    def threshold(self) -> tuple[float, str]:
        """The score from which it passes, and the place of that setting; empty if the default of the dialect applies."""
        return threshold_of(self.options.threshold, self.whole_suite, self.case, self.dialect.properties)

    @property
    def required_minimum(self) -> float:
        """The score, 0..1, that a required evaluator, or a turn, needs where it has no minimum of its own."""
        properties = self.dialect.properties
        suite = self.whole_suite if properties.suite_threshold_gates else Suite(Span(0, 0))
        return threshold_of(self.options.threshold, suite, self.case, properties)[0]

    @cached_property
    def variations_found(self) -> "list[tuple[Runnable, ...]]":
        """A cache for `variations.variations`; empty until that is called."""
        return []

    @cached_property
    def evaluators(self) -> tuple[EvaluatorShape, ...]:
        """The evaluators of the case, in order; empty when a judge grades by its criteria."""
        listed = evaluators_of(self.whole_suite, self.case, self.dialect)
        every = [*listed, *gather_evaluators(self._row_checks(), self.dialect)]
        return tuple(gather_evaluators(self.borrowed.expanded(every), self.dialect))

    def _row_checks(self) -> list[Any]:
        """The evaluators in the row of a scenario, which is in the same file as its tests."""
        node = self.row.checks
        if node is None:
            return []
        if self.environment is not None:
            node = Interpolation(
                self.dialect,
                self.environment,
                self.variables,
                self.case_place,
                self.anchors,
                self.sandbox,
                self.filters,
            ).node(node)
        made = Lowering(self.text, self.dialect, self.dialects, self.anchors).value(EVALUATORS, node, "assert")
        return made if isinstance(made, list) else []

    def elsewhere(self, shape: Shape) -> bool:
        """Whether a part of the case is in a file that is neither the suite nor that of the case."""
        return bool(self.borrowed.place(shape))

    @cached_property
    def borrowed(self) -> IncludedKeys:
        """The keys that the case takes from other files."""
        return IncludedKeys(self.directory, self.files, self.dialect, self.dialects, self._filled_tree)

    @property
    def written_as(self) -> object:
        """What the case is written as: rows of one case share it."""
        return self.case.node

    @property
    def as_data(self) -> object:
        """Everything that is written of the case, as plain data, without the rows of scenarios."""
        return plain(self.case.node, self.anchors)

    @property
    def files_as_data(self) -> Collection[Path]:
        """Files of which `as_data` has everything that decides a result: their other content may change."""
        return ()

    def deciding(self, suite: Mapping[str, Any]) -> Mapping[str, Any]:
        """The keys of the suite that may decide a result; its engine ignores the others."""
        known = self.dialect.readings(type(self.suite)).keys()
        return {key: value for key, value in suite.items() if key in known}

    @property
    def borrowed_files(self) -> list[Path]:
        """The files from which the case takes evaluators and its default test, without the suite."""
        _ = self.whole_suite, self.evaluators
        return self.borrowed.paths

    @cached_property
    def whole_suite(self) -> Suite:
        """The suite with its default test, if that is in its own file."""
        if not isinstance(self.suite.default_test, str):
            return self.suite
        made = copy(self.suite)
        vars(made)["default_test"] = self.borrowed.default_test(self.suite.default_test)
        return made

    @property
    def defaults(self) -> DefaultTest | None:
        """The default test, which every case inherits."""
        found = self.whole_suite.default_test
        return found if isinstance(found, DefaultTest) else None

    @property
    def has_prompts(self) -> bool:
        """Whether the dialect has prompts over `vars`."""
        return self.dialect.spelled(Suite, "prompts") is not None

    @cached_property
    def variables(self) -> Mapping[str, Any]:
        """The `vars` of the case with inherited ones, as plain data; their references are filled in with the case."""
        if self.variant is not None and self.variant.variables is not None:
            return self.variant.variables
        default = self.defaults
        inherited = plain(default.vars, self.suite_anchors) if default is not None and default.vars else {}
        return {**inherited, **self.row.variables, **(plain(self.case.vars, self.anchors) or {})}

    @cached_property
    def graders(self) -> tuple[EvaluatorShape, ...]:
        """The evaluators that grade in this run."""
        only = self.options.evaluator
        return self.evaluators if only is None else self.evaluators[only - 1 : only]

    def suite_variables(self, files: Files) -> Iterator[tuple[str, str]]:  # noqa: ARG002  # which some dialects read
        """The environment variables that the suite sets for its run beside those of the user, as far as they are in files."""
        return iter(())

    def option(self, name: str) -> str | None:
        """A text among the `options` of the case, else of the default test."""
        for shape, anchors in ((self.case, self.anchors), (self.defaults, self.suite_anchors)):
            written = plain(shape.options, anchors) if shape is not None and shape.options else {}
            if isinstance(written.get(name), str):
                return str(written[name])
        return None

    @property
    def filter_files(self) -> Mapping[str, str]:
        """The files of the template filters of the suite, by name."""
        written = self.suite.nunjucks_filters
        found = plain(written, self.suite_anchors) if written else {}
        return {name: path for name, path in found.items() if isinstance(name, str) and isinstance(path, str)}

    @property
    def evaluator_kind(self) -> str:
        """The kind of evaluator if there is no list: that of the case, else of the suite, else a judge.

        The kind of an evaluator in the options counts, too.
        """
        shape = next((s for s in (self.case, self.suite) if s.has("evaluator")), None)
        written = scalar_kind(shape) if shape is not None else None
        if written is not None and written in self.options.evaluators:
            return written
        return (shape.evaluator if shape is not None else None) or "llm_judge"

    def blame(self, shape: Shape) -> str:
        """The line of a part of the suite for the end of a sentence, as in ` (line 12)`, or ` (cases.yaml:12)`."""
        elsewhere = self.borrowed.place(shape)
        if elsewhere:
            return f" ({elsewhere})"
        at = self.span_of(shape).start
        if self.file is None or not self.inherits(shape):
            return f" ({place_words(self.file, self.line_at(at))})"
        return f" ({place_words(self.path, (self.suite_line_at or self.line_at)(at))})"

    def _own_place(self, _: Span) -> str:
        """The start of the case, for parts that come from an included file."""
        return place_words(self.file or self.path, self.line)

    def _filled_tree(self, tree: SyntaxTree) -> Node | None:
        """The root of another file's tree, filled in once the environment is known."""
        if self.environment is None or tree.root is None:
            return tree.root
        return Interpolation(
            self.dialect, self.environment, self._known, self._own_place, tree.anchors, self.sandbox, self.filters
        ).node(tree.root)

    @property
    def _known(self) -> Mapping[str, Any]:
        """The values to fill into other files: those of the variation, because a default test is read before values are merged."""
        if self.dialect.properties.variable_keys is not None:
            return {}
        own = self.variant.variables if self.variant is not None else None
        return own if own is not None else {**self.row.variables, **(plain(self.case.vars, self.anchors) or {})}


def runnables(
    path: Path,
    analysis: Analysis,
    options: Options | None = None,
    entries: Sequence[CaseEntry] | None = None,
    *,
    translated: Suite | None = None,
) -> list[Runnable]:
    """The cases of an analysed suite in the order of the text, or only those of `entries`.

    A case with errors in its text, or below a suite with errors, can be run; it is unscored, with the first error as the reason.
    With a `translated` suite, the text is of another family, whose cases are made by `translated_case`.
    """
    suite = analysis.suite if translated is None else translated
    dialect = analysis.dialect if translated is None else TRANSLATION_DIALECT
    if suite is None:
        return []
    problems = problems_by_case(analysis)
    facts = SuiteFacts()
    frame_text = analysis.local(0).text

    def line_at(offset: int) -> int:
        return analysis.document.line_of(offset) + 1

    def entry_span(entry: CaseEntry | None) -> Callable[[Span], Span]:
        return lambda span: analysis.span_of(entry, span)

    return [
        Runnable(
            path=path, suite=suite, case=entry.case, dialect=dialect, dialects=analysis.language.dialects,
            anchors=analysis.anchors(entry.block), suite_anchors=analysis.anchors(-1), case_span=entry_span(entry), suite_span=entry_span(None),
            text=frame_text if entry.block < 0 else analysis.document.blocks[entry.block].text, suite_text=frame_text,
            line_at=line_at, renamed=entry.name if entry.case.id else "",
            problems=tuple(problems[None] + problems.get(entry, [])), options=options or Options(), facts=facts,
        )
        for entry in (analysis.cases if entries is None else entries)
    ]  # fmt: skip
