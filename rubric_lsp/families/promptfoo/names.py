"""Names in promptfoo files: of prompts, providers, variables, metrics, files and targets of `$ref`."""

from collections.abc import Iterator
from typing import Any

from rubric_core.analysis import LocalText
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, CaseSource, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt, Metric
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.listed_entries import path_sign
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.loading.names_in_code import ReadName, names_read
from rubric_core.language.shape import Shape, children
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence, walk
from rubric_core.text import Span
from rubric_lsp.families.promptfoo.table_names import promptfoo_table_names
from rubric_lsp.features.name_occurrence import NameKind, NameOccurrence, scalar_name

__all__ = ["is_name_of", "promptfoo_names"]

#: Top-level keys that promptfoo reads; every other key is a home for anchors and targets of `$ref`.
_READ = frozenset(key.name for field, key in Configuration.keys.items() if field != "assertion_templates")
#: The usual depth of the target of a `$ref`.
_DEEPEST = 4
#: Prefixes of the path of a program.
_PROGRAMS = ("python:", "golang:", "ruby:")
_IN_FORMULA = pattern(r"(?<![\w.])([A-Za-z_]\w*)(?!\w*\s*\()")


def is_name_of(reference: str, name: str) -> bool:
    """Whether a reference matches a label or id: exactly, as `name*`, or as `group` for names `group:…`."""
    if reference.endswith("*"):
        return name.startswith(reference[:-1])
    return reference == name or name.startswith(f"{reference}:")


def promptfoo_names(local: LocalText) -> Iterator[NameOccurrence]:
    """The names in one block of a promptfoo file, except anchors."""
    kind = local.analysis.kind
    if kind.is_table:
        yield from promptfoo_table_names(local.text)
        return
    if kind.is_program:
        for read in names_read(local.text):
            if not read.is_called(local.text):
                yield _in_code(read)
        return
    if kind.is_template:
        yield from _in_template(local.text, Span(0, len(local.text)), local.text)
        return
    for root in local.shapes:
        for shape in children(root):
            if not shape.borrowed:
                yield from _shape_names(shape, local.text)
    root_node = local.tree.root
    if kind is PromptfooFile.VARS and isinstance(root_node, Mapping):
        for entry in root_node.entries:
            yield from scalar_name(entry.key, "variable", defines=True)
    if local.number >= 0 and isinstance(root_node, Sequence):
        for item in root_node.items:
            yield from _path(item)
    for node in walk(root_node):
        if isinstance(node, Scalar):
            yield from _in_scalar(node, local.text)
        elif isinstance(node, Mapping):
            target = node.get("$ref")
            if target is not None:
                yield from scalar_name(target, "pointer", defines=False)
    if local.in_frame and isinstance(root_node, Mapping):
        yield from _targets(root_node)


# -- shapes ---------------------------------------------------------------------------------------------------------------


def _shape_names(shape: Shape, text: str) -> Iterator[NameOccurrence]:
    if isinstance(shape, Configuration):
        yield from _configuration_names(shape)
    elif isinstance(shape, ConfiguredPrompt):
        yield from _word(shape, "label", "prompt", defines=True)
        node = _node(shape, "id")
        path = isinstance(node, Scalar) and bool(path_sign(node.text))
        yield from _path(node) if path else _optional(node, "prompt", defines=True)
    elif isinstance(shape, ConfiguredProvider):
        yield from _word(shape, "label", "provider", defines=True)
        yield from _provider(_node(shape, "id"), defines=True)
        yield from _listed(_node(shape, "prompts"), "prompt")
    elif isinstance(shape, PromptfooCase):
        yield from _case_names(shape)
    elif isinstance(shape, CaseSource):
        yield from _path(_node(shape, "path"))
    elif isinstance(shape, PromptfooScenario):
        yield from _paths(_node(shape, "tests"))
    elif isinstance(shape, CaseOptions):
        yield from _word(shape, "store_output_as", "variable", defines=True)
        yield from _graders(_node(shape, "provider"))
    elif isinstance(shape, Assertion):
        yield from _word(shape, "metric", "metric", defines=True)
        yield from _graders(_node(shape, "provider"))
    elif isinstance(shape, Metric):
        yield from _word(shape, "name", "metric", defines=True)
        node = _node(shape, "value")
        for found in _IN_FORMULA.finditer(text, *node.span) if isinstance(node, Scalar) else ():
            yield NameOccurrence("metric", found[1], Span(*found.span(1)), False, "raw")


def _configuration_names(shape: Configuration) -> Iterator[NameOccurrence]:
    prompts = _node(shape, "prompts")
    if isinstance(prompts, Mapping):  # a path and its label
        for entry in prompts.entries:
            yield from _path(entry.key)
            yield from scalar_name(entry.value, "prompt", defines=True)
    for node in _items(prompts) if not isinstance(prompts, Mapping) else ():
        if isinstance(node, Scalar):
            yield from _path(node) if path_sign(node.text) else scalar_name(node, "prompt", defines=True)
    for field in ("providers", "targets"):
        for node in _items(_node(shape, field)):
            keyed = isinstance(node, Mapping) and len(node.entries) == 1 and isinstance(node.entries[0].value, Mapping)
            if keyed and isinstance(node, Mapping):
                yield from _provider(node.entries[0].key, defines=True)
            yield from _provider(node, defines=True)
    for field in ("tests", "default_test", "scenarios"):
        yield from _paths(_node(shape, field))
    filters = _node(shape, "nunjucks_filters")
    for entry in filters.entries if isinstance(filters, Mapping) else ():
        yield from _path(entry.value)


