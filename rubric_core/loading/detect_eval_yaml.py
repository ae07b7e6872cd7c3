"""Detects whether a YAML file is eval YAML: other programs use the same file names.

Ansible, promtool, Venom, helm-unittest and Prometheus have files called `*.test.yaml`, `suite.yaml` or `targets.yaml`,
too. The command line uses this when it walks folders, and the server for opened files.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path, PurePath

from rubric_core.disk import read_beginning
from rubric_core.language.closest_name import closest
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Evaluator
from rubric_core.language.file_kinds import Config
from rubric_core.language.model import Case, Scenario, Suite
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Provider, Target, TargetFile
from rubric_core.language.workspace import Environment, Workspace
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.detect_file_kind import key_names
from rubric_core.loading.family_recognition import are_cases
from rubric_core.loading.files import is_suite_name
from rubric_core.loading.landmarks import HOMES
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["HEAD", "head_is_eval_yaml", "is_eval_yaml", "is_run_results", "text_is_eval_yaml"]

#: Names that only evals use.
_OWN = pattern(r"(?is).*\.eval\.ya?ml\Z")
#: The name of a file with expected scores, which a script of the author reads.
_FIXTURE = pattern(r"(?is).*\.grader-scores\.ya?ml\Z")
#: Markers by which the author declares the file: a comment at the top, or its schema.
_SAID = pattern(r"\A\ufeff?(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*#[ \t]*rubric:|^\$schema:[ \t]*[\"']?agentv-", re.MULTILINE)
#: Of a longer text, only so many characters decide.
HEAD = 8_000
#: Most files show their kind within this many characters, and a walk parses the beginning of each.
_GLANCE = 1_200
#: The number of items examined; one that is still being typed should not decide.
_LOOKED_AT = 50

#: Top-level keys that hardly any other format has.
_OWN_TOP = frozenset({
    "evalcases", "eval_cases", "prompts", "default_test", "derived_metrics", "evaluate_options", "assertions", "evaluators", "input_files",
    "nunjucks_filters", "preprocessors", "provider_prompt_map", "budget_usd", "on_run_complete", "eval_patterns", "guideline_patterns",
    "expected_output",
})  # fmt: skip
#: Keys of items that hardly any other format has: of cases, of targets, and of scenarios.
_OWN_KEYS = frozenset({
    "assert_scoring_function", "assertions", "conversation_id", "criteria", "evaluators", "expected_messages", "expected_outcome",
    "expected_output", "input", "input_files", "input_messages", "reference_answer", "rubrics", "turns",
})  # fmt: skip
_OWN_ENTRY = frozenset({"provider", "use_target", "judge_target", "grader_target", "provider_batching", "settings"})
#: Keys of results, beside their score, in any release of AgentV.
_OF_RESULTS = frozenset({"test_id", "eval_id", "timestamp", "hits", "misses"})
_TOP = (Suite, TargetFile, Config, Workspace, Environment)
_ITEMS = (Case, Scenario, Target, Provider)
#: Shorter words are too common: helm-unittest has `it`.
_TELLING = 4
#: The keys whose lists hold items: cases and targets.
_LISTS = ("tests", "testcases", "evalcases", "eval_cases", "scenarios", "targets", "providers", "target", "graders")


def head_is_eval_yaml(path: Path) -> bool | None:
    """`is_eval_yaml` for the first lines of a file. None for an unreadable file."""
    if _OWN.match(path.name):
        return True
    head = read_beginning(path, HEAD)
    return text_is_eval_yaml(path, head) if head is not None else None


def text_is_eval_yaml(path: PurePath, text: str) -> bool | None:
    """`is_eval_yaml` for the beginning of a text."""
    text = text[:HEAD]
    if not _FIXTURE.match(path.name) and _tells_at_once(text):
        return True
    whole = text if len(text) < HEAD else text[: text.rfind("\n") + 1]
    return is_eval_yaml(path, whole, parse(whole).root)


def _tells_at_once(text: str) -> bool:
    """Whether the first lines have keys of evals: later lines cannot change that, as long as the syntax is valid."""
    tree = parse(text[: text.rfind("\n", 0, _GLANCE) + 1])
    root = tree.root
    if tree.problems or not isinstance(root, Mapping):  # a list may be one of another family's cases
        return False
    items = [item for item in islice(_listed(root), _LOOKED_AT) if isinstance(item, Mapping)]
    return bool(_finished(root) & _OWN_TOP) or any(_finished(item) & (_OWN_KEYS | _OWN_ENTRY) for item in items)


def _finished(node: Mapping) -> frozenset[str]:
    """The keys that another key follows; the next line could still belong to the last one."""
    return frozenset(e.name for e in node.entries[:-1] if e.name is not None) & key_names(node)


def is_eval_yaml(path: PurePath, text: str, root: Node | None, items: Iterable[Node] = ()) -> bool | None:
    """Whether a file is eval YAML; None if that is unknown, as for a file that is only begun.

    Args:
        path: Its path.
        text: Its text, or the beginning.
        root: The root of its tree, or of the text around its items.
        items: The items of its list, if these are not in `root`.
    """
    at_home = path.parent.name in HOMES or path.parent.parent.name in HOMES
    if _OWN.match(path.name) or at_home or _SAID.search(text):
        return True
    if _FIXTURE.match(path.name):
        return False
    several = [*islice(items, _LOOKED_AT), *islice(_listed(root), _LOOKED_AT)]
    mappings = [item for item in several if isinstance(item, Mapping) and key_names(item)]
    if mappings and not isinstance(root, Mapping) and is_suite_name(path.name) and are_cases(mappings):
        # Cases that a file of another family names, which was not found. As a suite the list would be a mistake.
        return False
    top = key_names(root) if isinstance(root, Mapping) else frozenset[str]()
    if top & _OWN_TOP or any(map(_is_ours, mappings)):
        return True
    if mappings:
        return False if any(map(_is_of_others, mappings)) else None
    return False if top and not several and _is_strange(top) else None


def is_run_results(items: Iterable[Node]) -> bool:
    """Whether the lines of a data set are results of a run, such as a baseline: these have cases' keys, and a score."""
    mappings = (item for item in islice(items, _LOOKED_AT) if isinstance(item, Mapping))
    return any("score" in names and names & _OF_RESULTS for names in map(key_names, mappings))


