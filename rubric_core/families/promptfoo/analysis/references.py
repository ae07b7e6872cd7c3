"""What the blocks of a configuration of promptfoo, or of a file that it names, refer to."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from rubric_core.analysis.analyzed_text import AnalyzedText
from rubric_core.analysis.block_state import origin_of
from rubric_core.analysis.text_references import LinkedBlock, TextReferences
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.families.promptfoo.loading.files import look_up_configuration
from rubric_core.families.promptfoo.loading.lookup import configuration_folder
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.shape import Shape
from rubric_core.loading.block_references import NO_LINKS, BlockReferences
from rubric_core.loading.project import Project
from rubric_core.syntax.tree import Sequence
from rubric_core.validation.rule import SuiteDefaults

__all__ = ["PromptfooReferences"]


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
