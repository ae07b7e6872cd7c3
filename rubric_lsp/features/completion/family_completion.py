"""What fits at a cursor in files of a family, besides what its shapes say: what completion asks instead of whose file it is."""

# ruff: noqa: ARG002  # defaults need less than what overrides them

from collections.abc import Iterable, Iterator

from rubric_core.analysis import Analysis, LocalText
from rubric_core.family import part_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.evaluators import Aggregator, Composite, LlmJudge, LlmRubric, Scripted
from rubric_core.language.file_extensions import CODE, FILTERS, IMAGES, TEMPLATES
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.model import ContentBlock
from rubric_core.language.shape import Shape
from rubric_core.language.value_kinds import MapOf, Text
from rubric_core.syntax.cursor import ITEM, Cursor
from rubric_lsp.features.completion.context import Completion, CompletionSite, NameSource
from rubric_lsp.features.completion.named_keys import members
from rubric_lsp.features.completion.paths import paths

__all__ = ["FamilyCompletion", "completion_of"]

#: Text fields in which `file://` marks a path, and its extensions.
_MARKED = {"prompts": TEMPLATES, "extensions": FILTERS}


class FamilyCompletion:
    """The completions of one family. The defaults are those of AgentV's model."""

    #: The keys of lists whose items are usually chosen from what is suggested, although any text may be one.
    chosen_lists: frozenset[str] = frozenset()

    def in_code(self, analysis: Analysis, local: LocalText, names: NameSource | None) -> list[Completion] | None:
        """The completions in code that reads variables by name; None elsewhere."""
        return None

    def in_table(self, local: LocalText, names: NameSource | None) -> Iterable[Completion]:
        """The completions in a cell of a table."""
        return ()

    def filters(self, analysis: Analysis) -> Iterable[str]:
        """The filters of templates that a project defines."""
        return ()

    def judge_variables(self, local: LocalText) -> Iterator[tuple[str, str]]:
        """The variables at a place that are filled in for a judge, with what each is."""
        if not _in_judge_prompt(local):
            return
        properties = local.analysis.dialect.properties
        leaving = {name for name, _ in properties.replaced_variables}
        yield from ((n, "filled in for the judge") for n in properties.template_variables if n not in leaving)
        if _in_aggregator(local):
            yield "EVALUATOR_RESULTS_JSON", "the members' results"

    def cursor(self, cursor: Cursor, local: LocalText) -> Cursor:
        """The cursor in half-typed text, where the family reads that text otherwise than YAML does."""
        return cursor

    def values(self, site: CompletionSite) -> Iterator[Completion]:
        """The values that fit, besides those of their kind: here paths."""
        shape, key = site.place.shape, site.place.key
        steps = [step for step in site.cursor.path if step != ITEM]
        marked = _MARKED.get(steps[-1]) if steps and site.cursor.role in ("item", "value") else None
        if marked is not None:
            yield from paths(site, "file", marked, marked=True)
        elif shape is not None and key is not None and key.field == "value":
            written = site.cursor.siblings.get("type", "").strip("\"'")
            if issubclass(shape, Scripted):
                yield from paths(site, "file", CODE, marked=True)
            elif issubclass(shape, ContentBlock) and written in ("file", "image"):
                yield from paths(site, "file", IMAGES if written == "image" else ())

    def paths(self, site: CompletionSite, kind: Text) -> Iterator[Completion]:
        """The paths that fit a text which refers to a file, a folder or a program."""
        yield from paths(site, "script" if kind.refers_to == "program" else kind.refers_to, kind.endings)

    def keys(self, site: CompletionSite, shape: type[Shape], offered: Iterator[Completion]) -> Iterator[Completion]:
        """The keys that fit; `offered` are those that the shape declares."""
        return offered

    def members(self, site: CompletionSite) -> Iterator[Completion]:
        """The keys that authors name."""
        return members(site) if isinstance(site.place.kind, MapOf) else iter(())


_DEFAULT = FamilyCompletion()


def completion_of(dialect: Dialect) -> FamilyCompletion:
    """What the family of a dialect completes."""
    part = part_of(dialect.properties.engine, "completion")
    found: FamilyCompletion = _DEFAULT if part is None else part.COMPLETION
    return found


def _in_judge_prompt(local: LocalText) -> bool:
    """Whether the cursor is in a judge's prompt."""
    if local.analysis.kind is FileKind.PROMPT:
        return True
    judges = (LlmJudge, LlmRubric, Aggregator)
    for shape in local.every:
        place = shape.places.get("prompt") if isinstance(shape, judges) else None
        if place is not None and place.node.whole.start <= local.offset <= place.node.whole.end + 1:
            return True
    return False


def _in_aggregator(local: LocalText) -> bool:
    """Whether the cursor is in the settings of a judge that sees the results of members."""
    found = (shape.aggregator for shape in local.every if isinstance(shape, Composite))
    aggregators = (each for each in found if isinstance(each, Aggregator) and each.has("prompt"))
    return any(each.node is not None and each.node.whole.covers(local.offset) for each in aggregators)
