"""Completion in promptfoo files: provider ids and labels, prompt labels, metrics, variables, files, targets of `$ref`."""

from collections.abc import Iterable, Iterator
from functools import partial

from rubric_core.analysis import Analysis, LocalText
from rubric_core.families.promptfoo.checks.judge_prompts import FILLED_IN
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt, Metric
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.language.graded_assertions import JavaScriptCode, PythonCode, RubyCode
from rubric_core.families.promptfoo.language.models import MODELS
from rubric_core.families.promptfoo.language.provider import ConfiguredProvider, Grader, ProviderSettings
from rubric_core.families.promptfoo.language.provider_ids import (
    GRADER_ROLES,
    PROVIDERS,
    VENDORS,
    KnownProvider,
    known_provider,
)
from rubric_core.language.file_extensions import CASES, CODE, FILTERS, TEMPLATES
from rubric_core.language.shape import Shape
from rubric_core.language.value_kinds import Text
from rubric_core.lazy_compilation import replace
from rubric_core.syntax.cursor import ITEM, Cursor
from rubric_core.syntax.edit import plain_or_quoted
from rubric_core.text import Span
from rubric_lsp.families.promptfoo.completion_inner_texts import configured_filters, variables_in_code
from rubric_lsp.families.promptfoo.completion_tables import table_completions
from rubric_lsp.features.block_memo import blocks_of
from rubric_lsp.features.completion.context import Completion, CompletionSite, NameSource
from rubric_lsp.features.completion.family_completion import FamilyCompletion
from rubric_lsp.features.completion.paths import paths
from rubric_lsp.features.name_occurrence import NameKind
from rubric_lsp.features.names import names_in

__all__ = ["COMPLETION"]

_JAVASCRIPT = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_DATA = (".yaml", ".yml", ".json")
_SCRIPTS: tuple[tuple[type[Assertion], tuple[str, ...]], ...] = (
    (JavaScriptCode, _JAVASCRIPT), (PythonCode, (".py",)), (RubyCode, (".rb",)),
)  # fmt: skip
#: Keys whose text is a path, with and without `file://`, and its extensions.
_BARE = {"nunjucksFilters": FILTERS, "tests": CASES, "path": CASES}
_MARKED = {
    "prompts": TEMPLATES, "extensions": FILTERS, "defaultTest": _DATA, "scenarios": _DATA, "transform": FILTERS, "transformVars": FILTERS,
    "contextTransform": FILTERS, "assertScoringFunction": FILTERS, "rubricPrompt": TEMPLATES,
}  # fmt: skip


class _PromptfooCompletion(FamilyCompletion):
    """See `FamilyCompletion`."""

    chosen_lists: frozenset[str] = frozenset({"providers", "targets"})

    def in_code(self, analysis: Analysis, local: LocalText, names: NameSource | None) -> list[Completion] | None:
        """See `FamilyCompletion.in_code`."""
        return variables_in_code(analysis, local, names)

    def in_table(self, local: LocalText, names: NameSource | None) -> Iterable[Completion]:
        """See `FamilyCompletion.in_table`."""
        return table_completions(local, names)

    def filters(self, analysis: Analysis) -> Iterable[str]:
        """See `FamilyCompletion.filters`."""
        return configured_filters(analysis)

    def judge_variables(self, local: LocalText) -> Iterator[tuple[str, str]]:
        """See `FamilyCompletion.judge_variables`."""
        if local.analysis.kind is PromptfooFile.JUDGE_PROMPT:
            yield from ((name, "filled in for the judge") for name in sorted(FILLED_IN))

    def cursor(self, cursor: Cursor, local: LocalText) -> Cursor:
        """See `FamilyCompletion.cursor`: the id of a provider."""
        return _as_begun_identity(cursor, local)

    def values(self, site: CompletionSite) -> Iterator[Completion]:
        """See `FamilyCompletion.values`."""
        return _values(site)

    def paths(self, site: CompletionSite, kind: Text) -> Iterator[Completion]:  # noqa: ARG002
        """See `FamilyCompletion.paths`: none, as `values` has those of every key."""
        return iter(())

    def keys(self, site: CompletionSite, shape: type[Shape], offered: Iterator[Completion]) -> Iterator[Completion]:
        """See `FamilyCompletion.keys`: the settings of a provider."""
        return _config_keys(site, shape, offered)

    def members(self, site: CompletionSite) -> Iterator[Completion]:
        """See `FamilyCompletion.members`: variables that a prompt uses and the case lacks."""
        return _variable_keys(site)


