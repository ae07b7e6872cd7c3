"""Rewrites a repository with `source`, `checkout` and `clone` into one with `repo` and `commit`."""

from collections.abc import Iterator

from rubric_core.language.workspace import Repo
from rubric_core.syntax.edit import column_of, newline_of
from rubric_core.syntax.tree import Entry, Mapping
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Fix

__all__ = ["as_address"]

#: For each block, the repository key that replaces each of its keys; a key without one is redundant.
_NAMES = {
    "source": {"type": "", "url": "repo"},
    "checkout": {"ref": "commit", "base_commit": "base_commit", "ancestor": "ancestor"},
    "clone": {"sparse": "sparse"},
}


def as_address(repo: Repo, context: Context) -> Iterator[Fix]:
    """Rewrite all three blocks at once, if each setting has a counterpart: no release reads a half-converted repository."""
    node = repo.node
    if not isinstance(node, Mapping) or repo.borrowed or repo.unread:
        return
    edits: list[Edit] = []
    for entry in node.entries:
        if entry.name in _NAMES:
            written = _as_repository_keys(node, entry, context)
            if not written:
                return
            line = newline_of(context.text) + " " * column_of(context.text, entry.key.span.start)
            edits.append(Edit(entry.span, (", " if node.flow else line).join(written)))
    names = [edit.new_text.split(":", 1)[0] for edit in edits]
    if "repo" in names and node.get("repo") is None:
        yield Fix("write `repo` and `commit`" if "commit" in names else "write `repo`", tuple(edits), safe=False)


def _as_repository_keys(repo: Mapping, entry: Entry, context: Context) -> list[str]:
    """The keys of a block as keys of the repository; nothing if one of them does not belong there."""
    block, written = entry.value, list[str]()
    for inner in block.entries if isinstance(block, Mapping) and not block.anchor else ():
        name, value = _NAMES[entry.name or ""].get(inner.name or ""), context.written(inner.value.whole)
        if name is None or "\n" in value or "\r" in value or repo.get(name) is not None:
            return []
        written += [f"{name}: {value}"] if name else []
    return written
