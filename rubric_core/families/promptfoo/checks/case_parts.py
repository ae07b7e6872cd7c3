"""Parts of a promptfoo case that rules look at: variables, assertions, options, pointers, code and sources of metrics."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from rubric_core.families.promptfoo.language.assertion import Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.graded_assertions import JavaScriptCode, PythonCode
from rubric_core.families.promptfoo.loading.names_in_code import ReadName, names_read
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import FieldPlace, children
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk

__all__ = [
    "CodeVariables",
    "are_variable_files",
    "assertions_of",
    "code_variables",
    "graders_in",
    "may_give_metrics",
    "misspells",
    "options_of",
    "pointers_in",
    "pointers_of_items",
    "rendered_nodes",
    "value_nodes",
    "variable_nodes",
    "words_of_scripts",
]

#: The fields of an assertion and of the options of a case that contain JavaScript.
_TRANSFORMS = ("transform", "context_transform", "postprocess")
_WORD = pattern(r"[A-Za-z_]\w*")
#: What gives metrics in the result of a script, or may.
_NAMED_SCORES = pattern(r"named_?[Ss]cores|\.\.\.|\*\*|\b(?:import|require|eval|exec)\b|\.py\b|\.[cm]?js\b")


def variable_nodes(case: PromptfooCase) -> dict[str, Node]:
    """The variables of a case by name, merged ones included, each with the node of its value."""
    place = case.places.get("vars")
    node = (place.meant or place.node) if place is not None else None
    if not isinstance(node, Mapping):
        return {}
    written = {e.name: e.value for e in node.entries if e.name is not None}
    if isinstance(case.vars, dict):
        for name in case.vars:
            written.setdefault(name, node)
    written.pop("<<", None)
    return written


def assertions_of(case: PromptfooCase) -> Iterator[Assertion]:
    """The assertions of a case, those in sets included."""
    listed: Any = case.assertions
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, Assertion):
            yield each
            if isinstance(each, AssertionSet):
                yield from (inner for inner in children(each)[1:] if isinstance(inner, Assertion))


def options_of(case: PromptfooCase | None) -> CaseOptions | None:
    """The options of a case, if they are a mapping."""
    found = case.options if case is not None else None
    return found if isinstance(found, CaseOptions) else None


def are_variable_files(variables: Node) -> bool:
    """Whether `vars` is the path of a file of variables, or a list of them."""
    nodes = variables.items if isinstance(variables, Sequence) else [variables]
    return bool(nodes) and all(
        isinstance(node, Scalar) and node.text.endswith((".yaml", ".yml", ".json")) and "://" not in node.text
        for node in nodes
    )


def graders_in(options: CaseOptions | None, checks: tuple[Assertion, ...]) -> Iterator[tuple[Assertion | None, Scalar]]:
    """The graders that are named by a plain string, each with its assertion; None for the grader of the case."""
    own: Assertion | None = None
    for shape in (options, *checks):
        place = shape.places.get("provider") if shape is not None else None
        if (
            place is not None
            and not place.borrowed
            and isinstance(place.node, Scalar)
            and isinstance(place.node.value, str)
        ):
            own = shape if isinstance(shape, Assertion) else None
            if place.node.text.strip():
                yield own, place.node


def rendered_nodes(check: Assertion) -> Iterator[Scalar]:
    """The texts of an assertion in which variables are filled in."""
    for field in ("value", "metric"):
        place = check.places.get(field)
        if place is None or place.borrowed or check.borrowed:
            continue
        nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
        yield from (n for n in nodes if isinstance(n, Scalar) and "{" in n.text and not n.text.startswith("file://"))


def value_nodes(checks: tuple[Assertion, ...], kinds: tuple[type[Assertion], ...]) -> Iterator[Scalar]:
    """The texts under `value` of assertions of some kinds."""
    places = (check.places.get("value") for check in checks if isinstance(check, kinds) and not check.borrowed)
    nodes = (place.node for place in places if place is not None and not place.borrowed)
    yield from (node for node in nodes if isinstance(node, Scalar) and isinstance(node.value, str))


#: Keys with lists whose entries promptfoo does not take lists for.
_LISTS = frozenset({"assert", "providers", "targets", "tests"})


def pointers_in(node: Node | None) -> Iterator[Scalar]:
    """The targets of every `$ref` below a node."""
    for each in walk(node) if node is not None else ():
        target = each.get("$ref") if isinstance(each, Mapping) else None
        if isinstance(target, Scalar) and isinstance(target.value, str):
            yield target


def pointers_of_items(node: Node | None) -> Iterator[Scalar]:
    """Those that stand for one entry of a list: for a test, a provider, or an assertion."""
    for each in walk(node) if node is not None else ():
        for entry in each.entries if isinstance(each, Mapping) else ():
            listed = entry.value if entry.name in _LISTS else None
            for item in listed.items if isinstance(listed, Sequence) else ():
                target = item.get("$ref") if isinstance(item, Mapping) else None
                if isinstance(target, Scalar):
                    yield target


def misspells(node: Node | None, key: str) -> bool:
    """Whether a mapping has a misspelt key, or none, in place of `key`: that is reported, and its value counts once it is fixed."""
    names = [entry.name or "" for entry in node.entries] if isinstance(node, Mapping) else []
    return key not in names and any(not name or closest(name, (key,)) for name in names)


class CodeVariables(NamedTuple):
    """The variables that one piece of code reads."""

    names: tuple[ReadName, ...]
    is_python: bool


def code_variables(case: PromptfooCase, checks: Collection[Assertion], text: str) -> Iterator[CodeVariables]:
    """What the code that is written in a case itself reads, for code that reads anything; `text` is that of its block."""
    for node, is_python in _code_in(case, checks):
        names = tuple(names_read(text, *node.span))
        if names:
            yield CodeVariables(names, is_python)


def _code_in(case: PromptfooCase, checks: Collection[Assertion]) -> Iterator[tuple[Scalar, bool]]:
    """The code in assertions and transforms, and whether it is Python."""
    own = [check for check in checks if not check.borrowed]
    places: list[tuple[FieldPlace | None, bool]] = [
        (check.places.get("value"), isinstance(check, PythonCode))
        for check in own
        if isinstance(check, JavaScriptCode | PythonCode)
    ]
    for shape in (*own, options_of(case)):
        places += [(shape.places.get(field), False) for field in _TRANSFORMS if shape is not None]
    for place, is_python in places:
        node = place.node if place is not None and not place.borrowed else None
        if isinstance(node, Scalar) and not node.text.startswith(("file://", "package:")):
            yield node, is_python


def may_give_metrics(check: Assertion) -> bool:
    """Whether an assertion may give metrics that the text does not name."""
    kind, code = check.type_name.removeprefix("not-"), str(check.value)
    scripted = kind == "webhook" or (
        kind in ("javascript", "python", "ruby") and _NAMED_SCORES.search(code) is not None
    )
    return scripted or "{{" in str(check.metric) or code.startswith(("file://", "package:"))


def words_of_scripts(checks: Collection[Assertion]) -> frozenset[str]:
    """The words of scripts that give metrics, and of their variables: each may name one."""
    scripts = [check.value for check in checks if isinstance(check.value, str) and "namedScores" in check.value]
    return frozenset(word for script in scripts for word in _WORD.findall(script))
