"""The codes under which there are only checks of promptfoo's files."""

from rubric_core.validation.rule import group

__all__ = ["GROUPS"]

GROUPS = (
    group("duplicate-entry", "warning", "A prompt or provider that is listed twice, or two with one label"),
    group("script-value", "warning", "A script of promptfoo that gives no result"),
    group("table-column", "warning", "A column or cell of a table that promptfoo reads as something else"),
    group("too-few-outputs", "error", "An assertion that compares outputs where there is one"),
    group("unknown-label", "error", "A reference to a prompt or provider that is not configured", about_name=True),
    group("unknown-metric", "warning", "A derived metric that uses a name which no assertion has", about_name=True),
    group("unrendered-template", "warning", "A placeholder that promptfoo leaves in the text"),
    group("unused-variable", "hint", "A variable that nothing uses"),
    group("variable-value", "warning", "A variable that promptfoo reads as something else"),
)
