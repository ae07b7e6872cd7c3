"""Converts a promptfoo configuration into a suite of agentv-5: its text, and notes on what was not carried over."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rubric_core.families.promptfoo.migration.case_writer import EVERY, CaseWriter
from rubric_core.families.promptfoo.migration.cases import (
    CaseDraft,
    CaseReader,
    mapping_of,
    repeat_count,
    with_comments,
)
from rubric_core.families.promptfoo.migration.commented_yaml import Commented, write_yaml
from rubric_core.families.promptfoo.migration.conversion import ConversionNote, NotCarriedError, Notes, Surroundings
from rubric_core.families.promptfoo.migration.named_parts import GraderNames, NamedParts
from rubric_core.families.promptfoo.migration.scripts import transform_code
from rubric_core.families.promptfoo.migration.source import SourceConfiguration
from rubric_core.language.secret_names import looks_secret
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping as MappingNode

__all__ = ["ConvertedConfiguration", "NothingCarriedError", "convert_configuration"]

_MODELINE = "# rubric: dialect=agentv-5"
#: Comments that name the program that reads the file.
_OTHER_PROGRAM = pattern(r"#\s*(?:yaml-language-server:|rubric:)")
_EVERY = "# As in promptfoo, every assertion has to pass."
_EVALUATE = {"maxConcurrency": "max_concurrency", "repeat": "repeat", "delay": "delay", "timeoutMs": "timeout_ms", "maxEvalTimeMs": "max_eval_time_ms", "cache": "cache"}  # fmt: skip
#: Keys that are carried over elsewhere.
_DONE = frozenset({"description", "prompts", "providers", "targets", "tests", "scenarios", "defaultTest", "metadata"})
#: Options of `defaultTest` that are carried over, here or with its checks and prompts.
_OPTIONS = frozenset(
    {"transform", "postprocess", "provider", "rubricPrompt", "prefix", "suffix", "factuality", "repeat"}
)
_INSTEAD: Mapping[str, str] = {
    "derivedMetrics": "AgentV computes metrics otherwise: write `derived_metrics` by hand",
    "redteam": "AgentV has no red team: keep this file for promptfoo",
    "extensions": "write AgentV's `extensions` by hand: its hooks get other arguments",
    "commandLineOptions": "give the options on the command line",
    "outputPath": "name the file on the command line, as in `rubric run -o results.json`",
    "sharing": "AgentV shares no results", "writeLatestResults": "it has no equivalent", "tracing": "it has no equivalent",
}  # fmt: skip


class NothingCarriedError(Exception):
    """A configuration cannot be converted; the message says why, the notes what was left out."""

    def __init__(self, words: str, notes: list[ConversionNote]) -> None:
        super().__init__(words)
        self.notes = notes


class ConvertedConfiguration(NamedTuple):
    """The suite for a configuration."""

    text: str
    notes: list[ConversionNote]
    #: How many cases it has, and how many tests were left out.
    cases: int
    left_out: int


def convert_configuration(source: SourceConfiguration) -> ConvertedConfiguration:
    """The suite for a configuration. Raises NothingCarriedError."""
    return _Conversion(source).made()


class _Conversion:
    def __init__(self, source: SourceConfiguration) -> None:
        self.source, self.file = source, source.file
        self.notes = Notes()
        self.graders = GraderNames(source.grader, source.providers)
        around = Surroundings({}, self.graders.name, source.comma_values)
        self.parts = NamedParts(source, self.notes)
        self.reader = CaseReader(source.default, around, self.notes, source.read_text)
        self.reader.grader_notes = self.graders.notes
        self.reader.prompts, self.reader.providers = self.parts.prompt_labels, self.parts.provider_names

        #: The comments above the first key.
        self.header: tuple[str, ...] = ()

    def made(self) -> ConvertedConfiguration:
        """The suite."""
        source = self.source
        options = mapping_of(source.default.get("options"))
        shared = self.reader.checks(source.default_assertions, options, self.file)
        drafts: list[CaseDraft] = []
        left_out = 0
        for number, test in enumerate(source.tests, start=1):
            found = list(self.reader.cases(test, number))
            drafts += found
            left_out += not found
        if not drafts:
            raise NothingCarriedError("none of its tests can be carried over", self.notes.listed())
        writer = CaseWriter(drafts, shared, self.notes)
        suite: dict[str, Any] = {}
        self._set_key(suite, "description", source.data.get("description"))
        if isinstance(source.data.get("tags"), dict):
            self._set_key(suite, "tags", source.data["tags"])
        providers, prompts = self.parts.providers(), self.parts.prompts(options)
        if not prompts:
            raise NothingCarriedError("none of its prompts can be carried over", self.notes.listed())
        self._set_key(suite, "prompts", prompts)
        self._set_key(
            suite, "providers", providers, "targets" if source.data.get("targets") is not None else "providers"
        )
        suite["threshold"] = Commented(writer.threshold, (_EVERY,)) if writer.threshold == EVERY else writer.threshold
        self._set_key(suite, "default_test", self._default_test(writer.shared(), shared.lost, options), "defaultTest")
        self._settings(suite)
        self._set_key(
            suite, "tests", [case if not n else with_comments(case, ("",)) for n, case in enumerate(writer.cases())]
        )
        self._note_rest()
        header = [line for line in self.header if not _OTHER_PROGRAM.match(line)]
        text = "".join(f"{line}\n" for line in (_MODELINE, *header)) + write_yaml(suite)
        return ConvertedConfiguration(text, self.notes.listed(), len(drafts), left_out)

    def _set_key(self, suite: dict[str, Any], name: str, value: Any, key: str = "") -> None:
        """Set a key of the suite, with the comments of the key that it comes from; those above the first are the header."""
        if value in (None, "", [], {}):
            return
        entry = self.source.root.entry(key or name)
        around = self.file.comments.around(entry.key, value, entry.value) if entry is not None else value
        if entry is self.source.root.entries[0] and isinstance(around, Commented):
            self.header = around.above
            around = Commented(value, (), around.beside) if around.beside else value
        suite[name] = around

    def _default_test(self, checks: list[Any], lost: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
        default, node = self.source.default, self.source.default_node
        found: dict[str, Any] = {}
        if self.reader.default_values:
            found["vars"] = self._inside("vars", self.reader.default_values)
        if checks:
            found["assert"] = with_comments(self._inside("assert", checks), lost)
        if kept := self._default_options(options):
            found["options"] = kept
        for name, known in (("prompts", self.parts.prompt_labels), ("providers", self.parts.provider_names)):
            if isinstance(default.get(name), list) and (labels := known(default[name])):
                found[name] = labels
        if mapping_of(default.get("metadata")):
            found["metadata"] = default["metadata"]
        line = self.file.line_of(node.span.start)
        for name in options.keys() - _OPTIONS:
            self.notes.add(self.file.shown, line, f"`options.{name}` of `defaultTest` is not carried over")
        return found

    def _default_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options that all cases share."""
        found: dict[str, Any] = {}
        transform = options.get("transform", options.get("postprocess"))
        if transform is not None:
            try:
                found["transform"] = transform_code(transform)
            except NotCarriedError as error:
                self._note("defaultTest", f"the `transform` of `defaultTest` is not carried over: {error}")
        if (count := repeat_count(options)) is not None:
            found["repeat"] = count
        return found

    def _inside(self, name: str, value: Any) -> Any:
        """The value of a key of the default test, with the comments around and in it."""
        node = self.source.default_node
        is_written = isinstance(node, MappingNode) and not node.flow and node is not self.source.root
        entry = node.entry(name) if is_written and isinstance(node, MappingNode) else None
        if entry is None:
            return value
        inside = self.file.comments.data(entry.value, value, self.file.anchors)
        return self.file.comments.around(entry.key, inside, entry.value)

    # What is left

    def _settings(self, suite: dict[str, Any]) -> None:
        written = self.source.data.get("evaluateOptions")
        found: dict[str, Any] = {}
        for name, value in written.items() if isinstance(written, dict) else ():
            usable = (
                isinstance(value, bool)
                if name == "cache"
                else isinstance(value, int | float) and not isinstance(value, bool) and value > 0
            )
            if name not in _EVALUATE or not usable or (name == "maxConcurrency" and value > 50):
                self._note("evaluateOptions", f"`evaluateOptions.{name}` is not carried over")
            else:
                found[_EVALUATE[name]] = value
            if name == "repeat" and usable and value > 1:
                self._note(
                    "evaluateOptions",
                    "`repeat`: in promptfoo each run counts by itself; look at how AgentV combines them",
                )
        self._set_key(suite, "evaluate_options", found, "evaluateOptions")
        if isinstance(self.source.data.get("nunjucksFilters"), dict):
            self._set_key(suite, "nunjucks_filters", self.source.data["nunjucksFilters"], "nunjucksFilters")
        env = self.source.data.get("env")
        if isinstance(env, dict):
            self._set_key(
                suite, "env", {name: value for name, value in env.items() if not self._is_secret(name, value)}
            )

    def _is_secret(self, name: str, value: Any) -> bool:
        """Whether a variable holds a key, which is not copied to another file."""
        if not looks_secret(name) or "{{" in str(value):
            return False
        self._note("env", f"the value of `{name}` is not copied: set it in the environment")
        return True

    def _note(self, key: str, words: str) -> None:
        entry = self.source.root.entry(key)
        self.notes.add(self.file.shown, self.file.line_of(entry.key.span.start) if entry is not None else 1, words)

    def _note_rest(self) -> None:
        known = {*_DONE, "evaluateOptions", "env", "nunjucksFilters", "$schema", "tags"}
        for name in self.source.data:
            if name not in known and not name.startswith(("x-", ".", "_")):
                self._note(
                    name, f"`{name}` is not carried over: {_INSTEAD.get(name, 'promptfoo ignores it at the top, too')}"
                )
