"""The texts of promptfoo: its configurations, the files that they name, and what the blocks of both refer to."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.analysis.block_state import origin_of
from rubric_core.analysis.family_texts import FamilyTexts
from rubric_core.analysis.text_references import LinkedBlock, TextReferences
from rubric_core.families.promptfoo.analysis.cases import promptfoo_cases
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.consequences import NOT_LOADED
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.loading.files import look_up_configuration
from rubric_core.families.promptfoo.loading.lookup import configuration_folder
from rubric_core.families.promptfoo.loading.table import CaseTable, table_assertions
from rubric_core.families.promptfoo.loading.templates import templates
from rubric_core.language.dialect import Dialect
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Shape
from rubric_core.lazy_compilation import replace
from rubric_core.loading.block_references import NO_LINKS, BlockReferences
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.loading.issues import Issue
from rubric_core.loading.kept_block import KeptBlock
from rubric_core.loading.lower import Lowering
from rubric_core.loading.project import Project
from rubric_core.loading.reference_issues import ProgramText, PromptFileText
from rubric_core.syntax.tree import Node, Sequence
from rubric_core.text import Span
from rubric_core.validation.entry_lists import CaseEntry
from rubric_core.validation.rule import SuiteDefaults

__all__ = ["TEXTS", "PromptfooReferences"]


class PromptfooReferences(TextReferences):
    """Those of a configuration, and of files that it names, whose paths count from the folder of the configuration."""

    joins_cases = False

    def __init__(self, project: Project, path: Path, text: AnalyzedText) -> None:
        self._project, self._path, self._kind = project, path, text.kind
        look = project.look()
        #: None: there is no configuration, so that nothing is known of paths.
        self._base = path.parent if text.kind.is_root else configuration_folder(path, look)
        self.seen = look.seen
        self.defaults = SuiteDefaults(filters=_filters(text.settings))
        self.key = (path, self._base, self.defaults.filters)

    def of_block(self, linked: LinkedBlock) -> BlockReferences:
        state, kind = linked.state, self._kind
        if self._base is None:
            return NO_LINKS
        return look_up_configuration(
            state.shapes,
            state.tree.root if linked.block.key and kind.is_root else None,
            self._project.look(),
            self._base,
            kept=state.kept,
            is_told=partial(_is_judged, state.judged),
            inlined_from=self._path.parent if kind.inlines else None,
            nested=not kind.is_root,
            is_of_list=kind is PromptfooFile.CASES and isinstance(state.tree.root, Sequence),
        )

    def kinds(self, links: Iterable[BlockReferences]) -> dict[Path, FileKind]:
        """A file that is used in several ways is what it is first: a prompt, rather than that of a judge."""
        kinds: dict[Path, FileKind] = {}
        for file, kind in (pair for each in links for pair in each.files):
            kinds.setdefault(file, kind)
        if self._kind.is_root:
            return kinds
        # Of other files, the configuration knows more: how these are checked depends on it.
        return {file: kind for file, kind in kinds.items() if kind.is_named_anywhere}


def _filters(settings: Shape | None) -> frozenset[str] | None:
    """The filters that a configuration defines; None if that is not known."""
    if not isinstance(settings, Configuration):
        return None
    filters = settings.nunjucks_filters if settings.has("nunjucks_filters") else {}
    return frozenset(filters) if isinstance(filters, dict) else None


def _is_judged(judged: frozenset[object], shape: Shape) -> bool:
    return origin_of(shape) in judged


class _PromptfooTexts(FamilyTexts):
    def cases(self, text: AnalyzedText) -> tuple[CaseEntry, ...]:
        return promptfoo_cases(text) if text.kind.is_root else ()

    def defaults(self, settings: Shape | None, kind: FileKind, names: DefinedNames | None) -> SuiteDefaults:
        if isinstance(settings, Configuration):
            return _of_configuration(settings)
        filters = names.filters if names is not None else None
        return SuiteDefaults(
            asserts=True,
            inlines=kind is PromptfooFile.CASES,
            filters=filters,
            names=names if kind.lists_cases else None,
        )

    def references(self, project: Project, path: Path, text: AnalyzedText) -> TextReferences | None:
        return PromptfooReferences(project, path, text) if text.kind.is_root or text.kind.refers else None

    def names_for_files(self, text: AnalyzedText, names: DefinedNames | None) -> DefinedNames | None:
        if text.kind is not PromptfooFile.CASES:
            return names
        # Other cases may give a provider further settings.
        called = frozenset(use._replace(settings=()) for each in text.states.values() for use in each.links.called)
        if not called:
            return names
        return replace(names, programs=names.programs | called) if names is not None else DefinedNames(programs=called)

    def kept_blocks(self, root: Node | None, dialect: Dialect) -> Iterator[KeptBlock]:
        return templates(root, dialect)

    def shapes_of_text(self, kind: FileKind, text: str, lowering: Lowering) -> Iterable[Shape]:
        return table_assertions(text, lowering) if kind is PromptfooFile.TABLE else ()

    def issues_of_text(
        self, kind: FileKind, name: str, text: str, path: Path | None, names: DefinedNames | None
    ) -> Iterator[Issue]:
        start = Span(0, 0)
        if kind is PromptfooFile.TABLE:
            yield CaseTable(span=start, text=text)
        elif kind.is_template:
            is_of_judges = kind is PromptfooFile.JUDGE_PROMPT
            yield PromptFileText(span=start, name=name, text=text, is_of_judges=is_of_judges, is_own=True, use=names)
        elif kind.is_program:
            called = tuple(sorted(each for each in names.programs if each.path == path)) if names is not None else ()
            yield ProgramText(
                span=start, name=name, text=text, consequence=NOT_LOADED, is_own=True, use=names, called=called
            )


def _of_configuration(settings: Configuration) -> SuiteDefaults:
    own = settings.nunjucks_filters if settings.has("nunjucks_filters") else {}
    common = settings.default_test if isinstance(settings.default_test, PromptfooCase) else None
    options = common.options if common is not None else None
    judged = settings.has("default_test") and (common is None or (options is not None and options.has("rubric_prompt")))
    return SuiteDefaults(
        asserts=_may_assert(settings), filters=frozenset(own) if isinstance(own, dict) else None, judge_prompt=judged,
    )  # fmt: skip


def _may_assert(settings: Configuration) -> bool:
    """Whether cases may get assertions from `defaultTest`, which may be in another file."""
    common = settings.default_test if settings.has("default_test") else None
    return common is not None and (not isinstance(common, PromptfooCase) or bool(common.assertions))


#: See `FamilyTexts`.
TEXTS = _PromptfooTexts()
