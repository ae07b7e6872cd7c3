"""Tools that models may call, in the forms of OpenAI and Anthropic: promptfoo sends them as they are."""

from collections.abc import Iterator

from rubric_core.language.closest_name import closest, is_typo
from rubric_core.language.promptfoo.consequences import ROW_ERRORS
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted, rename_key
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.json_schemas import schema_slips
from rubric_core.validation.rule import Finding, Fix

__all__ = ["tool_faults", "tools_of"]

_FUNCTION = "function"
_OF_FUNCTIONS = ("name", "description", "parameters", "strict")
#: A function beside its type, as OpenAI's responses have it.
_FLAT = ("type", *_OF_FUNCTIONS)
_SCHEMA = "input_schema"
#: What Anthropic reads of a tool.
_OF_ANTHROPIC = (
    "name", "description", _SCHEMA, "type", "cache_control", "strict", "defer_loading", "allowed_callers", "input_examples", "eager_input_streaming",
)  # fmt: skip
#: The schema of a function by other names, without `_` and in lower case.
_CALLED_PARAMETERS = frozenset({"inputschema", "arguments", "params", "args", "schema"})
#: What the services take for a name.
_NAME = pattern(r"[A-Za-z0-9_.:-]{1,128}\Z")
_JSON_FILE = pattern(r"[\w./-]{1,200}\.(?:json|ya?ml|py|[cm]?[jt]s)(?::\w{1,60})?\Z")
_PROGRAM = pattern(r"file://[^:]{1,300}\.(?:py|[cm]?[jt]s)\Z")
_REFUSED = "promptfoo sends the tool as it is; the model refuses it, or does not see this part"


def tools_of(settings: Mapping) -> Iterator[Finding]:
    """The tools in the settings of a provider that has those of OpenAI or Anthropic."""
    node = settings.get("tools")
    if isinstance(node, Mapping) and _is_complete(node):
        yield Finding(node.span, "`tools` is a list", severity="error", consequence=ROW_ERRORS)
    elif isinstance(node, Scalar) and isinstance(node.value, str):
        yield from _file(node)
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping):
            yield from tool_faults(item)


def tool_faults(tool: Mapping) -> Iterator[Finding]:
    """What is wrong with one tool. Tools of other forms, as the services provide some themselves, are not judged."""
    if not _is_complete(tool):
        return
    names, kind = {entry.name or "" for entry in tool.entries}, tool.get("type")
    inner = tool.get(_FUNCTION) or next((e.value for e in tool.entries if is_typo(e.name or "", _FUNCTION)), None)
    is_function = isinstance(kind, Scalar) and kind.text == _FUNCTION
    if isinstance(inner, Mapping):
        yield from _of_chat(tool, inner)
    elif is_function and names.isdisjoint(_OF_FUNCTIONS):
        yield Finding(tool.entries[0].key.span, "this tool needs `function`", severity="warning", consequence=_REFUSED)
    elif is_function:
        yield from _slips(tool, _FLAT, _OF_FUNCTIONS)
        yield from _function(tool, tool, "parameters")
    elif any(name == _SCHEMA or is_typo(name, _SCHEMA) or name == "inputSchema" for name in names):
        yield from _slips(tool, _OF_ANTHROPIC, ("name", "description", _SCHEMA))
        yield from _function(tool, tool, _SCHEMA)
    elif isinstance(kind, Scalar) and is_typo(kind.text, _FUNCTION) and not names.isdisjoint(_OF_FUNCTIONS):
        yield _kind(kind)


