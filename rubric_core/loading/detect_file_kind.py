"""The kind of a file: by its path and name if they are conclusive, else by its content."""

from collections.abc import Iterable
from pathlib import PurePath

from rubric_core.file_access import Files
from rubric_core.language.file_extensions import DATASETS, PROMPTS, YAML
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.files import absolute, is_suite_name
from rubric_core.loading.landmarks import HOMES
from rubric_core.syntax.tree import Mapping, Node, Scalar

__all__ = ["key_names", "kind_by_content", "kind_by_name", "kind_of"]

_NAMED = pattern(r"(?i)(?P<name>targets|providers)\.ya?ml\Z")
_IN_HOME = {
    "config": FileKind.CONFIG,
    "config.local": FileKind.CONFIG,
    "graders": FileKind.TARGETS,
    "defaults": FileKind.DEFAULTS,
    "tests": FileKind.CASES,
    "default-test": FileKind.DEFAULT_TEST,
}
_SCHEMA = pattern(r"agentv-(eval|targets|config)\b")
_SCHEMAS = {"eval": FileKind.SUITE, "targets": FileKind.TARGETS, "config": FileKind.CONFIG}
_SUITE_KEYS = frozenset({"tests", "evalcases", "eval_cases", "testcases", "prompts", "scenarios"})
_CONFIG_KEYS = frozenset({"eval_patterns", "guideline_patterns", "required_version"})
#: Keys of a workspace, and those that only a workspace has.
_WORKSPACE_KEYS = frozenset({
    "template", "isolation", "mode", "path", "repos", "hooks", "docker", "env", "before_all", "before_each", "after_each", "after_all",
})  # fmt: skip
_WORKSPACE_ONLY = frozenset({"template", "isolation", "repos"})
_CASE_KEYS = frozenset({
    "criteria", "input", "input_messages", "messages", "vars", "assert", "assertions", "expected_output", "expected_outcome", "outcome", "rubrics",
})  # fmt: skip


def kind_of(
    path: PurePath | None, root: Node | None, first: Node | None = None, files: Files | None = None
) -> FileKind:
    """The kind of a file; by default a suite.

    Args:
        path: Its path, if any.
        root: The root of its tree, or of the text around its items.
        first: The first item, if its root is a list.
        files: The files beside it, if these may be read.
    """
    named = kind_by_name(path) if path is not None else None
    if path is None or named not in (None, FileKind.SUITE):
        return named or FileKind.SUITE
    found = kind_by_content(root, first)
    if found is None and path.stem.lower() == "case" and isinstance(root, Mapping):
        return FileKind.CASE
    undecided = named is FileKind.SUITE or found is None
    if undecided and files is not None and _describes_dataset(path, root, files):
        return FileKind.SIDECAR
    if named is FileKind.SUITE:
        # The name of a suite decides unless the file declares another kind by `$schema`.
        return found if found is not None and _schema(root) is not None else FileKind.SUITE
    return found or FileKind.SUITE


def _describes_dataset(path: PurePath, root: Node | None, files: Files) -> bool:
    """Whether a file without cases has a data set of the same name beside it."""
    if not isinstance(root, Mapping) or key_names(root) & _SUITE_KEYS:
        return False
    return any(files.is_file(absolute(path.with_suffix(suffix))) for suffix in DATASETS)


def kind_by_name(path: PurePath) -> FileKind | None:
    """The kind of a file by its name and folder alone, None if these are not conclusive."""
    suffix = path.suffix.lower()
    if suffix in DATASETS:
        return FileKind.DATASET
    if suffix in PROMPTS:
        return FileKind.PROMPT
    if suffix not in YAML:
        return None
    if _NAMED.match(path.name):
        return FileKind.TARGETS
    if path.parent.name in HOMES:
        return _IN_HOME.get(path.stem.lower())
    if path.stem.lower().replace("_", "-") == "default-test":
        return FileKind.DEFAULT_TEST
    if path.parent.name == "templates" and path.parent.parent.name in HOMES:
        return FileKind.TEMPLATE
    return FileKind.SUITE if is_suite_name(path.name) else None


def kind_by_content(root: Node | None, first: Node | None = None) -> FileKind | None:
    """The kind of a file by its content, None if that is not conclusive."""
    if isinstance(root, Mapping):
        marked, told = _schema(root), _by_keys(key_names(root))
        # A file with cases is a suite whatever its marker declares; the marker is then reported.
        cases = told is FileKind.SUITE and not key_names(root) & {"targets", "providers", *_CONFIG_KEYS}
        return told if cases and marked is not None else marked or told
    if isinstance(first, Mapping):
        return _by_item(key_names(first))
    return None


def key_names(node: Mapping) -> frozenset[str]:
    """The keys of a mapping, except one that is still being typed."""
    half_typed = (e for e in node.entries if isinstance(e.value, Scalar) and e.value.style == "hole")
    return frozenset(e.name for e in node.entries if e.name is not None) - {e.name for e in half_typed}


def _schema(root: Node | None) -> FileKind | None:
    value = root.get("$schema") if isinstance(root, Mapping) else None
    found = _SCHEMA.match(value.text) if isinstance(value, Scalar) else None
    return _SCHEMAS[found[1]] if found else None


def _by_keys(names: frozenset[str]) -> FileKind | None:
    if names == {"tests"}:
        return FileKind.CASES
    if names >= {"config", "tests"} and names <= {"config", "tests", "description"}:
        return FileKind.SCENARIOS
    if names & _SUITE_KEYS:
        return FileKind.SUITE
    if names & {"targets", "providers"}:
        return FileKind.TARGETS
    if names & _CONFIG_KEYS:
        return FileKind.CONFIG
    if names in ({"assertions"}, {"assert"}):
        return FileKind.TEMPLATE
    if names & _WORKSPACE_ONLY and names <= _WORKSPACE_KEYS:
        return FileKind.WORKSPACE
    return FileKind.ENVIRONMENT if names >= {"type", "workdir"} else None


def _by_item(names: Iterable[str]) -> FileKind | None:
    names = frozenset(names)
    if "provider" in names or names >= {"id", "label"} or names >= {"name", "settings"}:
        return FileKind.TARGETS
    if names >= {"config", "tests"}:
        return FileKind.SCENARIOS
    if names & _CASE_KEYS:
        return FileKind.CASES
    return FileKind.TEMPLATE if "type" in names and "id" not in names else None