def _listed(root: Node | None) -> Iterator[Node]:
    """The items in a tree: of a bare list, or of one under a key for items."""
    if isinstance(root, Sequence):
        yield from root.items
    elif isinstance(root, Mapping):
        for name in _LISTS:
            value = root.get(name)
            yield from value.items if isinstance(value, Sequence) else [value] if isinstance(value, Mapping) else ()


def _is_ours(item: Mapping) -> bool:
    """Whether an item is a case, a target, a scenario or an evaluator, judging by its keys."""
    names = key_names(item)
    if names & _OWN_KEYS or names & _OWN_ENTRY or names >= {"id", "label"} or names >= {"config", "tests"}:
        return True
    kind = item.get("type")
    if isinstance(kind, Scalar) and kind.text in _types():
        return True
    # Ansible's tasks have `vars` and `assert`, too, but with other keys.
    return bool(names & {"vars", "assert"}) and not _unknown(names, (Case,))


def _is_of_others(item: Mapping) -> bool:
    """Whether an item without keys of evals has keys of another format."""
    names = key_names(item)
    unknown = _unknown(names, _ITEMS)
    return unknown >= 2 or (unknown == 1 and "id" not in names) or isinstance(item.get("assert"), Mapping)


def _is_strange(top: frozenset[str]) -> bool:
    """Whether top-level keys are those of another program, rather than of a suite with one misspelt key."""
    unknown = _unknown(top, _TOP)
    return unknown >= 2 or unknown == len(top)


def _unknown(names: Iterable[str], shapes: tuple[type[Shape], ...]) -> int:
    """The number of keys that no dialect has in such shapes, nor a similar key of sufficient length."""
    known = _known(shapes)
    return sum(n not in known and not (len(n) >= _TELLING and closest(n, known)) for n in names)


@lru_cache(maxsize=3)
def _known(shapes: tuple[type[Shape], ...]) -> tuple[str, ...]:
    # What every dialect that knows it refuses says nothing of whose file this is.
    every = ((name, s) for d in DIALECTS for shape in shapes for name, s in d.table(shape).items())
    return tuple(sorted({name for name, spelling in every if spelling.fate is not SpellingStatus.REJECTED}))


@lru_cache(maxsize=1)
def _types() -> frozenset[str]:
    """The evaluator types of every dialect, except short words that could be a type of anything."""
    every = {name for d in DIALECTS for name in d.types_of(Evaluator)}
    return frozenset(name for name in every if "-" in name or "_" in name)
