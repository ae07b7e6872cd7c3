"""unknown-key: a key that means nothing here."""

from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.evaluators import CodeEvaluator, Criterion, Custom, Scripted
from rubric_core.language.providers import Cli
from rubric_core.language.targets import Entry
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.issues import UnknownKey
from rubric_core.syntax.edit import column_of, remove_entry, rename_key
from rubric_core.syntax.reindent import dash_within, move_entry_lines
from rubric_core.syntax.tree import Mapping, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.author_notes import is_author_note
from rubric_core.validation.colons import lone_text
from rubric_core.validation.missing_key_effect import lack_severity
from rubric_core.validation.move_fixes import into_last, under
from rubric_core.validation.rule import Context, Finding, Fix, Severity, rule

__all__ = ["UNKNOWN_KEY", "unknown_key"]

_CAPITAL = pattern(r"([A-Z])")


@rule("unknown-key", "warning", "A key that is not known in this place", about_name=True)
def UNKNOWN_KEY(issue: UnknownKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Offer the key that was probably meant."""
    if issue.wraps:
        yield _wrapped(issue, context)
        return
    meant = issue.meant
    snake = _CAPITAL.sub(r"_\1", issue.name).lower()
    camel_case = issubclass(issue.shape, Entry) and snake != issue.name and snake in context.dialect.table(issue.shape)
    # The settings of a command are the only ones that are looked at one by one.
    command = issubclass(issue.shape, Cli) and context.dialect.spelled(Cli, "command") == "command"
    if meant is None and issue.shape is Criterion and lone_text(issue.node) is not None and not issue.borrowed:
        return  # what is wrong with the whole is said there
    strict = context.dialect.properties.strict_keys and issue.shape.strict
    if meant is None and not strict and any(node.anchor for node in walk(issue.entry.value)):
        found = unknown_key(issue, context, "", "hint")
        words = f"{found.message}; {context.engine} ignores it, but its anchors can be referred to"
        yield replace(found, message=words, fixes=())
        return
    if is_author_note(issue, context):
        return  # a matter of style, which is reported on request
    if command and not camel_case:
        yield unknown_key(issue, context, "agentv rejects the target", "error")
    elif camel_case or strict:
        yield unknown_key(issue, context, "agentv rejects the file", "error")
    elif issue.needed:
        severity = lack_severity(issue.shape, context.dialect.properties)
        yield unknown_key(issue, context, issue.shape.lack_effect, severity)
    elif issubclass(issue.shape, CodeEvaluator | Custom | Scripted):
        effect = f"{context.engine} takes it for a setting of your own code; those belong under `config`"
        yield unknown_key(issue, context, effect)
    else:
        yield unknown_key(issue, context, f"{context.engine} silently ignores it")


def unknown_key(issue: UnknownKey, context: Context, consequence: str, severity: Severity | None = None) -> Finding:
    """The finding about a key, with the one that was probably meant."""
    meant = issue.meant
    message = f"{issue.shape.title()} has no key `{issue.name}`"
    if issue.inside:
        message += f"; it stands under `{issue.inside}`" + (f" as `{meant}`" if meant else "")
    elif meant:
        message += f"; did you mean `{meant}`?"
    fixes = () if issue.borrowed else tuple(_fixes(issue, context))
    return Finding(issue.span, message, fixes=fixes, consequence=consequence, severity=severity)


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
