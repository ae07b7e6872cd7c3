"""Recognises configurations of promptfoo, whose language is similar to that of agentv-5.

A key that agentv-5 spells in snake_case is spelled in camelCase there: taken for a mistake and renamed, it loses its
effect without a message, and an assertion in `defaultTest` is no longer run. So this is decided before anything is
reported.
"""

import re
from functools import lru_cache
from pathlib import PurePath
from typing import Any, ClassVar

from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.detect_file_kind import key_names
from rubric_core.loading.family_recognition import FamilyRecognition
from rubric_core.loading.files import is_suite_name
from rubric_core.loading.landmarks import HOMES
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["RECOGNITION", "is_promptfoo_name", "may_be_promptfoo_name"]

_PROMPTFOO = pattern(r"(?is)promptfooconfig(?:[.\-_].*)?(?<!\.recordings)\.(?:ya?ml|json)\Z")
_NO_RECORDINGS = pattern(r"(?is).*(?<!\.recordings)\.ya?ml\Z")
_AGENTV_NAME = pattern(r"(?is).*\.eval\.ya?ml\Z")
#: The number of characters that are searched for a comment with a schema.
_TOP_OF_FILE = 2_000
#: A key without which a file is not even parsed for detection.
_A_KEY = pattern(r"^[\"']?(?:prompts|providers|targets|tests|scenarios|defaultTest|redteam)[\"']?[ \t]*:", re.MULTILINE)
#: What a configuration has whose name says nothing.
_PROMPTS = pattern(r"^[\"']?prompts[\"']?[ \t]*:", re.MULTILINE)
#: Top-level keys that only promptfoo has.
_TOP = frozenset({
    "defaultTest", "evaluateOptions", "commandLineOptions", "derivedMetrics", "nunjucksFilters", "outputPath", "writeLatestResults", "redteam",
})  # fmt: skip
#: Keys that promptfoo and AgentV share; any other key of AgentV speaks for AgentV.
_SHARED_TOP = frozenset(
    {"description", "tags", "prompts", "providers", "targets", "tests", "scenarios", "env", "extensions", "metadata"}
)
#: How many keys of AgentV the comment with promptfoo's schema outweighs, and itself.
_SCHEMA_WEIGHS = 3
#: A configuration has keys for prompts and providers. AgentV's files with these keys have names of suites.
_ASKED = frozenset({"prompts", "providers", "targets", "tests", "scenarios"})
_MODELS = frozenset({"prompts", "providers"})
_CASES = frozenset({"tests", "scenarios"})
_SHARED_CASE = frozenset(
    {"description", "vars", "provider", "providers", "prompts", "assert", "threshold", "metadata", "options"}
)
#: The keys of its cases.
_CASE = _SHARED_CASE | {"providerOutput", "assertScoringFunction"}


def is_promptfoo_name(name: str) -> bool:
    """Whether promptfoo, or its users, call a configuration that: `promptfooconfig.yaml`, `promptfooconfig.support.json`."""
    return _PROMPTFOO.match(name) is not None


def may_be_promptfoo_name(name: str) -> bool:
    """Whether that may be a configuration of promptfoo: `promptfoo.yaml`, `support.promptfoo.yml`. A workflow is called so, too."""
    if is_promptfoo_name(name):
        return True
    return "promptfoo" in name.lower() and _NO_RECORDINGS.match(name) is not None and not is_suite_name(name)


class _PromptfooRecognition(FamilyRecognition):
    """Its configurations; every other file of promptfoo is known by the one that names it."""

    files: ClassVar[str] = "configurations of promptfoo"
    stated: ClassVar[FileKind] = PromptfooFile.CONFIGURATION

    def has_own_name(self, name: str) -> bool:
        """See `FamilyRecognition.has_own_name`."""
        return is_promptfoo_name(name)

    def may_have_own_name(self, name: str) -> bool:
        """See `FamilyRecognition.may_have_own_name`."""
        return may_be_promptfoo_name(name)

    def may_begin(self, head: str) -> bool:
        """See `FamilyRecognition.may_begin`."""
        return _A_KEY.search(head) is not None

    def begins(self, head: str) -> bool:
        """See `FamilyRecognition.begins`."""
        return _PROMPTS.search(head) is not None or _names_schema(head)

    def kind(self, path: PurePath | None, head: str, root: Node | None, first: Node | None) -> FileKind | None:
        """See `FamilyRecognition.kind`."""
        return PromptfooFile.CONFIGURATION if _is_configuration(path, head, root, first) else None

    def is_case(self, item: Mapping) -> bool:
        """See `FamilyRecognition.is_case`: it has variables, while AgentV's cases have an id, and an input or turns."""
        names = key_names(item)
        return "vars" in names and names <= _CASE


