"""`$ref` in a configuration of promptfoo that leads nowhere: promptfoo stops (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo.consequences import STOPS
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Finding, Fix

__all__ = ["lost_pointers"]

#: Lists of cases are not all in the text around them.
_LISTS = ("tests", "scenarios")


def lost_pointers(suite: PromptfooSuite) -> Iterator[Finding]:
    """Every `$ref` into the configuration itself whose target is not there."""
    root = suite.configuration.node
    if not isinstance(root, Mapping):
        return
    for placed, told in suite.digest.pointing:
        for node in told.pointers:
            if node.text[:1] == "#" and node.text[1:2] not in ("", "/"):
                written = f"#/{node.text[1:]}"
                fix = Fix(f"change it to `{written}`", (Edit(placed.outer(node.span), quoted(written)),), safe=False)
                words = f"`{node.text}` is no pointer: write `{written}`"
                yield Finding(placed.outer(node.span), words, fixes=(fix,), consequence=STOPS)
                continue
            lost = _lost(node.text, root)
            if lost is None:
                continue
            at, siblings = lost
            parts = node.text.split("/")
            name = closest(parts[at], siblings)
            meant = "/".join([*parts[:at], name, *parts[at + 1 :]]) if name else ""
            if _lost(meant, root) is not None:
                meant = ""
            fixes = (Fix(f"change it to `{meant}`", (Edit(placed.outer(node.span), quoted(meant)),)),) if meant else ()
            yield Finding(
                placed.outer(node.span), f"there is nothing at `{node.text}`" + (f"; did you mean `{meant}`?" if meant else ""),
                fixes=fixes, consequence=STOPS,
            )  # fmt: skip


def _lost(pointer: str, root: Mapping) -> tuple[int, tuple[str, ...]] | None:
    """Which part of a pointer is not there, and the names beside it; None if it leads somewhere, or that cannot be told."""
    parts = pointer.split("/")
    if parts[0] != "#" or len(parts) < 2 or parts[1] in _LISTS or "{{" in pointer or "%" in pointer:
        return None
    node: Node | None = root
    for at, part in enumerate(parts[1:], 1):
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.target if isinstance(node, Alias) else node
        if isinstance(node, Sequence):
            node = node.items[int(name)] if name.isdecimal() and int(name) < len(node.items) else None
            if node is None:
                return at, ()
        elif isinstance(node, Mapping):
            names = tuple(entry.name for entry in node.entries if entry.name is not None)
            if name not in names:
                return None if "<<" in names or "$ref" in names else (at, names)
            node = node.get(name)
        elif isinstance(node, Scalar):
            return at, ()
        else:
            return None
    return None