def _of_chat(tool: Mapping, function: Mapping) -> Iterator[Finding]:
    """The form of chat completions: a type, and below `function` the function itself."""
    yield from _slips(tool, ("type", _FUNCTION), ("type", _FUNCTION))
    kind = tool.get("type")
    if isinstance(kind, Scalar) and kind.text != _FUNCTION and "{{" not in kind.text:
        yield _kind(kind)
    elif kind is None and not any(_is_slip(entry, "type") for entry in tool.entries):
        at = tool.entries[0].key.span
        yield Finding(at, "this tool needs `type: function`", severity="warning", consequence=_REFUSED)
    for entry in tool.entries:
        if entry.name in _OF_FUNCTIONS and function.get(entry.name) is None:
            words = f"`{entry.name}` of a tool stands under `function`"
            yield Finding(entry.key.span, words, severity="warning", consequence=_REFUSED)
    if _is_complete(function):
        yield from _slips(function, _OF_FUNCTIONS, _OF_FUNCTIONS)
        yield from _function(function, tool, "parameters")


def _function(function: Mapping, tool: Mapping, schema: str) -> Iterator[Finding]:
    """The name of a function, and the schema of what it takes."""
    name = function.get("name")
    if name is None and not any(_is_slip(e, "name") for e in function.entries) and tool.get("name") is None:
        at = (function.entries or tool.entries)[0].key.span
        yield Finding(at, "this tool needs `name`", severity="warning", consequence=_REFUSED)
    if isinstance(name, Scalar) and "{{" not in name.text and not _NAME.match(name.text):
        words = "the name of a tool has letters, digits, `_` and `-` only"
        yield Finding(name.span, words, severity="warning", consequence=_REFUSED)
    node = function.get(schema)
    if isinstance(node, Sequence) or (isinstance(node, Scalar) and node.value is not None and "{{" not in node.text):
        words = f"`{schema}` is a JSON Schema, which is a mapping"
        yield Finding(node.span, words, severity="warning", consequence=_REFUSED)
    elif node is not None:
        yield from (replace(each, severity="warning", consequence=_REFUSED) for each in schema_slips(node))


def _slips(node: Mapping, known: tuple[str, ...], wanted: tuple[str, ...]) -> Iterator[Finding]:
    for entry in node.entries:
        if entry.name in known:
            continue
        meant = next((each for each in wanted if node.get(each) is None and _is_slip(entry, each)), None)
        if meant is not None:
            fixes = (Fix(f"change it to `{meant}`", (rename_key(entry, meant),)),)
            words = f"a tool has no key `{entry.name}` here; did you mean `{meant}`?"
            yield Finding(entry.key.span, words, fixes=fixes, severity="warning", consequence=_REFUSED)


def _is_slip(entry: Entry, known: str) -> bool:
    """Whether a key is a slip of a known one, or what others call the schema."""
    name = entry.name or ""
    plain = name.replace("_", "").lower()
    is_schema = known in ("parameters", _SCHEMA)
    is_called = plain in _CALLED_PARAMETERS or (known == _SCHEMA and plain == "parameters")
    return closest(name, (known,)) is not None or (is_schema and is_called and isinstance(entry.value, Mapping))


def _kind(node: Scalar) -> Finding:
    fixes = (Fix("change it to `function`", (Edit(node.span, quoted(_FUNCTION) if node.is_quoted else _FUNCTION),)),)
    words = f"there are no tools of the type `{node.text}` with a function; did you mean `function`?"
    return Finding(node.span, words, fixes=fixes, severity="warning", consequence=_REFUSED)


def _file(node: Scalar) -> Iterator[Finding]:
    """A path without `file://`, and a program without the name of its function."""
    at = node.span.start + node.is_quoted
    if _JSON_FILE.match(node.text):
        fixes = () if node.is_block else (Fix("write file:// in front", (Edit(Span(at, at), "file://"),)),)
        words = "the path of a file with tools begins with file://"
        yield Finding(node.span, words, fixes=fixes, severity="error", consequence=ROW_ERRORS)
    elif _PROGRAM.match(node.text):
        words = "a program with tools needs the name of its function, as in `file://tools.py:get_tools`"
        yield Finding(node.span, words, severity="error", consequence=ROW_ERRORS)


def _is_complete(node: Node) -> bool:
    """Whether a mapping has entries of its own only."""
    entries = node.entries if isinstance(node, Mapping) else []
    is_whole = all(e.name not in (None, "<<", "$ref") and not isinstance(e.value, Alias) for e in entries)
    return bool(entries) and is_whole
