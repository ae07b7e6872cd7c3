"""Values that are only known when a suite runs: `${{ NAME }}` from the environment, `{{ name }}` from the case's `vars`."""

import json
import re
from collections.abc import Callable, Collection
from collections.abc import Mapping as MappingOf
from typing import Any

from rubric_core.evaluation.model.template_filters import TemplateFilters
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.scoring.json_path import MISSING, at_path
from rubric_core.evaluation.templating.nunjucks import TemplateError, Templates
from rubric_core.language.dialect import Dialect
from rubric_core.sandbox.process import Sandbox
from rubric_core.syntax.plain_data import MOST_NODES
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Span

__all__ = ["Interpolation", "names_read", "node_of", "with_values"]

#: A text in quotes within a reference.
_QUOTED = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", re.DOTALL)
_PATH = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])*")
_UNKNOWN: Any = object()


class Interpolation:
    """Fills in references in copies of nodes; nodes without any are returned unchanged.

    Args:
        dialect: Determines the forms of references.
        environment: Only the referenced variables are read.
        variables: The `vars` of the case.
        place_of: The place of a span, for messages: `suite.eval.yaml:7`.
        anchors: The targets of aliases.
        sandbox: Renders templates; without one, they stay unchanged.
        filters: The suite's template filters.
        empties: Whether a name without a value is replaced by nothing where there are `variables`; otherwise it is left
            unchanged.
        kept: Names that are left unchanged all the same: those of judges' prompts.
    """

    def __init__(
        self,
        dialect: Dialect,
        environment: MappingOf[str, str],
        variables: MappingOf[str, Any],
        place_of: Callable[[Span], str],
        anchors: MappingOf[str, Node] | None = None,
        sandbox: Sandbox | None = None,
        filters: TemplateFilters | None = None,
        *,
        empties: bool = False,
        kept: Collection[str] = (),
    ) -> None:
        patterns = dialect.properties.interpolation
        self._pattern = re.compile("|".join(f"(?:{p})" for p in patterns)) if patterns else None
        self._environment = environment
        self._variables = variables
        self._place_of = place_of
        self._empties, self._kept = empties and bool(variables), kept
        self._anchors = anchors or {}
        self._following: list[str] = []
        #: The remaining number of nodes until aliases are too many to follow.
        self._left = MOST_NODES
        self._everywhere = dialect.properties.variable_keys is None
        self._templates = self._emptying = None
        if dialect.properties.nunjucks:
            self._templates = Templates(variables, environment, sandbox, filters)
        if dialect.properties.nunjucks and self._empties:
            self._emptying = Templates(variables, environment, sandbox, filters, is_plain=True)

    def node(self, node: Node) -> Node:
        """`node` with its references filled in. Raises Unscored for a variable that is not set, and for too many aliases."""
        if self._pattern is None:
            return node
        self._left -= 1
        if isinstance(node, Scalar):
            return self._scalar(node)
        if isinstance(node, Alias):
            return self._behind(node)
        if isinstance(node, Sequence):
            items = [self.node(item) for item in node.items]
            return node if all(a is b for a, b in zip(items, node.items, strict=True)) else _sequence(node, items)
        if isinstance(node, Mapping):
            values = [self.node(entry.value) for entry in node.entries]
            same = all(value is entry.value for value, entry in zip(values, node.entries, strict=True))
            return (
                node if same else _mapping(node, [Entry(e.key, v) for e, v in zip(node.entries, values, strict=True)])
            )
        return node

    def _behind(self, alias: Alias) -> Node:
        """The target of an alias with its references filled in; the alias itself if there are none."""
        target = alias.target or self._anchors.get(alias.name)
        if target is None or alias.recursive or alias.name in self._following:
            return alias
        if self._left < 0:
            raise Unscored(f"its aliases stand for more than {MOST_NODES:,} values ({self._place_of(alias.span)})")
        self._following.append(alias.name)
        try:
            filled = self.node(target)
        finally:
            self._following.pop()
        return alias if filled is target else filled

    def _scalar(self, node: Scalar) -> Node:
        if self._templates is not None and "{%" in node.text:
            made = self._rendered(node.text, node)
            if made is not None:
                return Scalar(node.span, node.whole, node.anchor, node.tag, made, "double")
        if self._pattern is None or "{{" not in node.text:
            return node
        written = node.text.strip()
        if self._pattern.fullmatch(written) is not None and _is_one(written):
            value = self._value(written, node)
            return node if value is _UNKNOWN else node_of(value, node)
        text = self._pattern.sub(lambda m: self._text(m[0], node), node.text)
        return node if text == node.text else Scalar(node.span, node.whole, node.anchor, node.tag, text, "double")

    def _text(self, reference: str, node: Scalar) -> str:
        value = self._value(reference, node)
        if value is _UNKNOWN:
            return reference
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def _value(self, reference: str, node: Scalar) -> Any:
        name = _name_in(reference)
        if reference.startswith("$") or (name.startswith("env.") and _PATH.fullmatch(name)):
            variable = name.removeprefix("env.")
            if variable not in self._environment:
                raise Unscored(f"the environment variable {variable} is not set ({self._place_of(node.span)})")
            return (
                _coerced(self._environment[variable]) if reference == node.text.strip() else self._environment[variable]
            )
        if _PATH.fullmatch(name):
            value = at_path(dict(self._variables), name.removeprefix("vars.") if self._everywhere else name)
            if value is MISSING:
                return "" if self._empties and name not in self._kept else _UNKNOWN
            return value
        made = self._rendered(reference, node)
        return _UNKNOWN if made is None else made

    def _rendered(self, template: str, node: Scalar) -> str | None:
        """A template, filled in; None if it is left unchanged."""
        kept = any(re.search(rf"\b{re.escape(name)}\b", template) for name in self._kept)
        templates = self._templates if kept or self._emptying is None else self._emptying
        if templates is None:
            return None
        try:
            return templates.text(template)
        except TemplateError as error:
            raise Unscored(f"{error} ({self._place_of(node.span)})") from None


