"""Which tests of a promptfoo configuration run, and by what they are multiplied: prompts and providers, and lists of values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rubric_core.cached_properties import cached_property
from rubric_core.evaluation.cases.by_identity import ByIdentity
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variant import Prompt, Variant
from rubric_core.evaluation.cases.variations import require_few, row_label
from rubric_core.evaluation.model.executed_code import ExecutedCode
from rubric_core.evaluation.model.redaction import Redactor
from rubric_core.families.promptfoo.cases.case_inheritance import PromptfooTest
from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt, is_reference_to
from rubric_core.families.promptfoo.cases.providers import Graders, PromptfooProvider
from rubric_core.families.promptfoo.model.assertion import PromptfooAssertion
from rubric_core.language.javascript_values import value_text
from rubric_core.lazy_compilation import dataclass, pattern, replace
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.path_matches import path_matches
from rubric_core.sandbox.values import number as javascript_number

__all__ = ["PromptfooMatrix", "chosen_tests", "is_chosen", "value_rows"]

_RANGE = pattern(r"([0-9]{0,15})\s{0,9}:\s{0,9}([0-9]{0,15})\Z")
_MASK = 0xFFFFFFFF


def chosen_tests(configuration: PromptfooConfiguration, count: int) -> list[int]:
    """The numbers of the tests that run by default, from 0, in promptfoo's order. Raises ConfigurationError.

    A sample without a seed differs from run to run in promptfoo; all tests run here.
    """
    line, options = (_mapping(configuration.data.get(name)) for name in ("commandLineOptions", "evaluateOptions"))
    written = next((each["filterRange"] for each in (line, options) if each.get("filterRange") is not None), None)
    if written is None and "filterRange" in options:
        raise ConfigurationError("promptfoo stops at `filterRange` without a value")
    numbers = list(range(count)) if written is None else _range(written, count)
    size, seed = line.get("filterSample"), line.get("filterSampleSeed")
    if size is None or seed is None:
        return numbers
    if configuration.data.get("scenarios"):
        raise ConfigurationError(
            "rubric does not run `filterSample` with `scenarios`, of which promptfoo takes samples each"
        )
    size, seed = _whole(size), _whole(seed)
    if size is None or seed is None:
        raise ConfigurationError("promptfoo stops at a `filterSample` or `filterSampleSeed` that is no whole number")
    return _shuffled(numbers, _random(value_text(seed)))[:size]


def _whole(value: Any) -> int | None:
    """The whole number that JavaScript makes of a value; None if that is another one, or none."""
    made = float(javascript_number(value))
    return int(made) if made.is_integer() else None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _range(written: Any, count: int) -> list[int]:
    found = _RANGE.match(written.strip()) if isinstance(written, str) else None
    first, end = (found[1], found[2]) if found is not None else ("", "")
    if not (first or end) or (first and end and int(first) > int(end)):
        raise ConfigurationError(f"promptfoo stops at the `filterRange` {written!r:.60}, which is no `start:end`")
    return list(range(count))[int(first or 0) : int(end) if end else None]


def _shuffled(numbers: list[int], random: Callable[[], float]) -> list[int]:
    for last in range(len(numbers) - 1, 0, -1):
        other = int(random() * (last + 1))
        numbers[last], numbers[other] = numbers[other], numbers[last]
    return numbers


def _random(seed: str) -> Callable[[], float]:
    """The generator of promptfoo: numbers from 0 to 1, in 32 bits."""
    state = 2166136261
    for each in seed:
        state = ((state ^ ord(each)) * 16777619) & _MASK

    def following() -> float:
        nonlocal state
        state = (state + 1831565813) & _MASK
        value = ((state ^ state >> 15) * (state | 1)) & _MASK
        value ^= (value + ((value ^ value >> 7) * (value | 61) & _MASK)) & _MASK
        return ((value ^ value >> 14) & _MASK) / 4294967296

    return following


@dataclass(frozen=True)
class PromptfooMatrix:
    """The providers and prompts by which all tests of a configuration are multiplied, and what else its tests share.

    What follows from them alone is computed once, for all tests.
    """

    configuration: PromptfooConfiguration
    prompts: Sequence[PromptfooPrompt]
    providers: Sequence[PromptfooProvider]
    #: The providers that grade, found among the tests read so far.
    graders: Graders
    #: The delay between two calls, in milliseconds.
    pause: float = 0.0
    #: The files with prompts and providers.
    files: Sequence[Path] = ()

    def prompts_of(self, provider: PromptfooProvider) -> list[PromptfooPrompt]:
        """The prompts that a provider gets."""
        return [each for each in self.prompts if is_chosen(each, provider.prompts)]

    @cached_property
    def columns(self) -> list[tuple[PromptfooProvider, PromptfooPrompt]]:
        """Each provider with each of its prompts, which promptfoo numbers as columns."""
        return [(each, prompt) for each in self.providers for prompt in self.prompts_of(each)]

    def column(self, provider: str | None, prompt: PromptfooPrompt | None) -> int:
        """The number of the column of a provider, by its name, and a prompt, from 0."""
        return self._numbers_of_columns.get((provider, id(prompt)), len(self.columns))

    @cached_property
    def _numbers_of_columns(self) -> Mapping[tuple[str | None, int], int]:
        found: dict[tuple[str | None, int], int] = {}
        for number, (provider, prompt) in enumerate(self.columns):
            found.setdefault((provider.name, id(prompt)), number)
        return found

    def provider_named(self, name: str | None) -> PromptfooProvider | None:
        """The first provider with a name."""
        return self._providers_by_name.get(name)

    @cached_property
    def _providers_by_name(self) -> Mapping[str | None, PromptfooProvider]:
        return {each.name: each for each in reversed(self.providers)}

    def options_of(self, options: Options, provider: PromptfooProvider) -> Options:
        """The options of the rows that a provider answers."""
        known = self._options.get(options)
        if known is None:
            known = self._options.keep(options, {})
        if provider.name not in known:
            known[provider.name] = replace(options, target=provider.name)
        return known[provider.name]

    @cached_property
    def _options(self) -> ByIdentity[Options, dict[str, Options]]:
        return ByIdentity()

    def number_of(self, prompt: Prompt | None) -> int:
        """The number of a prompt among `prompts`, from 0; -1 if it is not one of them."""
        return self._numbers_of_prompts.get(id(prompt), -1)

    @cached_property
    def _numbers_of_prompts(self) -> Mapping[int, int]:
        return {id(each.prompt): number for number, each in reversed(list(enumerate(self.prompts)))}

    @cached_property
    def code(self) -> dict[bool, tuple[ExecutedCode, ...]]:
        """The code that the configuration executes besides that of a test, see `executed_code`; empty until that looks for it."""
        return {}

    @cached_property
    def code_of_tests(self) -> ByIdentity[PromptfooTest, tuple[ExecutedCode, ...]]:
        """The code in the last few tests, see `executed_code`."""
        return ByIdentity()

    @cached_property
    def assertions_of_tests(self) -> ByIdentity[PromptfooTest, tuple[PromptfooAssertion, ...]]:
        """The assertions of the last few tests: each row is copied several times while it is prepared."""
        return ByIdentity()

    @cached_property
    def told_providers(self) -> ByIdentity[Redactor, dict[str, Mapping[str, Any]]]:
        """The descriptions of providers that grading code gets, masked by the redactor of one run; see `provider_of_row`."""
        return ByIdentity()

    @cached_property
    def stored_assertions_of_tests(self) -> ByIdentity[PromptfooTest, list[dict[str, Any]]]:
        """The assertions of the last few tests as their results keep them, see `PromptfooRunnable.row_data`."""
        return ByIdentity()

    @cached_property
    def addresses_of_tests(self) -> ByIdentity[PromptfooTest, Sequence[str]]:
        """The file URLs in the values of the last few tests, see `CaseDependencies`."""
        return ByIdentity()


def is_chosen(prompt: PromptfooPrompt, references: Sequence[Any] | None) -> bool:
    """Whether one of the `references` is to a prompt; None: all are chosen."""
    return references is None or any(is_reference_to(each, prompt.label, prompt.id) for each in references)


def value_rows(variables: Mapping[str, Any], configuration: PromptfooConfiguration) -> Iterator[Variant]:
    """A row for each combination of the values of lists that begin with a text. Raises Unscored."""
    lists = {name: found for name, value in variables.items() if (found := _values(value, configuration))}
    require_few(*map(len, lists.values()))
    for number, values in enumerate(product(*lists.values())):
        chosen = dict(zip(lists, values, strict=True))
        label = ",".join(row_label(name, str(value)) for name, value in chosen.items())
        yield Variant(label, {**variables, **chosen}, number=number)


def _values(value: Any, configuration: PromptfooConfiguration) -> Sequence[Any]:
    """The values of a variable that makes a row for each: a list that begins with a text, or the files of a pattern; else none."""
    if isinstance(value, list):
        return value if value and isinstance(value[0], str) else ()
    if not isinstance(value, str) or not value.startswith(URL) or not is_pattern(value):
        return ()
    matches = path_matches(value.removeprefix(URL), [configuration.directory], configuration.files)
    return [f"{URL}{configuration.shown(path)}" for path in matches.files_first]
