"""What the files that name a prompt, a program or a file of cases define for it."""

from collections.abc import Iterable
from typing import NamedTuple

from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import dataclass
from rubric_core.loading.program_uses import ProgramUse

__all__ = ["CountedNames", "DefinedNames", "ReferableNames"]


class CountedNames(NamedTuple):
    """How many cases have each variable."""

    cases: int
    times: frozenset[tuple[str, int]]


class ReferableNames(NamedTuple):
    """The names by which cases refer to prompts and providers."""

    #: None if some are known at run time only.
    prompts: frozenset[str] | None
    providers: frozenset[str] | None
    #: The labels of providers, which are known in any case.
    labels: frozenset[str]

    def joined(self, other: "ReferableNames") -> "ReferableNames":
        """What either has."""
        prompts, providers = _both(self.prompts, other.prompts), _both(self.providers, other.providers)
        return ReferableNames(prompts, providers, self.labels | other.labels)


@dataclass(frozen=True, slots=True)
class DefinedNames:
    """What one configuration defines for the files that it names, or several together for one of them."""

    #: The variables of cases; None if there may be more than the texts show.
    variables: frozenset[str] | None = None
    #: The filters besides those of Nunjucks; None if unknown.
    filters: frozenset[str] | None = None
    #: The variables that prompts use; None if more may be used than the texts show.
    asked: frozenset[str] | None = None
    #: Of these, the ones that some case defines, and not all of them.
    needed: frozenset[str] = frozenset()
    #: What cases may refer to; None if unknown.
    references: ReferableNames | None = None
    #: The variables that are mappings wherever they are defined.
    mappings: frozenset[str] = frozenset()
    #: Whether hooks may define further variables, so that only slips of these are certain.
    is_open: bool = False
    #: What it calls in programs.
    programs: frozenset[ProgramUse] = frozenset()
    #: The members of `mappings`, as `name.member`, and `name.*` where there may be more.
    members: frozenset[str] = frozenset()
    #: Of the variables that prompts use, those that one case alone lacks.
    lacked: frozenset[str] = frozenset()
    #: The variables of cases in other files that neither prompts nor the configuration itself use.
    unused: frozenset[str] = frozenset()
    #: The variables that every case has; None if unknown.
    shared: frozenset[str] | None = None
    #: The variables that assertions use.
    asserted: frozenset[str] = frozenset()
    #: The variables that all prompts which use them show by name alone.
    shown: frozenset[str] = frozenset()
    #: Whether judges get the prompt of the engine, which says no more about a good output than the text of the rubric.
    is_judged_by_value: bool = False
    #: The variables of the environment that it sets; None if a file may set others, or a variable is named `env`.
    environment: frozenset[str] | None = None
    #: Whether each case has one output: there is one prompt and one provider.
    has_one_output: bool = False

    def seen_by(self, kind: FileKind) -> "DefinedNames":
        """As much as the findings of a kind of file depend on: it stays equal while other prompts change."""
        is_program = kind.is_program
        if kind.lists_cases or (self.asked is None and self.references is None and (is_program or not self.programs)):
            return self
        return DefinedNames(
            self.variables, self.filters, mappings=self.mappings, is_open=self.is_open,
            programs=self.programs if is_program else frozenset(), members=self.members, asserted=self.asserted,
        )  # fmt: skip

    @staticmethod
    def joined(several: "Iterable[DefinedNames | None]") -> "DefinedNames | None":
        """What a file may use that all of these name; None if nothing is known."""
        known: DefinedNames | None = None
        for each in several:
            if each is None:
                return None
            if known is None or known is each:
                known = each
                continue
            known = DefinedNames(
                _both(known.variables, each.variables),
                _both(known.filters, each.filters),
                _both(known.asked, each.asked),
                known.needed & each.needed,
                known.references.joined(each.references) if known.references and each.references else None,
                known.mappings_beside(each) | each.mappings_beside(known),
                known.is_open or each.is_open,
                known.programs | each.programs,
                known.members | each.members,
                known.lacked & each.lacked,
                known.unused & each.unused,
                _both(known.shared, each.shared),
                known.asserted | each.asserted,
                known.shown & each.shown,
                known.is_judged_by_value and each.is_judged_by_value,
                _both(known.environment, each.environment),
                known.has_one_output and each.has_one_output,
            )
        return known

    def mappings_beside(self, other: "DefinedNames") -> frozenset[str]:
        """The variables that are mappings here, and in the other configuration if it defines them."""
        if other.variables is None:
            return frozenset()
        return self.mappings - (other.variables - other.mappings)


def _both(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    return None if some is None or others is None else some | others