def _is_one(text: str) -> bool:
    """Whether a text in braces is one reference, and not two with words between them."""
    end = _end_of_first(text)
    return end is None or "{{" not in text[end:]


def _end_of_first(text: str) -> int | None:
    """The end of the first reference of a text that begins with one; braces in quotes do not end it.

    A quote that is not closed before the last braces is an ordinary character, and so are later quotes of its kind,
    which are not closed either: none is examined twice.
    """
    last, quotes, at = text.rfind("}}"), {'"', "'"}, len("${{" if text.startswith("$") else "{{")
    while at <= last:
        if text[at] in quotes:
            quoted = _QUOTED.match(text, at)
            if quoted and quoted.end() <= last:
                at = quoted.end()
                continue
            quotes.discard(text[at])
        if text.startswith("}}", at):
            return at + len("}}")
        at += 1
    return None


def _name_in(reference: str) -> str:
    """The text between the braces; empty for a reference without braces."""
    text = reference.removeprefix("$")
    if len(text) < len("{{}}") or not (text.startswith("{{") and text.endswith("}}")):
        return ""
    return text[2:-2].removeprefix("-").removesuffix("-").strip()


def names_read(node: Node, dialect: Dialect, anchors: MappingOf[str, Node]) -> frozenset[str] | None:
    """The names of the values of a case that references in a node read; None if they may read anything."""
    patterns, nunjucks = dialect.properties.interpolation, dialect.properties.nunjucks
    if not patterns:
        return frozenset()
    pattern = re.compile("|".join(f"(?:{p})" for p in patterns))
    names, waiting, seen = set[str](), [node], set[int]()
    while waiting:
        each = waiting.pop()
        if isinstance(each, Sequence):
            waiting += each.items
        elif isinstance(each, Mapping):
            waiting += (entry.value for entry in each.entries)
        elif isinstance(each, Alias):
            target = each.target or anchors.get(each.name)
            if target is not None and id(target) not in seen:
                seen.add(id(target))
                waiting.append(target)
        elif isinstance(each, Scalar):
            if nunjucks and "{%" in each.text:
                return None
            for reference in _references(each.text, pattern):
                name = _name_in(reference)
                if reference.startswith("$") or (name.startswith("env.") and _PATH.fullmatch(name)):
                    continue
                if _PATH.fullmatch(name):
                    names |= {
                        re.split(r"[.\[]", written, maxsplit=1)[0] for written in (name, name.removeprefix("vars."))
                    }
                elif nunjucks:
                    return None
        else:
            return None
    return frozenset(names)


def _references(text: str, pattern: re.Pattern[str]) -> set[str]:
    """The references of a text: of one that is a reference as a whole, also that."""
    if "{{" not in text:
        return set()
    whole = text.strip()
    return {found[0] for found in pattern.finditer(text)} | ({whole} if pattern.fullmatch(whole) else set())


def with_values(node: Node, keys: Collection[str] | None, values: Interpolation, environment: Interpolation) -> Node:
    """A case, or a suite, with its references filled in: those to values of the case below `keys` only, if these are limited."""
    if keys is None:
        return values.node(node)
    if isinstance(node, Sequence):
        items = [with_values(item, keys, values, environment) for item in node.items]
        return node if all(a is b for a, b in zip(items, node.items, strict=True)) else _sequence(node, items)
    if not isinstance(node, Mapping):
        return environment.node(node)
    filled = [_entry(entry, keys, values, environment) for entry in node.entries]
    same = all(a is b for a, b in zip(filled, node.entries, strict=True))
    return node if same else _mapping(node, filled)


def _entry(entry: Entry, keys: Collection[str], values: Interpolation, environment: Interpolation) -> Entry:
    if entry.name not in keys:
        value = environment.node(entry.value)
    elif entry.name == "turns":
        value = with_values(entry.value, keys, values, environment)
    else:
        value = values.node(entry.value)
    return entry if value is entry.value else Entry(entry.key, value)


def _coerced(text: str) -> Any:
    """A variable that is a whole value may be a number or a truth value."""
    if text in ("true", "false"):
        return text == "true"
    return json.loads(text) if re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?", text) else text


def node_of(value: Any, at: Node) -> Node:
    """Plain data as nodes at the position of `at`."""
    if isinstance(value, list):
        made = Sequence(at.span, at.whole, at.anchor, None, True)
        made.items = [node_of(item, at) for item in value]
        return made
    if isinstance(value, dict):
        mapping = Mapping(at.span, at.whole, at.anchor, None, True)
        mapping.entries = [Entry(node_of(str(name), at), node_of(item, at)) for name, item in value.items()]
        return mapping
    if isinstance(value, str):
        return Scalar(at.span, at.whole, at.anchor, None, value, "double")
    return Scalar(at.span, at.whole, at.anchor, None, json.dumps(value), "plain")


def _sequence(node: Sequence, items: list[Node]) -> Sequence:
    made = Sequence(node.span, node.whole, node.anchor, node.tag, node.flow)
    made.items = items
    return made


def _mapping(node: Mapping, entries: list[Entry]) -> Mapping:
    made = Mapping(node.span, node.whole, node.anchor, node.tag, node.flow)
    made.entries = entries
    return made
