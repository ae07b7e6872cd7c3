"""wrong-type: a value of another type than the key takes."""

from collections.abc import Iterator

from rubric_core.language.kinds import Boolean, ByNode, Integer, Kind, ListOf, Number, Text
from rubric_core.loading.issues import WrongType
from rubric_core.syntax.edit import quoted, replace_value
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.words import subject

__all__ = ["WRONG_TYPE"]

_YES = {
    "yes": "true",
    "on": "true",
    "y": "true",
    "no": "false",
    "off": "false",
    "n": "false",
    "true": "true",
    "false": "false",
}


@rule("wrong-type", "error", "A value of another type than the key takes")
def WRONG_TYPE(issue: WrongType, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Say what is expected and what was found; rewrite the value where the meaning is plain."""
    fixes = () if issue.borrowed else tuple(_fixes(issue, issue.kind))
    if context.written(issue.span).startswith("{{"):
        # A template that stands bare: YAML reads its braces as a mapping in a mapping.
        line = context.written(context.underlined(issue.span))
        mend = (
            ()
            if issue.borrowed or "\n" in context.written(issue.span)
            else (Fix("put it in quotes", (Edit(issue.span, quoted(line)),)),)
        )
        yield Finding(
            issue.span,
            f"{subject(issue.name)} is a mapping, since YAML reads `{{{{` as one; put the template in quotes",
            fixes=mend,
        )
        return
    if issue.idle:
        words = f"{subject(issue.name)} has no value, which is the same as not writing it"
        yield Finding(issue.span, words, severity="hint", tags=("unnecessary",))
        return
    if issue.name == "vars" and isinstance(issue.node, Scalar) and issue.node.text.startswith("file://"):
        # No release says what it makes of it.
        words = "values from a file are not read here; write `vars` as a mapping"
        yield Finding(issue.span, words, severity="warning")
        return
    yield Finding(issue.span, f"{subject(issue.name)} is {issue.found}; it should be {issue.kind.words()}", fixes=fixes)


def _fixes(issue: WrongType, kind: Kind[object]) -> Iterator[Fix]:
    node = issue.node
    if not isinstance(node, Scalar) or node.anchor or node.style in ("literal", "folded"):
        return
    kinds = kind.branches if isinstance(kind, ByNode) else (kind,)
    value = node.value
    for each in kinds:
        if isinstance(each, Text) and isinstance(value, int | float) and each.refers_to != "type":
            yield Fix("put it in quotes", (replace_value(node, quoted(node.text)),))
        elif isinstance(each, Boolean) and isinstance(value, str) and value.lower() in _YES:
            word = _YES[value.lower()]
            yield Fix(f"write {word}", (replace_value(node, word),))
        elif (
            isinstance(each, Number | Integer)
            and isinstance(value, str)
            and isinstance(resolve(value.strip()), int | float)
            and value.strip()
        ):
            if not isinstance(resolve(value.strip()), bool):
                yield Fix("take it out of the quotes", (replace_value(node, value.strip()),))
        elif (
            isinstance(each, ListOf)
            and isinstance(value, str)
            and isinstance(each.item, Text | ByNode)
            and value.strip()
        ):
            written = quoted(node.text)
            yield Fix("make it a list", (replace_value(node, f"[{written}]"),))