COMPLETION = _PromptfooCompletion()


def _values(site: CompletionSite) -> Iterator[Completion]:
    """The values for the value or list item at the cursor, besides those of its kind."""
    steps = [step for step in site.cursor.path if step != ITEM] or ([] if site.local.in_frame else ["tests"])
    key = steps[-1] if steps else ""
    shape = site.place.shape or _holder(site)
    refers = site.cursor.path[-1:] == (ITEM,) and not (site.local.in_frame and len(steps) == 1)
    if key == "$ref":
        yield from _name_completions(site, ["pointer"], "what `$ref` leads to")
    elif key == "providers" and refers:
        yield from _name_completions(site, ["provider"], "a provider")
    elif key == "prompts" and refers:
        yield from _name_completions(site, ["prompt"], "a prompt")
    elif (
        key in ("providers", "targets")
        or (key == "id" and _is(shape, ConfiguredProvider))
        or (shape is Grader and key in ("id", *GRADER_ROLES))
    ):
        yield from _ids(site)
    elif key == "provider":
        yield from _name_completions(site, ["provider"], "a provider")
        yield from _ids(site)
    elif key == "metric" or (key == "value" and _is(shape, Metric)):
        yield from _name_completions(site, ["metric"], "a metric")
    yield from _files(site, shape, key, steps)


def _as_begun_identity(cursor: Cursor, local: LocalText) -> Cursor:
    """The cursor in the id of a provider, where `- openai:` alone reads as a key without a value."""
    key = cursor.path[-1] if cursor.path else ""
    start = local.offset - len(f"{key}:")
    listed = cursor.role == "value" and cursor.path[-3:-1] in (("providers", ITEM), ("targets", ITEM))
    if not listed or key not in VENDORS or local.text[start : local.offset] != f"{key}:":
        return cursor
    span = Span(start, cursor.span.end)
    return replace(cursor, path=cursor.path[:-1], role="key", typed=f"{key}:", span=span, siblings={})


def _holder(site: CompletionSite) -> type[Shape] | None:
    """The mapping that holds the list at the cursor."""
    return site.place.key and next((s for s in _SHAPES if site.place.key in s.keys.values()), None)


_SHAPES: tuple[type[Shape], ...] = (Configuration, PromptfooCase, ConfiguredProvider, CaseOptions, Assertion, Metric)


def _is(shape: type[Shape] | None, base: type[Shape]) -> bool:
    return shape is not None and issubclass(shape, base)


def _files(site: CompletionSite, shape: type[Shape] | None, key: str, steps: list[str]) -> Iterator[Completion]:
    """Files, where they fit: everywhere after `file://`."""
    begun = site.cursor.typed.startswith("file:")
    if key == "value" and _is(shape, Assertion):
        endings = next((e for base, e in _SCRIPTS if _is(shape, base)), (*FILTERS, *_DATA, ".txt"))
        if begun or any(_is(shape, base) for base, _ in _SCRIPTS):
            yield from paths(site, "file", endings, marked=True)
    elif key == "tests" and site.cursor.path[-1:] == (ITEM,) and not begun:
        files = list(paths(site, "file", CASES))
        yield from (replace(each, sort=f"3{number:03}") for number, each in enumerate(files))
    elif key in _BARE or steps[:1] == ["nunjucksFilters"]:
        yield from paths(site, "file", _BARE.get(key, FILTERS), marked=begun)
    elif key in _MARKED:
        yield from paths(site, "file", _MARKED[key], marked=True)
    elif key == "id" and shape is ConfiguredPrompt:
        yield from paths(site, "file", TEMPLATES, marked=True)
    elif key in ("id", "provider", "providers", "targets"):
        yield from paths(site, "file", (*CODE, *_DATA) if begun else CODE, marked=True)
    elif key == "vars" and not begun:
        yield from paths(site, "file", _DATA)
    elif begun:
        yield from paths(site, "file", (), marked=True)


