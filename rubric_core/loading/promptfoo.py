"""Whether a YAML file is a configuration of promptfoo, whose language is close to that of agentv-5 and is not the same.

A key that agentv-5 spells in snake_case is spelled in camelCase there: taken for a mistake and renamed, it loses its effect without
a message, and an assertion in `defaultTest` is no longer run. So this is decided before anything is reported.
"""

from functools import lru_cache
from pathlib import PurePath
from typing import Any

from rubric_core.language.dialects import DIALECTS
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.file_kind import key_names
from rubric_core.loading.files import is_promptfoo_name
from rubric_core.syntax.tree import Mapping, Node, Sequence

__all__ = ["is_promptfoo_file"]

_AGENTV_NAME = pattern(r"(?is).*\.eval\.ya?ml\Z")
#: Characters in which a comment with a schema is looked for.
_TOP_OF_FILE = 2_000
#: Keys at the top that only promptfoo has.
_TOP = frozenset({
    "defaultTest", "evaluateOptions", "commandLineOptions", "derivedMetrics", "nunjucksFilters", "outputPath", "writeLatestResults", "redteam",
})  # fmt: skip
#: Keys that promptfoo and agentv share; every other key of agentv tells that a file is agentv's.
_SHARED_TOP = frozenset(
    {"description", "tags", "prompts", "providers", "targets", "tests", "scenarios", "env", "extensions", "metadata"}
)
_SHARED_CASE = frozenset(
    {"description", "vars", "provider", "providers", "prompts", "assert", "threshold", "metadata", "options"}
)


def is_promptfoo_file(path: PurePath | None, head: str, root: Node | None, first: Node | None) -> bool:
    """Whether a file is promptfoo's, by its name, its schema comment, or keys that nothing else has.

    Args:
        path: Where it is, if it is anywhere.
        head: The beginning of its text.
        root: The root of its tree, or of what stands around its cases.
        first: Its first case.
    """
    agentv_name = path is not None and _AGENTV_NAME.match(path.name) is not None
    named = path is not None and is_promptfoo_name(path.name)
    if named and not agentv_name:
        return True
    case = first if first is not None else _first(root.get("tests")) if isinstance(root, Mapping) else None
    if _has_only_agentv(root, Suite) or _has_only_agentv(case, Case):
        return False
    if named or _names_schema(head[:_TOP_OF_FILE]):
        return True
    return isinstance(root, Mapping) and not agentv_name and bool(key_names(root) & _TOP)


def _has_only_agentv(node: Node | None, shape: Any) -> bool:  # mypy takes no class for hashable
    """Whether a mapping has a key that agentv has and promptfoo has not."""
    return isinstance(node, Mapping) and bool(key_names(node) & _only_agentv(shape))


def _names_schema(head: str) -> bool:
    """Whether a comment names the schema of promptfoo."""
    comments = (line for line in head.removeprefix("\ufeff").splitlines() if line.startswith("#"))
    return any("promptfoo" in line.partition("$schema")[2] for line in comments)


def _first(node: Node | None) -> Node | None:
    return node.items[0] if isinstance(node, Sequence) and node.items else None


@lru_cache(maxsize=2)
def _only_agentv(shape: type[Shape]) -> frozenset[str]:
    """The keys that some dialect of agentv has in a shape, and promptfoo has not."""
    shared = (_SHARED_TOP if shape is Suite else _SHARED_CASE) | _TOP
    return frozenset(name for dialect in DIALECTS for name in dialect.table(shape)) - shared
