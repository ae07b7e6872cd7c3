"""unknown-key: a key that means nothing here."""

import re
from collections.abc import Iterator

from rubric_core.language.evaluators import Criterion
from rubric_core.language.providers import Cli
from rubric_core.language.targets import Entry
from rubric_core.loading.issues import UnknownKey
from rubric_core.syntax.edit import add_entry, remove_entry, rename_key
from rubric_core.syntax.tree import Mapping, walk
from rubric_core.text import Edit
from rubric_core.validation.colons import lone_text
from rubric_core.validation.lacking import lack_consequence, lack_severity
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import closest

__all__ = ["UNKNOWN_KEY"]

_CAPITAL = re.compile(r"([A-Z])")


@rule("unknown-key", "warning", "A key that means nothing in its place")
def UNKNOWN_KEY(issue: UnknownKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Offer the key that was probably meant."""
    meant = issue.meant
    message = f"{issue.shape.title()} has no key `{issue.name}`" + (f"; did you mean `{meant}`?" if meant else "")
    fixes: tuple[Fix, ...] = ()
    if issue.inside:
        message += f"; it stands under `{issue.inside}`"
        fixes = tuple(_moved(issue, context))
    if meant and not issue.borrowed:
        # What looks alike is a slip of the hand; what only means the same is for the author to say.
        alike = closest(issue.name, (meant,)) is not None
        fixes = (Fix(f"change it to `{meant}`", (rename_key(issue.entry, meant),), safe=alike),)
    snake = _CAPITAL.sub(r"_\1", issue.name).lower()
    camel_case = issubclass(issue.shape, Entry) and snake != issue.name and snake in context.dialect.table(issue.shape)
    # The settings of a command are the only ones that are looked at one by one.
    command = issubclass(issue.shape, Cli) and context.dialect.spelled(Cli, "command") == "command"
    if meant is None and not fixes and not issue.borrowed and isinstance(issue.node, Mapping):
        gone = remove_entry(context.text, issue.node, issue.entry)
        fixes = (Fix(f"remove `{issue.name}`", (gone,), safe=False),) if gone is not None else ()
    if meant is None and issue.shape is Criterion and lone_text(issue.node) is not None and not issue.borrowed:
        return  # what is wrong with the whole is said there
    strict = context.dialect.properties.strict_keys and issue.shape.strict
    if meant is None and not strict and any(node.anchor for node in walk(issue.entry.value)):
        yield Finding(
            issue.span, f"{message}; agentv passes over it, and what refers to its anchors finds them", severity="hint"
        )
        return
    if command and not camel_case:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv refuses the target", severity="error")
    elif camel_case or strict:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv refuses the file", severity="error")
    elif issue.needed:
        lack = lack_consequence(issue.shape)
        severity = lack_severity(issue.shape, context.dialect.properties)
        yield Finding(issue.span, message, fixes=fixes, consequence=lack, severity=severity)
    else:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv ignores it without a word")


def _moved(issue: UnknownKey, context: Context) -> Iterator[Fix]:
    """The entry put where it means something, when it has one line."""
    node, entry, text = issue.node, issue.entry, context.text
    written = text[slice(*entry.span)]
    if issue.borrowed or not isinstance(node, Mapping) or "\n" in written or "\r" in written:
        return
    title = f"move it under `{issue.inside}`"
    block = next((e.value for e in node.entries if e.name == issue.inside), None)
    if block is None:
        # Of several such keys only one can begin the block.
        yield Fix(title, (Edit(entry.span, f"{issue.inside}: {{{written}}}"),), safe=False)
        return
    gone = remove_entry(text, node, entry)
    added = add_entry(text, block, issue.name, text[slice(*entry.value.span)]) if isinstance(block, Mapping) else None
    if gone is not None and added is not None and isinstance(block, Mapping) and block.get(issue.name) is None:
        yield Fix(title, (gone, added))
