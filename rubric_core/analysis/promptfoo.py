"""What an analysis knows of a configuration of promptfoo as a whole: its cases with their places, and what other files add."""

from collections.abc import Iterator
from functools import partial

from rubric_core.analysis.block_change import BlockChange
from rubric_core.analysis.promptfoo_cases import configuration_of
from rubric_core.analysis.result import Analysis
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.blocks import Block
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Span
from rubric_core.validation.promptfoo.case_summary import PlacedCase
from rubric_core.validation.promptfoo.suite import PromptfooSuite

_ENVIRONMENT = pattern(r"\benv\W{1,9}\w+")

__all__ = ["case_facts", "is_settled", "suite_of"]


def suite_of(analysis: Analysis) -> PromptfooSuite | None:
    """The configuration with its cases; None where there is no mapping."""
    configuration = configuration_of(analysis.states, analysis.frame)
    if configuration is None:
        return None
    around = PlacedCase(PromptfooCase(Span(0, 0)), -1, partial(analysis.span_of, None), analysis.frame.block.text)
    looked = analysis.around is not None
    outside = tuple(each for s in analysis.states.values() for each in s.links.outside) if looked else None
    return PromptfooSuite(configuration, tuple(_cases(analysis, configuration, around)), around, outside)


def _cases(analysis: Analysis, configuration: Configuration, around: PlacedCase) -> Iterator[PlacedCase]:
    listed = configuration.tests
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, PromptfooCase):
            yield around._replace(case=each)
    for number, block in enumerate(analysis.document.blocks):
        if block.key:
            start = analysis.document.start(number)
            for shape in analysis.states[block].shapes:
                if isinstance(shape, PromptfooCase):
                    yield PlacedCase(shape, number, partial(Span.moved, by=start), block.text)


def is_settled(before: Analysis, now: Analysis, change: BlockChange) -> bool:
    """Whether rules across cases would look at the same configuration and files again: then only changed cases count."""
    frame = now.frame.block
    if before.frame.block is not frame or before.states[frame].shapes is not now.states[frame].shapes:
        return False
    blocks = (now.states[block].links for block in change.added)
    return before.linked_in == now.linked_in and not any(links.outside for links in blocks)


def case_facts(analysis: Analysis, block: Block) -> object:
    """What rules across cases look at in one block; equal facts mean equal findings elsewhere."""
    cases = [shape for shape in analysis.states[block].shapes if isinstance(shape, PromptfooCase)]
    return [_of_case(case, block.text) for case in cases]


def _of_case(case: PromptfooCase, text: str) -> object:
    fields = ("prompts", "providers", "description", "options", "provider")
    places = {f: text[slice(*place.node.whole)] for f in fields if (place := case.places.get(f)) is not None}
    told = PlacedCase(case, -1, _nowhere, text).summary
    checks = [(each.type_name, each.metric, each.has("provider")) for each in told.checks]
    keys = frozenset(each.name for each in case.node.entries) if isinstance(case.node, Mapping) else None
    return places, told.facts, checks, keys, "env" in text and _ENVIRONMENT.findall(text)


def _nowhere(span: Span) -> Span:
    return span
