"""Entries of `prompts` that are no prompts, or of which nothing is left."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.provider_settings import slips_of_settings
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt
from rubric_core.families.promptfoo.language.consequences import STOPS
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import PathLikePrompt
from rubric_core.syntax.edit import column_of, newline_of, quoted, replace_value
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import add_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["is_sentence", "lacks_its_text"]


#: The longest text that is offered as the label of a prompt.
_LONGEST_LABEL = 60
_NAME = pattern(r"[A-Za-z][\w-]{0,60}\Z")


@checks("promptfoo/prompt-entry", "invalid-value")
def prompt_entries(shape: Configuration, context: Context) -> Iterator[Finding]:
    """An entry of `prompts` that is empty or a mapping by mistake, or lacks its text, file or label."""
    listed = shape.node.entry("prompts") if isinstance(shape.node, Mapping) else None
    if listed is None:
        return
    if isinstance(listed.value, Scalar):
        if not listed.value.text.strip() or (listed.value.value is None and listed.value.style != "hole"):
            yield Finding(
                listed.key.span, "there is no prompt", severity="warning",
                consequence="promptfoo sends the variable `prompt`, or nothing",
            )  # fmt: skip
        return
    if isinstance(listed.value, Mapping) and not listed.value.entries:
        yield Finding(listed.value.span, "there is no prompt", consequence=STOPS)
    yield from _items(listed.value, context)


def _items(node: Node, context: Context) -> Iterator[Finding]:
    items = node.items if isinstance(node, Sequence) else []
    if items and all(isinstance(item, Scalar) and not item.text.strip() for item in items):
        yield Finding(node.span, "every prompt is empty", consequence=STOPS)
    else:
        for each in items:
            if isinstance(each, Scalar) and each.value is not None and not each.text.strip():
                yield Finding(
                    each.span, "this prompt is empty", severity="warning", consequence="promptfoo sends nothing"
                )
    for item in items:
        if isinstance(item, Mapping):
            yield from _mapping(item, context)
            yield from slips_of_settings(item.get("config"))


def _mapping(node: Mapping, context: Context) -> Iterator[Finding]:
    """A mapping that is a sentence with a colon or braces, or lacks required keys of a prompt."""
    present = {entry.name for entry in node.entries}
    if is_sentence(node):
        braces = context.text.startswith("{{", node.span.start)
        why = "since YAML reads `{{` as one" if braces else f"since YAML reads `{node.entries[0].name}` as a key"
        yield Finding(
            node.span, f"this prompt is a mapping, {why}; put it in quotes", fixes=_quoted(node, context), consequence=STOPS,
        )  # fmt: skip
    elif lacks_its_text(node) and _has_known_keys_only(node):
        yield Finding(node.span, "a prompt needs `raw`, its text, or `id`, its file", consequence=STOPS)
    elif "raw" in present:
        if not present & {"id", "label", "display", "$ref"}:
            yield _unlabelled(node, node.get("raw"), "a prompt with `raw` needs a `label`", context)
    elif "function" not in present and "label" in present and _is_name(node.get("id")):
        at = node.get("id")
        words = "this id is no file, so it is the text of the prompt; write the text as `raw`"
        yield Finding(
            at.span if at is not None else node.span, words, severity="warning", consequence="promptfoo sends it"
        )
    elif not present & {"function", "label", "display", "$ref"} and _has_known_keys_only(node):
        yield _unlabelled(node, node.get("id"), "a prompt with `id` and no `raw` needs a `label`", context)


def _is_name(node: Node | None) -> bool:
    """Whether an id is one word without an extension, which is neither a file nor a text to send."""
    return isinstance(node, Scalar) and isinstance(node.value, str) and _NAME.match(node.text) is not None


def _unlabelled(node: Mapping, named: Node | None, words: str, context: Context) -> Finding:
    """A prompt that is run without a label in one of two ways; without one its label is its text or file."""
    is_short = isinstance(named, Scalar) and not named.is_block and len(named.text) <= _LONGEST_LABEL
    written = context.written(named.span) if is_short and named is not None else ""
    return Finding(
        node.span, words, severity="warning",
        fixes=add_key_fix(node, "label", written, context) if written and "\n" not in written else (),
        consequence="`promptfoo eval -c FILE` and `promptfoo validate` stop; `promptfoo eval` in its folder runs it",
    )  # fmt: skip


def _known() -> frozenset[str]:
    return frozenset(key.name for key in ConfiguredPrompt.keys.values())


def _has_known_keys_only(node: Mapping) -> bool:
    known = _known()
    return all(entry.name in known for entry in node.entries)


def lacks_its_text(node: Node | None) -> bool:
    """Whether a mapping among the prompts has neither a text nor a file."""
    if not isinstance(node, Mapping) or any(entry.name in ("<<", "$ref") for entry in node.entries):
        return False
    return all(node.get(key) is None for key in ("raw", "id", "function"))


def is_sentence(node: Node | None) -> bool:
    """Whether a mapping was meant as the text of a prompt: `Say: {{name}}`, or `{{name}}`."""
    if not isinstance(node, Mapping) or len(node.entries) != 1 or not lacks_its_text(node):
        return False
    entry = node.entries[0]
    return entry.name is None or entry.name not in _known()


def _quoted(node: Mapping, context: Context) -> tuple[Fix, ...]:
    written = context.written(node.span).rstrip()
    if "\n" in written:
        return ()
    at = Span(node.span.start, node.span.start + len(written))
    return (Fix("put it in quotes", (Edit(at, quoted(written)),)),)


@checks("promptfoo/prompt-as-path", "prompt-path")
def prompt_as_path(prompt: PathLikePrompt, context: Context) -> Iterator[Finding]:
    """A prompt on one line that promptfoo takes for the path of a file."""
    at = prompt.node.whole.start
    column = column_of(context.text, at)
    line = context.text[at - column : at]
    own = line.strip() in ("-", "prompts:") and prompt.node.whole.start == prompt.node.span.start
    blanks = " " * (len(line) - len(line.lstrip()) + 2)
    block = f"|{newline_of(context.text)}{blanks}{prompt.node.text}"
    rest = context.text[prompt.node.span.end :].partition("\n")[0].strip()
    fits = own and not rest and "\n" not in context.written(prompt.node.span) and prompt.node.text[:1] not in " \t"
    fixes = (Fix("write it as a block", (replace_value(prompt.node, block),)),) if fits and not prompt.borrowed else ()
    yield Finding(
        prompt.span, f"promptfoo takes this prompt for the path of a file, because it {prompt.sign}; write it as a block behind `|`",
        fixes=fixes, severity="error", consequence="promptfoo stops: there is no such file",
    )  # fmt: skip
