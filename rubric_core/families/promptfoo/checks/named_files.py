"""Files that a configuration names: paths that are taken for text, and files whose root is of another type."""

from collections.abc import Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.graded_assertions import ClosedQa, Factuality, GEval, ModelRubric
from rubric_core.families.promptfoo.language.text_assertions import ContainsJson, IsJson
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import WrongRoot
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, Severity, checks
from rubric_core.validation.rules.wrong_root import wrong_root

#: `file:/a`, `file:a`, `file//a`, and the same with the other slash.
_SLIP = pattern(r"(file(?::[/\\]?(?![/\\])|:?\\\\|//))[\w.~*{-]\S{0,300}\Z")
#: `File://a`, `files://a`, `fiel://a`.
_OTHER_WORD = pattern(r"((?!file:)[Ff][Ii][Ll][Ee]{1,2}[Ss]?://|(?:fil|fiel|flie|ifle)://)[\w.~*{-]\S{0,300}\Z")
#: Where such a word is taken for text; elsewhere a file is missing, or a provider unknown.
_TEXTS = frozenset({"scenarios", "vars"})
#: Assertions whose value is what a judge reads.
_IN_WORDS = (ModelRubric, Factuality, ClosedQa, GEval)
#: A text that is no path which begins with file:// or almost so, no template, and no item of a list that lacks its blank.
_NO_URL = pattern(r"(?!-|[A-Za-z]{3,6}(?::|//))[^{}\n]{0,300}[\w.][^{}\n]{0,300}\Z")
_PATH = pattern(r"(?:\.{0,2}/)?[\w-]{1,60}(?:/[\w.-]{1,60}){0,9}\.(?:txt|md|j2|njk|ya?ml|json)\Z")
_FIELDS = (
    "prompts", "providers", "targets", "tests", "scenarios", "default_test", "extensions", "vars", "value", "rubric_prompt", "transform",
    "context_transform", "transform_vars", "scoring",
)  # fmt: skip
_LISTS = (PromptfooFile.ASSERTIONS, PromptfooFile.TOOLS)
#: What promptfoo does with a root of another type, unless it stops.
_EFFECTS = MappingProxyType[FileKind, str]({
    PromptfooFile.DEFAULTS: "promptfoo takes over nothing of it",
    PromptfooFile.VARS: "the variables that the prompts use stay empty",
    PromptfooFile.PROVIDER: ROW_ERRORS,
    PromptfooFile.SCHEMA: ROW_ERRORS,
    PromptfooFile.TOOLS: ROW_ERRORS,
})  # fmt: skip


@checks("promptfoo/file-url", "bare-path")
def file_url_slips(shape: Configuration | PromptfooCase | Assertion | CaseOptions) -> Iterator[Finding]:
    """A path that begins almost with file://, or lacks it, so that promptfoo treats it as text."""
    if isinstance(shape, _IN_WORDS):
        yield from _bare_path(shape, "rubric", "warning", "the judge reads the path itself")
    if isinstance(shape, IsJson | ContainsJson):
        yield from _bare_path(shape, "JSON Schema", "error", ROW_ERRORS)
    if isinstance(shape, Configuration):
        yield from _bare_scenarios(shape)
    for field in _FIELDS:
        place = shape.places.get(field)
        if place is None or place.borrowed:
            continue
        for node, is_text in _texts(place.node, is_map=field == "vars"):
            if node.text[:1] not in ("f", "F", "i") or node.is_block:
                continue
            found = _SLIP.match(node.text)
            if found is None and (is_text or field in _TEXTS):
                found = _OTHER_WORD.match(node.text)
            if found is not None:
                start = node.span.start + node.is_quoted
                fixes = (Fix("write file://", (Edit(Span(start, start + len(found[1])), "file://"),)),)
                yield Finding(
                    node.span, f"`{found[1]}` begins no path; write file://", fixes=fixes, severity="warning",
                    consequence="promptfoo takes it for text",
                )  # fmt: skip


def _bare_path(shape: Assertion, meant: str, severity: Severity, consequence: str) -> Iterator[Finding]:
    """A path under `value`, which promptfoo takes for what is meant to be in the file."""
    place = shape.places.get("value")
    node = place.node if place is not None and not place.borrowed else None
    if isinstance(node, Scalar) and not node.is_block and _PATH.match(node.text):
        at = node.span.start + node.is_quoted
        fixes = (Fix("write file:// in front", (Edit(Span(at, at), "file://"),), safe=False),)
        words = f"this is no {meant}, but looks like a path; a file begins with file://"
        yield Finding(node.span, words, fixes=fixes, severity=severity, consequence=consequence)


def _bare_scenarios(shape: Configuration) -> Iterator[Finding]:
    """Texts in place of scenarios that are no paths of files."""
    place = shape.places.get("scenarios")
    for node, _ in _texts(place.node, is_map=False) if place is not None and not place.borrowed else ():
        if not isinstance(node.value, str) or node.is_block or not _NO_URL.match(node.text):
            continue
        at = node.span.start + node.is_quoted
        fixes = (Fix("write file:// in front", (Edit(Span(at, at), "file://"),)),) if _PATH.match(node.text) else ()
        words = "a scenario is a mapping with `config` and `tests`; a file with scenarios begins with file://"
        yield Finding(node.span, words, fixes=fixes, severity="error", consequence=STOPS)


def _texts(node: Node, *, is_map: bool) -> Iterator[tuple[Scalar, bool]]:
    """A text, the texts of a list and those in it, and with `is_map` the values of a mapping; each with whether it may be text."""
    if isinstance(node, Scalar):
        yield node, False
    elif isinstance(node, Sequence):
        for item in node.items:
            inner, raw = (item.get("id"), item.get("raw")) if isinstance(item, Mapping) else (item, None)
            yield from ((each, each is raw) for each in (inner, raw) if isinstance(each, Scalar))
    elif isinstance(node, Mapping) and is_map:
        yield from ((entry.value, False) for entry in node.entries if isinstance(entry.value, Scalar))


@checks("promptfoo/file-root", "wrong-root")
def root_of_file(issue: WrongRoot, context: Context) -> Iterator[Finding]:
    """A file that holds a list where promptfoo expects a mapping, or the reverse.

    promptfoo stops with most of them.
    """
    yield wrong_root(issue, context, _EFFECTS.get(issue.kind, STOPS), has_list=issue.kind in _LISTS)
