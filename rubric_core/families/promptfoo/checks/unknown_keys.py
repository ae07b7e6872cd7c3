"""Keys that promptfoo does not know."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.identities import has_no_id
from rubric_core.families.promptfoo.checks.prompt_entries import is_sentence, lacks_its_text
from rubric_core.families.promptfoo.checks.values import stands_below_vars
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import UnknownKey
from rubric_core.syntax.tree import Mapping
from rubric_core.validation.rule import Context, Finding, checks
from rubric_core.validation.rules.unknown_key import UNKNOWN_KEY, unknown_key

#: promptfoo stops without either of them.
_LISTS_OF_PROVIDERS = frozenset({"providers", "targets"})


@checks("promptfoo/unknown-key", "unknown-key", "warning", about_name=True)
def unknown_keys(issue: UnknownKey, context: Context) -> Iterator[Finding]:
    """A key that promptfoo does not know.

    promptfoo stops without some of the keys that were meant. A prompt that is a sentence, and an empty `vars`, are reported themselves.
    """
    slip = issue.meant is not None and is_typo(issue.name, issue.meant)
    if issue.shape is ConfiguredPrompt and lacks_its_text(issue.node):
        if not is_sentence(issue.node) or issue.meant is not None:
            yield unknown_key(issue, context, STOPS, "error")
        return
    if issubclass(issue.shape, PromptfooCase) and not slip and stands_below_vars(issue.node, issue.entry):
        return
    for found in UNKNOWN_KEY.check(issue, context):
        if found.severity is not None:
            yield found
        elif _stops(issue):
            yield replace(found, consequence=STOPS, severity="error")
        elif issue.shape is Configuration and issue.meant is None and not issue.inside:
            # Some authors keep notes under such keys.
            yield replace(found, severity="hint", tags=("unnecessary",))
        else:
            yield found


def _stops(issue: UnknownKey) -> bool:
    """Whether promptfoo stops because nothing else is what the key was to be."""
    if issue.shape is Configuration:
        present = {entry.name for entry in issue.node.entries} if isinstance(issue.node, Mapping) else set()
        return issue.meant in _LISTS_OF_PROVIDERS and present.isdisjoint(_LISTS_OF_PROVIDERS | {"<<", "$ref"})
    if issue.shape is ConfiguredProvider:
        return issue.meant == "id" and has_no_id(issue.node)
    return issue.shape is PromptfooCase and PromptfooCase.is_bare(issue.node)
