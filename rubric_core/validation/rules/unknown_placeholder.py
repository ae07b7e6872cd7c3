"""unknown-placeholder: a word in braces in the command of a target that nothing is put in for."""

import re
from collections.abc import Iterator

from rubric_core.language.providers import Cli
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import closest, names

__all__ = ["UNKNOWN_PLACEHOLDER"]

# ${HOME} is the shell's.
_PLACEHOLDER = pattern(r"(?<!\$)(?<!\{)\{([A-Za-z][A-Za-z_]*)\}(?!\})")


@rule("unknown-placeholder", "error", "An unknown placeholder in a command")
def UNKNOWN_PLACEHOLDER(target: Cli, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """The case gets into a command through `{PROMPT}` and a few others."""
    yield from _check(target, "command", context.dialect.properties.placeholders, context)
    yield from _check(target, "files_format", ("path", "basename"), context)


def _check(target: Cli, field: str, known: tuple[str, ...], context: Context) -> Iterator[Finding]:
    place = target.places.get(field)
    if place is None or place.borrowed or not known:
        return
    nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
    for node in nodes:
        if isinstance(node, Scalar):
            for found in _PLACEHOLDER.finditer(context.text, *node.span):
                if found[1] not in known and (field != "command" or found[1].isupper() or found[1].upper() in known):
                    meant = found[1].upper() if found[1].upper() in known else closest(found[1], known)
                    yield _finding(found, meant, known)


def _finding(found: "re.Match[str]", meant: str | None, known: tuple[str, ...]) -> Finding:
    advice = f"did you mean `{{{meant}}}`?" if meant else f"there are {names([f'{{{k}}}' for k in known])}"
    fixes = (Fix(f"change it to `{{{meant}}}`", (Edit(Span(*found.span(1)), meant),)),) if meant else ()
    return Finding(
        Span(*found.span()),
        f"`{found[0]}` is not a placeholder; {advice}",
        fixes=fixes,
        consequence="agentv rejects the file",
    )
