"""unknown-key: a key that means nothing here."""

from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.evaluators import CodeEvaluator, Criterion, Custom, Scripted
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.configuration import Configuration, ConfiguredPrompt
from rubric_core.language.promptfoo.consequences import STOPS
from rubric_core.language.promptfoo.provider import ConfiguredProvider
from rubric_core.language.providers import Cli
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import UnknownKey
from rubric_core.syntax.edit import column_of, remove_entry, rename_key
from rubric_core.syntax.reindent import dash_within, move_entry_lines
from rubric_core.syntax.tree import Mapping, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.author_notes import is_author_note
from rubric_core.validation.colons import lone_text
from rubric_core.validation.missing_key_effect import lack_consequence, lack_severity
from rubric_core.validation.move_fixes import into_last, under
from rubric_core.validation.promptfoo.bare_cases import is_bare
from rubric_core.validation.promptfoo.identities import has_no_id
from rubric_core.validation.promptfoo.prompt_entries import is_sentence, lacks_its_text
from rubric_core.validation.promptfoo.values import stands_below_vars
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["UNKNOWN_KEY"]

#: promptfoo stops without either of them.
_LISTS_OF_PROVIDERS = frozenset({"providers", "targets"})
_CAPITAL = pattern(r"([A-Z])")


@rule("unknown-key", "warning", "A key that is not known in this place", about_name=True)
def UNKNOWN_KEY(issue: UnknownKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Offer the key that was probably meant."""
    if issue.wraps:
        yield _wrapped(issue, context)
        return
    meant = issue.meant
    message = f"{issue.shape.title()} has no key `{issue.name}`"
    if issue.inside:
        message += f"; it stands under `{issue.inside}`" + (f" as `{meant}`" if meant else "")
    elif meant:
        message += f"; did you mean `{meant}`?"
    fixes = () if issue.borrowed else tuple(_fixes(issue, context))
    snake = _CAPITAL.sub(r"_\1", issue.name).lower()
    camel_case = issubclass(issue.shape, Entry) and snake != issue.name and snake in context.dialect.table(issue.shape)
    # The settings of a command are the only ones that are looked at one by one.
    command = issubclass(issue.shape, Cli) and context.dialect.spelled(Cli, "command") == "command"
    if meant is None and issue.shape is Criterion and lone_text(issue.node) is not None and not issue.borrowed:
        return  # what is wrong with the whole is said there
    if issue.shape is ConfiguredPrompt and lacks_its_text(issue.node):
        if not is_sentence(issue.node) or meant is not None:
            yield Finding(issue.span, message, fixes=fixes, consequence=STOPS, severity="error")
        return  # a sentence is reported as a whole
    slip = meant is not None and is_typo(issue.name, meant)
    if issubclass(issue.shape, PromptfooCase) and not slip and stands_below_vars(issue.node, issue.entry):
        return  # that `vars` is empty is said there
    strict = context.dialect.properties.strict_keys and issue.shape.strict
    if meant is None and not strict and any(node.anchor for node in walk(issue.entry.value)):
        yield Finding(
            issue.span, f"{message}; {context.engine} ignores it, but its anchors can be referred to", severity="hint"
        )
        return
    if is_author_note(issue, context):
        return  # a matter of style, which is reported on request
    if command and not camel_case:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv rejects the target", severity="error")
    elif camel_case or strict:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv rejects the file", severity="error")
    elif issue.needed:
        lack = lack_consequence(issue.shape)
        severity = lack_severity(issue.shape, context.dialect.properties)
        yield Finding(issue.span, message, fixes=fixes, consequence=lack, severity=severity)
    elif _stops_promptfoo(issue):
        yield Finding(issue.span, message, fixes=fixes, consequence=STOPS, severity="error")
    elif issue.shape is Configuration and meant is None and not issue.inside:
        # Some authors keep notes under such keys.
        consequence = f"{context.engine} silently ignores it"
        yield Finding(issue.span, message, fixes=fixes, consequence=consequence, severity="hint", tags=("unnecessary",))
    elif issubclass(issue.shape, CodeEvaluator | Custom | Scripted):
        consequence = f"{context.engine} takes it for a setting of your own code; those belong under `config`"
        yield Finding(issue.span, message, fixes=fixes, consequence=consequence)
    else:
        yield Finding(issue.span, message, fixes=fixes, consequence=f"{context.engine} silently ignores it")


def _wrapped(issue: UnknownKey, context: Context) -> Finding:
    """A file whose whole content stands under the key that a suite has for it."""
    message = f"this file is {issue.shape.title()} itself: move what stands under `{issue.name}` to its top level"
    value = issue.entry.value
    fixes: tuple[Fix, ...] = ()
    if isinstance(value, Mapping) and not value.flow and value.anchor is None and not issue.borrowed:
        first = value.entries[0].key.whole.start
        moved = [
            edit
            for each in value.entries
            for edit in move_entry_lines(context.text, each, -column_of(context.text, first))
        ]
        line = Edit(Span(issue.entry.key.whole.start, first - column_of(context.text, first)), "")
        fixes = (Fix(f"remove `{issue.name}:` above it", (line, *moved)),)
    return Finding(issue.span, message, fixes=fixes, consequence="agentv rejects the file", severity="error")


def _stops_promptfoo(issue: UnknownKey) -> bool:
    """Whether promptfoo stops because nothing else is what the key was to be."""
    if issue.shape is Configuration:
        present = {entry.name for entry in issue.node.entries} if isinstance(issue.node, Mapping) else set()
        return issue.meant in _LISTS_OF_PROVIDERS and present.isdisjoint(_LISTS_OF_PROVIDERS | {"<<", "$ref"})
    if issue.shape is ConfiguredProvider:
        return issue.meant == "id" and has_no_id(issue.node)
    return issue.shape is PromptfooCase and is_bare(issue.node)


def _fixes(issue: UnknownKey, context: Context) -> Iterator[Fix]:
    """The key that was meant, or the place where this one means something; where there is neither, it can go."""
    stays = issue.needed or issue.inside == "env"  # a share would have to become a percentage there
    moved = [] if stays else [*(under if issue.inside else into_last)(issue, context)]
    yield from moved
    if issue.meant and issue.inside:
        return
    if issue.meant:
        # What looks alike is a typing error; what only means the same, or fits the item above, is for the author to say.
        certain = is_typo(issue.name, issue.meant) and not moved
        yield Fix(f"change it to `{issue.meant}`", (rename_key(issue.entry, issue.meant),), safe=certain)
        return
    gone = remove_entry(context.text, issue.node, issue.entry) if isinstance(issue.node, Mapping) else None
    swallowed = dash_within(context.text, issue.entry.value) is not None
    if gone is not None and not swallowed and not (moved and issue.inside):
        yield Fix(f"remove `{issue.name}`", (gone,), safe=False)
