"""Files that promptfoo puts in the place of the texts that name them: `file://` in a file of tests."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubric_core.families.promptfoo.cases.configuration import ConfigurationError, PromptfooConfiguration
from rubric_core.families.promptfoo.cases.tables import table_records
from rubric_core.language.javascript_values import read_json
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.directory_search import URL, is_pattern
from rubric_core.loading.path_matches import path_matches

__all__ = ["InlinedFiles"]

_CODE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py")
#: A file with code and the function in it.
_FUNCTION = pattern(r"(?P<path>.+\.(?:[cm]?[jt]s|py)):(?P<function>[^:/\\]+)\Z")
_YAML = (".yaml", ".yml")


class InlinedFiles:
    """Puts the content of files in the place of the texts that name them, and keeps which files it read."""

    def __init__(self, configuration: PromptfooConfiguration) -> None:
        self._configuration = configuration
        #: The files that were read, in their order.
        self.files: list[Path] = []

    def deep(self, value: Any, context: str = "") -> Any:
        """The data with file references replaced by content, except in `vars` and code of assertions. Raises ConfigurationError."""
        if isinstance(value, list):
            return [self.deep(item, context) for item in value]
        if isinstance(value, dict):
            return {name: self.deep(item, _context(name, value, context)) for name, item in value.items()}
        return self.replaced(value, context)

    def replaced(self, value: Any, context: str = "") -> Any:
        """The replacement of a text that names a file; anything else unchanged. Raises ConfigurationError."""
        if not isinstance(value, str) or not value.startswith(URL) or context == "vars":
            return value
        name = value.removeprefix(URL)
        function = _FUNCTION.match(name)
        if function is not None or (context == "assertion" and name.endswith(_CODE)):
            return value
        if not is_pattern(name):
            return self._content(self._configuration.directory / name)
        found: list[Any] = []
        matches = path_matches(name, [self._configuration.directory], self._configuration.files)
        if not matches.paths:
            raise ConfigurationError(f"no file matches {name}")
        for path in matches.files_first:
            content = self._content(path)
            if content is not None:
                found += content if isinstance(content, list) else [content]
        return found

    def data(self, path: Path) -> Any:
        """The data in a YAML or JSON file. Raises ConfigurationError."""
        self.files.append(path)
        return self._configuration.external(str(path)) if path.suffix != ".json" else self._json(path)

    def text(self, path: Path) -> str:
        """The text of a file. Raises ConfigurationError."""
        self.files.append(path)
        return self._configuration.read(str(path))

    def _json(self, path: Path) -> Any:
        try:
            return read_json(self._configuration.read(str(path)))
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f"{self._configuration.shown(path)} is not JSON: {error}") from None

    def _content(self, path: Path) -> Any:
        if path.name.endswith((".json", *_YAML)):
            return self.data(path)
        text = self.text(path)
        if not path.name.endswith(".csv"):
            return text
        records = [record for _, record in table_records(text, self._configuration.shown(path))]
        if records and len(records[0]) == 1:
            return [value for record in records for value in record.values()]
        return records


def _context(name: object, value: Mapping[Any, Any], context: str) -> str:
    """The context of the value of a key."""
    if name == "value" and value.get("type") in ("python", "javascript"):
        return "assertion"
    return "vars" if name == "vars" else context