def _known(site: CompletionSite, kind: NameKind) -> Iterable[str]:
    """The names of a kind in the configuration and its family; without them, in the text alone.

    Of metrics also those that formulas want and nothing gives yet.
    """
    here = [n for local in blocks_of(site.analysis) for n in names_in(local) if n.kind == kind]
    wanted = [n.name for n in here if not n.defines] if kind == "metric" else []
    return [*(site.names(kind) or [n.name for n in here if n.defines]), *wanted]


def _name_completions(site: CompletionSite, kinds: Iterable[NameKind], detail: str) -> Iterator[Completion]:
    own = site.cursor.typed
    names = dict.fromkeys(name for kind in kinds for name in _known(site, kind) if "\n" not in name and name != own)
    for order, name in enumerate(names):
        written = name if site.cursor.quote else plain_or_quoted(name)
        yield Completion(name, "reference", site.span, written, detail=detail, sort=f"0{order:03}")


def _ids(site: CompletionSite) -> Iterator[Completion]:
    for order, each in enumerate(PROVIDERS):
        written = each.example if site.cursor.quote or ": " not in each.example else plain_or_quoted(each.example)
        yield Completion(
            each.example, "value", site.span, written, detail=each.doc, documentation=partial(_documentation, each), sort=f"2{order:03}",
        )  # fmt: skip
    examples = {each.example for each in PROVIDERS}
    every = (f"{begin}{model}" for begin, models in MODELS.items() for model in models)
    for order, identity in enumerate(each for each in every if each not in examples):
        yield Completion(identity, "value", site.span, identity, detail="a model", sort=f"4{order:03}")


def _documentation(provider: KnownProvider) -> str:
    keys = ", ".join(f"`{key}`" for key in provider.config)
    return f"{provider.doc}\n\n`config` takes {keys}." if keys else provider.doc


# -- keys -----------------------------------------------------------------------------------------------------------------


def _config_keys(site: CompletionSite, shape: type[Shape], offered: Iterator[Completion]) -> Iterator[Completion]:
    """The keys of a provider's settings, for its kind, in their order."""
    known = known_provider(_identity(site)) if shape is ProviderSettings else None
    if known is None or not known.config:
        yield from offered
        return
    written = {each.label: each for each in offered}
    for order, name in enumerate(known.config):
        if name in written:
            yield replace(written[name], sort=f"1{order:03}")
        elif name not in site.cursor.siblings:
            colon = "" if site.cursor.has_colon or site.cursor.quote else ": "
            yield Completion(name, "key", site.span, f"{name}{colon}", sort=f"1{order:03}")


def _identity(site: CompletionSite) -> str:
    """The id of the provider whose settings are at the cursor."""
    best, found = -1, ""
    for shape in site.local.every:
        start = shape.node.whole.start if shape.node is not None else shape.span.start
        if isinstance(shape, ConfiguredProvider) and best < start <= site.local.offset and isinstance(shape.id, str):
            best, found = start, shape.id
    return found


def _variable_keys(site: CompletionSite) -> Iterator[Completion]:
    """Keys of `vars`: variables that a prompt uses and the case lacks."""
    if site.cursor.path[-1:] != ("vars",):
        return
    around = (local for local in blocks_of(site.analysis) if local.in_frame)
    used = [n.name for local in around for n in names_in(local) if n.kind == "variable"]
    for order, name in enumerate(dict.fromkeys([*used, *site.names("variable")])):
        if name not in site.cursor.siblings:
            colon = "" if site.cursor.has_colon else ": "
            yield Completion(name, "reference", site.span, f"{name}{colon}", detail="a variable", sort=f"0{order:03}")
