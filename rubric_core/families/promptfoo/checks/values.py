"""Values of variables that promptfoo reads differently from how they are written."""

import re
from collections.abc import Iterator

from rubric_core.families.promptfoo.language.case import CaseOptions, PartialCase, PromptfooCase
from rubric_core.families.promptfoo.language.catalogue import VariablesFile
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import quoted, remove_entry, rename_key
from rubric_core.syntax.tree import Alias, Entry, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.move_fixes import beside_fix
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["are_options", "is_date", "rewritten_number", "stands_below_vars"]

#: A scalar that js-yaml reads as a date.
_DATE = pattern(
    r"\d{4}-\d\d-\d\d\Z|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?\Z"
)
#: Numbers that are rendered differently from how they are written.
_REWRITTEN = pattern(
    r"[-+]?0\d+\Z|0[xo][0-9a-fA-F]+\Z|[-+]?(?:\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d+\Z|[-+]?\d+\.\d*0\Z|\+\d"
)
_KEYS = frozenset(key.name for key in PromptfooCase.keys.values())
_OPTIONS = frozenset(key.name for key in CaseOptions.keys.values())
_OPTIONS_ONLY = frozenset(name for name in _OPTIONS if name == "transform" or not name.islower())
_FILE = "file://"
#: What is written for the merge key by a slip.
_NEARLY_MERGE = ("<", "<<<", ">>")
#: A variable whose value follows its colon without a space; the drive of a Windows path has one letter.
_NO_BLANK = pattern(r"[A-Za-z_]\w{1,60}:(?=[^\s/\\])")
_REJECTED = "`promptfoo validate` rejects the configuration; a run fills in nothing"


@checks("promptfoo/variable-value", "variable-value", "warning")
def variable_values(shape: PromptfooCase, context: Context) -> Iterator[Finding]:
    """A value of `vars` that is not filled in as it is written, or a key of the case among `vars` or `metadata`."""
    yield from _in_metadata(shape, context)
    place = shape.places.get("vars")
    if place is None or place.borrowed:
        return
    node = place.node
    if isinstance(shape, PartialCase) and isinstance(node, Scalar) and isinstance(node.value, str):
        words = "`vars` of `defaultTest`, and of a round of a scenario, is a mapping; promptfoo reads no file here"
        yield Finding(node.span, words, consequence="promptfoo makes a variable of each letter")
        return
    if isinstance(node, Sequence):
        yield from _list_of_maps(node)
        if not node.items:
            yield Finding(node.span, "`vars` is a mapping, or a list of files", consequence=_REJECTED)
        for item in node.items:
            if isinstance(item, Scalar) and isinstance(item.value, str):
                yield from _path(item)
    elif isinstance(node, Scalar) and isinstance(node.value, str):
        yield from _path(node)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            if entry.name in _NEARLY_MERGE and isinstance(entry.value, Alias):
                yield _nearly_merged(entry)
            elif entry.name == "assert" and isinstance(entry.value, Sequence | Alias):
                yield Finding(
                    entry.key.span, "`assert` is a variable here; assertions stand beside `vars`",
                    fixes=beside_fix(shape.node, "vars", entry, context),
                    consequence="promptfoo warns, and runs the case without these assertions",
                )  # fmt: skip
            elif entry.name == "options" and not shape.has("options") and are_options(entry.value):
                yield Finding(
                    entry.key.span, "`options` is a variable here; the options of a case stand beside `vars`",
                    fixes=beside_fix(shape.node, "vars", entry, context),
                    consequence="promptfoo runs the case without these options",
                )  # fmt: skip
            if isinstance(entry.value, Scalar) and entry.value.style == "plain" and entry.name not in (None, "$ref"):
                yield from _value(entry.name or "", entry.value, node, context)


def are_options(node: Node) -> bool:
    """Whether a mapping consists of options of cases, and has one whose name means nothing else."""
    names = {entry.name for entry in node.entries} if isinstance(node, Mapping) else set()
    return names <= _OPTIONS and not names.isdisjoint(_OPTIONS_ONLY)


@checks("promptfoo/variable-value", "variable-value", "warning")
def values_in_file(shape: VariablesFile, context: Context) -> Iterator[Finding]:
    """Findings about a file that `vars` names: the variables stand at its top."""
    node = shape.node
    if not isinstance(node, Mapping):
        return
    wrapped = node.entry("vars") if len(node.entries) == 1 else None
    if wrapped is not None and isinstance(wrapped.value, Mapping):
        yield Finding(
            wrapped.key.span, "the variables stand at the top of this file, not under `vars`",
            consequence="promptfoo makes one variable `vars` of them; those that the prompts use stay empty",
        )  # fmt: skip
        return
    for entry in node.entries:
        if isinstance(entry.value, Scalar) and entry.value.style == "plain" and entry.name not in (None, "$ref"):
            yield from _value(entry.name or "", entry.value, node, context)


def _nearly_merged(entry: Entry) -> Finding:
    """`<: *name`, which is a variable."""
    fixes = (Fix("write `<<`", (rename_key(entry, "<<"),)),)
    words = f"`{entry.name}` is a variable here; variables of another mapping are merged with `<<`"
    return Finding(entry.key.span, words, fixes=fixes, consequence="the variables that the prompts use stay empty")


