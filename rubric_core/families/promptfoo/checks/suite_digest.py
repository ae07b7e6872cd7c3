"""Facts about all cases of a promptfoo configuration together."""

from collections import Counter
from collections.abc import Iterable, Mapping

from rubric_core.cached_properties import cached_property
from rubric_core.families.promptfoo.checks.case_summary import CaseSummary, PlacedCase

__all__ = ["SuiteDigest"]

#: A case with its summary.
_Summarized = tuple[PlacedCase, CaseSummary]


class SuiteDigest:
    """Facts about all cases of a configuration, each computed when a rule asks for it.

    There may be thousands of cases at every keystroke: so each fact is one pass over something that their summaries keep,
    and equal sets of names are joined once.
    """

    def __init__(self, bearers: Iterable[PlacedCase], listed: int) -> None:
        """`bearers` begin with the defaults; the next `listed` ones are the cases of the list."""
        self._every: list[_Summarized] = [(placed, placed.summary) for placed in bearers]
        #: The cases of the list.
        self.listed = self._every[1 : listed + 1]
        #: The defaults, and the parts and cases of scenarios.
        self._elsewhere = [self._every[0], *self._every[listed + 1 :]]

    # Variables.

    @cached_property
    def is_common_plain(self) -> bool:
        """Whether all variables that cases share are defined in the text."""
        return all(summary.is_plain for _, summary in self._elsewhere)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all variables are defined in the text, or in files that were read."""
        return self.is_common_plain and all(summary.is_plain or summary.is_in_files for _, summary in self.listed)

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables of the cases of the list."""
        return _union(summary.names for _, summary in self.listed)

    @cached_property
    def common(self) -> frozenset[str]:
        """The variables that are written elsewhere, and stored outputs."""
        return _union(summary.names for _, summary in self._elsewhere) | self.stored

    @cached_property
    def shared(self) -> frozenset[str]:
        """Of these, the ones that every case has."""
        return self._every[0][1].names | self.stored

    @cached_property
    def asserted(self) -> frozenset[str]:
        """The variables that assertions use."""
        return _union(summary.asserted for _, summary in self._every)

    @cached_property
    def stored(self) -> frozenset[str]:
        """The names of outputs that cases store for later ones."""
        return _union(summary.stored for _, summary in self._every)

    @cached_property
    def read_by_code(self) -> frozenset[str]:
        """The variables that code reads."""
        return _union(summary.read_by_code for _, summary in self._every)

    @cached_property
    def misspells_vars(self) -> bool:
        """Whether the key `vars` of a case is misspelt."""
        return any(summary.misspells_vars for _, summary in self._every)

    @cached_property
    def maps(self) -> frozenset[str]:
        """The variables that are a mapping in some case."""
        return _union(summary.maps for _, summary in self._every)

    @cached_property
    def others(self) -> frozenset[str]:
        """The variables that are something else in some case."""
        return _union(s.names - s.maps if s.maps else s.names for _, s in self._every)

    @cached_property
    def members(self) -> frozenset[str]:
        """The members of all mappings."""
        return _union(summary.members for _, summary in self._every)

    @cached_property
    def transforms(self) -> bool:
        """Whether code changes the variables of some case."""
        return any(summary.transforms for _, summary in self._every)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The variables that are a text or a number in every case that has them."""
        return _always((s.texts, s.names) for _, s in self._every)

    @cached_property
    def file_texts(self) -> frozenset[str]:
        """The variables that are the content of a file in some case."""
        return _union(summary.file_texts for _, summary in self._every)

    @cached_property
    def no_file_texts(self) -> frozenset[str]:
        """The variables that are something else in some case."""
        return _union(s.names - s.file_texts if s.file_texts else s.names for _, s in self._every)

    # Metrics.

    @cached_property
    def metrics(self) -> Mapping[str, int]:
        """The metrics of assertions, each with the number of cases that have it."""
        return Counter(name for _, summary in self._every for name in summary.metrics)

    @cached_property
    def may_give_metrics(self) -> bool:
        """Whether scripts, files or templates may give further metrics."""
        return any(summary.may_give_metrics for _, summary in self._every)

    @cached_property
    def metric_words(self) -> frozenset[str]:
        """The words of scripts that give metrics."""
        return _union(summary.metric_words for _, summary in self._every)

    # The cases that some rule is about.

    @cached_property
    def rendering(self) -> list[_Summarized]:
        """Those with texts in which variables are filled in."""
        return [each for each in self._every if each[1].fills_in]

    @cached_property
    def reading(self) -> list[PlacedCase]:
        """Those with code that reads variables."""
        return [placed for placed, summary in self._every if summary.code_variables]

    @cached_property
    def with_judge_prompt(self) -> list[PlacedCase]:
        """Those that may have a prompt for a judge."""
        return [placed for placed, summary in self._every if summary.has_judge_prompt]

    @cached_property
    def with_environment(self) -> list[PlacedCase]:
        """Those that may name the environment."""
        return [placed for placed, summary in self._every if summary.may_read_environment]

    @cached_property
    def naming(self) -> list[_Summarized]:
        """Those that name prompts, providers or graders."""
        return [each for each in self._every if each[1].chooses or each[1].graders]

    @cached_property
    def comparing(self) -> list[_Summarized]:
        """Those with assertions that compare outputs."""
        return [each for each in self._every if each[1].compares]

    @cached_property
    def pointing(self) -> list[_Summarized]:
        """Those with a `$ref`."""
        return [each for each in self._every if each[1].pointers]

    @cached_property
    def classifying(self) -> list[_Summarized]:
        """Those with an assertion that needs a model which classifies."""
        return [each for each in self._every if each[1].classifiers]

    @cached_property
    def unworded(self) -> list[_Summarized]:
        """Those with a rubric without a text."""
        return [each for each in self._every if each[1].unworded]


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*set(sets))


def _always(found: Iterable[tuple[frozenset[str], frozenset[str]]]) -> frozenset[str]:
    """Of pairs of some variables of a case and all of them: those that are among the former wherever they are."""
    pairs = set(found)
    return _union(some for some, _ in pairs).difference(*(names - some for some, names in pairs))
