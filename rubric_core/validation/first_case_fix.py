"""A fix that adds a first case to a suite without cases."""

from rubric_core.language.model import Case, DefaultTest, Suite
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import add_entry, column_of, newline_of
from rubric_core.syntax.tree import Mapping, Node, Scalar, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import FILL_IN, example_of
from rubric_core.validation.rule import Context, Fix

__all__ = ["PROMPTS", "first_case", "has_prompts", "skeleton"]

_VARIABLE = pattern(r"(?<!\$)\{\{-?\s*(?:vars\.)?([A-Za-z_]\w*)\s*-?\}\}")
#: A prompt with the input of a case.
PROMPTS = '["{{ input }}"]'


def first_case(suite: Suite, value: Node | None, name: str, context: Context) -> tuple[Fix, ...]:
    """Add one case to fill in, and a prompt if the suite has none and the case has no input.

    Args:
        suite: The suite.
        value: What stands in the place of its cases; None where not even the key is there.
        name: The key.
        context: Its text, and its dialect.
    """
    node, written = suite.node, skeleton(context, suite)
    prompts = context.dialect.spelled(Suite, "prompts")
    asks = prompts is not None and context.dialect.spelled(Case, "input") is None and not has_prompts(suite)
    if value is None:
        title, key = f"add `{name}: {written}`", name
        if asks and prompts is not None and isinstance(node, Mapping):
            between = ", " if node.flow else _line(node, context)
            key, written = prompts, f"{PROMPTS}{between}{name}: {written}"
        edit = add_entry(context.text, node, key, written) if isinstance(node, Mapping) else None
        return () if edit is None else (Fix(title, (edit,), safe=False),)
    lead = " " if value.span.start == value.span.end and not context.text[: value.span.start].endswith(" ") else ""
    edits = [Edit(value.span, lead + written)]
    entry = next((e for e in node.entries if e.value is value), None) if isinstance(node, Mapping) else None
    if asks and entry is not None and isinstance(node, Mapping):
        at, between = entry.key.whole.start, ", " if node.flow else _line(node, context)
        edits.insert(0, Edit(Span(at, at), f"{prompts}: {PROMPTS}{between}"))
    return (Fix("write a case", tuple(edits), safe=False),)


def _line(node: Mapping, context: Context) -> str:
    return newline_of(context.text) + " " * column_of(context.text, node.entries[0].key.whole.start)


def has_prompts(suite: Suite) -> bool:
    """Whether a suite has prompts, or a default test that may have some."""
    inherited = suite.default_test
    elsewhere = suite.has("default_test") and not isinstance(inherited, DefaultTest)
    return suite.has("prompts") or elsewhere or (isinstance(inherited, DefaultTest) and inherited.has("prompts"))


def skeleton(context: Context, suite: Suite | None = None) -> str:
    """A list with one case to fill in, in the syntax of this dialect, with values for the variables of the suite's prompts."""
    dialect = context.dialect
    keys = {spelling.name: example_of(declared.example) or FILL_IN for spelling, declared in dialect.needed(Case)}
    asked = dialect.spelled(Case, "input") or dialect.spelled(Case, "vars")
    if asked and asked not in keys:
        names = dict.fromkeys(_prompt_variables(suite) if suite is not None else ()) or {"input": None}
        values = ", ".join(f"{name}: {FILL_IN}" for name in names)
        keys[asked] = FILL_IN if dialect.spelled(Case, "input") else f"{{{values}}}"
    criteria = dialect.spelled(Case, "criteria")
    if dialect.properties.strict_keys or not criteria:
        criteria = dialect.spelled(Case, "assertions")
    if criteria and criteria not in keys:
        keys[criteria] = FILL_IN if criteria == dialect.spelled(Case, "criteria") else f"[{FILL_IN}]"
    return "[{" + ", ".join(f"{name}: {value}" for name, value in keys.items()) + "}]"


def _prompt_variables(suite: Suite) -> list[str]:
    """The variables that the prompts of a suite use."""
    place = suite.places.get("prompts")
    nodes = walk(place.node) if place is not None else ()
    return [found[1] for n in nodes if isinstance(n, Scalar) for found in _VARIABLE.finditer(n.text)]
