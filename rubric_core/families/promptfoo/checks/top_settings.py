"""Settings at the top of a promptfoo configuration that are of another kind, or name a program that is not found."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, checks

_REJECTED = "`promptfoo validate` rejects the configuration; a run goes on without it"
#: Settings that are mappings, and those of them that may be true or false as well.
_MAPPINGS, _OR_FLAGS = ("tags", "metadata", "tracing", "sharing"), ("sharing",)
#: The path of a script beside the configuration: promptfoo strips the folder and searches for a program.
_BESIDE = pattern(r"(?:exec:[ \t]{0,9}\./|file://(?:\./)?|\./)(?P<name>[\w.-]+\.(?:sh|bash|pl|rb))(?P<rest>[ \t].*)?\Z")
_SHELLS = (".sh", ".bash")


@checks("promptfoo/top-setting", "invalid-value")
def top_settings(shape: Configuration) -> Iterator[Finding]:
    """A setting at the top of the wrong type, an extension without file://, or a script that is not found."""
    if not isinstance(shape.node, Mapping):
        return
    for name in _MAPPINGS:
        value = shape.node.get(name)
        is_flag = isinstance(value, Scalar) and isinstance(value.value, bool) and name in _OR_FLAGS
        if value is None or isinstance(value, Mapping | Alias) or is_flag or _is_open(value):
            continue
        words = f"`{name}` is a mapping" + (", true or false" if name in _OR_FLAGS else "")
        yield Finding(value.span, words, severity="warning", consequence=_REJECTED)
    tags = shape.node.get("tags")
    for entry in tags.entries if isinstance(tags, Mapping) else ():
        value = entry.value
        if isinstance(value, Scalar) and value.value is not None and not isinstance(value.value, str):
            fixes = (Fix("put it in quotes", (Edit(value.span, quoted(value.text)),)),)
            yield Finding(
                value.span, "a tag is text: write it in quotes", fixes=fixes, severity="warning", consequence=_REJECTED
            )
    yield from _extensions(shape.node.get("extensions"))
    listed = shape.node.get("prompts")
    for node in listed.items if isinstance(listed, Sequence) else [listed]:
        text = node.get("id") if isinstance(node, Mapping) and node.get("raw") is None else node
        if isinstance(text, Scalar) and isinstance(text.value, str) and not text.is_block:
            yield from _script(text)


def _is_open(node: Node) -> bool:
    """Whether the value is empty, or only known at run time."""
    return isinstance(node, Scalar) and (not node.text.strip() or node.value is None or "{{" in node.text)


def _extensions(node: Node | None) -> Iterator[Finding]:
    for item in node.items if isinstance(node, Sequence) else []:
        if not isinstance(item, Scalar) or not isinstance(item.value, str) or _is_open(item):
            continue
        if not item.text.startswith(("file://", "package:")):
            at = item.span.start + item.is_quoted
            fixes = (
                () if item.is_block else (Fix("write file:// in front", (Edit(Span(at, at), "file://"),), safe=False),)
            )
            yield Finding(item.span, "an extension is a file that begins with file://", fixes=fixes, consequence=STOPS)


def _script(node: Scalar) -> Iterator[Finding]:
    found = _BESIDE.match(node.text)
    if found is None:
        return
    fixes: tuple[Fix, ...] = ()
    if found["name"].endswith(_SHELLS):
        written = f"exec:sh ./{found['name']}{found['rest'] or ''}"
        edit = Edit(node.span, quoted(written) if node.is_quoted else written)
        fixes = (Fix(f"write `{written}`", (edit,), safe=False),)
    words = f"run in this folder, promptfoo looks for `{found['name']}` among the programs of the PATH only"
    consequence = f"{ROW_ERRORS}; run from another folder it finds the script"
    yield Finding(node.span, words, fixes=fixes, severity="warning", consequence=consequence)
