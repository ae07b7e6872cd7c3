"""The checks across cases of promptfoo, and the facts about a configuration as a whole that they ask: its cases, and the content of other files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.family_cross_case import CrossCaseView, FamilyCrossCase
from rubric_core.analysis.result import Analysis
from rubric_core.families.promptfoo.analysis.cases import configuration_of
from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.environment import known_environment
from rubric_core.families.promptfoo.checks.lacking_variables import MOST_COMPARED, needed_by_prompts
from rubric_core.families.promptfoo.checks.references import has_one_output
from rubric_core.families.promptfoo.checks.shown_mappings import mappings_of_cases, shown_alone
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.checks.unasserted_cases import is_judged_by_value
from rubric_core.families.promptfoo.checks.unknown_labels import names_of
from rubric_core.families.promptfoo.checks.unused_variables import asked_and_needed, unused_elsewhere
from rubric_core.families.promptfoo.checks.variable_names import GIVEN, has_hooks, shared_names, variables_of_cases
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.language.shape import as_list
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.program_uses import ProgramUse
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.text import Span

__all__ = ["CROSS_CASE", "defined_names_of", "facts_of_cases", "groups_to_repeat", "is_settled", "suite_of"]

#: References to the environment in templates, as YAML writes them: quotes may be escaped or doubled.
_ENVIRONMENT = pattern(r"\benv\W+\w+")
#: Variables that code reads by names which are none in templates.
_MEMBERS = pattern(r"\[[\"'][^\"'\n]{1,60}[\"']\]")

#: A file that has providers, and not one that is called.
_PROVIDER_FILE = pattern(r"file://(?![^*]{1,500}\.(?:py|rb|go|[cm]?[jt]s)\b)")


def suite_of(analysis: Analysis) -> PromptfooSuite | None:
    """The configuration with its cases; None without a mapping."""
    configuration = configuration_of(analysis)
    if configuration is None:
        return None
    around = PlacedCase(PromptfooCase(Span(0, 0)), -1, partial(_placed, analysis), analysis.frame.block.text)
    looked = analysis.around is not None
    outside = (
        tuple(each for s in analysis.states.values() if s.links.outside for each in s.links.outside) if looked else None
    )
    cases = tuple(_cases(analysis, configuration, around))
    secrets = tuple(_secrets(analysis)) if looked else ()
    read = analysis.states[analysis.frame.block].links.read
    items = sum(bool(block.key) for block in analysis.document.blocks)
    return PromptfooSuite(configuration, cases, around, outside, secrets, items=items, read=read)


def defined_names_of(analysis: Analysis, suite: PromptfooSuite) -> DefinedNames | None:
    """What a configuration defines for its prompts, programs and cases in other files; None if it names none."""
    if not any(kind.takes_names for kind in analysis.refers_to.values()):
        return None
    own = suite.configuration.nunjucks_filters if suite.configuration.has("nunjucks_filters") else {}
    filters, variables = frozenset(own) if isinstance(own, dict) else None, variables_of_cases(suite)
    references, is_open = names_of(suite), has_hooks(suite)
    programs = _programs(analysis, suite)
    mappings = _mappings(suite, variables)
    known = DefinedNames(
        variables, filters, references=references, mappings=mappings, is_open=is_open,
        programs=programs, members=frozenset(suite.digest.members if mappings else ()),
        is_judged_by_value=is_judged_by_value(suite), environment=known_environment(suite),
        asserted=suite.digest.asserted, has_one_output=has_one_output(suite),
    )  # fmt: skip
    if variables is None or suite.prompts is None or suite.outside is None or _has_cases_elsewhere(suite):
        return known
    asked, needed = asked_and_needed(suite)
    unused = unused_elsewhere(suite)
    return replace(
        known,
        asked=asked,
        needed=needed,
        lacked=_lacked(suite) & needed & needed_by_prompts(suite),
        unused=unused,
        shared=shared_names(suite) - GIVEN,
        shown=shown_alone(suite),
    )


def _programs(analysis: Analysis, suite: PromptfooSuite) -> frozenset[ProgramUse]:
    """What it calls in programs; providers in other files may give them further settings."""
    called = frozenset[ProgramUse]().union(*{each.links.called for each in analysis.states.values()})
    elsewhere = any("provider" in each.words for each in suite.outside or ())
    if elsewhere or any(_PROVIDER_FILE.match(each.id) or "{{" in each.id for each in suite.providers):
        return frozenset(each._replace(settings=()) for each in called)
    return called


def _lacked(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that one case alone lacks, if all cases are known and get the same prompts."""
    files = [each.counted for each in suite.outside or () if each.what == "cases"]
    known = [each for each in files if each is not None]
    listed = [placed.summary for placed in suite.listed]
    chooses = any(each.shape is not None and each.shape.has("prompts") for each in suite.providers)
    if not files or len(known) < len(files) or suite.scenarios or chooses or len(listed) > MOST_COMPARED:
        return frozenset()
    if not all(summary.is_plain for summary in listed):
        return frozenset()
    times = Counter(name for summary in listed for name in summary.names)
    for each in known:
        times.update(dict(each.times))
    number = len(listed) + sum(each.cases for each in known)
    return frozenset(name for name, count in times.items() if 0 < count == number - 1)


