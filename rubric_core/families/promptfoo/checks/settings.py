"""Settings of a configuration that stop the run, are ignored, or are of another kind than promptfoo reads."""

import math
from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.formulas import formula_fault
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration, Metric
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions, RunOptions
from rubric_core.language.closest_name import closest
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Alias, Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, checks
from rubric_core.validation.type_fixes import flag_fixes

_OUTPUTS = ("csv", "html", "json", "jsonl", "txt", "xml", "yaml", "yml")
_REJECTED = "`promptfoo validate` rejects the configuration; a run goes on without it"
#: Settings that are mappings, and those of them that may be true or false as well.
_MAPPINGS, _OR_FLAGS = ("tags", "metadata", "tracing", "sharing"), ("sharing",)
#: The path of a script beside the configuration: promptfoo strips the folder and searches for a program.
_BESIDE = pattern(r"(?:exec:[ \t]{0,9}\./|file://(?:\./)?|\./)(?P<name>[\w.-]+\.(?:sh|bash|pl|rb))(?P<rest>[ \t].*)?\Z")
_SHELLS = (".sh", ".bash")


@checks("promptfoo/provider-prompts", "invalid-value", "warning", borrowed=False)
def prompts_of_provider(shape: ConfiguredProvider) -> Iterator[Finding]:
    """The `prompts` of a provider that are not a list."""
    place = shape.places.get("prompts")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, str) and "{{" not in node.text and not node.is_block:
        start, end = node.span
        fixes = (Fix("write it as a list", (Edit(Span(start, start), "["), Edit(Span(end, end), "]")), safe=False),)
        yield Finding(
            node.span, "`prompts` of a provider is a list", fixes=fixes if node.is_quoted else (), severity="warning",
            consequence="`promptfoo validate` rejects the configuration; a run sends every prompt",
        )  # fmt: skip


@checks("promptfoo/metric-formula", "invalid-value", "warning")
def metric_formula(shape: Metric, context: Context) -> Iterator[Finding]:
    """A formula that is not a text, or that mathjs cannot parse."""
    place = shape.places.get("value")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Mapping | Sequence):
        yield Finding(node.span, "a formula is text", severity="warning", consequence=_REJECTED)
    if not isinstance(node, Scalar) or not node.text.strip():
        return
    if not isinstance(node.value, str):
        in_quotes = Fix(f"write {quoted(node.text)}", (Edit(node.span, quoted(node.text)),))
        words = "a formula is text: write it in quotes"
        yield Finding(node.span, words, fixes=(in_quotes,), severity="warning", consequence=_REJECTED)
        return
    fault = None if node.is_block else formula_fault(node.text)
    if fault is None:
        return
    start, at = node.span.start + node.is_quoted, node.span
    fixes: tuple[Fix, ...] = ()
    if context.text.startswith(node.text, start):
        at = Span(start + fault.start, start + fault.end)
        fixes = (Fix(f"write `{fault.meant.strip()}`", (Edit(at, fault.meant),), safe=False),) if fault.meant else ()
    words = f"mathjs cannot read this formula: {fault.words}"
    yield Finding(
        at, words, fixes=fixes, severity="warning", consequence="promptfoo gives 0, with a debug message only"
    )


@checks("promptfoo/description-type", "invalid-value", "warning")
def numeric_description(shape: Configuration | PromptfooCase) -> Iterator[Finding]:
    """A description that is a number, not text."""
    place = shape.places.get("description")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and isinstance(node.value, int | float):
        fixes = (Fix(f"write {quoted(node.text)}", (Edit(node.span, quoted(node.text)),)),)
        yield Finding(
            node.span, "a description is text: write it in quotes", fixes=fixes, severity="warning", consequence=_REJECTED,
        )  # fmt: skip


@checks("promptfoo/providers-and-targets", "invalid-value", "warning")
def providers_beside_targets(shape: Configuration, context: Context) -> Iterator[Finding]:
    """`providers` beside `targets`, which takes precedence."""
    place = shape.places.get("providers")
    if place is not None and not place.borrowed and shape.has("targets"):
        fixes = tuple(replace(fix, safe=False) for fix in remove_key_fix(shape.node, "providers", context))
        yield Finding(
            place.key, "`targets` is there, too, and only its providers run", fixes=fixes, severity="warning",
            consequence="promptfoo prints a warning and ignores `providers`",
        )  # fmt: skip


@checks("promptfoo/repeat", "invalid-value", "warning")
def case_repeats(shape: CaseOptions) -> Iterator[Finding]:
    """A `repeat` that is not a whole number of at least 1."""
    place, value = shape.places.get("repeat"), shape.repeat
    if place is None or place.borrowed or not isinstance(value, int | float) or isinstance(value, bool):
        return
    if value < 1 or not float(value).is_integer():
        yield Finding(
            place.value, "`repeat` is a whole number of at least 1", severity="warning", consequence=_REJECTED
        )