def stands_below_vars(node: Node | None, entry: Entry) -> bool:
    """Whether an unknown key of a case follows an empty `vars`: a variable that is not indented far enough."""
    if not isinstance(node, Mapping):
        return False
    below = False
    for each in node.entries:
        if each is entry:
            return below
        if each.name == "vars":
            below = isinstance(each.value, Scalar) and each.value.empty
        else:
            below = below and each.name not in _KEYS
    return False


def _in_metadata(shape: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Assertions among the metadata of a case without any, which are indented too far."""
    place = shape.places.get("metadata")
    node = place.node if place is not None and not place.borrowed and not shape.has("assertions") else None
    entry = node.entry("assert") if isinstance(node, Mapping) else None
    if entry is not None and isinstance(entry.value, Sequence | Alias):
        yield Finding(
            entry.key.span, "`assert` is metadata here; assertions stand beside `metadata`",
            fixes=beside_fix(shape.node, "metadata", entry, context),
            consequence="promptfoo runs the case without these assertions",
        )  # fmt: skip


def is_date(node: Node | None) -> bool:
    """Whether YAML reads a value as a date."""
    plain = isinstance(node, Scalar) and node.style == "plain" and node.tag is None
    return isinstance(node, Scalar) and plain and _DATE.match(node.text) is not None


def _value(name: str, node: Scalar, vars_: Mapping, context: Context) -> Iterator[Finding]:
    if is_date(node):
        in_quotes = (Fix(f"write {quoted(node.text)}", (Edit(node.span, quoted(node.text)),)),)
        yield Finding(
            node.span,
            "promptfoo reads this as a date; write it in quotes",
            fixes=in_quotes,
            consequence="`[object Object]` is filled in",
        )
    elif node.value is None and node.text.strip():
        yield Finding(
            node.span, 'promptfoo accepts no null as a variable; write ""',
            fixes=(Fix('write ""', (Edit(node.span, '""'),), safe=False),), consequence=_REJECTED,
        )  # fmt: skip
    elif node.value is None:
        entry = vars_.entry(name)
        edit = remove_entry(context.text, vars_, entry) if entry is not None else None
        fixes = (Fix(f"remove `{name}`", (edit,), safe=False),) if edit is not None else ()
        empty = (Fix('write ""', (Edit(Span(node.span.start, node.span.start), ' ""'),), safe=False),)
        yield Finding(
            vars_.entries[0].key.span if entry is None else entry.key.span, f"`{name}` has no value",
            fixes=(*empty, *fixes) if entry is not None and entry.value.span.start > entry.key.span.end else fixes,
            consequence=_REJECTED,
        )  # fmt: skip
    else:
        yield from rewritten_number(node, "fills in")


def rewritten_number(node: Scalar, does: str) -> Iterator[Finding]:
    """A number that promptfoo writes differently, where a text is needed; `does` is what it does with it."""
    is_number = isinstance(node.value, int | float) and not isinstance(node.value, bool) and node.style == "plain"
    if not is_number or not isinstance(node.value, int | float) or _as_number(node.value) == node.text:
        return
    if _REWRITTEN.match(node.text):
        fix = Fix(f"write {quoted(node.text)}", (Edit(node.span, quoted(node.text)),), safe=False)
        words = f"promptfoo {does} {_as_number(node.value)}, not {node.text}; write text in quotes"
        yield Finding(node.span, words, fixes=(fix,), severity="hint")


def _as_number(value: float) -> str:
    """The number as JavaScript prints it."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 10**21 else repr(value)


def _list_of_maps(node: Sequence) -> Iterator[Finding]:
    wrong = next((item for item in node.items if isinstance(item, Mapping)), None)
    if wrong is not None:
        yield Finding(
            wrong.span, "a list under `vars` is a list of files; variables are one mapping",
            severity="error", consequence="promptfoo stops with a TypeError",
        )  # fmt: skip


def _path(node: Scalar) -> Iterator[Finding]:
    text = node.text.strip()
    if text.startswith(_FILE):
        at = node.span.start + node.is_quoted
        fixes = () if node.is_block else (Fix("remove file://", (Edit(Span(at, at + len(_FILE)), ""),)),)
        yield Finding(
            node.span, "the path of a file under `vars` is written without file://", fixes=fixes,
            consequence="promptfoo finds no file and runs the case without variables",
        )  # fmt: skip
    elif found := _NO_BLANK.match(text):
        at = node.span.start + node.is_quoted + len(found[0])
        fixes = (
            () if node.is_quoted or node.is_block else (Fix("put a blank after the colon", (Edit(Span(at, at), " "),)),)
        )
        yield Finding(
            node.span, f"`{found[0]}` is a variable only with a blank after its colon", fixes=fixes,
            consequence="promptfoo runs the case without variables",
        )  # fmt: skip
    elif not text.endswith((".yaml", ".yml", ".json")) and "*" not in text and "{{" not in text and not _is_named(node):
        yield Finding(
            node.span, "`vars` is a mapping, or the path of a YAML file",
            consequence="promptfoo runs the case without variables",
        )  # fmt: skip


def _is_named(node: Node) -> bool:
    """Whether the path may be a file of another kind: a script or a table."""
    text = node.text.strip() if isinstance(node, Scalar) else ""
    return " " not in text and re.search(r"\.\w{1,5}(?::\w+)?\Z", text) is not None
