"""Documentation of keys as Markdown, for hover and completion."""

from rubric_core.analysis import Analysis
from rubric_core.language.cursor_place import history
from rubric_core.language.dialect import Dialect
from rubric_core.language.shape import EXTENSION, Key, Shape
from rubric_lsp.features.family_editor import editor_named

__all__ = ["key_markdown", "summary", "type_markdown"]


def key_markdown(analysis: Analysis, shape: type[Shape], key: Key[object]) -> str:
    """The documentation of a key: its sentence, kind, default, example, and its spellings in other dialects."""
    dialect = analysis.dialect
    name = dialect.spelled(shape, key.field) or key.name
    facts = [key.kind.words()]
    if dialect.demanded(shape, key.field):
        facts.append("required")
    if key.shown_default:
        facts.append(f"default {key.shown_default}")
    lines = [f"**{name}** — {', '.join(facts)}", "", key.doc]
    if key.extension:
        lines += ["", EXTENSION]
    if key.example:
        lines += ["", "```yaml", f"{name}: {key.example}", "```"]
    dialects = analysis.language.related(dialect)
    spelled = history(dialects, shape, key.field)
    if key.extension:
        return "\n".join(lines)
    if len(spelled) > 1:
        lines += ["", "Spelled " + ", ".join(f"`{written}` since {since}" for since, written in spelled) + "."]
    elif spelled and spelled[0][0] != dialects[0].name:
        lines += ["", f"Since {spelled[0][0]}."]
    return "\n".join(lines)


def summary(shape: type[Shape]) -> str:
    """The documentation of the shape in one line, without its name."""
    line = (shape.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return line.partition(": ")[2] or line


def type_markdown(shape: type[Shape], dialect: Dialect) -> str:
    """The documentation of an evaluator type, with its keys."""
    words = f"{summary(shape)}."
    needed = [s.name for s, _ in dialect.fields(shape) if dialect.demanded(shape, s.field) and s.field != "type"]
    own = [s.name for s, k in dialect.fields(shape) if k.field not in Shape.keys and s.name not in needed]
    lines = [words[:1].upper() + words[1:]]
    if needed:
        lines += ["", f"Needs {', '.join(f'`{n}`' for n in needed)}."]
    for fact in editor_named(dialect.properties.engine).type_facts(shape, dialect):
        lines += ["", fact]
    if own:
        lines += ["", f"Takes {', '.join(f'`{n}`' for n in own if n != 'type')}."]
    return "\n".join(lines)