@checks("promptfoo/repeat", "invalid-value", "warning")
def repeats_of_run(shape: RunOptions) -> Iterator[Finding]:
    """The number of runs of every case."""
    place, value = shape.places.get("repeat"), shape.repeat
    if place is not None and isinstance(value, int | float) and not isinstance(value, bool) and value < 1:
        yield Finding(
            place.value, "`repeat` is 1 or more", severity="warning", consequence="promptfoo runs every case once"
        )


#: An option as the command line negates it.
_NEGATED = pattern(r"no[-_]?([A-Za-z])([A-Za-z]{1,30})\Z")


@checks("promptfoo/command-line-option", "invalid-value", borrowed=False)
def command_line_options(shape: CommandLineOptions) -> Iterator[Finding]:
    """A value of the wrong type under `commandLineOptions`, for which promptfoo rejects the whole file.

    Numbers may be text.
    """
    for entry in shape.node.entries if isinstance(shape.node, Mapping) else ():
        value, name = entry.value, entry.name or ""
        fixes: tuple[Fix, ...] = ()
        negated = _NEGATED.match(name)
        if negated is not None and isinstance(value, Scalar) and isinstance(value.value, bool):
            option = f"{negated[1].lower()}{negated[2]}"
            written = f"{option}: {'false' if value.value else 'true'}"
            fixes = (
                Fix(f"write `{written}`", (Edit(Span(entry.key.span.start, value.span.end), written),), safe=False),
            )
            if option in CommandLineOptions.flags and name not in CommandLineOptions.flags:
                words = f"promptfoo reads no option `{name}` here; write `{written}`"
                yield Finding(entry.key.span, words, severity="warning", fixes=fixes, consequence="it is ignored")
            continue
        if not isinstance(value, Scalar):
            # Of a list with one number JavaScript makes that number.
            if isinstance(value, Mapping) and name in CommandLineOptions.counts | CommandLineOptions.numbers:
                yield Finding(value.span, f"`{name}` is a number", consequence=STOPS)
            continue
        if "{{" in value.text or value.value is None:
            continue
        if name in CommandLineOptions.flags and not isinstance(value.value, bool):
            words, fixes = "true or false", tuple(flag_fixes(value))
        elif name in CommandLineOptions.numbers and not _is_count(value, least=-math.inf):
            words = "a whole number"
        elif name in CommandLineOptions.lists:
            words = "a list"
        elif name in CommandLineOptions.texts and not isinstance(value.value, str):
            words = "text: write it in quotes"
        elif (name in CommandLineOptions.counts and not _is_count(value)) or (
            name == "delay" and not _is_count(value, least=0)
        ):
            words = f"a whole number of at least {int(name != 'delay')}"
        else:
            continue
        yield Finding(value.span, f"`{name}` is {words}", fixes=fixes, consequence=STOPS)


def _is_count(node: Scalar, *, least: float = 1) -> bool:
    """Whether JavaScript makes a whole number of it that is large enough."""
    try:
        number = float(node.value if isinstance(node.value, int | float) else node.text.strip() or 0)
    except ValueError:
        return False
    return number.is_integer() and number >= least


@checks("promptfoo/output-path", "invalid-value")
def output_paths(shape: Configuration) -> Iterator[Finding]:
    """An `outputPath` whose extension is not one of a format that promptfoo writes."""
    place = shape.places.get("output_path")
    if place is None or place.borrowed:
        return
    nodes: list[Node] = place.node.items if isinstance(place.node, Sequence) else [place.node]
    for node in nodes:
        if not isinstance(node, Scalar) or not isinstance(node.value, str) or "{{" in node.text or "://" in node.text:
            continue
        stem, dot, ending = node.text.rpartition(".")
        if ending.lower() in _OUTPUTS and dot and "/" not in ending:
            continue
        meant = closest(ending, _OUTPUTS) if dot and "/" not in ending else None
        fixes: tuple[Fix, ...] = ()
        if not node.is_block:
            written = f"{stem}.{meant}" if meant else f"{node.text if not dot or '/' in ending else stem}.json"
            fixes = (
                Fix(
                    f"change it to `{written}`",
                    (Edit(node.span, quoted(written) if node.is_quoted else written),),
                    safe=False,
                ),
            )
        yield Finding(
            node.span, f"promptfoo writes no results into such a file; its name ends in one of {', '.join(_OUTPUTS)}",
            fixes=fixes, consequence="promptfoo stops after the run",
        )  # fmt: skip


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