def _case_names(shape: PromptfooCase) -> Iterator[NameOccurrence]:
    yield from _word(shape, "description", "description", defines=True)
    for field, kind in (("prompts", "prompt"), ("providers", "provider")):
        yield from _listed(_node(shape, field), "prompt" if kind == "prompt" else "provider")
    yield from _provider(_node(shape, "provider"), defines=False)
    given = _node(shape, "vars")
    if isinstance(given, Mapping):
        for entry in given.entries:
            if entry.name not in ("<<", "$ref"):
                yield from scalar_name(entry.key, "variable", defines=True)
    else:
        yield from _paths(given)


def _node(shape: Shape, field: str) -> Node | None:
    """The value of a field; None if it is written elsewhere, behind an alias."""
    place = shape.places.get(field)
    return None if place is None or place.borrowed else place.node


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else [] if node is None else [node]


def _word(shape: Shape, field: str, kind: NameKind, *, defines: bool) -> Iterator[NameOccurrence]:
    node = _node(shape, field)
    if isinstance(node, Scalar) and "{{" not in node.text:
        yield from scalar_name(node, kind, defines=defines)


def _optional(node: Node | None, kind: NameKind, *, defines: bool) -> Iterator[NameOccurrence]:
    """Like `scalar_name`, for an optional value."""
    if node is not None:
        yield from scalar_name(node, kind, defines=defines)


def _listed(node: Node | None, kind: NameKind) -> Iterator[NameOccurrence]:
    for item in _items(node):
        yield from scalar_name(item, kind, defines=False)


def _graders(node: Node | None) -> Iterator[NameOccurrence]:
    """A grader by its id or label, or one for each role."""
    if isinstance(node, Mapping) and node.get("id") is None:
        for entry in node.entries:
            yield from _provider(entry.value, defines=False)
    yield from _provider(node, defines=False)


def _provider(node: Node | None, *, defines: bool) -> Iterator[NameOccurrence]:
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    program = next((p for p in _PROGRAMS if node.text.startswith(p)), "")
    if program and not node.is_block:
        start = node.span.start + node.is_quoted + len(program)
        path = node.text.removeprefix(program)
        yield NameOccurrence("file", path, Span(start, start + len(path)), False, "raw")
    if not node.text.startswith(URL):
        yield from scalar_name(node, "provider", defines=defines)


def _paths(node: Node | None) -> Iterator[NameOccurrence]:
    for item in _items(node):
        yield from _path(item)


def _path(node: Node | None) -> Iterator[NameOccurrence]:
    """A path without `file://`, where only a path fits; other paths are found wherever they are."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or node.text.startswith(URL):
        return
    if "://" not in node.text and "{{" not in node.text:
        yield from scalar_name(node, "file", defines=False)


# -- texts ----------------------------------------------------------------------------------------------------------------


def _in_scalar(node: Scalar, text: str) -> Iterator[NameOccurrence]:
    """Files and variables in a text."""
    if node.text.startswith(URL) and "{{" not in node.text:
        yield from scalar_name(node, "file", defines=False)
        return
    yield from _in_template(text, node.span, node.text)
    # Offsets are those of the text as written; what is there only because of quotes is not meant.
    meant = {each.name for each in names_read(node.text)}
    for each in names_read(text, *node.span) if meant else ():
        if each.name in meant and not each.is_called(text):
            yield _in_code(each)


def _in_code(read: ReadName) -> NameOccurrence:
    return NameOccurrence("variable", read.name, read.span, False, "taken" if read.is_taken else "raw")


def _in_template(text: str, within: Span, meant: str) -> Iterator[NameOccurrence]:
    """The variables of a template as written; those that are there only because of quotes are not in `meant`."""
    if "{{" not in meant and "{%" not in meant:
        return
    written = text[within.start : within.end]
    names = {used.name for used in names_in(meant)}
    for used in names_in(written):
        if used.name in names:
            yield NameOccurrence("variable", used.name, used.span.moved(within.start), False, "raw")


# -- what a `$ref` leads to -----------------------------------------------------------------------------------------------


def _targets(root: Mapping) -> Iterator[NameOccurrence]:
    """Keys in the homes of anchors and `$ref` targets by their pointers, and variables merged from there."""
    for entry in root.entries:
        if entry.name is not None and entry.name not in _READ:
            yield from _below(entry.value, f"#/{_escaped(entry.name)}", 1)
            for node in walk(entry.value):
                if isinstance(node, Mapping) and node.get("type") is not None:  # an assertion that others refer to
                    yield from _optional(node.get("metric"), "metric", defines=True)
                    yield from _graders(node.get("provider"))


def _below(node: Node, pointer: str, depth: int) -> Iterator[NameOccurrence]:
    if not isinstance(node, Mapping):
        return
    has_values = all(isinstance(e.value, Scalar | Sequence) for e in node.entries)
    if node.anchor is not None and has_values and node.get("type") is None and node.get("id") is None:
        for entry in node.entries:
            yield from scalar_name(entry.key, "variable", defines=True)
    for entry in node.entries:
        if entry.name is not None and isinstance(entry.key, Scalar):
            inner = f"{pointer}/{_escaped(entry.name)}"
            for name in scalar_name(entry.key, "pointer", defines=True):
                yield NameOccurrence("pointer", inner, name.span, True, name.style)
            if depth < _DEEPEST:
                yield from _below(entry.value, inner, depth + 1)


def _escaped(name: Any) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")
