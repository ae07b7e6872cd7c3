"""By what all tests of a promptfoo configuration are multiplied: its prompts and providers, and lists of values."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from rubric_core.evaluation.cases.promptfoo.configuration import PromptfooConfiguration
from rubric_core.evaluation.cases.promptfoo.prompts import PromptfooPrompt, is_reference_to
from rubric_core.evaluation.cases.promptfoo.providers import Graders, PromptfooProvider
from rubric_core.evaluation.cases.variant import Variant
from rubric_core.evaluation.cases.variations import require_few, row_label
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.path_matches import path_matches

__all__ = ["PromptfooMatrix", "is_chosen", "value_rows"]


@dataclass(frozen=True, slots=True)
class PromptfooMatrix:
    """The providers and prompts by which all tests of a configuration are multiplied."""

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

    @property
    def columns(self) -> list[tuple[PromptfooProvider, PromptfooPrompt]]:
        """Each provider with each of its prompts, which promptfoo numbers as columns."""
        return [(each, prompt) for each in self.providers for prompt in self.prompts_of(each)]

    def column(self, provider: str | None, prompt: PromptfooPrompt | None) -> int:
        """The number of the column of a provider, by its name, and a prompt, from 0."""
        columns = [(each.name, id(own)) for each, own in self.columns]
        wanted = (provider, id(prompt))
        return columns.index(wanted) if wanted in columns else len(columns)


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
    return [f"{URL}{configuration.shown(path)}" for path in matches.in_promptfoo_order]
