"""Mappings among the texts that other cases have for a variable of promptfoo (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.syntax.tree import Mapping
from rubric_core.validation.promptfoo.suite import PromptfooSuite, texts_of
from rubric_core.validation.promptfoo.templates import names_in
from rubric_core.validation.promptfoo.variables import mappings_of_cases
from rubric_core.validation.rule import Finding

__all__ = ["mappings_among_texts"]


def mappings_among_texts(suite: PromptfooSuite) -> Iterator[Finding]:
    """The variables of a case that are a mapping, where prompts show their values and the values of other cases are none."""
    mixed = suite.digest.maps - mappings_of_cases(suite)
    if not mixed or suite.outside is None:
        return
    texts = [node.text for node, _ in texts_of(suite.configuration)]
    texts += [text for each in suite.outside if each.what == "prompt" for text in each.texts or ()]
    used = [used for text in texts for used in names_in(text)]
    shown = {each.name for each in used if each.alone} - {each.name for each in used if not each.alone}
    for placed in suite.bearers:
        for name in placed.summary.maps & mixed & shown:
            place = placed.case.places["vars"]
            entry = place.node.entry(name) if isinstance(place.node, Mapping) and not place.borrowed else None
            if entry is not None:
                words = f"`{name}` is a mapping here, and prompts show it as a text, as it is in other cases"
                yield Finding(placed.outer(entry.key.span), words, consequence="promptfoo fills in `[object Object]`")
