"""What an unknown key at the top of a promptfoo configuration was meant for, where its spelling alone does not tell."""

from collections.abc import Callable
from types import MappingProxyType

from rubric_core.families.promptfoo.language.case import CaseOptions
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions, RunOptions
from rubric_core.language.shape import KeyMeaning
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence

__all__ = ["block_of_top_key", "meaning_of_top_key"]


_VARIABLE = pattern(r"[A-Z][A-Z0-9_]*\Z")
_SCRIPT = pattern(r".*\.(?:[cm]?[jt]s|py)\Z")


def _is_list(node: Node) -> bool:
    return isinstance(node, Sequence) and all(isinstance(item, Mapping) for item in node.items)


def _is_mapping(node: Node) -> bool:
    return isinstance(node, Mapping)


def _is_text(node: Node | None) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, str)


def _is_number(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, int | float) and not isinstance(node.value, bool)


def _is_environment(node: Node) -> bool:
    return _has_names(node, lambda name: _VARIABLE.match(name) is not None)


def _are_hooks(node: Node) -> bool:
    items = node.items if isinstance(node, Sequence) else []
    return bool(items) and all(isinstance(item, Scalar) and item.text.startswith("file://") for item in items)


def _are_scripts(node: Node) -> bool:
    entries = node.entries if isinstance(node, Mapping) else []
    values = [entry.value for entry in entries]
    return bool(values) and all(isinstance(each, Scalar) and _SCRIPT.match(each.text) is not None for each in values)


def _are_formulas(node: Node) -> bool:
    items = node.items if isinstance(node, Sequence) else []
    return bool(items) and all(
        isinstance(item, Mapping) and item.get("name") is not None and _is_text(item.get("value")) for item in items
    )


def _has_names(node: Node, fits: Callable[[str], bool]) -> bool:
    return isinstance(node, Mapping) and bool(node.entries) and all(fits(entry.name or "") for entry in node.entries)


_RUN_OPTIONS = frozenset(key.name for key in RunOptions.keys.values())
_OF_CASES = frozenset(key.name for key in CaseOptions.keys.values())
_KINDS = CommandLineOptions.flags | CommandLineOptions.counts | CommandLineOptions.texts
_COMMAND_LINE = _KINDS.union(key.name for key in CommandLineOptions.keys.values())

#: Names, in lower case and without `_` and `-`, what their values have to be, and what they mean.
_CALLED: tuple[tuple[str, Callable[[Node], bool], KeyMeaning], ...] = (
    ("asserts assertion assertions defaultassert defaultasserts defaultassertions", _is_list, KeyMeaning("assert", "defaultTest")),
    ("defaultvars defaultvariables globalvars", _is_mapping, KeyMeaning("vars", "defaultTest")),
    ("defaultoptions", _is_mapping, KeyMeaning("options", "defaultTest")),
    ("defaultthreshold", _is_number, KeyMeaning("threshold", "defaultTest")),
    ("envpath envfile dotenv", _is_text, KeyMeaning("envPath", "commandLineOptions")),
    ("concurrency maxconcurrent parallel maxworkers", _is_number, KeyMeaning("maxConcurrency", "evaluateOptions")),
    ("timeout", _is_number, KeyMeaning("timeoutMs", "evaluateOptions")),
    ("repeats repetitions", _is_number, KeyMeaning("repeat", "evaluateOptions")),
    ("passratethreshold passrate minpassrate passthreshold", _is_number, KeyMeaning("PROMPTFOO_PASS_RATE_THRESHOLD", "env")),
    ("environment environmentvariables envvars", _is_environment, KeyMeaning("env")),
    ("options config settings run runoptions eval execution evaluation evalconfig", lambda node: _has_names(node, _RUN_OPTIONS.__contains__), KeyMeaning("evaluateOptions")),
    ("options config settings cli clioptions commandline flags", lambda node: _has_names(node, _COMMAND_LINE.__contains__), KeyMeaning("commandLineOptions")),
    ("hooks", _are_hooks, KeyMeaning("extensions")),
    ("metrics calculatedmetrics", _are_formulas, KeyMeaning("derivedMetrics")),
    ("customfilters templatefilters jinjafilters", _are_scripts, KeyMeaning("nunjucksFilters")),
    ("provider target model llm", _is_text, KeyMeaning("providers")),
    ("name title", _is_text, KeyMeaning("description")),
    ("evaluators graders checks", _is_list, KeyMeaning("assert", "defaultTest")),
)  # fmt: skip
#: Names of variables of all cases, if a prompt uses one of these.
_SHARED = frozenset({"variables", "globals", "inputs"})
_BY_NAME = MappingProxyType({
    name: tuple((fits, meant) for names, fits, meant in _CALLED if name in names.split())
    for name in {name for names, _, _ in _CALLED for name in names.split()}
})  # fmt: skip


def meaning_of_top_key(name: str, value: Node, around: Node | None, text: str) -> KeyMeaning | None:
    """See `Shape.meaning_of`. Prompts in the text use variables."""
    folded = name.replace("_", "").replace("-", "").lower()
    present = {entry.name for entry in around.entries} if isinstance(around, Mapping) else set[str | None]()
    if folded in _SHARED and _has_names(value, lambda each: f"{{{{{each}}}}}" in text or f"{{{{ {each} " in text):
        return KeyMeaning("vars", "defaultTest")
    found = next((meant for fits, meant in _BY_NAME.get(folded, ()) if fits(value)), None)
    if found is None or found.inside:
        return found if found is None or found.meant != name else found._replace(meant="")
    taken = present & ({"providers", "targets"} if found.meant == "providers" else {found.meant})
    return None if taken else found


def block_of_top_key(name: str) -> str:
    """The block that has a key of this name; empty for none. Only for keys that no block beside it has."""
    if name in _KINDS:
        return "commandLineOptions"
    return "defaultTest.options" if name in _OF_CASES else ""
