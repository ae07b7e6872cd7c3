"""A test of promptfoo, ready to be run: its rows are the combinations of prompts, providers and variables."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variant import Variant
from rubric_core.evaluation.cases.variations import distinct_labels, require_few
from rubric_core.evaluation.model.result import ROW
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.resolve import Targets
from rubric_core.families.promptfoo.cases.case_inheritance import PromptfooTest
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError
from rubric_core.families.promptfoo.cases.history import RowPlace, RunHistory
from rubric_core.families.promptfoo.cases.matrix import PromptfooMatrix, is_chosen, value_rows
from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt, is_reference_to
from rubric_core.families.promptfoo.cases.providers import PromptfooProvider, targets_of
from rubric_core.families.promptfoo.cases.run_environment import suite_variables
from rubric_core.families.promptfoo.language.assertion import COMPARING_TYPES
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.run_options import is_on
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion, promptfoo_assertion, stored_settings
from rubric_core.language.evaluators import Evaluator as EvaluatorShape
from rubric_core.language.file_extensions import CASE_PROGRAMS
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.ports import Files

__all__ = ["FilledRow", "PromptfooRunnable"]

#: The threshold that is shown where every assertion has to pass.
_ALL = 1.0
#: The variable of promptfoo for `disableVarExpansion` everywhere.
_WHOLE_LISTS = "PROMPTFOO_DISABLE_VAR_EXPANSION"
#: The types that compare outputs, as a list because a written type may be unhashable.
_COMPARING = tuple(sorted(COMPARING_TYPES))


@dataclass(frozen=True, slots=True)
class FilledRow:
    """A row with its templates filled in."""

    prompt: str
    variables: Mapping[str, Any]
    assertions: tuple[PromptfooAssertion, ...]
    #: Settings that take precedence over those of the provider.
    config: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PromptfooRunnable(Runnable):
    """A promptfoo test with all providers, prompts and settings needed to run it."""

    matrix: PromptfooMatrix
    test: PromptfooTest
    #: The targets that grade, by the identity of the settings of an assertion.
    grader_names: Mapping[int, str] = field(default_factory=dict)
    #: The assertions of `defaultTest` that all cases share, by the identity of their settings; None where each has its own.
    shared_assertions: dict[int, PromptfooAssertion] | None = None
    #: The number that promptfoo gives to the first row of the test, from 0.
    first_row: int = 0
    #: Whether the options of the configuration choose it, as a range or a sample of its tests.
    is_chosen: bool = True
    #: The target that answers in place of the provider of the row; empty for none.
    answered_by: str = ""
    #: The prompt that the row sends, once it is rendered.
    filled: FilledRow | None = None
    #: The `vars` of the row after `transformVars`; None if that has not been run.
    transformed: Mapping[str, Any] | None = None
    #: The variables computed by programs; empty before the row is prepared.
    computed: Mapping[str, Any] = field(default_factory=dict)
    #: The variables that the row takes from earlier rows of the run; empty before it is prepared.
    earlier: Mapping[str, Any] = field(default_factory=dict)
    #: The state from earlier rows of the run; None if its rows are independent.
    history: RunHistory | None = field(default=None, repr=False, compare=False)

    @property
    def own_variations(self) -> tuple[Runnable, ...]:
        """One variation for each provider, prompt and combination of values; if there are none, one with the reason."""
        try:
            rows = list(self.rows())
            require_few(len(rows), len(self.matrix.prompts), len(self.matrix.providers))
        except Unscored as problem:
            return (self._not_run(problem.reason),)
        found = [
            replace(self, options=self.matrix.options_of(self.options, p), variant=each)
            for p in self._providers()
            for each in self._variants(p, rows)
        ]
        if self.is_serial:  # the last stored output wins, so the rows are in promptfoo's order
            numbers = {id(each.variables): number for number, each in enumerate(rows)}
            found.sort(key=lambda each: numbers[id(each.variant.variables)] if each.variant is not None else 0)
        if len(found) == 1 and found[0].id == self.id:
            return (replace(found[0], only_variation_of=self),)
        if found:
            return tuple(found)
        return (self._not_run("the test is run with none of the providers and prompts"),)

    def _not_run(self, reason: str) -> "PromptfooRunnable":
        """The only variation of a test that has none."""
        return replace(self, variant=Variant(), problems=(*self.problems, (f"line {self.line}", reason)))

    def own_targets(self) -> Targets | None:
        """See `Runnable.own_targets`: the providers, and those that only grade."""
        matrix = self.matrix
        every = [*matrix.providers, *matrix.graders.further]
        return targets_of(matrix.configuration, every, matrix.pause, self.options)

    def inherits(self, shape: Shape) -> bool:
        """See `CaseSource.inherits`: the assertions of `defaultTest`."""
        return shape.is_inherited if isinstance(shape, PromptfooAssertion) else super().inherits(shape)

    def _variants(self, provider: PromptfooProvider, rows: Sequence[Variant]) -> Iterator[Variant]:
        own = self.test.data.get("prompts")
        wanted = own if isinstance(own, list) else None
        prompts = [each for each in self.matrix.prompts_of(provider) if is_chosen(each, wanted)]
        several = len(self.matrix.prompts) > 1
        labelled = (
            Variant(
                ",".join(part for part in (prompt.prompt.label if several else "", row.label) if part),
                row.variables,
                prompt.prompt,
                row.number,
            )
            for prompt, row in product(prompts, rows)
        )
        yield from distinct_labels(list(labelled))

    def _providers(self) -> Iterator[PromptfooProvider]:
        wanted = self.test.data.get("providers")
        chosen = [self.options.target] if self.options.target is not None else list(self.options.targets)
        for each in self.matrix.providers:
            if chosen and each.name not in chosen:
                continue
            if not isinstance(wanted, list) or any(is_reference_to(ref, each.label, each.id) for ref in wanted):
                yield each

    def rows(self, variables: Mapping[str, Any] | None = None) -> Iterator[Variant]:
        """One for each combination of the values of lists that begin with a text, in `vars` or other variables. Raises Unscored."""
        written = self.test.part("vars") if variables is None else variables
        environment = self.matrix.configuration.environment.running
        if self.test.part("options").get("disableVarExpansion") is True or is_on(environment, _WHOLE_LISTS):
            return iter((Variant("", {**written}, number=0),))
        return value_rows(written, self.matrix.configuration)

    @property
    def row_count(self) -> int:
        """The number of combinations of its values, before `transformVars`; 1 if there are too many to run."""
        try:
            return sum(1 for _ in self.rows())
        except Unscored:
            return 1

    @property
    def row_number(self) -> int:
        """The number of the row in the run."""
        return self.first_row + self.place.number

    @property
    def place(self) -> RowPlace:
        """Which row of the run this is."""
        number, prompt = (self.variant.number, self.variant.prompt) if self.variant is not None else (0, None)
        return RowPlace(self.base_id, number, self.options.target or "", self.matrix.number_of(prompt))

    @property
    def column(self) -> int:
        """The number of the column of the row."""
        return self.matrix.column(self.options.target, self.sent_prompt)

    @property
    def row_data(self) -> Mapping[str, Any] | None:
        """Prompt, values and test of a row, as promptfoo's result files have them. None for anything but a row."""
        variant, prompt, data = self.variant, self.sent_prompt, self.test.data
        if variant is None or prompt is None:
            return None
        written = self.test.part("vars") if variant.variables is None else variant.variables
        kept = {name: data[name] for name in ("description", "threshold", "metadata") if data.get(name) is not None}
        derived, provider = self.matrix.configuration.derived_metrics, self.provider
        is_named = provider is not None and provider.name != provider.id
        about = {"provider": {"id": provider.id, "label": provider.label}} if provider is not None and is_named else {}
        return {
            **({"derived_metrics": [list(each) for each in derived]} if derived else {}),
            **about,
            "name": self.base_id,
            "number": self.place.number,
            "order": self.first_row,
            "column": self.column,
            "prompt": {"raw": prompt.text, "label": prompt.label},
            "vars": {name: self.variables.get(name, value) for name, value in written.items()},
            "test": {**kept, "assert": self._stored_assertions},
        }

    @property
    def _stored_assertions(self) -> list[dict[str, Any]]:
        """The assertions of the test as its results keep them."""
        known = self.matrix.stored_assertions_of_tests.get(self.test)
        if known is None:
            made = [stored_settings(settings) for settings, _ in self.test.assertions]
            known = self.matrix.stored_assertions_of_tests.keep(self.test, made)
        return known

    @property
    def row_details(self) -> Mapping[str, Any] | None:
        """See `Runnable.row_details`."""
        row = self.row_data
        return {ROW: row} if row is not None else None

    @property
    def answering(self) -> Sequence[str]:
        """See `Runnable.answering`: its providers."""
        return [each.name for each in self.matrix.providers]

    @property
    def further_settings(self) -> Mapping[str, Any]:
        """See `Runnable.further_settings`: providers occur anywhere in a configuration."""
        return self.matrix.configuration.data

    @property
    def rows_belong_together(self) -> bool:
        """See `Runnable.rows_belong_together`: rows that read values of earlier ones, or are compared."""
        return self.is_serial or bool(self.comparing)

    @property
    def compared_in(self) -> Hashable:
        """See `Runnable.compared_in`: rows with the same values."""
        is_row = self.variant is not None and self.variant.variables is not None
        return (self.base_id, self.place.number) if is_row and self.comparing else None

    @property
    def comparing(self) -> tuple[PromptfooAssertion, ...]:
        """Its assertions that compare the outputs of all prompts and providers."""
        if not any(settings.get("type") in _COMPARING for settings, _ in self.test.assertions):
            return ()  # without making the assertions, which thousands of cases would keep
        only = self.options.evaluator
        chosen = self.assertions if only is None else self.assertions[only - 1 : only]
        return tuple(each for each in chosen if each.type_name in COMPARING_TYPES)

    @property
    def sent_prompt(self) -> PromptfooPrompt | None:
        """The prompt of the row."""
        number = self.matrix.number_of(self.variant.prompt) if self.variant is not None else -1
        return self.matrix.prompts[number] if number >= 0 else None

    @property
    def provider(self) -> PromptfooProvider | None:
        """The provider of the row."""
        return self.matrix.provider_named(self.options.target)

    @property
    def answering_provider(self) -> PromptfooProvider | None:
        """The provider that answers the row: its own, where the test names one."""
        if not self.answered_by:
            return self.provider
        every = (*self.matrix.providers, *self.matrix.graders.further)
        return next((each for each in every if each.name == self.answered_by), None)

    @cached_property
    def variables(self) -> Mapping[str, Any]:
        """The `vars` of the row."""
        if self.filled is not None:
            return self.filled.variables
        if self.transformed is not None:
            return self.transformed
        own = self.variant.variables if self.variant is not None else None
        return own if own is not None else self.test.part("vars")

    @cached_property
    def assertions(self) -> tuple[PromptfooAssertion, ...]:
        """The assertions, with their templates filled in where the row is."""
        if self.filled is not None:
            return self.filled.assertions
        known = self.matrix.assertions_of_tests.get(self.test)
        if known is None:
            known = self.matrix.assertions_of_tests.keep(self.test, self._made_assertions())
        return known

    def _made_assertions(self) -> tuple[PromptfooAssertion, ...]:
        options = self.test.part("options")
        made: list[PromptfooAssertion] = []
        for number, (settings, node) in enumerate(self.test.assertions):
            # For a test in another file, errors elsewhere are reported at the test.
            is_inherited = number < self.test.inherited and self.test.source is None
            shared = self.shared_assertions if is_inherited else None
            outer = shared.get(id(settings)) if shared is not None else None
            if outer is None:
                outer = promptfoo_assertion(settings, node, options)
                for each in (outer, *outer.members):
                    each.own_judge = self.grader_names.get(id(each.settings), "")
                    each.is_inherited = is_inherited
            if shared is not None:
                shared[id(settings)] = outer
            made.append(outer)
        return tuple(made)

    @cached_property
    def evaluators(self) -> tuple[EvaluatorShape, ...]:
        """See `Runnable.evaluators`."""
        return self.assertions

    @property
    def pass_threshold(self) -> float | None:
        """The score (0..1) from which the row passes regardless of single assertions; None: every assertion has to pass."""
        written = self.options.threshold if self.options.threshold is not None else self.test.data.get("threshold")
        return float(written) if isinstance(written, int | float) and not isinstance(written, bool) else None

    @property
    def threshold(self) -> tuple[float, str]:
        """See `Runnable.threshold`."""
        found = self.pass_threshold
        if found is None:
            return _ALL, ""
        return found, "the command line" if self.options.threshold is not None else "`threshold` of the case"

    def suite_variables(self, files: Files) -> Iterator[tuple[str, str]]:
        """See `Runnable.suite_variables`: those of `.env`, of `envPath` and of `env`."""
        configuration = self.matrix.configuration
        return suite_variables(configuration.data, configuration.directory, self.options.working_directory, files)

    def option(self, name: str) -> str | None:  # noqa: ARG002  # what it overrides has it
        """Always empty: AgentV options do not apply, and those of promptfoo are in `test`."""
        return None

    @property
    def further_targets(self) -> tuple[str, ...]:
        """See `Runnable.further_targets`."""
        return (self.answered_by,) if self.answered_by else ()

    @property
    def written_as(self) -> object:
        """See `Runnable.written_as`: tests of scenarios share their nodes."""
        return self.test

    @property
    def as_data(self) -> object:
        """See `Runnable.as_data`: with what it inherits and takes from files, which is merged into it."""
        return [self.test.data, [settings for settings, _ in self.test.assertions], self.test.scenario]

    @property
    def files_as_data(self) -> Collection[Path]:
        """See `Runnable.files_as_data`: those from which the test was read, without programs that make tests."""
        return frozenset(path for path in self.test.files if path.suffix not in CASE_PROGRAMS)

    def deciding(self, suite: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Runnable.deciding`; references are followed."""
        keys = self.dialect.readings(Configuration).keys() - Configuration.beside_results - Configuration.of_cases
        found = {key: self._followed(value) for key, value in suite.items() if key in keys}
        for name in ("evaluateOptions", "commandLineOptions"):
            options = found.pop(name, None)
            if isinstance(options, dict):
                found |= {f"{name}.{k}": v for k, v in options.items() if k not in Configuration.options_beside_results}
        return found

    def _followed(self, value: Any) -> Any:
        try:
            return self.matrix.configuration.resolved(value)
        except ConfigurationError:
            return value

    @property
    def borrowed_files(self) -> list[Path]:
        """See `Runnable.borrowed_files`: the files from which the test was read or assembled."""
        return list(dict.fromkeys(self.test.files))

    @property
    def filter_files(self) -> Mapping[str, str]:
        """See `Runnable.filter_files`."""
        written = self.matrix.configuration.data.get("nunjucksFilters")
        return {n: p for n, p in written.items() if isinstance(p, str)} if isinstance(written, dict) else {}
