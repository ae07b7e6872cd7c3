"""unknown-key: a key that means nothing here."""

import re
from collections.abc import Iterator

from rubric_core.language.model import Case, DefaultTest, Scenario, Suite
from rubric_core.language.targets import Entry
from rubric_core.loading.issues import UnknownKey
from rubric_core.syntax.edit import remove_entry, rename_key
from rubric_core.syntax.tree import Mapping, walk
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import closest

__all__ = ["UNKNOWN_KEY"]

# The places in which the newest engine refuses a key that it does not know.
_STRICT = (Suite, Case, Scenario, DefaultTest)
_CAPITAL = re.compile(r"([A-Z])")


@rule("unknown-key", "warning", "A key that means nothing in its place")
def UNKNOWN_KEY(issue: UnknownKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Offer the key that was probably meant."""
    meant = issue.meant
    message = f"{issue.shape.title()} has no key `{issue.name}`" + (f"; did you mean `{meant}`?" if meant else "")
    fixes: tuple[Fix, ...] = ()
    if meant and not issue.borrowed:
        # What looks alike is a slip of the hand; what only means the same is for the author to say.
        alike = closest(issue.name, (meant,)) is not None
        fixes = (Fix(f"change it to `{meant}`", (rename_key(issue.entry, meant),), safe=alike),)
    camel_case = (
        issubclass(issue.shape, Entry) and meant is not None and meant == _CAPITAL.sub(r"_\1", issue.name).lower()
    )
    if meant is None and not issue.borrowed and isinstance(issue.node, Mapping):
        gone = remove_entry(context.text, issue.node, issue.entry)
        fixes = (Fix(f"remove `{issue.name}`", (gone,), safe=False),) if gone is not None else ()
    strict = context.dialect.properties.strict_keys and issue.shape in _STRICT
    if meant is None and not strict and any(node.anchor for node in walk(issue.entry.value)):
        yield Finding(
            issue.span, f"{message}; agentv passes over it, and what refers to its anchors finds them", severity="hint"
        )
        return
    if camel_case or strict:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv refuses the file", severity="error")
    else:
        yield Finding(issue.span, message, fixes=fixes, consequence="agentv ignores it without a word")
