"""Tools that read and write suites: nothing is executed."""

from pathlib import Path
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError

from rubric_core.analysis import Language
from rubric_core.cli.agent_lines import agent_lines
from rubric_core.cli.check_command import write_fixed
from rubric_core.cli.check_output import summary
from rubric_core.cli.check_result import CheckedFile, CheckRound, as_json
from rubric_core.cli.check_run import CheckRun
from rubric_core.cli.explain import page_of, unknown_code
from rubric_core.cli.file_checker import CheckOptions, FileChecker
from rubric_core.cli.masked_findings import mask_findings
from rubric_core.cli.source_writer import SourceWriter
from rubric_core.cli.sources import STANDARD_INPUT, Source, SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.language.dialects import dialect_named
from rubric_core.language.family_reference import reference_of
from rubric_core.language.schema import KINDS, json_schema
from rubric_core.text import Position
from rubric_lsp.features.completion import complete
from rubric_lsp.mcp.served_folder import ServedFolder, expected_errors

__all__ = ["LanguageTools"]


class LanguageTools:
    """Each public method is a tool; its docstring is the description that clients see."""

    def __init__(self, folder: ServedFolder) -> None:
        self._folder = folder
        self._language = Language()

    def check(self, path: str = "", text: str | None = None, dialect: str = "") -> dict[str, Any]:
        """Find mistakes in evaluation suites, with fixes. Executes nothing.

        Args:
            path: A suite, or a folder with suites, relative to the served folder. With `text`, where that text belongs.
            text: The text of a suite that is not written yet.
            dialect: The dialect of suites that do not name one, such as agentv-3.

        `lines` is the short form; positions in `findings` are 0-based and count UTF-16 units, as in LSP.
        """
        found = self._round(path, text, dialect, fix=False)
        shown = [mask_findings(each) for each in found.files]
        return {
            "summary": summary(found),
            "lines": list(agent_lines(shown)),
            "findings": as_json(shown),
            "unreadable": list(found.failures),
        }

    def fix(self, path: str = "", text: str | None = None, dialect: str = "") -> dict[str, Any]:
        """Apply every safe fix.

        With `text`, return the fixed text; otherwise write the file, or the files of the folder.

        Args:
            path: A suite, or a folder with suites, relative to the served folder. With `text`, where that text belongs.
            text: The text of a suite that is not written yet.
            dialect: The dialect of suites that do not name one, such as agentv-3.
        """
        done = self._round(path, text, dialect, fix=True)
        refused = {} if text is not None else write_fixed(done.files, SourceWriter([str(self._folder.root)]))
        left = [each for each in done.files if each.path not in refused]
        return {
            "summary": summary(done, fixed=True),
            "changed": [each.path for each in left if each.changed and text is None],
            "text": done.files[0].document.text if text is not None and done.files else None,
            "lines": list(agent_lines(map(mask_findings, left))),
            "unreadable": [*done.failures, *refused.values()],
        }

    def complete_at(
        self, line: int, character: int, path: str = "", text: str | None = None, dialect: str = ""
    ) -> list[dict[str, Any]]:
        """The keys, values and types of the dialect that fit at a position of a suite, the most likely first.

        Args:
            line: 0-based.
            character: 0-based, in UTF-16 units, as in the `findings` of `check`.
            path: The suite, relative to the served folder. With `text`, where that text belongs.
            text: The text of a suite that is not written yet.
            dialect: The dialect of a suite that does not name one, such as agentv-3.
        """
        source = self._source(path, text)
        if path:
            run, shown = self._run(path, text, dialect, fix=False)
            run.round(cached=False)
            source = run.source(shown)
        with expected_errors():
            analysis = self._checker(dialect, fix=False).analysis(source, source.read())
        offers = complete(analysis, analysis.document.offset(Position(line, character)))
        return [
            {"label": each.label, "kind": each.kind, "insert": each.plain, "detail": each.detail}
            for each in sorted(offers, key=lambda each: each.sort)
        ]

    def explain(self, code: str = "", dialect: str = "") -> str:
        """Explain a code that `check` reports, or the whole language of a dialect (about 12,000 tokens), as Markdown.

        Args:
            code: A code such as overlapping-bands.
            dialect: A dialect such as agentv-3, in place of a code.
        """
        if bool(code) == bool(dialect):
            raise ToolError("name either a code or a dialect")
        if dialect:
            with expected_errors():
                return reference_of(dialect_named(dialect))
        page = page_of(code, self._language)
        if page is None:
            raise ToolError(unknown_code(code, self._language))
        return page

    def schema(self, dialect: str, kind: str = "suite") -> dict[str, Any]:
        """The JSON Schema of a kind of file: suite, targets, config, cases or template.

        Args:
            dialect: Such as agentv-3.
            kind: What the file is.
        """
        if kind not in KINDS:
            raise ToolError(f"there is no kind {kind}; there are {', '.join(KINDS)}")
        with expected_errors():
            return json_schema(dialect_named(dialect), kind)

    def _round(self, path: str, text: str | None, dialect: str, *, fix: bool) -> CheckRound:
        """Check a text, or the files at a path. Raises ToolError."""
        if text is not None and not path:
            checked = self._checker(dialect, fix=fix).attempt(self._source(path, text))
            return (
                CheckRound((checked,), (), 0.0) if isinstance(checked, CheckedFile) else CheckRound((), (checked,), 0.0)
            )
        run, shown = self._run(path, text, dialect, fix=fix)
        done = run.round(cached=False)
        wanted = (f for f in done.files if (f.path == shown if text is not None else self._folder.holds(Path(f.path))))
        return CheckRound(tuple(wanted), done.failures, done.seconds)

    def _run(self, path: str, text: str | None, dialect: str, *, fix: bool) -> tuple[CheckRun, str]:
        """A check, and how the file or folder at a path is shown in it. Raises ToolError."""
        shown = self._folder.shown(self._folder.path(path or "."))
        configurations = Configurations(self._language)
        texts = {shown: text} if text is not None else None
        sources = SourceCollector([shown], Discovery(configurations), None, texts=texts)
        return CheckRun(self._language, configurations, self._options(dialect, fix=fix), sources), shown

    def _source(self, path: str, text: str | None) -> Source:
        if text is None and not path:
            raise ToolError("name a path, or give a text")
        shown = self._folder.shown(self._folder.path(path)) if path else STANDARD_INPUT
        return Source(shown, self._folder.root / shown, named=True, text=text)

    def _checker(self, dialect: str, *, fix: bool) -> FileChecker:
        return FileChecker(self._language, Configurations(self._language), self._options(dialect, fix=fix))

    def _options(self, dialect: str, *, fix: bool) -> CheckOptions:
        with expected_errors():
            return CheckOptions(dialect_named(dialect).name if dialect else None, fix=fix)