def _mappings(suite: PromptfooSuite, variables: frozenset[str] | None) -> frozenset[str]:
    """The variables that are mappings in every case; files of cases may define them as something else."""
    elsewhere = (each.names or () for each in suite.outside or () if each.what != "prompt")
    return mappings_of_cases(suite).difference(*elsewhere) if variables is not None else frozenset()


def _has_cases_elsewhere(suite: PromptfooSuite) -> bool:
    """Whether scenarios are in files, or name files with cases: these have the variables of a scenario's entries as well."""
    listed = suite.configuration.scenarios if suite.configuration.has("scenarios") else []
    if not isinstance(listed, list) or len(listed) > len(suite.scenarios):
        return True
    tests = (each.tests for each in suite.scenarios)
    return not all(isinstance(t, list) and all(isinstance(each, PromptfooCase) for each in t) for t in tests)


def _secrets(analysis: Analysis) -> Iterator[tuple[Span, frozenset[str]]]:
    """The files whose templates read secrets, with their places in the whole text, each once."""
    blocks = ((-1, analysis.frame.block), *((n, b) for n, b in enumerate(analysis.document.blocks) if b.key))
    for number, block in blocks:
        for span, names in dict.fromkeys(analysis.states[block].links.secrets):
            yield _placed(analysis, number, span), names


def _placed(analysis: Analysis, block: int, span: Span) -> Span:
    """A span of a block, or of the text around the cases, in the whole text."""
    return analysis.span_of(None, span) if block < 0 else span.moved(analysis.document.start(block))


def _cases(analysis: Analysis, configuration: Configuration, around: PlacedCase) -> list[PlacedCase]:
    """All cases of the list, which may be thousands for each keystroke around them."""
    listed = configuration.tests
    inline = listed if isinstance(listed, list) else []
    states, place = analysis.states, around.place
    return [
        *(around._replace(case=each) for each in inline if isinstance(each, PromptfooCase)),
        *(
            PlacedCase(shape, number, place, block.text)
            for number, block in enumerate(analysis.document.blocks) if block.key
            for shape in states[block].shapes if isinstance(shape, PromptfooCase)
        ),
    ]  # fmt: skip


def is_settled(before: Analysis, now: Analysis, change: BlockChange) -> bool:
    """Whether rules across cases would see the same configuration and files: then only changed cases count."""
    frame = now.frame.block
    if before.frame.block is not frame or before.states[frame].shapes is not now.states[frame].shapes:
        return False
    blocks = (now.states[block].links for block in change.added)
    return before.linked_in == now.linked_in and not any(links.outside or links.secrets for links in blocks)


