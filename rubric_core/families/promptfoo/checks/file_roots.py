"""Files around a configuration of promptfoo that hold something else than their kind has."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.issues import WrongRoot
from rubric_core.validation.rule import Context, Finding, checks
from rubric_core.validation.rules.wrong_root import wrong_root

_LISTS = (PromptfooFile.ASSERTIONS, PromptfooFile.TOOLS)
#: What promptfoo does with a root of another type, unless it stops.
_EFFECTS: Mapping[FileKind, str] = MappingProxyType({
    PromptfooFile.DEFAULTS: "promptfoo takes over nothing of it",
    PromptfooFile.VARS: "the variables that the prompts use stay empty",
    PromptfooFile.PROVIDER: ROW_ERRORS,
    PromptfooFile.SCHEMA: ROW_ERRORS,
    PromptfooFile.TOOLS: ROW_ERRORS,
})  # fmt: skip


@checks("promptfoo/file-root", "wrong-root")
def root_of_file(issue: WrongRoot, context: Context) -> Iterator[Finding]:
    """A file that holds a list where promptfoo expects a mapping, or the reverse.

    promptfoo stops with most of them.
    """
    yield wrong_root(issue, context, _EFFECTS.get(issue.kind, STOPS), has_list=issue.kind in _LISTS)