RECOGNITION = _PromptfooRecognition()


def _is_configuration(path: PurePath | None, head: str, root: Node | None, first: Node | None) -> bool:
    """Whether a file is promptfoo's, by its name, its schema comment, or its exclusive keys."""
    agentv_name = path is not None and _AGENTV_NAME.match(path.name) is not None
    named = path is not None and is_promptfoo_name(path.name)
    if named and not agentv_name:
        return True
    case = first if first is not None else _first(root.get("tests")) if isinstance(root, Mapping) else None
    # A key of the cases weighs more: it stands in each of them.
    of_cases = _only_of_agentv(case, Case)
    foreign = _only_of_agentv(root, Suite) + 2 * of_cases
    if agentv_name:
        return not foreign and (named or _names_schema(head[:_TOP_OF_FILE]))
    names = key_names(root) if isinstance(root, Mapping) else frozenset[str]()
    said = _SCHEMA_WEIGHS * _names_schema(head[:_TOP_OF_FILE])
    if isinstance(root, Mapping) and path is not None:
        said += _called_otherwise(path, names)
    signs = said + len(names & _TOP)
    if not foreign or not signs:
        return bool(signs)
    # A key of AgentV may be one that its author misplaced or took for promptfoo's. AgentV's suites have variables, too.
    if said:
        signs += _names_backends(root) + (not of_cases and isinstance(case, Mapping) and "vars" in key_names(case))
    return signs > foreign


def _called_otherwise(path: PurePath, names: frozenset[str]) -> int:
    """How much the name of a file with keys that AgentV has, too, says that it is a promptfoo configuration.

    AgentV finds suites by certain names only; promptfoo reads a file of any name that its command line gives.
    """
    if is_suite_name(path.name) or path.parent.name in HOMES:
        return 0
    if may_be_promptfoo_name(path.name):
        return 2 * bool(names & _ASKED)
    return int(names >= _MODELS and bool(names & _CASES))


def _only_of_agentv(node: Node | None, shape: Any) -> int:  # mypy takes no class for hashable
    """The number of keys of a mapping that AgentV has and promptfoo has not."""
    return len(key_names(node) & _only_agentv(shape)) if isinstance(node, Mapping) else 0


def _names_backends(root: Node | None) -> bool:
    """Whether providers are texts such as `openai:gpt-5-mini`, as promptfoo's often are."""
    listed = root.get("providers") if isinstance(root, Mapping) else None
    items = listed.items if isinstance(listed, Sequence) else [listed]
    return any(isinstance(item, Scalar) and (":" in item.text or item.text == "echo") for item in items)


def _names_schema(head: str) -> bool:
    """Whether a comment names the schema of promptfoo."""
    if "promptfoo" not in head:
        return False
    comments = (line for line in head.removeprefix("\ufeff").splitlines() if line.startswith("#"))
    return any("promptfoo" in line.partition("$schema")[2] for line in comments)


def _first(node: Node | None) -> Node | None:
    return node.items[0] if isinstance(node, Sequence) and node.items else None


@lru_cache(maxsize=2)
def _only_agentv(shape: type[Shape]) -> frozenset[str]:
    """The keys that some dialect of AgentV has in a shape, and promptfoo has not."""
    shared = (_SHARED_TOP if shape is Suite else _SHARED_CASE) | _TOP
    return frozenset(name for dialect in DIALECTS for name in dialect.table(shape)) - shared