def groups_to_repeat(
    before: Analysis, old: Sequence[tuple[int, Block]], now: Analysis, new: Sequence[tuple[int, Block]]
) -> frozenset[str] | None:
    """The groups of the checks across cases whose input from the edited blocks has changed; None for all."""
    again: set[str] = set()
    for (_, was), (_, made) in zip(old, new, strict=True):
        cases = facts_of_cases(before, was), facts_of_cases(now, made)
        if len(cases[0]) != len(cases[1]):
            return None
        for first, second in zip(*cases, strict=True):
            again.update(group for group, facts in first.items() if facts != second[group])
    return frozenset(again)


def facts_of_cases(analysis: Analysis, block: Block) -> list[Mapping[str, object]]:
    """For each case of a block, the input of checks across cases by their groups; equal facts give equal findings elsewhere."""
    return [_facts_of_case(s, block.text) for s in analysis.states[block].shapes if isinstance(s, PromptfooCase)]


def _facts_of_case(case: PromptfooCase, text: str) -> Mapping[str, object]:
    """The input of each group of checks from a case. One across cases that reads another key adds it here."""
    fields = ("prompts", "providers", "description", "options", "provider")
    places = {f: text[slice(*place.node.whole)] for f in fields if (place := case.places.get(f)) is not None}
    summary = PlacedCase(case, -1, _nowhere, text).summary
    types = [(each.type_name, each.has("provider")) for each in summary.checks]
    metrics = [(each.metric, str(each.value).startswith("file://")) for each in summary.checks]
    keys = frozenset(each.name for each in case.node.entries) if isinstance(case.node, MappingNode) else None
    options = places.get("options")
    variables = (
        summary.names,
        summary.members,
        summary.file_texts,
        summary.texts,
        summary.is_plain,
        summary.stored,
        summary.used,
        keys,
        options,
    )
    references = (places.get("prompts"), places.get("providers"), places.get("provider"), options, types)
    return {
        "environment-sent": "env" in text
        and [
            text[slice(*place.node.whole)] for f in ("vars", "assertions") if (place := case.places.get(f)) is not None
        ],
        "undefined-variable": (variables, types, "env" in text and _ENVIRONMENT.findall(text)),
        "unused-variable": (variables, summary.has_program),
        "variable-value": (summary.names, summary.maps, summary.transforms, case.has("prompts")),
        "unknown-label": references,
        "too-few-outputs": references,
        "invalid-value": (
            references,
            summary.has_program,
            _MEMBERS.findall(text),
            len(summary.classifiers),
        ),
        "template-variable": (types, [each.has("value") and not each.has("rubric_prompt") for each in summary.checks]),
        "unknown-metric": (metrics, types),
        "duplicate-entry": places.get("description"),
        "nothing-asserted": (keys, options, len(summary.unworded)),
        # A pointer into the list of cases refers to a key of a case, or to one of its assertions.
        "unknown-alias": ([each.text for each in summary.pointers], keys, len(as_list(case.assertions))),
        "no-cases": None,
    }


def _nowhere(_: int, span: Span) -> Span:
    return span


class _PromptfooCrossCase(FamilyCrossCase):
    naming_groups = frozenset({"undefined-variable", "variable-value"})

    def view(self, analysis: Analysis) -> CrossCaseView:
        suite = suite_of(analysis)
        return CrossCaseView() if suite is None else CrossCaseView((suite,), partial(defined_names_of, analysis, suite))

    def is_settled(self, before: Analysis, now: Analysis, change: BlockChange) -> bool:
        return is_settled(before, now, change)

    def groups_to_repeat(
        self, before: Analysis, old: Sequence[tuple[int, Block]], now: Analysis, new: Sequence[tuple[int, Block]]
    ) -> frozenset[str] | None:
        if not now.kind.is_root:  # no check sees the cases of such a file together
            return super().groups_to_repeat(before, old, now, new)
        return groups_to_repeat(before, old, now, new)


#: See `FamilyCrossCase`.
CROSS_CASE = _PromptfooCrossCase()
