"""The outline of promptfoo files: prompts, providers, default test, cases, scenarios."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.assertion import Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import PartialCase, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.language.shape import Shape
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Span
from rubric_lsp.features.symbol import Symbol, SymbolKind, short_title

__all__ = ["promptfoo_symbols"]

#: How many variables identify a case without a description.
_SHOWN = 3


def promptfoo_symbols(shape: Shape) -> Iterator[Symbol]:
    """The entries of one outermost shape of a block; none for a shape of another language."""
    if isinstance(shape, PromptfooCase):
        yield _case(shape)
    elif isinstance(shape, PromptfooScenario):
        yield _scenario(shape)
    elif isinstance(shape, Configuration):
        yield from _listed(shape, "prompts", "prompt")
        yield from _listed(shape, "providers", "provider")
        yield from _listed(shape, "targets", "provider")
        if isinstance(shape.default_test, PartialCase):
            found = _field_symbol(shape, "default_test", "group", tuple(_assertions(shape.default_test)))
            yield from (found,) if found is not None else ()
        for each in shape.tests if isinstance(shape.tests, list) else ():
            if isinstance(each, PromptfooCase):
                yield _case(each)
        inner = [_scenario(s) for s in shape.scenarios or () if isinstance(s, PromptfooScenario)]
        found = _field_symbol(shape, "scenarios", "group", tuple(inner)) if inner else None
        yield from (found,) if found is not None else ()


def _field_symbol(shape: Shape, field: str, kind: SymbolKind, children: tuple[Symbol, ...]) -> Symbol | None:
    """The entry of a key; None if its value is written elsewhere."""
    place = shape.places.get(field)
    if place is None or place.borrowed:
        return None
    end = max([place.key.end, place.node.whole.end, *(each.span.end for each in children)])
    return Symbol(place.name, kind, Span(place.key.start, end), place.key, children=children)


def _listed(shape: Configuration, field: str, kind: SymbolKind) -> Iterator[Symbol]:
    place = shape.places.get(field)
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Mapping):
        inner = [
            Symbol(e.name or "", kind, Span(e.key.span.start, _end(e.value)), e.key.span)
            for e in node.entries
            if e.name
        ]
    else:
        items = node.items if isinstance(node, Sequence) else [node] if node is not None else []
        inner = [found for item in items if (found := _entry(item, kind)) is not None]
    found = _field_symbol(shape, field, "group", tuple(inner))
    if found is not None:
        yield found


def _entry(node: Node, kind: SymbolKind) -> Symbol | None:
    """A prompt or provider: by its label, else by its id or text."""
    detail = ""
    named: Node | None = node
    if isinstance(node, Mapping):
        keyed = node.entries[0] if len(node.entries) == 1 and isinstance(node.entries[0].value, Mapping) else None
        inner = keyed.value if keyed is not None and isinstance(keyed.value, Mapping) else node
        words = [inner.get(name) for name in ("label", "id", "raw")]
        if keyed is not None:
            words.insert(1, keyed.key)
        found = [word for word in words if isinstance(word, Scalar) and word.text.strip()]
        named = found[0] if found else None
        detail = short_title(found[1].text) if len(found) > 1 else ""
    if not isinstance(named, Scalar) or not named.text.strip():
        return None
    return Symbol(
        short_title(named.text), kind, Span(node.span.start, max(_end(node), named.span.end)), named.span, detail
    )


def _case(case: PromptfooCase) -> Symbol:
    place = case.places.get("description")
    told = case.description
    own = isinstance(told, str) and bool(told.strip()) and place is not None and not place.borrowed
    variables = _variables(case)
    name = short_title(str(told)) if own else variables or "case without description"
    at = place.value if own and place is not None else Span(case.span.start, case.span.start)
    return _symbol(case, name, "case", at, variables if own else "", tuple(_assertions(case)))


def _variables(case: PromptfooCase) -> str:
    """The variables of a case in one line."""
    place = case.places.get("vars")
    node = place.node if place is not None else None
    if isinstance(node, Scalar):
        return short_title(node.text)
    entries = node.entries[:_SHOWN] if isinstance(node, Mapping) else []
    words = (f"{e.name}: {e.value.text if isinstance(e.value, Scalar) else '…'}" for e in entries if e.name)
    return short_title(", ".join(words))


def _scenario(scenario: PromptfooScenario) -> Symbol:
    told = scenario.description
    name = short_title(told) if isinstance(told, str) and told.strip() else "scenario"
    inner = [_case(c) for c in scenario.tests or () if isinstance(c, PromptfooCase)]
    return _symbol(scenario, name, "group", Span(scenario.span.start, scenario.span.start), "", tuple(inner))


def _assertions(holder: PromptfooCase | AssertionSet) -> Iterator[Symbol]:
    for each in holder.assertions if isinstance(holder.assertions, list) else ():
        if isinstance(each, Assertion) and not each.borrowed:
            children = tuple(_assertions(each)) if isinstance(each, AssertionSet) else ()
            name = each.metric if isinstance(each.metric, str) and each.metric else each.type_name
            place = each.places.get("metric" if name != each.type_name else "type")
            at = place.value if place is not None and not place.borrowed else Span(each.span.start, each.span.start)
            yield _symbol(each, name or "assertion", "evaluator", at, _detail(each, name), children)


def _detail(check: Assertion, name: str) -> str:
    """The text that an assertion looks for."""
    told = check.value if isinstance(check.value, str | int | float) and not isinstance(check.value, bool) else ""
    words = [check.type_name] if name != check.type_name else []
    return short_title(": ".join([*words, str(told)] if str(told).strip() else words))


def _symbol(shape: Shape, name: str, kind: SymbolKind, at: Span, detail: str, children: tuple[Symbol, ...]) -> Symbol:
    whole = shape.span if shape.node is None or shape.borrowed else shape.node.whole
    spans = [whole, at, *(each.span for each in children)]
    span = Span(min(each.start for each in spans), max(each.end for each in spans))
    return Symbol(name, kind, span, at, detail, children)


def _end(node: Node) -> int:
    return max(node.whole.end, node.span.end)
